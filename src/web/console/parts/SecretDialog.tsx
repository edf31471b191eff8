import { Button } from "./Buttons.tsx"
import { CopyButton } from "./Copy.tsx"
import { Dialog, useClose } from "./Dialogs.tsx"

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
