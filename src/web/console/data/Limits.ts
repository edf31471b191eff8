/*
 * Limits of budgets and quotas, as forms show them.
 */

/** A limit as the API has it: null leaves it to the server's settings. */
export type Limit = number | "unlimited" | null

type By<Name extends string, A> = Readonly<Record<Name, A>>

const mapped = <Name extends string, A, B>(values: By<Name, A>, change: (value: A) => B): By<Name, B> =>
  Object.fromEntries(Object.entries<A>(values).map(([name, value]) => [name, change(value)])) as By<Name, B>

/** Limits as a form shows them: each a number, `unlimited`, or an empty text. */
export const limitTexts = <Name extends string>(limits: By<Name, Limit>): By<Name, string> =>
  mapped(limits, (limit) => String(limit ?? ""))

const limitOf = (text: string): Limit => (text === "" ? null : text === "unlimited" ? text : Number(text))

/** The limits that a form shows. */
export const limitsOf = <Name extends string>(texts: By<Name, string>): By<Name, Limit> =>
  mapped(texts, (text) => limitOf(text.trim()))

/** A limit in words. */
export const limitWords = (limit: Limit, format: (value: number) => string): string =>
  typeof limit === "number" ? format(limit) : limit === null ? "Server default" : "Unlimited"
