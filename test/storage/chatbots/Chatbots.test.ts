import { afterAll, describe, expect } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { BlobGarbage } from "../../../src/storage/blobs/BlobGarbage.ts"
import { Chatbots, shownOf } from "../../../src/storage/chatbots/Chatbots.ts"
import { chatbotDefaults } from "../../../src/domain/chatbot/Chatbot.ts"
import { emptyChatWidget } from "../../../src/domain/chatbot/ChatWidget.ts"
import { ChatbotId } from "../../../src/domain/Ids.ts"
import type { Place } from "../../../src/domain/Page.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, makeChatbot, makeOrganization, makeTenant, newChatbotId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

const withSlug = Effect.fnUntraced(function* (slug: string) {
  const id = yield* newChatbotId
  const parts = chatbotDefaults("Some", "local/extractive")
  return yield* (yield* Chatbots).insert({ id, name: "Some", slug, chat_widget_config: emptyChatWidget, ...parts })
})

describe("chatbots", () => {
  it("are read as they were written", function* () {
    const organization = yield* makeOrganization
    const made = yield* as(organization)(makeChatbot)
    const { get, shown } = yield* Chatbots
    const { managers, ...row } = made
    expect(yield* as(organization)(get(made.id))).toEqual(row)
    expect(yield* as(organization)(shown(made.id))).toEqual(shownOf(made))
    expect(managers).toBeNull()
    expect(made).toMatchObject({ version: 1n, voice_widget_config: null, avatar_blob: null, active: true })
  })

  it("are listed newest first, each on one page, even when some are made between two pages", function* () {
    const organization = yield* makeOrganization
    const chatbots = yield* Chatbots
    const made = yield* as(organization)(Effect.replicateEffect(makeChatbot, 7))
    const ids = made.map(({ id }) => id)
    const page = (after: Place | undefined) => as(organization)(chatbots.list({ limit: 3, after }, null))
    const first = yield* page(undefined)
    yield* as(organization)(makeChatbot)
    const second = yield* page(first.next)
    // The chatbot at whose place a page ends may have been deleted.
    yield* as(organization)(chatbots.remove(ChatbotId.make(second.next?.id ?? "none")))
    const third = yield* page(second.next)
    const seen = [first, second, third].flatMap(({ items }) => items.map(({ id }) => id))
    expect(seen).toEqual(ids.toReversed())
    expect([first, second, third].map(({ next }) => next?.id)).toEqual([seen[2], seen[5], undefined])
  })

  it("have slugs that are unique within their organization", function* () {
    const [mine, theirs] = [yield* makeOrganization, yield* makeOrganization]
    const chatbots = yield* Chatbots
    const first = yield* as(mine)(withSlug("support"))
    yield* as(theirs)(withSlug("support"))
    yield* as(mine)(withSlug("support-2"))
    yield* as(mine)(withSlug("supporters"))
    expect((yield* as(mine)(Effect.flip(withSlug("support"))))._tag).toBe("SlugTaken")
    const taken = yield* Effect.flip(as(mine)(chatbots.modify(first.id, () => Effect.succeed({ slug: "support-2" }))))
    expect(taken._tag).toBe("SlugTaken")
    const inUse = yield* as(mine)(chatbots.slugsInUse(["support", "support-2", "support-3", "other"]))
    expect(inUse.toSorted()).toEqual(["support", "support-2"])
  })

  it("lose none of many concurrent changes, each of which advances version and time", function* () {
    const { organization, chatbot } = yield* makeTenant
    const chatbots = yield* Chatbots
    const before = yield* as(organization)(chatbots.get(chatbot))
    const results = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, index) => index),
      (index) =>
        as(organization)(
          chatbots.modify(chatbot, (row) => Effect.succeed({ description: `${row.description}<${index}>` })),
        ),
      { concurrency: "unbounded" },
    )
    const after = yield* as(organization)(chatbots.get(chatbot))
    expect(after.description.match(/<\d+>/g)?.toSorted()).toEqual(results.map((_, index) => `<${index}>`).toSorted())
    expect(after.version).toBe(before.version + 20n)
    expect(new Set(results.map(({ version }) => version)).size).toBe(20)
    expect(new Set(results.map(({ updated_at }) => updated_at.getTime())).size).toBe(20)
    expect(after.updated_at.getTime()).toBeGreaterThan(before.updated_at.getTime())
  })

  it("stay the same when a change is refused", function* () {
    const { organization, chatbot } = yield* makeTenant
    const chatbots = yield* Chatbots
    const before = yield* as(organization)(chatbots.get(chatbot))
    expect(yield* Effect.flip(as(organization)(chatbots.modify(chatbot, () => Effect.fail("no"))))).toBe("no")
    expect(yield* as(organization)(chatbots.get(chatbot))).toEqual(before)
  })

  it("own one avatar, and the one before becomes garbage", function* () {
    const { organization, chatbot } = yield* makeTenant
    const [chatbots, garbage] = [yield* Chatbots, yield* BlobGarbage]
    const [first, second] = [`avatars/${crypto.randomUUID()}`, `avatars/${crypto.randomUUID()}`]
    const change = (avatar_blob: string) =>
      Effect.andThen(
        garbage.announce([avatar_blob], Duration.zero),
        as(organization)(chatbots.modify(chatbot, () => Effect.succeed({ avatar_blob }))),
      )
    const due = Effect.map(garbage.due(1_000), (keys) => keys.filter((key) => [first, second].includes(key)))
    yield* change(first)
    expect(yield* due).toEqual([])
    yield* change(second)
    expect(yield* due).toEqual([first])
    yield* as(organization)(chatbots.remove(chatbot))
    expect((yield* due).toSorted()).toEqual([first, second].toSorted())
    expect((yield* Effect.flip(as(organization)(chatbots.remove(chatbot))))._tag).toBe("NotFound")
  })
})
