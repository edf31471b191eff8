import { useSignal, type ReadonlySignal } from "@preact/signals"
import type { VNode } from "preact"
import { copyText } from "../Clipboard.ts"

export interface CopyTexts {
  readonly copy: string
  readonly copied: string
}

interface CopyButtonProps {
  readonly text: string
  readonly texts: CopyTexts
}

/** Time for which a button says that it has copied. */
const SHOWN_MILLIS = 2_000

/** Returns what copies a text, and whether it has just done so. */
export const useCopy = (text: string): { readonly isCopied: ReadonlySignal<boolean>; readonly copy: () => void } => {
  const isCopied = useSignal(false)
  const copy = () =>
    void copyText(text).then((done) => {
      isCopied.value = done
      setTimeout(() => (isCopied.value = false), SHOWN_MILLIS)
    })
  return { isCopied, copy }
}

/** A button that copies a text and says for a moment that it did. */
export const CopyButton = ({ text, texts }: CopyButtonProps): VNode => {
  const { copy, isCopied } = useCopy(text)
  return (
    <button type="button" class="copy" onClick={copy}>
      {isCopied.value ? texts.copied : texts.copy}
    </button>
  )
}
