import { useSignal } from "@preact/signals"
import type { VNode } from "preact"
import { copyText } from "../../shared/Clipboard.ts"
import { Icon } from "../../shared/Icon.tsx"
import { useTexts } from "./Context.ts"
import doneIcon from "icon:check"
import copyIcon from "icon:copy"

/** How long the button says that it has copied. */
const SHOWN_MILLIS = 2_000

/** Copies a whole reply, as Markdown. */
export const CopyTool = ({ text }: { readonly text: string }): VNode => {
  const texts = useTexts()
  const isCopied = useSignal(false)
  const label = isCopied.value ? texts.copied : texts.copy
  const copy = () =>
    void copyText(text).then((done) => {
      isCopied.value = done
      setTimeout(() => (isCopied.value = false), SHOWN_MILLIS)
    })
  return (
    <button type="button" class="tool" title={label} onClick={copy}>
      <Icon nodes={isCopied.value ? doneIcon : copyIcon} size={16} />
      <span class="visually-hidden">{label}</span>
    </button>
  )
}
