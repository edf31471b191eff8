import { useSignal } from "@preact/signals"
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

/** How long a button says that it has copied. */
const SHOWN_MILLIS = 2_000

/** A button that copies a text and says for a moment that it did. */
export const CopyButton = ({ text, texts }: CopyButtonProps): VNode => {
  const isCopied = useSignal(false)
  const copy = () =>
    void copyText(text).then((done) => {
      isCopied.value = done
      if (done) setTimeout(() => (isCopied.value = false), SHOWN_MILLIS)
    })
  return (
    <button type="button" class="copy" onClick={copy}>
      {isCopied.value ? texts.copied : texts.copy}
    </button>
  )
}
