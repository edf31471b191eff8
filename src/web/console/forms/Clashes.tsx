import { type Signal, signal } from "@preact/signals"
import { confirm } from "../parts/Dialogs.tsx"
import { Radio } from "../parts/Field.tsx"
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
  <div class="stack">
    {clashes.map(({ mine, path, theirs }) => {
      const others = taken.value.filter((each) => each !== path)
      const sides = [
        { words: `Yours: ${wordsOf(mine)}`, chosen: others },
        { words: `Theirs: ${wordsOf(theirs)}`, chosen: [...others, path] },
      ]
      return (
        <fieldset key={path} class="stack tight">
          <legend>{nameOfField(path)}</legend>
          {sides.map(({ chosen, words }) => (
            <Radio
              key={words}
              name={path}
              isChosen={chosen.includes(path) === taken.value.includes(path)}
              onChoose={() => (taken.value = chosen)}
            >
              {words}
            </Radio>
          ))}
        </fieldset>
      )
    })}
  </div>
)

/** Asks of which fields the other side's value stays; undefined when the person goes on editing. */
export const chooseSides = async (
  clashes: ReadonlyArray<Clash>,
  editor = "Someone else",
): Promise<ReadonlyArray<string> | undefined> => {
  const taken = signal<ReadonlyArray<string>>([])
  const isDecided = await confirm({
    title: `${editor} has changed this meanwhile`,
    text: <Clashes clashes={clashes} taken={taken} />,
    action: "Save",
    otherwise: "Keep editing",
  })
  return isDecided ? taken.value : undefined
}
