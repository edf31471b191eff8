import { useSignal } from "@preact/signals"
import type { VNode } from "preact"

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

/** Copies a text to the clipboard. Returns whether the browser allowed it, which some do not inside of a frame. */
export const copyText = (text: string): Promise<boolean> => {
  // Absent where the page does not come over https.
  const clipboard: Clipboard | undefined = navigator.clipboard
  const copiedByCommand = (): boolean => {
    const area = document.createElement("textarea")
    area.value = text
    area.className = "visually-hidden"
    document.body.append(area)
    area.select()
    const done = document.execCommand("copy")
    area.remove()
    return done
  }
  if (clipboard === undefined) return Promise.resolve(copiedByCommand())
  return clipboard.writeText(text).then(() => true, copiedByCommand)
}
