import { signal, useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { TextField } from "./Field.tsx"

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

const asked = signal<(Question & { readonly answer: (yes: boolean) => void }) | undefined>(undefined)

/** Asks a question in a dialog; resolves to whether the person goes on. */
export const confirm = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    asked.value?.answer(false)
    asked.value = {
      ...question,
      answer: (yes) => {
        asked.value = undefined
        resolve(yes)
      },
    }
  })

const Asking = ({
  action,
  answer,
  isDangerous,
  otherwise = "Cancel",
  text,
  title,
  typed,
}: NonNullable<typeof asked.value>) => {
  const name = useSignal("")
  const isTyped = typed === undefined || name.value.trim() === typed.trim()
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isTyped) answer(true)
        }}
      >
        <div class="stack">
          <div class="prose">{text}</div>
          {typed !== undefined && (
            <TextField
              label={`Type “${typed}” to confirm`}
              value={name.value}
              onValue={(value) => (name.value = value)}
              autocomplete="off"
            />
          )}
        </div>
        <div class="dialog-actions">
          <Button onClick={() => answer(false)}>{otherwise}</Button>
          <Button type="submit" kind={isDangerous === true ? "danger" : "primary"} disabled={!isTyped}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Where questions appear. The shell has it once. */
export const Confirmations = () =>
  asked.value === undefined ? null : <Asking key={asked.value.title} {...asked.value} />
