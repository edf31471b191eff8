import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Fiber, Latch, Layer, ManagedRuntime } from "effect"
import { ClientAddress } from "../../../src/domain/ClientAddress.ts"
import { everything } from "../../../src/domain/Page.ts"
import { Conversations as ConversationsService } from "../../../src/services/conversations/Conversations.ts"
import { AuditLog } from "../../../src/storage/audit/AuditLog.ts"
import { Conversations } from "../../../src/storage/conversations/Conversations.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { chat, chatLayer, reset, say, tellStep, user } from "../../lib/Chatting.ts"
import { AgentControl, eventually, replyOf, unlimitedShares } from "../../lib/Layers.ts"
import { as, asCaller, makeTenant, sessionNamed } from "../../lib/Tenants.ts"
import { dumpRows } from "../../lib/TestServer.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(
  Layer.provideMerge(Layer.provide(ConversationsService.layer, unlimitedShares), chatLayer),
)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(() => run(reset))

/** The rows that hold a text, in whatever case. */
const rowsWith = (text: string) =>
  Effect.map(SystemSql.use(dumpRows), (rows) => rows.filter((row) => row.toLowerCase().includes(text)))

const drafts = SystemSql.use(
  (sql) => sql<{ content: string }>`select reply->>'content' as content from unfinished_replies`,
)

type Tenant = Effect.Success<typeof makeTenant>
const ways: ReadonlyArray<
  readonly [string, (tenant: Tenant) => Effect.Effect<unknown, unknown, ConversationsService | Conversations>]
> = [
  [
    "erasing its visitor",
    ({ organization }) =>
      ConversationsService.use(({ erase }) => asCaller(organization)(erase({ session_token: "s" }))),
  ],
  [
    "deleting the conversation",
    ({ chatbot, organization }) =>
      Conversations.use((conversations) => as(organization)(conversations.remove(chatbot, sessionNamed("s")))),
  ],
]

describe("a chat that is under way", () => {
  test.each([...ways])("leaves nothing after %s, also in its checkpoints, and its usage counts", (_, erase) =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const agent = yield* AgentControl
        const [erased, finished] = [yield* Latch.make(false), yield* Latch.make(false)]
        const hasGrown = yield* Latch.make(false)
        agent.reply = (input) =>
          Effect.gen(function* () {
            if (input.history.at(-1)?.content === "later") {
              yield* tellStep(input, "said later")
              yield* finished.await
              return replyOf("said later")
            }
            yield* tellStep(input, "canary one")
            yield* erased.await
            yield* tellStep(input, "canary two")
            yield* hasGrown.open
            yield* finished.await
            return replyOf("canary three")
          })
        const fiber = yield* Effect.forkChild(say(tenant, "canary zero", "s"))
        const stored = (text: string) =>
          eventually(drafts, (some) => some.some(({ content }) => content.includes(text)))
        yield* stored("canary one")
        yield* erase(tenant)
        expect(yield* rowsWith("canary")).toEqual([])
        yield* erased.open
        yield* hasGrown.await
        // The checkpoint that stores another reply would store this one as well.
        const other = yield* makeTenant
        const later = yield* Effect.forkChild(say(other, "later", "t"))
        yield* stored("said later")
        expect(yield* rowsWith("canary")).toEqual([])
        yield* finished.open
        expect((yield* Fiber.join(fiber)).output).toBe("canary three")
        yield* Fiber.join(later)
        expect(yield* rowsWith("canary")).toEqual([])
        const sql = yield* SystemSql
        expect(yield* drafts).toEqual([])
        expect(
          yield* sql`select replies from usage_entries where organization_id = ${tenant.organization}`,
        ).toHaveLength(1)
      }),
    ),
  )

  it("fails when its conversation is erased between reading and storing, and does not open it anew", function* () {
    const tenant = yield* makeTenant
    const { session_id } = yield* say(tenant, "canary", "s")
    const conversations = yield* Conversations
    yield* as(tenant.organization)(conversations.remove(tenant.chatbot, sessionNamed("s")))
    const target = { id: session_id, token: null, tokenKey: null, platform: "web", isKnown: true }
    const append = conversations.append(tenant.chatbot, target, [], undefined)
    expect((yield* Effect.flip(as(tenant.organization)(append)))._tag).toBe("NotFound")
    // The visitor may begin a conversation again.
    expect((yield* chat(tenant, [user("Hello")], "s")).session_id).not.toBe(session_id)
  })
})

describe("an erasure", () => {
  it("deletes many conversations in small transactions, each with its entry in the audit log", function* () {
    const { chatbot, organization } = yield* makeTenant
    const sql = yield* SystemSql
    yield* sql`
      with owner as (
        insert into sessions (id, organization_id, chatbot_id, platform, message_count, user_info)
        select gen_random_uuid(), ${organization}::uuid, ${chatbot}::uuid, 'web', 399, '{"email": "Ada@example.com"}'
        from generate_series(1, 10) returning id
      )
      insert into messages (id, organization_id, session_id, sender_type, content)
      select gen_random_uuid(), ${organization}::uuid, id, 'user', '' from owner, generate_series(1, 399)`
    const erase = (yield* ConversationsService).erase({ email: "ada@EXAMPLE.com" })
    const erased = yield* Effect.provideService(asCaller(organization)(erase), ClientAddress, "203.0.113.7")
    expect(erased).toEqual({ conversations: 10, messages: 3_990 })
    const filter = { action: "conversation.erased", apiKey: undefined, target: undefined } as const
    const { items } = yield* as(organization)(
      (yield* AuditLog).list({ ...filter, from: undefined, to: undefined }, everything),
    )
    expect(items.map(({ after }) => after?.["conversations"])).toEqual([1, 3, 3, 3])
    expect(items[0]).toMatchObject({
      actor: { kind: "api_key" },
      address: "203.0.113.7",
      target: { id: null },
      after: { by: "email", messages: 399 },
    })
  })
})
