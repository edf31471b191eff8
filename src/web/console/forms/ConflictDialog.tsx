import { useSignal } from "@preact/signals"
import { useId } from "preact/hooks"
import { Button } from "../parts/Button.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { toast } from "../parts/Toast.tsx"
import type { Fields, Merged, Value } from "./Fields.ts"
import type { Form } from "./Form.ts"

interface ConflictProps {
  readonly form: Form
  /** The name of a field for people. */
  readonly nameOf: (path: string) => string
}

const LONGEST = 400

const shown = (value: Value): string => {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return "empty"
  if (typeof value === "boolean") return value ? "on" : "off"
  const text = Array.isArray(value) ? value.join(", ") : String(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text
}

interface SideProps {
  readonly name: string
  readonly title: string
  readonly value: Value
  readonly isChosen: boolean
  readonly onChoose: () => void
}

const Side = ({ isChosen, name, onChoose, title, value }: SideProps) => {
  const id = useId()
  return (
    <div class="side-choice">
      <input id={id} type="radio" name={name} checked={isChosen} onChange={onChoose} />
      <label for={id}>
        <strong>{title}</strong>
        <span class="clash-value">{shown(value)}</span>
      </label>
    </div>
  )
}

const Choosing = ({ form, merged, nameOf }: ConflictProps & { readonly merged: Merged }) => {
  /** The paths of which the person takes what somebody else has stored. */
  const taken = useSignal<ReadonlySet<string>>(new Set())
  const choose = (path: string, takes: boolean): void => {
    const next = new Set(taken.value)
    if (takes) next.add(path)
    else next.delete(path)
    taken.value = next
  }
  const save = async (): Promise<void> => {
    const chosen: Fields = Object.fromEntries(
      merged.clashes.flatMap(({ path, theirs }) => (taken.value.has(path) ? [[path, theirs]] : [])),
    )
    form.resolve({ ...merged.fields, ...chosen })
    if (await form.save()) toast("Saved.")
  }
  return (
    <Dialog
      title="Somebody else has changed this meanwhile"
      wide
      onClose={() => form.resolve(undefined)}
      actions={
        <>
          <Button onClick={() => form.resolve(undefined)}>Go on editing</Button>
          <Button kind="primary" onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <div class="stack">
        {merged.theirs.length > 0 && (
          <p class="prose">
            Changed by them, and taken over: <strong>{merged.theirs.map(nameOf).join(", ")}</strong>.
          </p>
        )}
        {merged.clashes.length === 0 ? (
          <p class="prose">None of your changes touches theirs. Save keeps both.</p>
        ) : (
          <p class="prose">Both of you changed these. Which shall stay?</p>
        )}
        {merged.clashes.map(({ mine, path, theirs }) => (
          <fieldset class="clash" key={path}>
            <legend>{nameOf(path)}</legend>
            <Side
              name={path}
              title="Yours"
              value={mine}
              isChosen={!taken.value.has(path)}
              onChoose={() => choose(path, false)}
            />
            <Side
              name={path}
              title="Theirs"
              value={theirs}
              isChosen={taken.value.has(path)}
              onChoose={() => choose(path, true)}
            />
          </fieldset>
        ))}
      </div>
    </Dialog>
  )
}

/** Shows what somebody else has stored since the person began, and lets the person choose. */
export const ConflictDialog = ({ form, nameOf }: ConflictProps) => {
  const merged = form.conflict.value
  return merged === undefined ? null : <Choosing form={form} merged={merged} nameOf={nameOf} />
}
