import type { Signal } from "@preact/signals"
import { type ComponentChildren, h, type TargetedInputEvent } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"

/** The properties of every control beside its value. */
interface Labelled {
  readonly label: string
  /** Says in a sentence what the field is for. */
  readonly hint?: ComponentChildren
  /** The reason why the value cannot be taken. */
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

/** The attributes by which a control is tied to its label, hint and error. */
interface ControlAttributes {
  readonly id: string
  readonly disabled: boolean | undefined
  readonly "aria-describedby": string | undefined
  readonly "aria-invalid": true | undefined
}

const useAttributes = ({ disabled, error, hint }: Labelled): ControlAttributes => {
  const id = useId()
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(" ")
  return {
    id,
    disabled,
    "aria-describedby": described || undefined,
    "aria-invalid": error === undefined ? undefined : true,
  }
}

const Notes = ({ error, hint, id }: Pick<Labelled, "error" | "hint"> & { readonly id: string }) => (
  <>
    {error !== undefined && (
      <p class="field-error" id={`${id}-error`}>
        {error}
      </p>
    )}
    {hint !== undefined && (
      <p class="field-hint" id={`${id}-hint`}>
        {hint}
      </p>
    )}
  </>
)

/** Any control with its label, and with a hint or an error below it. */
export const Field = ({
  control,
  ...labelled
}: Labelled & { readonly control: (attributes: ControlAttributes) => ComponentChildren }) => {
  const attributes = useAttributes(labelled)
  return (
    <div class="field">
      <label for={attributes.id} class={labelled.labelHidden === true ? "visually-hidden" : undefined}>
        {labelled.label}
      </label>
      {control(attributes)}
      <Notes {...labelled} id={attributes.id} />
    </div>
  )
}

type InputProps = Labelled &
  Valued<string> & {
    readonly placeholder?: string
    readonly autocomplete?: string
    readonly spellcheck?: boolean
    readonly maxLength?: number
    readonly required?: boolean
    /** The id of a `datalist` with values to choose from. */
    readonly list?: string
    readonly min?: number
    readonly max?: number
    readonly step?: number
    readonly type?: "text" | "search" | "email" | "url" | "password" | "number"
    /** Whether the field has the focus when it appears. */
    readonly takesFocus?: boolean
  }

/** A line of text. */
export const TextField = ({
  autocomplete = "off",
  disabled,
  error,
  hint,
  label,
  labelHidden,
  onValue,
  takesFocus,
  type = "text",
  ...rest
}: InputProps) => {
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (takesFocus !== true || input.current === null) return
    // A dialog that opens around it looks for this attribute.
    input.current.autofocus = true
    input.current.focus()
  }, [])
  return (
    <Field
      {...{ disabled, error, hint, label, labelHidden }}
      control={(attributes) => {
        // JSX knows the attributes of an input by its type only where that is one literal.
        const properties = {
          ...rest,
          ...attributes,
          autocomplete,
          ref: input,
          type,
          class: "input",
          onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => onValue(currentTarget.value),
        }
        return h("input", properties)
      }}
    />
  )
}

type AreaProps = Labelled &
  Valued<string> & {
    readonly placeholder?: string
    readonly rows?: number
    readonly maxLength?: number
    readonly required?: boolean
    readonly spellcheck?: boolean
  }

/** Several lines of text, in a field that grows with them. */
export const TextArea = ({ disabled, error, hint, label, labelHidden, onValue, ...rest }: AreaProps) => (
  <Field
    {...{ disabled, error, hint, label, labelHidden }}
    control={(attributes) => (
      <textarea
        {...rest}
        {...attributes}
        class="input area"
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  />
)

type DateProps = Labelled & Valued<string> & { readonly min?: string | undefined; readonly max?: string | undefined }

/** A day such as `2026-11-20`, or empty. A day that is only half typed is not reported. */
export const DateField = ({ max, min, onValue, value, ...labelled }: DateProps) => (
  <Field
    {...labelled}
    control={(attributes) => (
      <input
        {...attributes}
        {...{ max, min, value }}
        type="date"
        class="input"
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  />
)

type SelectProps<A extends string> = Labelled &
  Valued<A> & {
    readonly options: ReadonlyArray<{ readonly value: A; readonly label: string; readonly disabled?: boolean }>
  }

/** One of a few values. A value that is not among them is shown as it is. */
export const SelectField = <A extends string>({ onValue, options, value, ...labelled }: SelectProps<A>) => {
  const all = options.some((option) => option.value === value) ? options : [...options, { value, label: value }]
  return (
    <Field
      {...labelled}
      control={(attributes) => (
        <select
          {...attributes}
          class="input select"
          value={value}
          onChange={({ currentTarget }) => {
            const chosen = all[currentTarget.selectedIndex]
            if (chosen !== undefined) onValue(chosen.value)
          }}
        >
          {all.map(({ disabled, label, value: own }) => (
            <option key={own} value={own} disabled={disabled} selected={own === value}>
              {label}
            </option>
          ))}
        </select>
      )}
    />
  )
}

type ToggleProps = Labelled & Valued<boolean>

const Toggle = ({ kind, onValue, value, ...labelled }: ToggleProps & { readonly kind: "switch" | "checkbox" }) => {
  const attributes = useAttributes(labelled)
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
        <Notes {...labelled} id={attributes.id} />
      </div>
    </div>
  )
}

/** Something that is on or off. */
export const Switch = (props: ToggleProps) => <Toggle {...props} kind="switch" />

/** Something that is chosen or not. */
export const Checkbox = (props: ToggleProps) => <Toggle {...props} kind="checkbox" />
