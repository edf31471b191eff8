import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { type Failure, toFailure } from "../Failure.ts"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Problem } from "./States.tsx"

interface FormProps {
  readonly children: ComponentChildren
  /** What the button that sends the form says. */
  readonly action: string
  /** Whether what is filled in cannot be sent. */
  readonly isWrong?: boolean
  readonly kind?: "primary" | "danger"
  /** A failure to show before the form is sent for the first time. */
  readonly failure?: Failure | undefined
  /** Sends what is filled in. Its failure is shown where it was sent. */
  readonly onSubmit: () => Promise<void>
  /** Leaves the form. */
  readonly onCancel?: () => void
  readonly otherwise?: string
}

/** A form that sends once at a time, and shows why it could not. */
export const Form = ({
  action,
  children,
  failure: first,
  isWrong = false,
  kind = "primary",
  onCancel,
  onSubmit,
  otherwise = "Cancel",
}: FormProps) => {
  const failure = useSignal(first)
  const isBusy = useSignal(false)
  const submit = async (): Promise<void> => {
    if (isWrong || isBusy.value) return
    isBusy.value = true
    failure.value = undefined
    try {
      await onSubmit()
    } catch (error) {
      failure.value = toFailure(error)
    }
    isBusy.value = false
  }
  const send = (
    <Button type="submit" kind={kind} busy={isBusy.value} disabled={isWrong}>
      {action}
    </Button>
  )
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {children}
      {failure.value !== undefined && <Problem failure={failure.value} />}
      {onCancel === undefined ? (
        send
      ) : (
        <div class="dialog-actions">
          <Button onClick={onCancel}>{otherwise}</Button>
          {send}
        </div>
      )}
    </form>
  )
}

interface FormDialogProps extends Omit<FormProps, "onCancel"> {
  readonly title: string
  readonly wide?: boolean
  readonly onClose: () => void
}

/** A form in a dialog of its own. */
export const FormDialog = ({ onClose, title, wide = false, ...form }: FormDialogProps) => (
  <Dialog title={title} wide={wide} onClose={onClose}>
    <Form {...form} onCancel={onClose} />
  </Dialog>
)
