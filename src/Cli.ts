import { Console, DateTime, Effect, type Layer, Option, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type ApiKey, ApiKeyName, allScopes, Scope } from "./domain/ApiKey.ts"
import { type Budget, type BudgetPatch, LimitText } from "./domain/Budget.ts"
import type { Conflict, InvalidRequest, NotFound, Unavailable } from "./domain/Errors.ts"
import { ApiKeyId, ChatbotId, OrganizationId } from "./domain/Ids.ts"
import { OrganizationName } from "./domain/Organization.ts"
import { everything } from "./domain/Page.ts"
import { StartupError } from "./system/StartupError.ts"
import { ApiKeys } from "./services/ApiKeys.ts"
import { Doctor } from "./services/Doctor.ts"
import { OrganizationRemoval } from "./jobs/OrganizationRemoval.ts"
import { Organizations } from "./services/Organizations.ts"

/*
 * The command line. Commands act on the database that the settings name, as the operator; the embedded database serves
 * one process at a time, so there a running server is asked over HTTP instead.
 */

/** What has the schema; `expected` is told to who typed something else. */
const as = <A>(schema: Schema.ConstraintDecoder<A> & { readonly Encoded: string }, expected: string) =>
  [(text: string) => Schema.decodeOption(schema)(text), () => expected] as const

const idArgument = <A>(schema: Schema.ConstraintDecoder<A> & { readonly Encoded: string }, what: string) =>
  Argument.String("id").pipe(
    Argument.withDescription(`Id of the ${what}`),
    Argument.filterMap(...as(schema, `the id of an ${what}, a UUID`)),
  )

const organization = Flag.String("organization").pipe(
  Flag.withDescription("Id of the organization; the operator's when absent"),
  Flag.filterMap(...as(OrganizationId, "the id of an organization, a UUID")),
  Flag.optional,
)

/** One line instead of a stack trace, for what somebody can do something about. Every command ends with it. */
const explained = Effect.mapError((error: Conflict | InvalidRequest | NotFound | StartupError | Unavailable) => {
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

const noOrganization = (which: string) =>
  new StartupError({ what: `There is no ${which}.`, doThis: "`organizations list` shows which ones there are." })

/** The given organization, or the operator's. */
const orOperators = Effect.fnUntraced(function* (given: Option.Option<OrganizationId>) {
  const organizations = yield* Organizations
  if (Option.isSome(given)) {
    const found = yield* organizations.find(given.value)
    return found === undefined ? yield* noOrganization("such organization") : found.id
  }
  const { items } = yield* organizations.list(everything)
  const own = items.find((one) => one.is_operator)
  return own === undefined ? yield* noOrganization("operator's organization") : own.id
})

const ALL = "all"

const createKey = Command.make(
  "create",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("What the key is for"),
      Argument.filterMap(...as(ApiKeyName, "1 to 200 characters")),
    ),
    organization,
    scopes: Flag.Literals("scope", [...Scope.literals, ALL]).pipe(
      Flag.withDescription("What it may do; needed, and may be repeated"),
      Flag.atLeast(1),
    ),
    chatbot: Flag.String("chatbot").pipe(
      Flag.withDescription("Id of the only chatbot it serves; every chatbot of the organization when absent"),
      Flag.filterMap(...as(ChatbotId, "the id of a chatbot, a UUID")),
      Flag.optional,
    ),
    expires: Flag.Date("expires").pipe(
      Flag.withDescription("When it ends, such as 2027-12-31 (its first moment, UTC); never when absent"),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ name, organization, scopes, chatbot, expires }) {
    const { key, apiKey } = yield* (yield* ApiKeys).issue({
      name,
      organization: yield* orOperators(organization),
      scopes: allScopes.filter((scope) => scopes.includes(scope) || scopes.includes(ALL)),
      chatbot: Option.getOrUndefined(chatbot),
      expiresAt: Option.getOrUndefined(Option.map(expires, DateTime.fromDateUnsafe)),
    })
    yield* Console.log(`${Redacted.value(key)}\n`)
    yield* Console.log(`It is shown this once. ${yield* described(apiKey)}`)
  }, explained),
).pipe(Command.withDescription("Make an API key and print it once"))

/** What it may do, for which chatbots, and whether it still may. */
const described = Effect.fnUntraced(function* (key: ApiKey) {
  const state =
    key.revoked_at !== null
      ? `revoked ${key.revoked_at}`
      : key.expires_at === null
        ? "never expires"
        : `${(yield* DateTime.isPast(DateTime.makeUnsafe(key.expires_at))) ? "expired" : "expires"} ${key.expires_at}`
  const chatbots = key.chatbot_id === null ? "all chatbots" : `chatbot ${key.chatbot_id}`
  return `${key.id}  ${key.prefix}…${key.last_four}  ${key.name}  [${key.scopes.join(" ")}]  ${chatbots}  ${state}`
})

const listKeys = Command.make(
  "list",
  { organization },
  Effect.fn(function* ({ organization }) {
    const owner = yield* orOperators(organization)
    const { items } = yield* (yield* ApiKeys).list(owner, everything)
    for (const key of items) yield* Console.log(yield* described(key))
  }, explained),
).pipe(Command.withDescription("List the API keys of an organization, newest first"))

const revokeKey = Command.make(
  "revoke",
  { id: idArgument(ApiKeyId, "API key") },
  Effect.fn(function* ({ id }) {
    const key = yield* (yield* ApiKeys).revoke(id, undefined)
    yield* Console.log(`Revoked ${key.id} (${key.name}). Running servers refuse it within a second.`)
  }, explained),
).pipe(Command.withDescription("Revoke an API key"))

const limit = (name: string, meaning: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(...as(LimitText, 'a whole number, "unlimited" or "default"')),
    Flag.withDescription(`${meaning}: a number, "unlimited", or "default" for what the settings say`),
    Flag.optional,
  )

const budgetFlags = {
  tokens: limit("tokens-per-day", "Tokens from midnight to midnight, UTC"),
  chats: limit("concurrent-chats", "Chats at once"),
}

/** What is not given stays as it is. */
const patchOf = ({
  chats,
  tokens,
}: Record<"chats" | "tokens", Option.Option<Budget["tokens_per_day"]>>): BudgetPatch => ({
  ...(Option.isSome(tokens) && { tokens_per_day: tokens.value }),
  ...(Option.isSome(chats) && { concurrent_chats: chats.value }),
})

const showBudget = ({ concurrent_chats, tokens_per_day }: Budget) =>
  Console.log(
    `Tokens per day: ${tokens_per_day ?? "default"}. Concurrent chats: ${concurrent_chats ?? "default"}. Running servers keep to it within a second.`,
  )

const budgetKey = Command.make(
  "budget",
  {
    id: idArgument(ApiKeyId, "API key"),
    ...budgetFlags,
  },
  Effect.fn(function* ({ id, ...flags }) {
    const { budget } = yield* (yield* ApiKeys).update(id, undefined, () => Effect.succeed({ budget: patchOf(flags) }))
    yield* showBudget(budget)
  }, explained),
).pipe(Command.withDescription("Set what an API key may spend; without flags, show it"))

const organizationId = idArgument(OrganizationId, "organization")

const organizationName = Argument.String("name").pipe(
  Argument.withDescription("What it is called"),
  Argument.filterMap(...as(OrganizationName, "1 to 200 characters, not all of them blank")),
)

const budgetOrganization = Command.make(
  "budget",
  {
    id: organizationId,
    ...budgetFlags,
  },
  Effect.fn(function* ({ id, ...flags }) {
    const { budget } = yield* (yield* Organizations).update(id, () => Effect.succeed({ budget: patchOf(flags) }))
    yield* showBudget(budget)
  }, explained),
).pipe(Command.withDescription("Set what an organization may spend; without flags, show it"))

const createOrganization = Command.make(
  "create",
  { name: organizationName },
  Effect.fn(function* ({ name }) {
    const { id } = yield* (yield* Organizations).create(name)
    yield* Console.log(id)
  }, explained),
).pipe(Command.withDescription("Make an organization and print its id"))

const listOrganizations = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const { items } = yield* (yield* Organizations).list(everything)
    for (const { id, name, is_operator } of items) {
      yield* Console.log(`${id}  ${name}${is_operator ? "  (operator)" : ""}`)
    }
  }, explained),
).pipe(Command.withDescription("List the organizations"))

const renameOrganization = Command.make(
  "rename",
  { id: organizationId, name: organizationName },
  Effect.fn(function* ({ id, name }) {
    yield* (yield* Organizations).update(id, () => Effect.succeed({ name }))
    yield* Console.log(`${id}  ${name}`)
  }, explained),
).pipe(Command.withDescription("Rename an organization"))

const deleteOrganization = Command.make(
  "delete",
  {
    id: organizationId,
    again: Argument.String("again").pipe(
      Argument.withDescription("The same id once more, to be sure"),
      Argument.filterMap(...as(OrganizationId, "the same id once more")),
      Argument.optional,
    ),
    yes: Flag.Boolean("yes").pipe(Flag.withDescription("Do not ask for the id twice"), Flag.withDefault(false)),
  },
  Effect.fn(function* ({ id, again, yes }) {
    const organizations = yield* Organizations
    if (!yes && Option.getOrUndefined(again) !== id) {
      const found = yield* organizations.find(id)
      return yield* new StartupError({
        what: `This deletes ${found === undefined ? id : found.name} with its chatbots, documents, conversations, keys and usage.`,
        doThis: "Give its id twice, or --yes, if that is meant.",
      })
    }
    yield* organizations.remove(id)
    yield* Console.log(`Deleted ${id}. Running servers refuse its keys within a second.`)
    yield* (yield* OrganizationRemoval).run
    yield* Console.log("All that it owned is deleted; a running server, or the next to start, removes its files.")
  }, explained),
).pipe(Command.withDescription("Delete an organization with all that it owns"))

const doctor = Command.make(
  "doctor",
  {},
  Effect.fn(function* () {
    const findings = yield* (yield* Doctor).examine
    for (const { state, part, text } of findings) {
      yield* Console.log(`${state.padEnd(5)}  ${part.padEnd(10)}  ${text}`)
    }
    const wrong = findings.filter(({ state }) => state === "wrong").length
    if (wrong > 0) {
      return yield* new StartupError({
        what: `${wrong} of these ${wrong === 1 ? "is" : "are"} wrong.`,
        doThis: "Mend that and look again.",
      })
    }
  }, explained),
).pipe(Command.withDescription("Look at database, embeddings, queue and files; ends with 1 when something is wrong"))

/** Asks a running server to do what a command does. */
const curl =
  (path: string, method = "GET", body?: object) =>
  (url: string) =>
    [
      "curl",
      ...(method === "GET" ? [] : ["-X", method]),
      `${url}/api/admin/${path}`,
      '-H "x-api-key: $KEY"',
      ...(body === undefined ? [] : [`-H "content-type: application/json" -d '${JSON.stringify(body)}'`]),
    ].join(" ")

const budget = { budget: { concurrent_chats: 8 } }

/**
 * `parley`, with what its commands do given by the composition: `serve` runs the server until it is told to stop,
 * `migrate` brings the database up to date, `doctor` is what the command of this name works with, and `tenancy` what the
 * others do. That takes the request which has the same effect, by the address of a running server, for the message when
 * such a server has the database.
 */
export const make = <E, R, E2, R2, E3, R3, E4, R4>(actions: {
  readonly serve: Effect.Effect<void, E, R>
  readonly migrate: Effect.Effect<void, E2, R2>
  readonly tenancy: (
    request: (url: string) => string,
  ) => Layer.Layer<ApiKeys | OrganizationRemoval | Organizations, E3, R3>
  readonly doctor: Layer.Layer<Doctor, E4, R4>
}) => {
  const { doctor: examination, migrate, serve, tenancy } = actions
  return Command.make("parley", {}, () => serve).pipe(
    Command.withDescription("A self-hosted chatbot platform. Without a command it serves."),
    Command.withSubcommands([
      Command.make("serve", {}, () => serve).pipe(Command.withDescription("Run the server, as without a command")),
      Command.make("migrate", {}, () => migrate).pipe(
        Command.withDescription("Bring the database up to date, and end"),
      ),
      Command.provide(doctor, examination),
      Command.make("keys").pipe(
        Command.withDescription("Make, list and revoke API keys, and set what they may spend"),
        Command.withSubcommands([
          Command.provide(createKey, tenancy(curl("api-keys", "POST", { name: "website", scopes: ["chat"] }))),
          Command.provide(listKeys, tenancy(curl("api-keys"))),
          Command.provide(revokeKey, tenancy(curl("api-keys/$ID", "DELETE"))),
          Command.provide(budgetKey, tenancy(curl("api-keys/$ID", "PATCH", budget))),
        ]),
      ),
      Command.make("organizations").pipe(
        Command.withDescription("Make, list, rename and delete organizations, and set what they may spend"),
        Command.withSubcommands([
          Command.provide(createOrganization, tenancy(curl("organizations", "POST", { name: "Another" }))),
          Command.provide(listOrganizations, tenancy(curl("organizations"))),
          Command.provide(budgetOrganization, tenancy(curl("organizations/$ID", "PATCH", budget))),
          Command.provide(renameOrganization, tenancy(curl("organizations/$ID", "PATCH", { name: "Another" }))),
          Command.provide(deleteOrganization, tenancy(curl("organizations/$ID", "DELETE"))),
        ]),
      ),
    ]),
  )
}
