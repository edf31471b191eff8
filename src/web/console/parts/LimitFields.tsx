import type { Draft } from "./Dialogs.tsx"
import { TextField } from "./Field.tsx"

interface LimitsProps<Name extends string> {
  readonly title: string
  /** The name and the label of each field. */
  readonly fields: ReadonlyArray<readonly [Name, string]>
  readonly of: Draft<Readonly<Record<Name, string>>>["of"]
}

/** Fields for limits. The server says which numbers are too large. */
export const LimitFields = <Name extends string>({ fields, of, title }: LimitsProps<Name>) => (
  <fieldset class="columns">
    <legend>{title}</legend>
    {fields.map(([name, label]) => (
      <TextField
        key={name}
        label={label}
        placeholder="Server default"
        pattern="\s*(unlimited|\d*)\s*"
        title="Enter a whole number or “unlimited”, or leave empty for the server default."
        {...of(name)}
      />
    ))}
  </fieldset>
)

export const budgetFields = [
  ["tokens_per_day", "Tokens per day"],
  ["concurrent_chats", "Concurrent chats"],
] as const
