import { afterAll, describe, expect } from "bun:test"
import { Duration, Effect, Exit, Layer, ManagedRuntime, Redacted } from "effect"
import type { Quota } from "../../../src/domain/organizations/Quota.ts"
import { type ChatbotId, MessageId, type OrganizationId, SessionId, ToolId } from "../../../src/domain/Ids.ts"
import { Chatbots } from "../../../src/storage/chatbots/Chatbots.ts"
import { ChatbotTools } from "../../../src/storage/tools/ChatbotTools.ts"
import { Conversations } from "../../../src/storage/conversations/Conversations.ts"
import { Documents } from "../../../src/storage/documents/Documents.ts"
import { Ingestions } from "../../../src/storage/documents/Ingestions.ts"
import { Organizations } from "../../../src/storage/organizations/Organizations.ts"
import { Quotas } from "../../../src/storage/organizations/Quotas.ts"

import { platform, storage } from "../../lib/Layers.ts"
import {
  as,
  contentOf,
  makeChatbot,
  makeOrganization,
  makeTenant,
  newDocumentId,
  newId,
  sessionNamed,
} from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

const held = (organization: OrganizationId) =>
  Effect.map(
    Organizations.use((organizations) => organizations.find(organization)),
    (found) => found?.used,
  )

const setQuota = (organization: OrganizationId, quota: Partial<Quota>) =>
  Organizations.use((organizations) => organizations.modify(organization, () => Effect.succeed({ quota })))

const add = (chatbot: ChatbotId, text: string) =>
  Effect.gen(function* () {
    return yield* (yield* Documents).add(yield* newDocumentId, chatbot, contentOf(text))
  })

const addTool = (chatbot: ChatbotId, name: string) =>
  Effect.gen(function* () {
    const content = {
      name,
      description: "",
      input_schema: {},
      method: "GET" as const,
      url: "https://example.com",
      headers: Redacted.make({}),
      timeout_ms: null,
    }
    return yield* (yield* ChatbotTools).insert(ToolId.make(yield* newId), chatbot, content, 100)
  })

const say = (chatbot: ChatbotId, session: string) =>
  Effect.gen(function* () {
    const target = { id: SessionId.make(yield* newId), token: session, tokenKey: null, platform: "web" }
    const message = {
      id: MessageId.make(yield* newId),
      sender_type: "user" as const,
      content: "Hi",
      mid: undefined,
    }
    return yield* (yield* Conversations).append(chatbot, target, [message], undefined)
  })

/** The outcomes of effects that run at once: `ok`, or the failure's detail. */
const outcomes = <A, E extends { readonly detail: string }, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.forEach(
    effects,
    (effect) => Effect.match(effect, { onSuccess: () => "ok", onFailure: ({ detail }) => detail }),
    { concurrency: "unbounded" },
  )

const nothing = { chatbots: 0, tools: 0, documents: 0, bytes: 0, chunks: 0, conversations: 0 }

describe("what an organization stores", () => {
  it("is counted as it is stored and deleted, whoever asks in between", function* () {
    const { organization, chatbot } = yield* makeTenant
    const mine = as(organization)
    expect(yield* held(organization)).toEqual({ ...nothing, chatbots: 1 })
    const first = yield* mine(add(chatbot, "four"))
    yield* mine(add(chatbot, "five5"))
    yield* mine(add(chatbot, "five5"))
    yield* mine(addTool(chatbot, "one"))
    const tool = yield* mine(addTool(chatbot, "two"))
    for (const session of ["a", "a", "b"]) yield* mine(say(chatbot, session))
    const all = { ...nothing, chatbots: 1, documents: 2, bytes: 9, tools: 2, conversations: 2 }
    expect(yield* held(organization)).toEqual(all)
    yield* mine(Quotas.use(({ ensureRoom }) => ensureRoom({})))
    expect(yield* held(organization)).toEqual(all)
    yield* mine(Documents.use((documents) => documents.replace(chatbot, first.id, contentOf("eleven char"))))
    yield* mine(ChatbotTools.use((tools) => tools.remove(chatbot, tool.id)))
    yield* mine(Conversations.use((conversations) => conversations.remove(chatbot, sessionNamed("a"))))
    expect(yield* held(organization)).toEqual({ ...all, bytes: 16, tools: 1, conversations: 1 })
    yield* mine(Documents.use((documents) => documents.remove(chatbot, "all")))
    expect(yield* held(organization)).toEqual({ ...all, documents: 0, bytes: 0, tools: 1, conversations: 1 })
    yield* mine(add(chatbot, "four"))
    yield* mine(Chatbots.use((chatbots) => chatbots.remove(chatbot)))
    expect(yield* held(organization)).toEqual(nothing)
  })

  it("includes the passages of the revision that serves, and only of that", function* () {
    const { organization, chatbot } = yield* makeTenant
    const mine = as(organization)
    const { id } = yield* mine(add(chatbot, "four"))
    const ingestions = yield* Ingestions
    const publish = (count: number) =>
      Effect.gen(function* () {
        for (;;) {
          const attempt = yield* ingestions.claim({ id: crypto.randomUUID(), duration: Duration.minutes(1) })
          if (attempt === undefined) return
          if (attempt.document_id === id) expect(yield* mine(ingestions.publish(attempt, count))).toBeTrue()
        }
      })
    yield* publish(7)
    expect(yield* held(organization)).toMatchObject({ chunks: 7 })
    yield* mine(Documents.use((documents) => documents.replace(chatbot, id, contentOf("seven77"))))
    expect(yield* held(organization)).toMatchObject({ chunks: 7, bytes: 4 })
    yield* publish(3)
    expect(yield* held(organization)).toMatchObject({ chunks: 3, bytes: 7 })
  })
})

describe("a quota", () => {
  it("is never exceeded by those who store at the same time", function* () {
    const { organization, chatbot } = yield* makeTenant
    const mine = as(organization)
    yield* setQuota(organization, { chatbots: 4, tools: 3, documents: 3, bytes: 20 })
    const many = Array.from({ length: 12 }, (_, index) => String(index))
    const refused = (count: number, detail: string) => Array.from({ length: count }, () => detail)
    expect((yield* outcomes(many.map(() => mine(makeChatbot)))).filter((one) => one !== "ok")).toEqual(
      refused(9, "The organization's quota of 4 chatbots is reached."),
    )
    expect((yield* outcomes(many.map((name) => mine(addTool(chatbot, name))))).filter((one) => one !== "ok")).toEqual(
      refused(9, "The organization's quota of 3 tools is reached."),
    )
    expect((yield* outcomes(many.map((text) => mine(add(chatbot, text))))).filter((one) => one !== "ok")).toEqual(
      refused(9, "The organization's quota of 3 documents is reached."),
    )
    expect(yield* held(organization)).toMatchObject({ chatbots: 4, tools: 3, documents: 3 })
    yield* setQuota(organization, { documents: "unlimited" })
    expect(yield* outcomes([mine(add(chatbot, "x".repeat(18)))])).toEqual([
      "The organization's quota of 20 B in documents is reached.",
    ])
    // The same bytes need no room, and another organization has its own.
    yield* setQuota(organization, { documents: 3 })
    const range = { page: 1, limit: 1 }
    const { data: documents } = yield* mine(Documents.use((documents) => documents.list(chatbot, range)))
    const same = many.find((text) => contentOf(text).sha256 === documents[0]?.sha256) ?? ""
    expect(yield* outcomes([mine(add(chatbot, same))])).toEqual(["ok"])
    const other = yield* makeTenant
    expect(yield* outcomes([as(other.organization)(add(other.chatbot, "x".repeat(18)))])).toEqual(["ok"])
  })

  it("gives room back when something is deleted, and when the operator says so", function* () {
    const organization = yield* makeOrganization
    const mine = as(organization)
    yield* setQuota(organization, { chatbots: 1, conversations: 1 })
    const { id } = yield* mine(makeChatbot)
    expect(Exit.isFailure(yield* Effect.exit(mine(makeChatbot)))).toBeTrue()
    yield* mine(Chatbots.use((chatbots) => chatbots.remove(id)))
    yield* mine(makeChatbot)
    yield* setQuota(organization, { chatbots: null })
    yield* mine(makeChatbot)
    const quotas = yield* Quotas
    yield* mine(quotas.ensureConversation)
    expect(yield* Effect.flip(mine(quotas.ensureConversation))).toMatchObject({
      detail: "The organization's quota of 1 conversations is reached.",
    })
  })
})
