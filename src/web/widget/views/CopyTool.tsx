import type { VNode } from "preact"
import { Copy } from "lucide"
import { useCopy } from "../../shared/markdown/CopyButton.tsx"
import { Icon } from "../../shared/Icon.tsx"
import { useTexts } from "./Context.ts"

/** Copies a whole reply, as Markdown. */
export const CopyTool = ({ text }: { readonly text: string }): VNode => {
  const texts = useTexts()
  const { copy, isCopied } = useCopy(text)
  const label = isCopied.value ? texts.copied : texts.copy
  return (
    <button type="button" class="tool" title={label} onClick={copy}>
      {isCopied.value ? <span aria-hidden="true">✓</span> : <Icon nodes={Copy} size={16} />}
      <span class="visually-hidden">{label}</span>
    </button>
  )
}
