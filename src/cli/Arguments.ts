import { Console, Effect, Option, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { type Budget, type BudgetPatch, LimitText } from "../domain/Budget.ts"
import type { Conflict, InvalidRequest, NotFound, Unavailable } from "../domain/Errors.ts"
import { StartupError } from "../system/StartupError.ts"

/*
 * What several commands take, and how they fail.
 */

/** What has the schema; `expected` is told to who typed something else. */
export const as = <A>(schema: Schema.ConstraintDecoder<A> & { readonly Encoded: string }, expected: string) =>
  [(text: string) => Schema.decodeOption(schema)(text), () => expected] as const

export const idArgument = <A>(schema: Schema.ConstraintDecoder<A> & { readonly Encoded: string }, what: string) =>
  Argument.String("id").pipe(
    Argument.withDescription(`Id of the ${what}`),
    Argument.filterMap(...as(schema, `the id of an ${what}, a UUID`)),
  )

const limit = (name: string, meaning: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(...as(LimitText, 'a whole number, "unlimited" or "default"')),
    Flag.withDescription(`${meaning}: a number, "unlimited", or "default" for what the settings say`),
    Flag.optional,
  )

export const budgetFlags = {
  tokens: limit("tokens-per-day", "Tokens from midnight to midnight, UTC"),
  chats: limit("concurrent-chats", "Chats at once"),
}

/** What is not given stays as it is. */
export const patchOf = ({
  chats,
  tokens,
}: Record<"chats" | "tokens", Option.Option<Budget["tokens_per_day"]>>): BudgetPatch => ({
  ...(Option.isSome(tokens) && { tokens_per_day: tokens.value }),
  ...(Option.isSome(chats) && { concurrent_chats: chats.value }),
})

export const showBudget = ({ concurrent_chats, tokens_per_day }: Budget) =>
  Console.log(
    `Tokens per day: ${tokens_per_day ?? "default"}. Concurrent chats: ${concurrent_chats ?? "default"}. Running servers keep to it within a second.`,
  )

/** One line instead of a stack trace, for what somebody can do something about. Every command ends with it. */
export const explained = Effect.mapError((error: Conflict | InvalidRequest | NotFound | StartupError | Unavailable) => {
  switch (error._tag) {
    case "StartupError":
      return error
    case "InvalidRequest":
      return new StartupError({
        what: "The expiry has passed.",
        doThis: "Set --expires to a time that is still to come.",
      })
    case "Conflict":
    case "NotFound":
      return new StartupError({
        what: error.detail,
        doThis: "`organizations list` and `keys list` show which ones there are.",
      })
    case "Unavailable":
      return new StartupError({ what: error.detail, doThis: "See that it runs, and try again." })
  }
})
