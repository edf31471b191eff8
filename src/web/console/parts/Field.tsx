import { type Signal, useSignal } from "@preact/signals"
import {
  type ComponentChildren,
  createContext,
  h,
  type LooseInputHTMLAttributes,
  type TargetedInputEvent,
} from "preact"
import { useContext, useEffect, useId, useRef } from "preact/hooks"
import { type Failure, messageAt, nameOfField, type Refusal } from "../server/Failure.ts"
import { keysOf } from "../server/Unknown.ts"
import { type Options, Problem } from "./Layout.tsx"

interface Labelled {
  readonly label: string
  /** The path by which the server names the field when it refuses the value. */
  readonly name?: string | undefined
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  /** Hides the label from sight where the place says what the field is, as beside a search icon. */
  readonly labelHidden?: boolean | undefined
  readonly disabled?: boolean | undefined
}

interface Valued<A> {
  readonly value: A
  readonly onValue: (value: A) => void
}

/** The value of a control that is a signal. */
export const bind = <A,>(of: Signal<A>): Valued<A> => ({ value: of.value, onValue: (value) => void (of.value = value) })

interface Refused {
  /** The fields that the server has refused of the form around a control. */
  readonly errors: ReadonlyArray<Refusal>
  /** Called with the name of each of the form's controls: what is refused beside them is said elsewhere. */
  readonly onName: (name: string) => void
}

export const Refusals = createContext<Refused>({ errors: [], onName: () => {} })

/** The failure of sending a form, without what its fields say of it; rendered after them. The first of those gets the focus. */
export const Unsaid = ({ failure, names }: { readonly failure: Failure; readonly names: ReadonlySet<string> }) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const wrong = place.current?.closest("form, fieldset")?.querySelector<HTMLElement>("[aria-invalid]")
    wrong?.closest("details")?.setAttribute("open", "")
    wrong?.focus()
  }, [failure])
  const isSaid = (error: Refusal): boolean => Array.from(names).some((name) => messageAt([error], name) !== undefined)
  const others = failure.errors.filter((error) => !isSaid(error))
  const words =
    failure.errors.length === others.length ? [] : ["Nothing was saved. Fix the marked fields and try again."]
  return (
    <div ref={place}>
      <Problem failure={failure}>
        {failure.errors.length > 0 &&
          [...words, ...others.map(({ message, path }) => `${nameOfField(path)}: ${message}`)].join(" ")}
      </Problem>
    </div>
  )
}

/** The attributes by which a control is tied to its label, and the hint and the error that describe it. */
const useControl = ({ disabled, error, hint, name }: Labelled) => {
  const id = useId()
  const { errors, onName } = useContext(Refusals)
  if (name !== undefined) onName(name)
  const wrong = error ?? (name === undefined ? undefined : messageAt(errors, name))
  const notes = (wrong ?? hint) !== undefined && (
    <div id={`${id}-notes`}>
      {wrong !== undefined && <p class="field-error">{wrong}</p>}
      {hint !== undefined && <p class="soft small">{hint}</p>}
    </div>
  )
  const attributes = {
    id,
    disabled,
    "aria-describedby": notes === false ? undefined : `${id}-notes`,
    "aria-invalid": wrong === undefined ? undefined : true,
  }
  return { attributes, notes }
}

type ControlAttributes = ReturnType<typeof useControl>["attributes"]

export const Field = ({
  control,
  ...labelled
}: Labelled & { readonly control: (attributes: ControlAttributes) => ComponentChildren }) => {
  const { attributes, notes } = useControl(labelled)
  return (
    <div class="stack tight field">
      <label for={attributes.id} class={labelled.labelHidden === true ? "visually-hidden" : undefined}>
        {labelled.label}
      </label>
      {control(attributes)}
      {notes}
    </div>
  )
}

type OwnAttributes = "class" | "id" | "label" | "name" | "onInput" | "ref" | "value"

type TextProps = Labelled &
  Valued<string> &
  Omit<LooseInputHTMLAttributes, OwnAttributes> & {
    readonly rows?: number
    /** Values that the browser offers while one is typed. */
    readonly suggestions?: ReadonlyArray<string>
  }

const Typed = ({
  onValue,
  tag,
  ...rest
}: TextProps & { readonly tag: "input" | "textarea"; readonly class: string }) => {
  const { disabled, error, hint, label, labelHidden, name, suggestions, ...own } = rest
  return (
    <Field
      {...{ disabled, error, hint, label, labelHidden, name }}
      control={(attributes) => (
        <>
          {h(tag, {
            ...own,
            ...attributes,
            ...(suggestions !== undefined && { list: `${attributes.id}-list` }),
            onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => onValue(currentTarget.value),
          })}
          {suggestions !== undefined && (
            <datalist id={`${attributes.id}-list`}>
              {suggestions.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </datalist>
          )}
        </>
      )}
    />
  )
}

/** A line of text, or with a `type` a number, or a day such as `2026-11-20`. */
export const TextField = (props: TextProps) => (
  <Typed tag="input" class="input" type="text" autocomplete="off" {...props} />
)

/** A line that says what to search for. Its placeholder is its label, unless it has one of its own. */
export const SearchField = ({ label, placeholder = label, ...rest }: TextProps) => (
  <TextField {...{ label, placeholder, ...rest }} labelHidden type="search" />
)

/** Several lines of text, in a field that grows with them. */
export const TextArea = (props: TextProps) => <Typed tag="textarea" class="input area" {...props} />

/** Things by their ids as options, after one for `none` of them. */
export const optionsOf = (
  things: ReadonlyArray<{ readonly id: string; readonly name: string }>,
  none?: string,
): Options => ({
  ...(none !== undefined && { "": none }),
  ...Object.fromEntries(things.map(({ id, name }) => [id, name])),
})

type SelectProps<A extends string> = Labelled &
  Valued<A> & { readonly options: Options<A>; readonly required?: boolean }

/** One of a few values. A value that is not among them is shown as it is. */
export const SelectField = <A extends string>({ onValue, options, required, value, ...labelled }: SelectProps<A>) => {
  const all = Array.from(new Set([...keysOf(options), value]))
  return (
    <Field
      {...labelled}
      control={(attributes) => (
        <select
          {...attributes}
          {...{ required, value }}
          class="input select"
          onChange={({ currentTarget }) => onValue(all[currentTarget.selectedIndex] ?? value)}
        >
          {all.map((own) => (
            <option key={own} value={own} selected={own === value}>
              {options[own] ?? own}
            </option>
          ))}
        </select>
      )}
    />
  )
}

/** The most things that are chosen from a list without a search. */
const LISTED_MAX = 10

/** One of any number of things by their ids. Where there are many, they are found by a part of the name. */
export const ChoiceField = (props: SelectProps<string>) => {
  const { onValue, options, required = false, value, ...labelled } = props
  const typed = useSignal<string | undefined>(undefined)
  if (keysOf(options).length <= LISTED_MAX) return <SelectField {...props} />
  const ids = new Map<string, string>()
  for (const [id, name = id] of Object.entries(options))
    if (id !== "" || !required) ids.set(ids.has(name) ? `${name} …${id.slice(-6)}` : name, id)
  const names = Array.from(ids.keys())
  const current = names.find((name) => ids.get(name) === value) ?? value
  const text = typed.value ?? current
  const choose = (next: string): void => {
    typed.value = next
    const id = ids.get(next)
    if (id !== undefined) onValue(id)
  }
  return (
    <TextField
      {...labelled}
      value={text}
      onValue={choose}
      suggestions={names}
      required={required && value === ""}
      placeholder={current || options[""]}
      // Nothing matches this pattern.
      pattern={text === "" || ids.has(text) ? undefined : "(?!)"}
      title={text === "" || ids.has(text) ? undefined : "Choose one of the list"}
      // The browser lists what holds the text: all of them at first.
      onFocus={() => (typed.value = "")}
      onBlur={() => (typed.value = undefined)}
    />
  )
}

type ToggleProps = Labelled & Valued<boolean>

const Toggle = ({ kind, onValue, value, ...labelled }: ToggleProps & { readonly kind: "switch" | "checkbox" }) => {
  const { attributes, notes } = useControl(labelled)
  return (
    <div class={`toggle ${kind}`}>
      <input
        {...attributes}
        type="checkbox"
        role={kind === "switch" ? "switch" : undefined}
        checked={value}
        onChange={({ currentTarget }) => onValue(currentTarget.checked)}
      />
      <div>
        <label for={attributes.id}>{labelled.label}</label>
        {notes}
      </div>
    </div>
  )
}

export const Switch = (props: ToggleProps) => <Toggle {...props} kind="switch" />

export const Checkbox = (props: ToggleProps) => <Toggle {...props} kind="checkbox" />

interface RadioProps {
  /** What the choices that exclude each other have in common. */
  readonly name: string
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly children: ComponentChildren
}

/** One of a few choices that exclude each other. */
export const Radio = ({ children, isChosen, name, onChoose }: RadioProps) => (
  <label class="row nowrap start">
    <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
    <span class="anywhere" dir="auto">
      {children}
    </span>
  </label>
)
