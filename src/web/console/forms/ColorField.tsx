import type { ComponentChildren } from "preact"
import { formatColor, parseColor } from "../../shared/Contrast.ts"
import { Field } from "../parts/Field.tsx"
import type { Form } from "./Form.ts"

interface ColorProps {
  readonly form: Form
  readonly path: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly fallback: string
  /** Words for that colour where its digits say nothing. */
  readonly placeholder?: string
}

/** The six digits that the browser's own choice of colours takes, of a colour with three, six or eight. */
export const sixDigits = (color: string): string | undefined => {
  const parsed = parseColor(color.slice(0, 7))
  return parsed && formatColor(parsed)
}

export const ColorField = ({ fallback, form, hint, label, path, placeholder = fallback }: ColorProps) => {
  const value = form.text(path)
  return (
    <Field
      {...{ hint, label }}
      name={path}
      control={(attributes) => (
        <div class="row nowrap">
          <input
            type="color"
            class="input"
            aria-label={`${label}: pick a colour`}
            value={sixDigits(value) ?? sixDigits(fallback) ?? "#000000"}
            onInput={({ currentTarget }) => form.set(path, currentTarget.value)}
          />
          <input
            {...attributes}
            type="text"
            class="input"
            spellcheck={false}
            placeholder={placeholder}
            value={value}
            onInput={({ currentTarget }) => form.set(path, currentTarget.value.trim())}
          />
        </div>
      )}
    />
  )
}
