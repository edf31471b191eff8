import { signal, useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { bind, TextField } from "./Field.tsx"
import { FormDialog } from "./Form.tsx"
import { attempt } from "./Toast.tsx"

interface Question {
  readonly title: string
  readonly text: ComponentChildren
  /** What the button that goes on says, such as `Delete`. */
  readonly action: string
  /** What the other button says. */
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

/** Where questions appear. The shell has it once. */
export const Confirmations = () =>
  question.value === undefined ? null : <Asking key={question.value.title} {...question.value} />
