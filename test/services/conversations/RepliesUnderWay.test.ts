import { afterAll, beforeEach, describe, expect, setDefaultTimeout } from "bun:test"
import { Context, Duration, Effect, Exit, Fiber, Latch, Layer, ManagedRuntime, Scope } from "effect"
import type { AgentInput } from "../../../src/agent/Agent.ts"
import { emitted } from "../../../src/agent/AgentEvent.ts"
import { ApiKeyId, MessageId, SessionId } from "../../../src/domain/Ids.ts"
import { addTokens, noTokens, type TokenCounts } from "../../../src/domain/organizations/Usage.ts"
import { type CheckpointSettings, RepliesUnderWay } from "../../../src/services/conversations/RepliesUnderWay.ts"
import { Conversations } from "../../../src/storage/conversations/Conversations.ts"
import { handOver as storedHandOver } from "../../../src/storage/conversations/Handovers.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import {
  type Draft,
  type ReplyUnderWay,
  UnfinishedReplies,
} from "../../../src/storage/conversations/UnfinishedReplies.ts"
import { Usage } from "../../../src/storage/usage/Usage.ts"
import { chatLayer, contents, reset, say, stepCost, stepOf, stored, tellStep, type Tenant } from "../../lib/Chatting.ts"
import { AgentControl, eventually, replyOf } from "../../lib/Layers.ts"
import { as, makeTenant, newId, sessionNamed } from "../../lib/Tenants.ts"
import { databaseTraits } from "../../lib/Defaults.ts"
import { effectTests } from "../../lib/EffectTests.ts"

setDefaultTimeout(180_000)

const runtime = ManagedRuntime.make(chatLayer)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(() => run(reset))

/** The checkpoints of the tenant's unfinished replies. */
const draftsOf = ({ organization }: Tenant) =>
  SystemSql.use((sql) =>
    Effect.map(
      sql<{ reply: Draft }>`select reply from unfinished_replies where organization_id = ${organization}`,
      (rows) => rows.map(({ reply }) => reply),
    ),
  )

/** The replies and tokens that usage counts for the tenant. */
const countedFor = ({ organization }: Tenant) =>
  SystemSql.use((sql) =>
    Effect.map(
      sql<{ replies: number; input: number; output: number; read: number; written: number }>`
        select replies, input_tokens::int as input, output_tokens::int as output, cache_read_tokens::int as read,
          cache_write_tokens::int as written
        from usage_entries where organization_id = ${organization}`,
      (rows) => ({
        replies: rows.reduce((sum, { replies }) => sum + replies, 0),
        tokens: rows.reduce<TokenCounts>(
          (sum, { input, output, read, written }) =>
            addTokens(sum, { input, output, cacheRead: read, cacheWrite: written }),
          noTokens,
        ),
      }),
    ),
  )

/** Tells of a step that is made as far as this text. */
const beginStep = ({ emit }: AgentInput, text: string) => {
  const step = { ...stepOf(text), toolCalls: [] }
  return emitted(emit, { type: "step-start", look: () => ({ type: "step-made", step, cost: stepCost }) })
}

/** Makes the agent pause after a text. The returned effect lets it continue. */
const halfWay = (text: string) =>
  Effect.gen(function* () {
    const latch = yield* Latch.make(false)
    ;(yield* AgentControl).reply = (input: AgentInput) =>
      Effect.andThen(beginStep(input, text), Effect.as(latch.await, replyOf(`${text}, and the rest.`)))
    return latch.open
  })

describe("a reply that takes long", () => {
  it("is stored while it is unfinished, invisible in the conversation, and once when it is complete", function* () {
    const tenant = yield* makeTenant
    const goOn = yield* halfWay("So far")
    const chatting = yield* Effect.forkChild(say(tenant, "Hello", "s"))
    const [draft] = yield* eventually(draftsOf(tenant), ({ length }) => length === 1)
    expect(draft).toMatchObject({ content: "So far", model: "scripted-1", tokens_used: 18 })
    expect(yield* contents(tenant, "s")).toEqual(["Hello"])
    expect(yield* countedFor(tenant)).toEqual({ replies: 0, tokens: noTokens })

    // Another chat in the same session does not see the unfinished reply.
    const agent = yield* AgentControl
    agent.reply = ({ history }) => Effect.succeed(replyOf(history.map(({ content }) => content).join()))
    expect((yield* say(tenant, "And?", "s")).output).toBe("Hello,And?")

    yield* goOn
    yield* Fiber.join(chatting)
    expect(yield* contents(tenant, "s")).toEqual(["Hello", "And?", "Hello,And?", "So far, and the rest."])
    const session = yield* Conversations.use(({ get }) =>
      as(tenant.organization)(get(tenant.chatbot, sessionNamed("s"))),
    )
    expect(session.message_count).toBe(4)
    expect(yield* draftsOf(tenant)).toEqual([])
    expect(yield* countedFor(tenant)).toMatchObject({ replies: 2, tokens: { input: 2, output: 4 } })
  })

  it("leaves one message and counts once when the client disconnects", function* () {
    const tenant = yield* makeTenant
    ;(yield* AgentControl).reply = (input) =>
      Effect.andThen(
        beginStep(input, "So far"),
        Effect.onInterrupt(Effect.never, () => tellStep(input, "So far, and a little more")),
      )
    const chatting = yield* Effect.forkChild(say(tenant, "Hello", "s"))
    yield* eventually(draftsOf(tenant), ({ length }) => length === 1)
    yield* Fiber.interrupt(chatting)
    expect(yield* contents(tenant, "s")).toEqual(["Hello", "So far, and a little more"])
    expect(yield* draftsOf(tenant)).toEqual([])
    expect(yield* countedFor(tenant)).toEqual({ replies: 1, tokens: stepCost.tokens })
  })

  it("leaves only its usage when its session is deleted meanwhile", function* () {
    const tenant = yield* makeTenant
    const goOn = yield* halfWay("So far")
    const chatting = yield* Effect.forkChild(say(tenant, "Hello", "s"))
    yield* eventually(draftsOf(tenant), ({ length }) => length === 1)
    yield* Conversations.use(({ remove }) => as(tenant.organization)(remove(tenant.chatbot, sessionNamed("s"))))
    yield* goOn
    yield* Fiber.join(chatting)
    expect(yield* draftsOf(tenant)).toEqual([])
    expect((yield* Effect.flip(stored(tenant, "s")))._tag).toBe("NotFound")
    expect(yield* countedFor(tenant)).toMatchObject({ replies: 1, tokens: { input: 1, output: 2 } })
  })
})

const draft = (content: string): Draft => ({
  content,
  model: "m",
  provider: "p",
  tokens_used: 5,
  usage: { input: 2, output: 3 },
  tool_calls: [],
  tool_results: [],
  sources: [],
  costs: [
    { model: "first", provider: "p", tokens: { ...noTokens, input: 1 } },
    { model: "m", provider: "p", tokens: { ...noTokens, input: 2, output: 3 } },
  ],
})

/** Stores a user's message, and returns the reply that is under way. */
const underWay = (tenant: Tenant) =>
  Effect.gen(function* () {
    const conversations = yield* Conversations
    const { id: session } = yield* as(tenant.organization)(
      conversations.append(
        tenant.chatbot,
        { id: SessionId.make(yield* newId), token: null, tokenKey: null, platform: "web" },
        [{ id: MessageId.make(yield* newId), sender_type: "user", content: "Hello", mid: undefined }],
        undefined,
      ),
    )
    return {
      id: MessageId.make(yield* newId),
      organization: tenant.organization,
      session,
      chatbotId: tenant.chatbot,
      apiKeyId: ApiKeyId.make(crypto.randomUUID()),
      isSeen: true,
    } satisfies ReplyUnderWay
  })

const INTERVAL = Duration.millis(100)
const LEASE = Duration.millis(300)

/** The checkpoints of a server that can die, without any cleaning up. */
const server = ({ isAlone = false, ...settings }: Partial<CheckpointSettings> & { isAlone?: boolean } = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const layer = Layer.fresh(RepliesUnderWay.layerWith({ interval: INTERVAL, lease: LEASE, ...settings })).pipe(
      Layer.provide(databaseTraits({ isAlone })),
    )
    const built = yield* Scope.provide(Layer.build(layer), scope)
    return { ...Context.get(built, RepliesUnderWay), die: Scope.close(scope, Exit.void) }
  })

describe("a reply whose server dies", () => {
  const died = (tenant: Tenant, content: string) =>
    Effect.gen(function* () {
      const reply = yield* underWay(tenant)
      // A server whose lease ended by chance would take the reply for that of a dead one.
      const first = yield* server({ lease: Duration.hours(1) })
      first.watch(reply, () => draft(content))
      yield* eventually(draftsOf(tenant), ({ length }) => length === 1)
      yield* first.die
      yield* SystemSql.use((sql) => sql`update unfinished_replies set expires_at = now()`)
      return reply
    })

  it("becomes a message as far as it got, like one whose client disconnected, with its usage", function* () {
    const tenant = yield* makeTenant
    const { id, session } = yield* died(tenant, "So far")
    const next = yield* server()
    const [, message] = yield* eventually(stored(tenant, session), ({ length }) => length === 2)
    expect(message).toMatchObject({ id, sender_type: "bot", content: "So far", model: "m", tokens_used: 5 })
    expect(
      yield* SystemSql.use((sql) => sql`select finish_reason, usage from messages where id = ${id}`),
    ).toMatchObject([{ finish_reason: "aborted", usage: { input: 2, output: 3 } }])
    expect(
      (yield* Conversations.use(({ get }) => as(tenant.organization)(get(tenant.chatbot, sessionNamed(session)))))
        .message_count,
    ).toBe(2)
    expect(yield* countedFor(tenant)).toEqual({ replies: 1, tokens: { ...noTokens, input: 3, output: 3 } })
    expect(yield* draftsOf(tenant)).toEqual([])
    yield* next.die
  })

  it("becomes a message, and so do others, even if its usage is counted already", function* () {
    const tenant = yield* makeTenant
    const [counted, other] = [yield* underWay(tenant), yield* underWay(tenant)]
    const unfinished = yield* UnfinishedReplies
    const replies = [counted, other].map((reply) => ({ ...reply, draft: draft("So far") }))
    yield* unfinished.store(replies, Duration.hours(1))
    const { apiKeyId, chatbotId, id } = counted
    yield* Usage.use(({ add }) =>
      as(tenant.organization)(add(id, { apiKeyId, chatbotId, costs: draft("So far").costs })),
    )
    yield* unfinished.recover("all")
    for (const { session } of [counted, other]) {
      expect(yield* contents(tenant, session)).toEqual(["Hello", "So far"])
    }
    expect((yield* countedFor(tenant)).tokens).toEqual({ ...noTokens, input: 6, output: 6 })
  })

  it("comes before the people who have taken over since, where somebody has seen it, and is dropped otherwise", function* () {
    const tenant = yield* makeTenant
    const [seen, unseen] = [yield* underWay(tenant), { ...(yield* underWay(tenant)), isSeen: false }]
    const unfinished = yield* UnfinishedReplies
    const handOver = (session: SessionId) =>
      SystemSql.use((sql) => storedHandOver(sql, "api", { sessions: sql`select ${session}::uuid as id` }))
    const replies = [seen, unseen].map((reply) => ({ ...reply, draft: draft("So far") }))
    for (const { session } of replies) yield* handOver(session)
    yield* unfinished.store(replies, Duration.hours(1))
    yield* unfinished.recover("all")
    expect(yield* contents(tenant, seen.session)).toEqual(["Hello", "So far"])
    expect(yield* contents(tenant, unseen.session)).toEqual(["Hello"])
    expect(
      yield* SystemSql.use(
        (sql) => sql`select m.created_at < s.owner_since as is_before from messages m
          join sessions s on s.id = m.session_id where m.id = ${seen.id}`,
      ),
    ).toEqual([{ is_before: true }])
  })

  it("is stored and counted once if it ends just while another server counts it", function* () {
    const tenant = yield* makeTenant
    const { apiKeyId, chatbotId, id, session } = yield* underWay(tenant)
    const { costs, ...message } = draft("So far, and the rest.")
    const spent = { apiKeyId, chatbotId, costs }
    yield* Usage.use(({ add }) => as(tenant.organization)(add(id, spent)))
    yield* Conversations.use(({ reply }) =>
      as(tenant.organization)(
        reply(session, { ...message, id, finish_reason: "stop", unanswered: false }, spent, true),
      ),
    )
    expect(yield* contents(tenant, session)).toEqual(["Hello", "So far, and the rest."])
    expect(yield* countedFor(tenant)).toMatchObject({ tokens: { ...noTokens, input: 3, output: 3 } })
  })

  it("becomes a message at once if no other server can be at work", function* () {
    const tenant = yield* makeTenant
    const reply = yield* underWay(tenant)
    yield* (yield* UnfinishedReplies).store([{ ...reply, draft: draft("So far") }], Duration.hours(1))
    const next = yield* server({ isAlone: true, interval: Duration.hours(1) })
    expect(yield* contents(tenant, reply.session)).toEqual(["Hello", "So far"])
    yield* next.die
  })

  it("stays deleted with its session, and is counted", function* () {
    const tenant = yield* makeTenant
    const { session } = yield* died(tenant, "So far")
    yield* Conversations.use(({ remove }) => as(tenant.organization)(remove(tenant.chatbot, sessionNamed(session))))
    const next = yield* server()
    yield* eventually(draftsOf(tenant), ({ length }) => length === 0)
    expect((yield* Effect.flip(stored(tenant, session)))._tag).toBe("NotFound")
    expect((yield* countedFor(tenant)).tokens).toEqual({ ...noTokens, input: 3, output: 3 })
    yield* next.die
  })

  it("is stored whole, once, and counted once if the server was only delayed", function* () {
    const tenant = yield* makeTenant
    const reply = yield* died(tenant, "So far")
    yield* (yield* UnfinishedReplies).recover("all")
    const { costs, ...message } = draft("So far, and the rest.")
    yield* as(tenant.organization)(
      (yield* Conversations).reply(
        reply.session,
        { ...message, id: reply.id, finish_reason: "stop", unanswered: false },
        { apiKeyId: reply.apiKeyId, chatbotId: reply.chatbotId, costs },
        true,
      ),
    )
    expect(yield* contents(tenant, reply.session)).toEqual(["Hello", "So far, and the rest."])
    const session = yield* Conversations.use(({ get }) =>
      as(tenant.organization)(get(tenant.chatbot, sessionNamed(reply.session))),
    )
    expect(session.message_count).toBe(2)
    expect(yield* countedFor(tenant)).toEqual({ replies: 1, tokens: { ...noTokens, input: 3, output: 3 } })
  })
})

describe("checkpoints", () => {
  /** A server, and the number of replies in each statement that stores checkpoints. */
  const counting = Effect.gen(function* () {
    const statements: Array<number> = []
    const real = yield* UnfinishedReplies
    const storage = UnfinishedReplies.of({
      ...real,
      store: (replies, lease) => {
        statements.push(replies.length)
        return real.store(replies, lease)
      },
    })
    const living = server({ lease: Duration.hours(1) })
    return { statements, server: Effect.provideService(living, UnfinishedReplies, storage) }
  })

  it("of many replies take few statements, which store what has grown meanwhile", function* () {
    const tenant = yield* makeTenant
    const { server, statements } = yield* counting
    const { die, watch } = yield* server
    const reply = yield* underWay(tenant)
    let length = 1
    const ids = yield* Effect.forEach(Array.from({ length: 250 }), () => newId)
    for (const id of ids) watch({ ...reply, id: MessageId.make(id) }, () => draft("x".repeat(length)))
    yield* eventually(
      Effect.sync(() => statements.length),
      (count) => count >= 3,
    )
    expect(statements.slice(0, 3)).toEqual([100, 100, 50])
    length = 2
    yield* eventually(draftsOf(tenant), (drafts) => drafts.every(({ content }) => content === "xx"))
    yield* die
    yield* (yield* UnfinishedReplies).recover("all")
  })

  it("of a reply that is short, or has no text, take no statement", function* () {
    const tenant = yield* makeTenant
    const { server, statements } = yield* counting
    const { die, watch } = yield* server
    const short = watch(yield* underWay(tenant), () => draft("Soon done"))
    const silent = watch(yield* underWay(tenant), () => undefined)
    expect(yield* short.end).toBe(false)
    // Another reply is stored alone, in statements that would store that one as well.
    const other = watch(yield* underWay(tenant), () => draft("Said later"))
    yield* eventually(
      Effect.sync(() => statements.length),
      (count) => count >= 2,
    )
    expect(yield* silent.end).toBe(false)
    expect(new Set(statements)).toEqual(new Set([1]))
    expect(yield* other.end).toBe(true)
    yield* die
  })
})
