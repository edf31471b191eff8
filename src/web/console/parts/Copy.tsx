import { useSignal } from "@preact/signals"
import { Check, Copy } from "lucide"
import { copyText } from "../../shared/Clipboard.ts"
import { Scroller } from "../../shared/Scroller.tsx"
import { Button, IconButton } from "./Buttons.tsx"
import { Dialog, useClose } from "./Dialogs.tsx"
import { toastFailure } from "./Toast.ts"

interface JsonProps {
  readonly label: string
  readonly value: unknown
}

export const Json = ({ label, value }: JsonProps) => {
  const text = typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "Empty")
  return (
    <div>
      <div class="row apart">
        <span class="soft small">{label}</span>
        <CopyButton label={`Copy: ${label}`} text={text} />
      </div>
      <Scroller class="code-box" label={label}>
        <pre>{text}</pre>
      </Scroller>
    </div>
  )
}

interface SecretProps {
  readonly title: string
  /** Says what it is for, and that it is not shown again. */
  readonly about: string
  readonly secret: string
}

/** A secret that is never shown again, so that the dialog only closes by its button. */
export const SecretDialog = ({ about, secret, title }: SecretProps) => (
  <Dialog title={title} stays>
    <p>{about}</p>
    <code class="code-box">{secret}</code>
    <div class="dialog-actions row">
      <CopyButton text={secret} label="Copy" withText />
      <Button kind="primary" onClick={useClose()}>
        Done
      </Button>
    </div>
  </Dialog>
)

const COPIED_MILLIS = 2_000

interface CopyProps {
  readonly text: string
  readonly label: string
  readonly withText?: boolean
}

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
