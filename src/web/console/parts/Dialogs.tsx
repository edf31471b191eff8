import { signal, useSignal } from "@preact/signals"
import { X } from "lucide"
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { Scroller } from "../../shared/Scroller.tsx"
import { type Failure, toFailure } from "../server/Failure.ts"
import { Button, IconButton } from "./Buttons.tsx"
import { bind, TextField } from "./Field.tsx"
import { Problem } from "./Layout.tsx"
import { attempt } from "./Toast.tsx"

/*
 * Dialogs, forms, and questions before something is done.
 */

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** `drawer` stands at the end of the screen in its full height, for things that are read. */
  readonly kind?: "dialog" | "drawer" | "menu-drawer"
  readonly wide?: boolean
  /** Whether Escape and the button to close are without effect, as while something cannot be undone. */
  readonly stays?: boolean
  readonly children: ComponentChildren
  /** The buttons at the end, the one that goes on last. */
  readonly actions?: ComponentChildren
}

/** A dialog over the screen while it is rendered. The focus stays in it, and goes back to where it was. */
export const Dialog = ({ actions, children, kind = "dialog", onClose, stays = false, title, wide }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const isGone = useRef(false)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      isGone.current = true
      dialog.current?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`${kind}${wide === true ? " wide" : ""}`}
      aria-labelledby={id}
      closedby={stays ? "none" : kind === "dialog" ? "closerequest" : "any"}
      onCancel={(event) => {
        event.preventDefault()
        if (!stays) onClose()
      }}
      onClose={() => {
        // A browser may close it without a question, as when Escape is pressed twice.
        if (isGone.current) return
        if (stays) dialog.current?.showModal()
        else onClose()
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {!stays && <IconButton icon={X} label="Close" onClick={onClose} />}
      </div>
      {kind === "drawer" ? (
        <Scroller label={title} class="dialog-body">
          <div class="stack">{children}</div>
        </Scroller>
      ) : (
        <div class={kind === "dialog" ? "dialog-body stack" : "dialog-body"}>{children}</div>
      )}
      {actions !== undefined && <div class="dialog-actions">{actions}</div>}
    </dialog>
  )
}

interface FormProps {
  readonly children: ComponentChildren
  /** Text of the button that sends the form. */
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

interface Question {
  readonly title: string
  readonly text: ComponentChildren
  /** Text of the button that goes on, such as `Delete`. */
  readonly action: string
  /** Text of the other button. */
  readonly otherwise?: string
  readonly isDangerous?: boolean
  /** A name that the person has to type first, for what cannot be undone. */
  readonly typed?: string
}

const question = signal<(Question & { readonly answer: (yes: boolean) => void }) | undefined>(undefined)

/** Asks a question in a dialog; resolves to whether the person goes on. */
export const confirm = (next: Question): Promise<boolean> =>
  new Promise((resolve) => {
    question.value?.answer(false)
    question.value = {
      ...next,
      answer: (yes) => {
        question.value = undefined
        resolve(yes)
      },
    }
  })

/** Does something that cannot be undone, once the person has confirmed it, and says that it is done. */
export const confirmed = async (
  what: Omit<Question, "isDangerous">,
  work: () => Promise<unknown>,
  done?: string,
): Promise<void> => {
  if (await confirm({ ...what, isDangerous: true })) await attempt(work, done)
}

const Asking = ({ action, answer, isDangerous, otherwise, text, title, typed }: NonNullable<typeof question.value>) => {
  const name = useSignal("")
  return (
    <FormDialog
      {...{ action, title }}
      {...(otherwise !== undefined && { otherwise })}
      kind={isDangerous === true ? "danger" : "primary"}
      isWrong={typed !== undefined && name.value.trim() !== typed.trim()}
      onClose={() => answer(false)}
      onSubmit={async () => answer(true)}
    >
      <div class="prose">{text}</div>
      {typed !== undefined && <TextField label={`Type “${typed}” to confirm`} {...bind(name)} />}
    </FormDialog>
  )
}

/** The place of questions. The shell has it once. */
export const Confirmations = () =>
  question.value === undefined ? null : <Asking key={question.value.title} {...question.value} />
