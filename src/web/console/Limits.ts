/*
 * Limits of budgets and quotas, as forms show them.
 */

/** A limit as the API has it: null leaves it to the server's settings. */
export type Limit = number | "unlimited" | null

/** A limit as somebody chooses it, with the number as it is typed. */
export interface LimitDraft {
  readonly kind: "default" | "unlimited" | "number"
  readonly number: string
}

/** The largest number that a limit may be. */
const LIMIT_MAX = 1_000_000_000_000

export const limitDraft = (limit: Limit): LimitDraft =>
  typeof limit === "number"
    ? { kind: "number", number: String(limit) }
    : { kind: limit === null ? "default" : limit, number: "" }

/** What is wrong with a limit; undefined when nothing is. */
export const limitProblem = ({ kind, number }: LimitDraft): string | undefined =>
  kind !== "number" || (/^\d{1,13}$/.test(number.trim()) && Number(number) <= LIMIT_MAX)
    ? undefined
    : "Expected a whole number from 0 on"

/** The limit that was chosen, which has no problem. */
export const limitOf = ({ kind, number }: LimitDraft): Limit =>
  kind === "number" ? Number(number) : kind === "unlimited" ? kind : null

/** A limit in words. */
export const limitWords = (limit: Limit, format: (value: number) => string): string =>
  typeof limit === "number" ? format(limit) : limit === null ? "Server's default" : "No limit"
