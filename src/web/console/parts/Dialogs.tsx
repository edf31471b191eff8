import { signal, useSignal } from "@preact/signals"
import { X } from "lucide"
import type { ComponentChildren } from "preact"
import { useEffect, useId, useMemo, useRef } from "preact/hooks"
import { Scroller } from "../../shared/Scroller.tsx"
import { type Failure, toFailure } from "../server/Failure.ts"
import { Button, IconButton } from "./Buttons.tsx"
import { bind, Refusals, TextField, Unsaid } from "./Field.tsx"
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
}

/** The controls with which a dialog begins: its first field, or else its first button. */
const FIRST_CONTROL = ".dialog-body :is(input, select, textarea, .dialog-actions button):enabled"

/** A dialog over the screen while it is rendered. The focus stays in it, and goes back to where it was. */
export const Dialog = ({ children, kind = "dialog", onClose, stays = false, title, wide }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    // The browser would begin with the button to close, which a space presses.
    if (shown?.querySelector("[autofocus]") === null && kind === "dialog")
      shown.querySelector<HTMLElement>(FIRST_CONTROL)?.focus()
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`${kind}${wide === true ? " wide" : ""}`}
      aria-labelledby={id}
      closedby={stays ? "none" : kind === "dialog" ? "closerequest" : "any"}
      // It is closed as well when it is no longer rendered.
      onClose={() => dialog.current !== null && onClose()}
    >
      <div class="dialog-head row nowrap apart">
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
    </dialog>
  )
}

interface FormProps {
  readonly children: ComponentChildren
  /** Text of the button that sends the form. */
  readonly action: string
  /** Whether what is filled in cannot be sent. */
  readonly isWrong?: boolean
  readonly kind?: "primary" | "secondary" | "danger"
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
  const names = useMemo(() => new Set<string>(), [])
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
      <Refusals.Provider value={{ errors: failure.value?.errors ?? [], names }}>{children}</Refusals.Provider>
      {failure.value !== undefined && <Unsaid failure={failure.value} names={names} />}
      {onCancel === undefined ? (
        <div>{send}</div>
      ) : (
        <div class="dialog-actions row">
          <Button onClick={onCancel}>{otherwise}</Button>
          {send}
        </div>
      )}
    </form>
  )
}

/** Values of a form that a person fills in. */
export interface Draft<A extends object> {
  readonly draft: A
  readonly change: (changes: Partial<A>) => void
  /** The properties of the control of a field. */
  readonly of: <K extends keyof A & string>(
    field: K,
  ) => { readonly name: string; readonly value: A[K]; readonly onValue: (value: A[K]) => void }
}

/** The draft of a form's fields, whose names the server knows, `within` those of others such as `budget.`. */
export const useDraft = <A extends object>(first: A, within = ""): Draft<A> => {
  const draft = useSignal(first)
  const change = (changes: Partial<A>): void => void (draft.value = { ...draft.value, ...changes })
  return {
    draft: draft.value,
    change,
    of: (field) => ({
      name: within + field,
      value: draft.value[field],
      onValue: (value) => change({ ...draft.value, [field]: value }),
    }),
  }
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
