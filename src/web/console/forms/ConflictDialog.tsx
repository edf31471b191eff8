import { Button } from "../parts/Buttons.tsx"
import { Dialog } from "../parts/Dialogs.tsx"
import { toast } from "../parts/Toast.tsx"
import { nameOfField, type Value } from "./Fields.ts"
import type { Form } from "./Form.ts"

const LONGEST = 400

const wordsOf = (value: Value): string => {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return "empty"
  if (typeof value === "boolean") return value ? "on" : "off"
  const text = Array.isArray(value) ? value.join(", ") : String(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text
}

/** Asks whose values stay where somebody else has changed the same fields since the person began. */
export const ConflictDialog = ({ form }: { readonly form: Form }) => {
  const merged = form.conflict.value
  if (merged === undefined) return null
  const save = async (side: "mine" | "theirs"): Promise<void> => {
    form.resolve(side)
    if (await form.save()) toast("Saved.")
  }
  return (
    <Dialog
      title="Somebody else has changed this, too"
      onClose={() => form.resolve(undefined)}
      actions={
        <>
          <Button onClick={() => form.resolve(undefined)}>Go on editing</Button>
          <Button onClick={() => void save("theirs")}>Take theirs</Button>
          <Button kind="primary" onClick={() => void save("mine")}>
            Save mine
          </Button>
        </>
      }
    >
      <dl class="facts">
        {merged.clashes.map(({ mine, path, theirs }) => (
          <div key={path} class="anywhere">
            <dt>{nameOfField(path)}</dt>
            <dd>Yours: {wordsOf(mine)}</dd>
            <dd class="soft">Theirs: {wordsOf(theirs)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
