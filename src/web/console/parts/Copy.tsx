import { useSignal } from "@preact/signals"
import { Check, Copy } from "lucide"
import { copyText } from "../../shared/Clipboard.ts"
import { Button, IconButton } from "./Buttons.tsx"
import { toastFailure } from "./Toast.ts"

const COPIED_MILLIS = 2_000

interface CopyProps {
  readonly text: string
  /** Text of the button, such as `Copy key`. */
  readonly label: string
  /** Shows the label as a text instead of an icon alone. */
  readonly withText?: boolean
}

/** A button that copies a text, and says for a moment that it has. */
export const CopyButton = ({ label, text, withText }: CopyProps) => {
  const copied = useSignal(false)
  const onClick = async (): Promise<void> => {
    if (!(await copyText(text)))
      return toastFailure(new Error("The browser blocked copying. Select the text and copy it instead."))
    copied.value = true
    setTimeout(() => (copied.value = false), COPIED_MILLIS)
  }
  const icon = copied.value ? Check : Copy
  return withText === true ? (
    <Button icon={icon} onClick={() => void onClick()}>
      {copied.value ? "Copied" : label}
    </Button>
  ) : (
    <IconButton icon={icon} label={copied.value ? "Copied" : label} onClick={() => void onClick()} />
  )
}
