import { computed, signal, useSignal } from "@preact/signals"
import { X } from "lucide"
import { type ComponentChildren, createContext } from "preact"
import { useContext, useEffect, useId, useMemo, useRef } from "preact/hooks"
import { Scroller } from "../../shared/Scroller.tsx"
import { place } from "../Router.ts"
import { type Failure, toFailure } from "../server/Failure.ts"
import { Button, IconButton } from "./Buttons.tsx"
import { bind, Refusals, TextField, Unsaid } from "./Field.tsx"
import { attempt } from "./Toast.ts"

/*
 * Dialogs, forms, and questions before something is done.
 */

interface Shown {
  readonly id: number
  readonly content: ComponentChildren
  readonly close: () => void
}

const dialogs = signal<ReadonlyArray<Shown>>([])
let nextId = 0

/** Shows a dialog above everything else until the returned function is called, or the person closes it or leaves. */
export const openDialog = (content: ComponentChildren, onClosed?: () => void): (() => void) => {
  const id = nextId++
  const close = (): void => {
    const others = dialogs.peek().filter((each) => each.id !== id)
    if (others.length === dialogs.peek().length) return
    dialogs.value = others
    onClosed?.()
  }
  dialogs.value = [...dialogs.peek(), { id, content, close }]
  return close
}

const Closing = createContext<() => void>(() => {})

/** The function that closes the dialog around a component. */
export const useClose = (): (() => void) => useContext(Closing)

const closeAll = (): void => dialogs.peek().forEach(({ close }) => close())

// A dialog belongs to the screen that has opened it, under all filters of that.
computed(() => JSON.stringify([place.value.screen, place.value.params])).subscribe(closeAll)

/** The place of dialogs. The shell has it once, while somebody is signed in. */
export const Dialogs = () => {
  useEffect(() => closeAll, [])
  return (
    <>
      {dialogs.value.map(({ close, content, id }) => (
        <Closing.Provider key={id} value={close}>
          {content}
        </Closing.Provider>
      ))}
    </>
  )
}

interface DialogProps {
  readonly title: string
  /** Closes a dialog that is not one of `openDialog`. */
  readonly onClose?: () => void
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
  const close = useClose()
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
      onClose={() => dialog.current !== null && (onClose ?? close)()}
    >
      <div class="dialog-head row nowrap apart">
        <h2 id={id}>{title}</h2>
        {!stays && <IconButton icon={X} label="Close" onClick={onClose ?? close} />}
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
  readonly children?: ComponentChildren
  readonly action: string
  readonly isWrong?: boolean
  readonly kind?: "primary" | "secondary" | "danger"
  /** A failure to show before the form is sent for the first time. */
  readonly failure?: Failure | undefined
  /** Sends what is filled in. Its failure is shown where it was sent. */
  readonly onSubmit: () => Promise<void>
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
      <Refusals.Provider value={{ errors: failure.value?.errors ?? [], onName: (name) => names.add(name) }}>
        {children}
      </Refusals.Provider>
      {failure.value !== undefined && <Unsaid failure={failure.value} names={names} />}
      {onCancel === undefined ? (
        send
      ) : (
        <div class="dialog-actions row">
          <Button onClick={onCancel}>{otherwise}</Button>
          {send}
        </div>
      )}
    </form>
  )
}

export interface Draft<A extends object> {
  readonly draft: A
  readonly change: (changes: Partial<A>) => void
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
  /** Whether only its buttons close it, so that no key loses a long text. */
  readonly stays?: boolean
}

/** A form in a dialog of its own, which stays open until the form has been sent. */
export const FormDialog = ({ onSubmit, stays = false, title, wide = false, ...form }: FormDialogProps) => {
  const close = useClose()
  const submit = async (): Promise<void> => {
    await onSubmit()
    close()
  }
  return (
    <Dialog title={title} wide={wide} stays={stays}>
      <Form {...form} onSubmit={submit} onCancel={close} />
    </Dialog>
  )
}

interface Question {
  readonly title: string
  readonly text: ComponentChildren
  readonly action: string
  readonly otherwise?: string
  readonly isDangerous?: boolean
  /** A name that the person has to type first, for what cannot be undone. */
  readonly typed?: string
}

let closeQuestion = (): void => {}

/** Asks a question in a dialog; resolves to whether the person goes on. */
export const confirm = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    closeQuestion()
    closeQuestion = openDialog(<Asking {...question} onYes={() => resolve(true)} />, () => resolve(false))
  })

/** Does something that cannot be undone, once the person has confirmed it, and says that it is done. */
export const confirmed = async (
  what: Omit<Question, "isDangerous">,
  work: () => Promise<unknown>,
  done?: string,
): Promise<void> => {
  if (await confirm({ ...what, isDangerous: true })) await attempt(work, done)
}

/** Deletes what has a name, once the person has confirmed it, and says that it is deleted. */
export const confirmDeletion = (
  name: string,
  text: string,
  work: () => Promise<unknown>,
  more?: Partial<Pick<Question, "action" | "typed">>,
): Promise<void> => confirmed({ title: `Delete ${name}?`, text, action: "Delete", ...more }, work, `${name} deleted.`)

const Asking = ({ isDangerous, onYes, text, typed, ...form }: Question & { readonly onYes: () => void }) => {
  const name = useSignal("")
  return (
    <FormDialog
      {...form}
      kind={isDangerous === true ? "danger" : "primary"}
      isWrong={typed !== undefined && name.value.trim() !== typed.trim()}
      onSubmit={async () => onYes()}
    >
      <div class="prose">{text}</div>
      {typed !== undefined && <TextField label={`Type “${typed}” to confirm`} {...bind(name)} />}
    </FormDialog>
  )
}
