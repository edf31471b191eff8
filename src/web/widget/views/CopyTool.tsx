import type { VNode } from "preact"
import { useCopy } from "../../shared/markdown/CopyButton.tsx"
import { Icon } from "../../shared/Icon.tsx"
import { useTexts } from "./Context.ts"
import copyIcon from "icon:copy"

/** Copies a whole reply, as Markdown. */
export const CopyTool = ({ text }: { readonly text: string }): VNode => {
  const texts = useTexts()
  const { copy, isCopied } = useCopy(text)
  const label = isCopied.value ? texts.copied : texts.copy
  return (
    <button type="button" class="tool" title={label} onClick={copy}>
      {isCopied.value ? <span aria-hidden="true">✓</span> : <Icon nodes={copyIcon} size={16} />}
      <span class="visually-hidden">{label}</span>
    </button>
  )
}
