import { Console, DateTime, Effect, type Layer, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type ApiKey, ApiKeyName, Scope, scopesWithin } from "../domain/keys/ApiKey.ts"
import { ApiKeyId, ChatbotId, OrganizationId } from "../domain/Ids.ts"
import { StartupError } from "../system/StartupError.ts"
import { printable } from "../system/Printable.ts"
import { Administration } from "./Administration.ts"
import { decodedBy, budgetFlags, command, idArgument, budgetPatchOf, showBudget } from "./Arguments.ts"

export const organization = Flag.String("organization").pipe(
  Flag.withDescription("Id of the organization; the operator's when absent"),
  Flag.filterMap(...decodedBy(OrganizationId, "the id of an organization, a UUID")),
  Flag.optional,
)

const noOrganization = (which: string) =>
  new StartupError({ what: `There is no ${which}.`, doThis: "`organizations list` shows which ones there are." })

/** Returns the given organization, or the operator's. */
export const orOperators = Effect.fnUntraced(function* (id: Option.Option<OrganizationId>) {
  const all = yield* (yield* Administration).organizations
  if (Option.isSome(id)) {
    return all.find((one) => one.id === id.value) ?? (yield* noOrganization("such organization"))
  }
  return all.find((one) => one.is_operator) ?? (yield* noOrganization("operator's organization"))
})

const ALL = "all"

const create = command("create", "Make an API key and print it once", {
  name: Argument.String("name").pipe(
    Argument.withDescription("What the key is for"),
    Argument.filterMap(...decodedBy(ApiKeyName, "1 to 200 characters")),
  ),
  organization,
  scopes: Flag.Literals("scope", [...Scope.literals, ALL]).pipe(
    Flag.withDescription("What it may do; needed, and may be repeated"),
    Flag.atLeast(1),
  ),
  chatbot: Flag.String("chatbot").pipe(
    Flag.withDescription("Id of the only chatbot it serves; every chatbot of the organization when absent"),
    Flag.filterMap(...decodedBy(ChatbotId, "the id of a chatbot, a UUID")),
    Flag.optional,
  ),
  expires: Flag.Date("expires").pipe(
    Flag.withDescription("When it ends, such as 2027-12-31 (its first moment, UTC); never when absent"),
    Flag.optional,
  ),
})(
  Effect.fn(function* ({ name, organization, scopes, chatbot, expires }) {
    const owner = yield* orOperators(organization)
    const wanted: ReadonlySet<Scope | typeof ALL> = new Set(scopes)
    const { key, apiKey } = yield* (yield* Administration).issueKey({
      name,
      organization: owner.id,
      scopes: wanted.has(ALL) ? scopesWithin(owner) : Scope.literals.filter((scope) => wanted.has(scope)),
      chatbot: Option.getOrUndefined(chatbot),
      expiresAt: Option.getOrUndefined(Option.map(expires, DateTime.fromDateUnsafe)),
    })
    yield* Console.log(`${Redacted.value(key)}\n`)
    yield* Console.log(`It is shown this once. ${yield* described(apiKey)}`)
  }),
)

/** Describes a key in one line: its id, name, scopes, chatbots, state and maker. */
const described = Effect.fnUntraced(function* (key: ApiKey) {
  const state =
    key.revoked_at !== null
      ? `revoked ${key.revoked_at}`
      : key.expires_at === null
        ? "never expires"
        : `${(yield* DateTime.isPast(DateTime.makeUnsafe(key.expires_at))) ? "expired" : "expires"} ${key.expires_at}`
  const chatbots = key.chatbot_id === null ? "all chatbots" : `chatbot ${key.chatbot_id}`
  const maker = key.created_by === null ? "" : `  made by ${key.created_by}`
  return `${key.id}  ${key.prefix}…${key.last_four}  ${printable(key.name)}  [${key.scopes.join(" ")}]  ${chatbots}  ${state}${maker}`
})

const list = command("list", "List the API keys of an organization, newest first", { organization })(
  Effect.fn(function* ({ organization }) {
    const owner = yield* orOperators(organization)
    for (const key of yield* (yield* Administration).keys(owner.id)) yield* Console.log(yield* described(key))
  }),
)

const revoke = command("revoke", "Revoke an API key", { id: idArgument(ApiKeyId, "API key") })(
  Effect.fn(function* ({ id }) {
    const key = yield* (yield* Administration).revokeKey(id)
    yield* Console.log(`Revoked ${key.id} (${printable(key.name)}). Running servers refuse it within a second.`)
  }),
)

const budget = command("budget", "Set what an API key may spend; without flags, show it", {
  id: idArgument(ApiKeyId, "API key"),
  ...budgetFlags,
})(
  Effect.fn(function* ({ id, ...flags }) {
    const { budget } = yield* (yield* Administration).updateKey(id, { budget: budgetPatchOf(flags) })
    yield* showBudget(budget)
  }),
)

/** Makes the commands below `keys`. The one that creates may make the database; the others need one. */
export const keys = <E, R, E2, R2>(layers: {
  readonly creation: Layer.Layer<Administration, E, R>
  readonly administration: Layer.Layer<Administration, E2, R2>
}) =>
  Command.make("keys").pipe(
    Command.withDescription("Make, list and revoke API keys, and set what they may spend"),
    Command.withSubcommands([
      Command.provide(create, layers.creation),
      Command.provide(list, layers.administration),
      Command.provide(revoke, layers.administration),
      Command.provide(budget, layers.administration),
    ]),
  )
