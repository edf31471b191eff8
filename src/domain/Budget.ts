import { Schema, SchemaTransformation } from "effect"

/*
 * How much a caller may chat: tokens of a day (UTC), and chats at once. Both for the organization and for the key.
 */

const LimitValue = Schema.NullOr(
  Schema.Union([
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000_000 })),
    Schema.Literal("unlimited"),
  ]),
)
const Limit = LimitValue.annotate({ description: "`null`: what the server's settings say." })

/** As it is given on the command line: a number, `unlimited`, or `default`. */
export const LimitText = Schema.String.pipe(
  Schema.decodeTo(
    LimitValue,
    SchemaTransformation.transform({
      decode: (text) => (text === "default" ? null : text === "unlimited" ? text : Number(text || Number.NaN)),
      encode: (limit) => String(limit ?? "default"),
    }),
  ),
)

/** What is set for an organization or a key. */
export const Budget = Schema.Struct({
  tokens_per_day: Limit.annotate({
    description: "Tokens of all four kinds that its chats may take from midnight to midnight, UTC.",
    examples: [1_000_000],
  }),
  concurrent_chats: Limit.annotate({ description: "Chats at once.", examples: [32] }),
}).annotate({ identifier: "Budget" })
export type Budget = typeof Budget.Type

/** A change of it: what is absent stays as it is. */
export const BudgetPatch = Schema.Struct({
  tokens_per_day: Schema.optionalKey(Budget.fields.tokens_per_day),
  concurrent_chats: Schema.optionalKey(Budget.fields.concurrent_chats),
})
export type BudgetPatch = typeof BudgetPatch.Type

/** Limits that hold; `Infinity` is none. */
export interface Limits {
  readonly tokensPerDay: number
  readonly concurrentChats: number
}

export const limitsOf = (budget: Budget, defaults: Limits): Limits => ({
  tokensPerDay: limitOf(budget.tokens_per_day, defaults.tokensPerDay),
  concurrentChats: limitOf(budget.concurrent_chats, defaults.concurrentChats),
})

const limitOf = (limit: Budget["tokens_per_day"], fallback: number): number =>
  limit === null ? fallback : limit === "unlimited" ? Number.POSITIVE_INFINITY : limit

export const isUnlimited = ({ concurrentChats, tokensPerDay }: Limits): boolean =>
  concurrentChats === Number.POSITIVE_INFINITY && tokensPerDay === Number.POSITIVE_INFINITY

const DAY_SECONDS = 86_400

/** From 1 to a day. `now` is in milliseconds since 1970. */
export const secondsToMidnight = (now: number): number => DAY_SECONDS - (Math.floor(now / 1_000) % DAY_SECONDS)
