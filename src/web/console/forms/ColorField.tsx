import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { Field } from "../parts/Field.tsx"
import type { Form } from "./Form.ts"

interface ColorProps {
  readonly form: Form
  readonly path: string
  readonly label: string
  readonly hint?: ComponentChildren
  /** Colour that stands for an empty field. */
  readonly fallback: string
}

/** The six digits that the browser's own choice of colours takes, of a colour with three, six or eight. */
export const sixDigits = (color: string): string | undefined => {
  const [, digits = ""] = /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(color) ?? []
  if (digits === "") return undefined
  const long = digits.length === 3 ? Array.from(digits, (digit) => digit + digit).join("") : digits.slice(0, 6)
  return `#${long.toLowerCase()}`
}

/** A colour, by its digits or by the browser's own choice of colours. */
export const ColorField = ({ fallback, form, hint, label, path }: ColorProps) => {
  const isTyping = useSignal(false)
  const value = form.text(path)
  const isWrong = value !== "" && sixDigits(value) === undefined
  return (
    <Field
      {...{ hint, label }}
      name={path}
      error={isWrong && !isTyping.value ? "Expected a colour such as #0d6e66" : undefined}
      control={(attributes) => (
        <div class="row nowrap">
          <input
            type="color"
            class="input"
            aria-label={`${label}, choose`}
            value={sixDigits(value) ?? sixDigits(fallback) ?? "#000000"}
            onInput={({ currentTarget }) => form.set(path, currentTarget.value)}
          />
          <input
            {...attributes}
            type="text"
            class="input"
            spellcheck={false}
            placeholder={fallback}
            value={value}
            onFocus={() => (isTyping.value = true)}
            onBlur={() => (isTyping.value = false)}
            onInput={({ currentTarget }) => form.set(path, currentTarget.value.trim())}
          />
        </div>
      )}
    />
  )
}
