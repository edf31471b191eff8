import type { ComponentChildren } from "preact"
import { SelectField, Switch, TextArea, TextField } from "../parts/Field.tsx"
import type { Form } from "./Form.ts"

/*
 * Controls that are tied to a field of a form by its path.
 */

interface Of {
  readonly form: Form
  readonly path: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly disabled?: boolean
}

type LineProps = Of & {
  readonly placeholder?: string
  readonly maxLength?: number
  readonly type?: "text" | "url"
  readonly list?: string
  readonly spellcheck?: boolean
}

/** A field with a line of text. */
export const Line = ({ form, path, ...rest }: LineProps) => (
  <TextField
    {...rest}
    value={form.text(path)}
    onValue={(value) => form.set(path, value)}
    error={form.error(path)}
    autocomplete="off"
  />
)

/** A field with several lines of text. */
export const Lines = ({ form, path, ...rest }: Of & { readonly rows?: number; readonly maxLength?: number }) => (
  <TextArea {...rest} value={form.text(path)} onValue={(value) => form.set(path, value)} error={form.error(path)} />
)

/** A field that is on or off. */
export const OnOff = ({ form, path, ...rest }: Of) => (
  <Switch {...rest} value={form.flag(path)} onValue={(value) => form.set(path, value)} error={form.error(path)} />
)

interface NumberProps extends Of {
  readonly min: number
  readonly max: number
  readonly step?: number
}

/** A field with a number, or nothing. */
export const NumberLine = ({ form, path, ...rest }: NumberProps) => (
  <TextField
    {...rest}
    type="number"
    value={form.text(path)}
    onValue={(value) => form.set(path, value === "" ? null : Number(value))}
    error={form.error(path)}
  />
)

interface ChoiceProps extends Of {
  readonly options: ReadonlyArray<{ readonly value: string; readonly label: string }>
}

/** A field with one of a few values. A value that is not among them is shown as it is. */
export const Choice = ({ form, options, path, ...rest }: ChoiceProps) => {
  const value = form.text(path)
  const all = options.some((option) => option.value === value) ? options : [...options, { value, label: value }]
  return (
    <SelectField
      {...rest}
      value={value}
      options={all}
      onValue={(next) => form.set(path, next)}
      error={form.error(path)}
    />
  )
}
