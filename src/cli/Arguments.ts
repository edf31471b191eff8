import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Budget, type BudgetPatch, LimitText } from "../domain/organizations/Budget.ts"
import { quotaKinds, type Quota, type QuotaKind, type QuotaPatch } from "../domain/organizations/Quota.ts"
import type { Conflict, Forbidden, InvalidRequest, NotFound, Unavailable } from "../domain/Errors.ts"
import type { Organization } from "../domain/organizations/Organization.ts"
import { StartupError } from "../system/StartupError.ts"

/*
 * Arguments, flags and errors that several commands share.
 */

/** Arguments of `filterMap` that decode a text by a schema. `expected` describes valid texts in the error message. */
export const decodedBy = <A>(schema: Schema.ConstraintDecoder<A> & { readonly Encoded: string }, expected: string) =>
  [(text: string) => Schema.decodeOption(schema)(text), () => expected] as const

/** An argument for the id of something, such as an organization. */
export const idArgument = <A>(schema: Schema.ConstraintDecoder<A> & { readonly Encoded: string }, what: string) =>
  Argument.String("id").pipe(
    Argument.withDescription(`Id of the ${what}`),
    Argument.filterMap(...decodedBy(schema, `the id of an ${what}, a UUID`)),
  )

const limit = (name: string, meaning: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(...decodedBy(LimitText, 'a whole number, "unlimited" or "default"')),
    Flag.withDescription(`${meaning}: a number, "unlimited", or "default"`),
    Flag.optional,
  )

export const budgetFlags = {
  tokens: limit("tokens-per-day", "Tokens from midnight to midnight, UTC"),
  chats: limit("concurrent-chats", "Chats at once"),
}

/** Makes a patch of the flags. A limit without its flag stays as it is. */
export const budgetPatchOf = ({
  chats,
  tokens,
}: Record<"chats" | "tokens", Option.Option<Budget["tokens_per_day"]>>): BudgetPatch => ({
  ...(Option.isSome(tokens) && { tokens_per_day: tokens.value }),
  ...(Option.isSome(chats) && { concurrent_chats: chats.value }),
})

/** The flags for each limit of a quota. */
export const quotaFlags = {
  chatbots: limit("chatbots", "Chatbots"),
  tools: limit("tools", "HTTP tools"),
  documents: limit("documents", "Documents"),
  bytes: limit("bytes", "Bytes of all documents"),
  chunks: limit("chunks", "Passages of all documents"),
  conversations: limit("conversations", "Conversations"),
}

/** Makes a patch of the flags. A limit without its flag stays as it is. */
export const quotaPatchOf = (flags: Record<QuotaKind, Option.Option<Quota[QuotaKind]>>): QuotaPatch => {
  const patch: { -readonly [kind in QuotaKind]?: Quota[kind] } = {}
  for (const kind of quotaKinds) {
    const limit = flags[kind]
    if (Option.isSome(limit)) patch[kind] = limit.value
  }
  return patch
}

/** Shows what an organization stores, and how much of each it may store. */
export const showQuota = ({ quota, used }: Pick<Organization, "quota" | "used">) =>
  Effect.forEach(
    quotaKinds,
    (kind) => Console.log(`${kind.padEnd("conversations".length)}  ${used[kind]} of ${quota[kind] ?? "default"}`),
    { discard: true },
  )

export const showBudget = ({ concurrent_chats, tokens_per_day }: Budget) =>
  Console.log(
    `Tokens per day: ${tokens_per_day ?? "default"}. Concurrent chats: ${concurrent_chats ?? "default"}. Running servers keep to it within a second.`,
  )

/** The flags of a command, by the fields of the requests that they stand for. */
const flags: Readonly<Record<string, string>> = { expires_at: "--expires", scopes: "--scope" }

type CommandError = Conflict | Forbidden | InvalidRequest | NotFound | StartupError | Unavailable

/** Turns the errors of a command into one line that says what the operator can do, instead of a stack trace. */
export const withHints = Effect.mapError((error: CommandError) => {
  switch (error._tag) {
    case "StartupError":
      return error
    case "InvalidRequest": {
      const [{ message, path } = { path: "", message: error.detail }] = error.errors
      return new StartupError({ what: `${flags[path] ?? path} is not valid.`, doThis: `${message}.` })
    }
    case "Conflict":
    case "Forbidden":
    case "NotFound":
      return new StartupError({
        what: error.detail,
        doThis: "`organizations list` and `keys list` show which ones there are.",
      })
    case "Unavailable":
      return new StartupError({ what: error.detail, doThis: "See that it runs, and try again." })
  }
})

/** Makes a command that says what the operator can do where it fails. */
export const command =
  <Name extends string, const Config extends Command.Command.Config>(name: Name, description: string, config: Config) =>
  <E extends CommandError, R>(run: (input: Command.Command.Config.Infer<Config>) => Effect.Effect<void, E, R>) =>
    Command.make(name, config, (input) => withHints(run(input))).pipe(Command.withDescription(description))
