import { afterAll, beforeEach, describe, expect, setDefaultTimeout } from "bun:test"
import { Effect, ManagedRuntime } from "effect"
import type { AgentInput } from "../../../src/agent/Agent.ts"
import { chatbotDefaults } from "../../../src/domain/chatbot/Chatbot.ts"
import { ProviderFailed } from "../../../src/domain/Errors.ts"
import type { MessageId } from "../../../src/domain/Ids.ts"
import { chatAttempt } from "../../../src/services/conversations/ChatAttempt.ts"
import { Chat } from "../../../src/services/conversations/Chat.ts"
import { Chatbots } from "../../../src/storage/chatbots/Chatbots.ts"
import { Conversations } from "../../../src/storage/conversations/Conversations.ts"
import { Messages } from "../../../src/storage/conversations/Messages.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { chatLayer, makeTenantWith, reset, say, stored, tellStep, type Tenant, user } from "../../lib/Chatting.ts"
import { AgentControl, replyOf } from "../../lib/Layers.ts"
import { as, asCaller, makeTenant, sessionNamed } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

setDefaultTimeout(180_000)

const runtime = ManagedRuntime.make(chatLayer)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(() => run(reset))

interface Row {
  readonly message_id: MessageId
  readonly question: string | null
  readonly similarity: number | null
  readonly gap: string | null
  readonly searches: ReadonlyArray<{ readonly query: string; readonly passages: ReadonlyArray<unknown> }>
  readonly setup: { readonly settings: { readonly prompt: string } } | null
  readonly server_version: string | null
}

const groundsOf = ({ chatbot }: Tenant) =>
  SystemSql.use(
    (sql) => sql<Row>`
      select g.*, s.setup from reply_grounds g
      left join chatbot_setups s on s.chatbot_id = g.chatbot_id and s.setup_hash = g.setup_hash
      where g.chatbot_id = ${chatbot} order by g.created_at, g.message_id`,
  )

const setupsOf = ({ chatbot }: Tenant) =>
  SystemSql.use((sql) => sql`select from chatbot_setups where chatbot_id = ${chatbot}`).pipe(
    Effect.map((rows) => rows.length),
  )

/** Makes the agent search for these texts before it replies. */
const searching = (...queries: ReadonlyArray<string>) =>
  Effect.map(AgentControl, (agent) => {
    agent.reply = ({ search }: AgentInput) =>
      Effect.as(Effect.forEach(queries, search, { discard: true }), {
        ...replyOf("It takes five days."),
        sources: [{ document_id: "1", title: "Refunds", chunk: 1, page: null, quote: "five days" }],
      })
  })

describe("what a reply rests on", () => {
  it("is stored with it: the question, the searches and the chatbot's settings", function* () {
    const tenant = yield* makeTenantWith({ prompt: "Be brief." })
    yield* searching("refund period", "refund students")
    const { message_id } = yield* say(tenant, "Hello! How long do refunds take?")
    const [ground, ...others] = yield* groundsOf(tenant)
    expect(others).toEqual([])
    expect(ground).toMatchObject({
      message_id,
      question: "How long do refunds take?",
      similarity: 1,
      setup: { settings: { prompt: "Be brief." } },
      server_version: expect.stringMatching(/^\d+\.\d+/),
      searches: [{ query: "refund period" }, { query: "refund students" }],
    })
    expect(ground?.searches[0]?.passages).toEqual([
      {
        document_id: expect.any(String),
        title: tenant.chatbot,
        chunk: 1,
        revision: 3,
        similarity: 1,
      },
    ])
  })

  it("is small whatever a model searches for, and what Postgres cannot store is left out of it", function* () {
    const tenant = yield* makeTenant
    yield* searching("a\u0000b\ud800", ...Array.from({ length: 20 }, (_, n) => `${n} ${"x".repeat(5_000)}`))
    yield* say(tenant, "How long do refunds take?")
    const [ground] = yield* groundsOf(tenant)
    expect(ground?.searches.map(({ query }) => query.length)).toEqual([3, 2_000, 2_000, 2_000, 2_000])
  })

  it("has no question where nothing was searched for, and shows no gap then", function* () {
    const tenant = yield* makeTenant
    yield* say(tenant, "Thank you!")
    expect(yield* groundsOf(tenant)).toMatchObject([{ question: null, similarity: null, gap: null, searches: [] }])
  })

  it("is stored of a reply that failed on its way, too", function* () {
    const tenant = yield* makeTenant
    ;(yield* AgentControl).reply = (input: AgentInput) =>
      Effect.gen(function* () {
        yield* Effect.orDie(input.search("refunds"))
        yield* tellStep(input, "So far")
        return yield* new ProviderFailed({ detail: "It is down." })
      })
    yield* Effect.exit(say(tenant, "How long do refunds take?"))
    expect(yield* groundsOf(tenant)).toMatchObject([{ searches: [{ query: "refunds" }], gap: "unanswered" }])
  })

  it("is stored once for a chat that is tried again, as the last attempt has it", function* () {
    const tenant = yield* makeTenant
    const operation = crypto.randomUUID()
    const attempt = (isResumed: boolean) =>
      Chat.use(({ reply }) =>
        asCaller(tenant.organization)(
          reply(tenant.chatbot, {
            messages: [user("How long do refunds take?")],
            platform: "web",
            sessionToken: undefined,
            attempt: chatAttempt(operation, isResumed),
          }),
        ),
      )
    yield* searching("first")
    yield* attempt(false)
    yield* searching("second")
    yield* attempt(true)
    expect(yield* groundsOf(tenant)).toMatchObject([{ searches: [{ query: "second" }] }])
  })

  it("is not stored of the request for an e-mail address, which no agent makes", function* () {
    const tenant = yield* makeTenantWith({ isRequestUserInfoEnabled: true })
    yield* say(tenant, "How long do refunds take?")
    expect(yield* groundsOf(tenant)).toEqual([])
  })

  it("is deleted with its conversation", function* () {
    const tenant = yield* makeTenant
    yield* searching("refunds")
    yield* say(tenant, "How long do refunds take?", "s")
    expect(yield* groundsOf(tenant)).toHaveLength(1)
    yield* as(tenant.organization)((yield* Conversations).remove(tenant.chatbot, sessionNamed("s")))
    expect(yield* groundsOf(tenant)).toEqual([])
  })

  it("names settings that are stored once, and anew when they change what is answered", function* () {
    const tenant = yield* makeTenant
    const change = (settings: { readonly prompt?: string; readonly greeting?: string }) =>
      Effect.flatMap(Chatbots, ({ modify }) =>
        as(tenant.organization)(
          modify(tenant.chatbot, (row) => Effect.succeed({ settings: { ...row.settings, ...settings } })),
        ),
      )
    yield* say(tenant, "One")
    yield* say(tenant, "Two")
    yield* change({ greeting: "Welcome!" })
    yield* say(tenant, "Three")
    expect(yield* setupsOf(tenant)).toBe(1)
    yield* change({ prompt: "Answer in verse." })
    yield* say(tenant, "Four")
    expect((yield* groundsOf(tenant)).map(({ setup }) => setup?.settings.prompt)).toEqual([
      ...Array.from({ length: 3 }, () => chatbotDefaults("", "").settings.prompt),
      "Answer in verse.",
    ])
  })
})

describe("a gap", () => {
  it("is a reply that is rated down, until the rating is taken back", function* () {
    const tenant = yield* makeTenant
    yield* searching("refunds")
    yield* say(tenant, "How long do refunds take?", "s")
    const rate = (rating: "down" | "up" | undefined) =>
      Effect.gen(function* () {
        const reply = (yield* stored(tenant, "s")).at(-1)
        if (reply === undefined) return yield* Effect.die("no reply")
        yield* as(tenant.organization)(
          (yield* Messages).rate(
            tenant.chatbot,
            sessionNamed("s"),
            reply.id,
            rating === undefined ? null : { rating, comment: null },
          ),
        )
        return (yield* groundsOf(tenant)).map(({ gap }) => gap)
      })
    const sql = yield* SystemSql
    expect(yield* rate("down")).toEqual(["rated_down"])
    expect(yield* rate("up")).toEqual([null])
    const isRatedUp = sql`select is_rated_up from reply_grounds where chatbot_id = ${tenant.chatbot}`
    expect(yield* isRatedUp).toEqual([{ is_rated_up: true }])
    yield* sql`update reply_grounds set similarity = 0.1 where chatbot_id = ${tenant.chatbot}`
    expect(yield* rate("down")).toEqual(["rated_down"])
    expect(yield* isRatedUp).toEqual([{ is_rated_up: false }])
    expect(yield* rate(undefined)).toEqual(["weak"])
    yield* sql`update messages set unanswered = true where organization_id = ${tenant.organization}`
    expect(yield* rate("down")).toEqual(["rated_down"])
    expect(yield* rate(undefined)).toEqual(["unanswered"])
  })
})
