import { type Signal, signal } from "@preact/signals"
import { confirm } from "../parts/Dialogs.tsx"
import { Checkbox } from "../parts/Field.tsx"
import { nameOfField } from "../server/Failure.ts"
import type { Clash, Value } from "./Form.ts"

const LONGEST = 400

const wordsOf = (value: Value): string => {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return "empty"
  if (typeof value === "boolean") return value ? "on" : "off"
  const text = Array.isArray(value) ? value.join(", ") : String(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

interface ClashesProps {
  readonly clashes: ReadonlyArray<Clash>
  readonly taken: Signal<ReadonlyArray<string>>
}

const Clashes = ({ clashes, taken }: ClashesProps) => (
  <div class="stack anywhere">
    {clashes.map(({ mine, path, theirs }) => (
      <Checkbox
        key={path}
        label={`${nameOfField(path)}: use their value`}
        hint={`Yours: ${wordsOf(mine)} · Theirs: ${wordsOf(theirs)}`}
        value={taken.value.includes(path)}
        onValue={(isTaken) =>
          (taken.value = isTaken ? [...taken.value, path] : taken.value.filter((each) => each !== path))
        }
      />
    ))}
  </div>
)

/** Asks of which fields the other side's value stays; undefined when the person goes on editing. */
export const chooseSides = async (
  clashes: ReadonlyArray<Clash>,
  editor = "Someone else",
): Promise<ReadonlyArray<string> | undefined> => {
  const taken = signal<ReadonlyArray<string>>([])
  const isDecided = await confirm({
    title: `${editor} changed the same fields`,
    text: <Clashes clashes={clashes} taken={taken} />,
    action: "Save",
    otherwise: "Keep editing",
  })
  return isDecided ? taken.value : undefined
}
