import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { BlobGarbage } from "../../../src/storage/blobs/BlobGarbage.ts"
import { Chatbots } from "../../../src/storage/chatbots/Chatbots.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { type Content, Documents } from "../../../src/storage/documents/Documents.ts"
import { Ingestions } from "../../../src/storage/documents/Ingestions.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, contentOf, makeTenant, newDocumentId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
beforeEach(() => run(SystemSql.use((sql) => Effect.all([sql`delete from documents`, sql`delete from blob_garbage`]))))
afterAll(() => runtime.dispose())

const announce = (keys: ReadonlyArray<string>) =>
  BlobGarbage.use((garbage) => garbage.announce(keys, Duration.hours(1)))

const keysOf = SystemSql.use((sql) =>
  Effect.gen(function* () {
    const owned = yield* sql<{ key: string }>`select blob_key as key from documents union
      select blob_key from ingestions union select avatar_blob from chatbots where avatar_blob is not null`
    const registered = yield* sql<{ key: string }>`select key from blob_garbage`
    return { owned: owned.map(({ key }) => key), registered: registered.map(({ key }) => key) }
  }),
)

/** A tenant, with the operations on its documents. */
const tenant = Effect.gen(function* () {
  const { organization, chatbot } = yield* makeTenant
  const [documents, ingestions, chatbots] = [yield* Documents, yield* Ingestions, yield* Chatbots]
  const mine = as(organization)
  const claim = Effect.flatMap(
    ingestions.claim({ id: crypto.randomUUID(), duration: Duration.minutes(1) }),
    (attempt) => (attempt === undefined ? Effect.die("nothing waits") : Effect.succeed(attempt)),
  )
  const announced = (content: Content) => Effect.as(announce([content.blob_key]), content)
  return {
    organization,
    add: (content: Content) =>
      Effect.flatMap(newDocumentId, (id) =>
        Effect.andThen(announced(content), mine(documents.add(id, chatbot, content))),
      ),
    replace: (id: Parameters<typeof documents.replace>[1], content: Content) =>
      Effect.andThen(announced(content), mine(documents.replace(chatbot, id, content))),
    publish: Effect.flatMap(claim, (attempt) => mine(ingestions.publish(attempt, 1))),
    fail: Effect.flatMap(claim, (attempt) => mine(ingestions.fail(attempt, { code: "no_text", message: "No text." }))),
    removeAll: mine(documents.remove(chatbot, "all")),
    removeChatbot: mine(chatbots.remove(chatbot)),
    showAvatar: (avatar_blob: string) =>
      Effect.andThen(announce([avatar_blob]), mine(chatbots.modify(chatbot, () => Effect.succeed({ avatar_blob })))),
  }
})

describe("every blob either has an owner or is registered as garbage", () => {
  it("when a failed document gets other content", function* () {
    const { add, fail, replace } = yield* tenant
    const [old, next] = [contentOf("broken"), contentOf("better")]
    const { id } = yield* add(old)
    yield* fail
    expect(yield* keysOf).toEqual({ owned: [old.blob_key], registered: [] })
    yield* replace(id, next)
    expect(yield* keysOf).toEqual({ owned: [next.blob_key], registered: [old.blob_key] })
  })

  it("when a queued replacement is replaced itself, or cannot be read", function* () {
    const { add, fail, publish, replace } = yield* tenant
    const [first, second, third] = [contentOf("first"), contentOf("second"), contentOf("third")]
    const { id } = yield* add(first)
    yield* publish
    yield* replace(id, second)
    yield* replace(id, third)
    expect((yield* keysOf).registered).toEqual([second.blob_key])
    yield* fail
    const { owned, registered } = yield* keysOf
    expect(owned).toEqual([first.blob_key])
    expect(registered.toSorted()).toEqual([second.blob_key, third.blob_key].toSorted())
  })

  test.each(["its documents are deleted by hand", "its chatbot is deleted", "its organization is deleted"])(
    "when %s, and with it the queued content",
    (how) =>
      run(
        Effect.gen(function* () {
          const { add, organization, publish, removeChatbot, replace, showAvatar } = yield* tenant
          const contents = [contentOf("first"), contentOf("second"), contentOf("third")] as const
          const { id } = yield* add(contents[0])
          yield* publish
          yield* replace(id, contents[1])
          yield* add(contents[2])
          const avatar = `avatars/${crypto.randomUUID()}`
          yield* showAvatar(avatar)
          expect((yield* keysOf).registered).toEqual([])
          const sql = yield* SystemSql
          if (how.includes("hand")) {
            yield* sql`delete from documents where organization_id = ${organization}`
            yield* sql`update chatbots set avatar_blob = null where organization_id = ${organization}`
          } else if (how.includes("chatbot")) yield* removeChatbot
          else yield* sql`delete from organizations where id = ${organization}`
          const { owned, registered } = yield* keysOf
          expect(owned).toEqual([])
          expect(registered.toSorted()).toEqual([avatar, ...contents.map(({ blob_key }) => blob_key)].toSorted())
        }),
      ),
  )

  it("when documents are added twice, replaced, published and deleted at the same time", function* () {
    const { add, publish, removeAll, replace } = yield* tenant
    const announced: Array<string> = []
    const content = (text: string) => {
      const made = contentOf(text)
      announced.push(made.blob_key)
      return made
    }
    const upload = (index: number) =>
      Effect.gen(function* () {
        const [{ id }] = yield* Effect.all([add(content(`${index}`)), add(content(`${index}`))], {
          concurrency: 2,
        })
        // The document may have been deleted meanwhile, or published by another fiber.
        yield* Effect.ignore(replace(id, content(`more ${index}`)))
        yield* Effect.ignoreCause(publish)
        yield* Effect.ignore(replace(id, content(`most ${index}`)))
      })
    const uploads = Effect.forEach(Array.from({ length: 40 }).keys(), upload, { concurrency: 8 })
    const deletions = Effect.repeat(Effect.andThen(removeAll, Effect.sleep("5 millis")), { times: 30 })
    yield* Effect.all([uploads, deletions], { concurrency: 2 })
    const { owned, registered } = yield* keysOf
    expect([...owned, ...registered].toSorted()).toEqual(announced.toSorted())
  })
})
