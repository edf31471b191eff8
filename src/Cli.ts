import { Console, DateTime, Effect, type Layer, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { allScopes, Scope } from "./domain/ApiKey.ts"
import { type Budget, type BudgetPatch, LimitText } from "./domain/Budget.ts"
import type { NotFound, Unavailable } from "./domain/Errors.ts"
import { ApiKeyId, ChatbotId, OrganizationId } from "./domain/Ids.ts"
import { everything } from "./domain/Page.ts"
import { StartupError } from "./domain/StartupError.ts"
import { ApiKeys } from "./services/ApiKeys.ts"
import { Doctor } from "./services/Doctor.ts"
import { Organizations } from "./services/Organizations.ts"

/*
 * The command line. Commands act on the database that the settings name, as the operator; the embedded database serves
 * one process at a time, so there a running server is asked over HTTP instead.
 */

const organization = Flag.String("organization").pipe(
  Flag.withSchema(OrganizationId),
  Flag.withDescription("Id of the organization; the operator's when absent"),
  Flag.optional,
)

/** The given organization, or the operator's. */
const orOperators = (given: Option.Option<OrganizationId>) =>
  Effect.gen(function* () {
    if (Option.isSome(given)) return given.value
    const { items: all } = yield* (yield* Organizations).list(everything)
    return yield* Effect.fromNullishOr(all.find((one) => one.is_operator)?.id)
  }).pipe(Effect.catchTag("NoSuchElementError", () => Effect.die(new Error("There is no operator's organization."))))

const createKey = Command.make(
  "create",
  {
    name: Argument.String("name").pipe(Argument.withDescription("What the key is for")),
    organization,
    scopes: Flag.Literals("scope", Scope.literals).pipe(
      Flag.withDescription("What it may do; may be repeated. All when absent"),
      Flag.atLeast(0),
    ),
    chatbot: Flag.String("chatbot").pipe(
      Flag.withSchema(ChatbotId),
      Flag.withDescription("The only chatbot it serves"),
      Flag.optional,
    ),
    expires: Flag.Date("expires").pipe(Flag.withDescription("When it ends, such as 2027-12-31"), Flag.optional),
  },
  Effect.fn(function* ({ name, organization, scopes, chatbot, expires }) {
    const { key, apiKey } = yield* (yield* ApiKeys).issue({
      name,
      organization: yield* orOperators(organization),
      scopes: scopes.length === 0 ? allScopes : scopes,
      chatbot: Option.getOrUndefined(chatbot),
      expiresAt: Option.getOrUndefined(Option.map(expires, DateTime.fromDateUnsafe)),
    })
    yield* Console.log(`${Redacted.value(key)}\n\nKey ${apiKey.id} (${name}). It is shown this once.`)
  }),
).pipe(Command.withDescription("Make an API key and print it once"))

const listKeys = Command.make(
  "list",
  { organization },
  Effect.fn(function* ({ organization }) {
    const { items } = yield* (yield* ApiKeys).list(yield* orOperators(organization), everything)
    for (const key of items) {
      const state = key.revoked_at === null ? (key.expires_at ?? "never expires") : `revoked ${key.revoked_at}`
      yield* Console.log(`${key.id}  ${key.prefix}…${key.last_four}  ${key.name}  [${key.scopes.join(" ")}]  ${state}`)
    }
  }),
).pipe(Command.withDescription("List the API keys of an organization"))

const revokeKey = Command.make(
  "revoke",
  { id: Argument.String("id").pipe(Argument.withSchema(ApiKeyId), Argument.withDescription("Id of the key")) },
  Effect.fn(function* ({ id }) {
    const key = yield* (yield* ApiKeys).revoke(id, undefined)
    yield* Console.log(`Revoked ${key.id} (${key.name}). Running servers refuse it within a second.`)
  }),
).pipe(Command.withDescription("Revoke an API key"))

const limit = (name: string, meaning: string) =>
  Flag.String(name).pipe(
    Flag.withSchema(LimitText),
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

const explained = ({ detail }: NotFound | Unavailable) =>
  new StartupError({ what: detail, doThis: "See what `list` lists, and try again." })

const budgetKey = Command.make(
  "budget",
  {
    id: Argument.String("id").pipe(Argument.withSchema(ApiKeyId), Argument.withDescription("Id of the key")),
    ...budgetFlags,
  },
  Effect.fn(function* ({ id, ...flags }) {
    const { budget } = yield* Effect.mapError((yield* ApiKeys).setBudget(id, undefined, patchOf(flags)), explained)
    yield* showBudget(budget)
  }),
).pipe(Command.withDescription("Set what an API key may spend; without flags, show it"))

const budgetOrganization = Command.make(
  "budget",
  {
    id: Argument.String("id").pipe(
      Argument.withSchema(OrganizationId),
      Argument.withDescription("Id of the organization"),
    ),
    ...budgetFlags,
  },
  Effect.fn(function* ({ id, ...flags }) {
    const { budget } = yield* Effect.mapError((yield* Organizations).setBudget(id, patchOf(flags)), explained)
    yield* showBudget(budget)
  }),
).pipe(Command.withDescription("Set what an organization may spend; without flags, show it"))

const createOrganization = Command.make(
  "create",
  { name: Argument.String("name") },
  Effect.fn(function* ({ name }) {
    const { id } = yield* (yield* Organizations).create(name)
    yield* Console.log(id)
  }),
).pipe(Command.withDescription("Make an organization and print its id"))

const listOrganizations = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const { items } = yield* (yield* Organizations).list(everything)
    for (const { id, name, is_operator } of items) {
      yield* Console.log(`${id}  ${name}${is_operator ? "  (operator)" : ""}`)
    }
  }),
).pipe(Command.withDescription("List the organizations"))

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
      return yield* new StartupError({ what: `${wrong} of these are wrong.`, doThis: "Mend them and look again." })
    }
  }),
).pipe(Command.withDescription("Look at database, embeddings, queue and files; ends with 1 when something is wrong"))

/**
 * `parley`, with what its commands do given by the composition: `serve` runs the server until it is told to stop,
 * `migrate` brings the database up to date, `doctor` is what the command of this name works with, and `tenancy` what the
 * others do.
 */
export const make = <E, R, E2, R2, E3, R3, E4, R4>(actions: {
  readonly serve: Effect.Effect<void, E, R>
  readonly migrate: Effect.Effect<void, E2, R2>
  readonly tenancy: Layer.Layer<ApiKeys | Organizations, E3, R3>
  readonly doctor: Layer.Layer<Doctor, E4, R4>
}) =>
  Command.make("parley", {}, () => actions.serve).pipe(
    Command.withDescription("A self-hosted chatbot platform. Without a command it serves."),
    Command.withSubcommands([
      Command.make("serve", {}, () => actions.serve).pipe(Command.withDescription("Run the server")),
      Command.make("migrate", {}, () => actions.migrate).pipe(
        Command.withDescription("Bring the database up to date, and end"),
      ),
      Command.provide(doctor, actions.doctor),
      Command.make("keys").pipe(
        Command.withDescription("API keys"),
        Command.withSubcommands([
          Command.provide(createKey, actions.tenancy),
          Command.provide(listKeys, actions.tenancy),
          Command.provide(revokeKey, actions.tenancy),
          Command.provide(budgetKey, actions.tenancy),
        ]),
      ),
      Command.make("organizations").pipe(
        Command.withDescription("Organizations"),
        Command.withSubcommands([
          Command.provide(createOrganization, actions.tenancy),
          Command.provide(listOrganizations, actions.tenancy),
          Command.provide(budgetOrganization, actions.tenancy),
        ]),
      ),
    ]),
  )
