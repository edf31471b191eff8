/*
 * Limits of budgets and quotas, as forms show them.
 */

/** A limit as the API has it: null leaves it to the server's settings. */
export type Limit = number | "unlimited" | null

/** The largest number that a limit may be. */
const LIMIT_MAX = 1_000_000_000_000

/** An explanation of the texts that a form takes for limits. */
export const limitHint = "A number, “unlimited”, or nothing to leave it to the server's settings."

/** A limit as a form shows it: a number, `unlimited`, or an empty text. */
export const limitText = (limit: Limit): string => String(limit ?? "")

/** The problem of a limit's text; undefined when there is none. */
export const limitProblem = (text: string): string | undefined =>
  /^(?:|unlimited|\d{1,13})$/.test(text.trim()) && Number(text.replace("unlimited", "")) <= LIMIT_MAX
    ? undefined
    : "Expected a whole number from 0 on, or “unlimited”"

/** The limit of a text that has no problem. */
export const limitOf = (text: string): Limit => {
  const trimmed = text.trim()
  return trimmed === "" ? null : trimmed === "unlimited" ? trimmed : Number(trimmed)
}

/** A limit in words. */
export const limitWords = (limit: Limit, format: (value: number) => string): string =>
  typeof limit === "number" ? format(limit) : limit === null ? "Server's default" : "No limit"
