import { Schema, SchemaTransformation, Struct } from "effect"

/*
 * How much a caller may chat: tokens per day (UTC), and chats at once. An organization has a budget, and each key has
 * one.
 */

const LimitValue = Schema.NullOr(
  Schema.Union([
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000_000 })),
    Schema.Literal("unlimited"),
  ]),
)
/** A limit that is set for an organization or a key. */
export const Limit = LimitValue.annotate({ description: "`null`: the server's default." })

/** A limit as the command line takes it: a number, `unlimited`, or `default`. */
export const LimitText = Schema.String.pipe(
  Schema.decodeTo(
    LimitValue,
    SchemaTransformation.transform({
      decode: (text) => (text === "default" ? null : text === "unlimited" ? text : Number(text || Number.NaN)),
      encode: (limit) => String(limit ?? "default"),
    }),
  ),
)

/** The limits that are set for an organization or a key; `null` leaves one to the server's settings. */
export const Budget = Schema.Struct({
  tokens_per_day: Limit.annotate({
    description: "Tokens of all four kinds that its chats may take from midnight to midnight, UTC.",
    examples: [1_000_000],
  }),
  concurrent_chats: Limit.annotate({ description: "Chats at once.", examples: [32] }),
}).annotate({ identifier: "Budget" })
export type Budget = typeof Budget.Type

/** A budget whose limits are all left to the server's settings. */
export const noBudget: Budget = { tokens_per_day: null, concurrent_chats: null }

/** A change of a budget. A field that is absent stays as it is. */
export const BudgetPatch = Budget.mapFields(Struct.map(Schema.optionalKey))
export type BudgetPatch = typeof BudgetPatch.Type

/** The limits in force, with the settings filled in. `Infinity` stands for no limit. */
export interface Limits {
  readonly tokensPerDay: number
  readonly concurrentChats: number
}

/** The limits of an organization without a budget of its own: none. */
export const noLimits: Limits = { tokensPerDay: Number.POSITIVE_INFINITY, concurrentChats: Number.POSITIVE_INFINITY }

export const limitsOf = (budget: Budget, defaults: Limits): Limits => ({
  tokensPerDay: limitOf(budget.tokens_per_day, defaults.tokensPerDay),
  concurrentChats: limitOf(budget.concurrent_chats, defaults.concurrentChats),
})

export const limitOf = (limit: typeof Limit.Type, fallback: number): number =>
  limit === null ? fallback : limit === "unlimited" ? Number.POSITIVE_INFINITY : limit

export const isUnlimited = ({ concurrentChats, tokensPerDay }: Limits): boolean =>
  concurrentChats === Number.POSITIVE_INFINITY && tokensPerDay === Number.POSITIVE_INFINITY

const DAY_SECONDS = 86_400

/** Seconds until the next midnight UTC, from 1 to 86,400. `now` is in milliseconds since 1970. */
export const secondsToMidnight = (now: number): number => DAY_SECONDS - (Math.floor(now / 1_000) % DAY_SECONDS)
