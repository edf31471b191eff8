import { keysOf } from "../server/Unknown.ts"
import type { Draft } from "./Dialogs.tsx"
import { TextField } from "./Field.tsx"
import type { Options } from "./Layout.tsx"

/*
 * Limits of budgets and quotas, as forms show them.
 */

/** A limit as the API has it: null is the server's default. */
export type Limit = number | "unlimited" | null

type By<Name extends string, A> = Readonly<Record<Name, A>>

const mapped = <Name extends string, A, B>(values: By<Name, A>, change: (value: A) => B): By<Name, B> =>
  Object.fromEntries(Object.entries<A>(values).map(([name, value]) => [name, change(value)])) as By<Name, B>

/** Limits as a form shows them: each a number, `unlimited`, or an empty text. */
export const limitTexts = <Name extends string>(limits: By<Name, Limit>): By<Name, string> =>
  mapped(limits, (limit) => String(limit ?? ""))

const limitOf = (text: string): Limit => (text === "" ? null : text === "unlimited" ? text : Number(text))

export const limitsOf = <Name extends string>(texts: By<Name, string>): By<Name, Limit> =>
  mapped(texts, (text) => limitOf(text.trim()))

export const limitWords = (limit: Limit, format: (value: number) => string): string =>
  typeof limit === "number" ? format(limit) : limit === null ? "Server default" : "Unlimited"

interface LimitsProps<Name extends string> {
  readonly title: string
  readonly fields: Options<Name>
  readonly of: Draft<Readonly<Record<Name, string>>>["of"]
}

/** Fields for limits. The server says which numbers are too large. */
export const LimitFields = <Name extends string>({ fields, of, title }: LimitsProps<Name>) => (
  <fieldset class="columns">
    <legend>{title}</legend>
    {keysOf(fields).map((name) => (
      <TextField
        key={name}
        label={fields[name] ?? name}
        placeholder="Server default"
        pattern="\s*(unlimited|\d*)\s*"
        title="Enter a whole number or “unlimited”, or leave empty for the server default."
        {...of(name)}
      />
    ))}
  </fieldset>
)

export const budgetFields = { tokens_per_day: "Tokens per day", concurrent_chats: "Concurrent chats" }

export const quotaFields = {
  chatbots: "Chatbots",
  documents: "Documents",
  bytes: "Document storage",
  chunks: "Passages",
  conversations: "Conversations",
  tools: "Tools",
}
