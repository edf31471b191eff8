import { type ComponentChildren, h, type TargetedInputEvent } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"

interface FieldProps {
  readonly label: string
  /** Says in a sentence what the field is for. */
  readonly hint?: ComponentChildren
  /** Why the value cannot be taken. */
  readonly error?: string | undefined
  /** Hides the label from sight where the place says what the field is, as beside a search icon. */
  readonly labelHidden?: boolean | undefined
  /** Renders the control, with the attributes that tie it to its label, hint and error. */
  readonly control: (attributes: ControlAttributes) => ComponentChildren
}

/** The attributes by which a control is tied to its label, hint and error. */
export interface ControlAttributes {
  readonly id: string
  readonly "aria-describedby": string | undefined
  readonly "aria-invalid": true | undefined
}

/** A control with its label, and with a hint or an error below it. */
export const Field = ({ control, error, hint, label, labelHidden }: FieldProps) => {
  const id = useId()
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(" ")
  return (
    <div class="field">
      <label for={id} class={labelHidden === true ? "visually-hidden" : undefined}>
        {label}
      </label>
      {control({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": error === undefined ? undefined : true,
      })}
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
    </div>
  )
}

interface Labelled {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  readonly labelHidden?: boolean | undefined
}

interface Valued<A> {
  readonly value: A
  readonly onValue: (value: A) => void
}

type InputProps = Labelled &
  Valued<string> & {
    readonly type?: "text" | "search" | "email" | "url" | "password" | "number"
    readonly placeholder?: string
    readonly autocomplete?: string
    readonly spellcheck?: boolean
    readonly maxLength?: number
    readonly required?: boolean
    readonly disabled?: boolean
    /** Whether the field has the focus when it appears. */
    readonly takesFocus?: boolean
    /** The id of a `datalist` with values to choose from. */
    readonly list?: string
    readonly min?: number
    readonly max?: number
    readonly step?: number
  }

/** A line of text. */
export const TextField = ({
  takesFocus,
  error,
  hint,
  label,
  labelHidden,
  onValue,
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
      label={label}
      hint={hint}
      labelHidden={labelHidden}
      error={error}
      control={(attributes) => {
        // JSX knows the attributes of an input by its type only where that is one literal.
        const properties = {
          ...rest,
          ...attributes,
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
    readonly disabled?: boolean
    readonly spellcheck?: boolean
    readonly onKeyDown?: (event: KeyboardEvent) => void
  }

/** Several lines of text, in a field that grows with them. */
export const TextArea = ({ error, hint, label, labelHidden, onValue, ...rest }: AreaProps) => (
  <Field
    label={label}
    hint={hint}
    labelHidden={labelHidden}
    error={error}
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

type SelectProps<A extends string> = Labelled &
  Valued<A> & {
    readonly options: ReadonlyArray<{ readonly value: A; readonly label: string; readonly disabled?: boolean }>
    readonly disabled?: boolean
  }

/** One of a few values. */
export const SelectField = <A extends string>({
  disabled,
  error,
  hint,
  label,
  labelHidden,
  onValue,
  options,
  value,
}: SelectProps<A>) => (
  <Field
    label={label}
    hint={hint}
    labelHidden={labelHidden}
    error={error}
    control={(attributes) => (
      <select
        {...attributes}
        class="input select"
        disabled={disabled}
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options[currentTarget.selectedIndex]
          if (chosen !== undefined) onValue(chosen.value)
        }}
      >
        {options.map(({ disabled, label, value: own }) => (
          <option key={own} value={own} disabled={disabled} selected={own === value}>
            {label}
          </option>
        ))}
      </select>
    )}
  />
)

type SwitchProps = Labelled & Valued<boolean> & { readonly disabled?: boolean }

const Toggle = ({
  disabled,
  error,
  hint,
  kind,
  label,
  onValue,
  value,
}: SwitchProps & { readonly kind: "switch" | "checkbox" }) => {
  const id = useId()
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(" ")
  return (
    <div class={`toggle ${kind}`}>
      <input
        id={id}
        type="checkbox"
        role={kind === "switch" ? "switch" : undefined}
        checked={value}
        disabled={disabled}
        aria-describedby={described || undefined}
        onChange={({ currentTarget }) => onValue(currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        {hint !== undefined && (
          <p class="field-hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
        {error !== undefined && (
          <p class="field-error" id={`${id}-error`}>
            {error}
          </p>
        )}
      </div>
    </div>
  )
}

/** Something that is on or off. */
export const Switch = (props: SwitchProps) => <Toggle {...props} kind="switch" />

/** Something that is chosen or not. */
export const Checkbox = (props: SwitchProps) => <Toggle {...props} kind="checkbox" />
