import { Field } from "./Field.tsx"

interface DateFieldProps {
  readonly label: string
  /** A day such as `2026-11-20`; empty for none. */
  readonly value: string
  readonly onValue: (day: string) => void
  readonly min?: string | undefined
  readonly max?: string | undefined
}

/** A day. A day that is only half typed is not told. */
export const DateField = ({ label, max, min, onValue, value }: DateFieldProps) => (
  <Field
    label={label}
    control={(attributes) => (
      <input
        {...attributes}
        type="date"
        class="input"
        value={value}
        min={min}
        max={max}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  />
)
