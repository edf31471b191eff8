import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { VoiceServers } from "../../../src/models/voice/VoiceServers.ts"
import { Slug } from "../../../src/domain/chatbot/Slug.ts"
import { Blobs } from "../../../src/blobs/Blobs.ts"
import { Avatars } from "../../../src/services/chatbots/Avatars.ts"
import { Chatbots } from "../../../src/services/chatbots/Chatbots.ts"
import { etagOf } from "../../../src/services/Versions.ts"
import { PublicUrl } from "../../../src/services/PublicUrl.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { modelsLayer } from "../../lib/Answering.ts"
import { BlobControl, memoryBlobs, platform, quiet, storage } from "../../lib/Layers.ts"
import { asCaller, makeOrganization } from "../../lib/Tenants.ts"
import { modelsSettings } from "../../lib/Defaults.ts"

const noVoiceServers = Layer.succeed(VoiceServers, { speech: undefined, transcription: undefined })

const runtime = ManagedRuntime.make(
  Avatars.layer.pipe(
    Layer.provideMerge(Chatbots.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        Blobs.layer,
        noVoiceServers,
        modelsLayer(modelsSettings()).pipe(Layer.provide(FetchHttpClient.layer)),
      ),
    ),
    Layer.provideMerge(
      Layer.mergeAll(storage, platform, quiet, memoryBlobs, Layer.succeed(PublicUrl, "https://chat.example.com")),
    ),
  ),
)
const run = runtime.runPromise
afterAll(() => runtime.dispose())
beforeEach(() =>
  run(
    Effect.gen(function* () {
      const { blobs, failing } = yield* BlobControl
      blobs.clear()
      failing.clear()
      yield* SystemSql.use((sql) => sql`delete from blob_garbage`)
    }),
  ),
)

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const gif = new TextEncoder().encode("GIF89a")
const storedKeys = Effect.map(BlobControl, ({ blobs }) => Array.from(blobs.keys()))

/** Makes a chatbot in an organization of its own. */
const setUp = Effect.gen(function* () {
  const chatbots = yield* Chatbots
  const mine = asCaller(yield* makeOrganization)
  return { chatbots, mine, made: yield* mine(chatbots.create({ name: "Support" })) }
})

/** A change that does not depend on the stored values. */
const always =
  <A>(patch: A) =>
  () =>
    Effect.succeed(patch)

describe("a new chatbot", () => {
  test("needs only a name, and merges what is sent into the defaults", () =>
    run(
      Effect.gen(function* () {
        const { chatbots, mine, made } = yield* setUp
        expect(made).toMatchObject({
          slug: "support",
          settings: { model: "local/extractive", isToolEnabled: true, snippet: { name: "Support" } },
          voice_widget_config: null,
        })
        const other = yield* mine(
          chatbots.create({ name: "Other", settings: { prompt: "Hi", snippet: { slogan: "!" } } }),
        )
        expect(other.settings).toEqual({
          ...made.settings,
          prompt: "Hi",
          snippet: { ...made.settings.snippet, name: "Other", header: "Other", slogan: "!" },
        })
      }),
    ))

  test("gets a slug of its own, even if twenty take the same name at once", () =>
    run(
      Effect.gen(function* () {
        const { chatbots, mine } = yield* setUp
        const made = yield* Effect.all(
          Array.from({ length: 20 }, () => mine(chatbots.create({ name: "Zażółć gęślą" }))),
          { concurrency: "unbounded" },
        )
        const slugs = made.map(({ slug }) => slug)
        expect(new Set(slugs).size).toBe(20)
        expect(slugs.filter((slug) => !Schema.is(Slug)(slug) || !slug.startsWith("zazolc-gesla"))).toEqual([])
        const chosen = yield* Effect.flip(mine(chatbots.create({ name: "Mine", slug: "support" })))
        expect(chosen._tag).toBe("SlugTaken")
      }),
    ))

  test("is refused if its model is unknown or not configured, with what to do, and so is such a change", () =>
    run(
      Effect.gen(function* () {
        const { chatbots, mine, made } = yield* setUp
        for (const [model, reason] of [
          ["gpt-12", "There is no model gpt-12"],
          ["claude-sonnet-5-5", "needs ANTHROPIC_API_KEY"],
        ] as const) {
          const created = yield* Effect.flip(mine(chatbots.create({ name: "X", settings: { model } })))
          const changed = yield* Effect.flip(mine(chatbots.update(made.id, always({ settings: { model } }), undefined)))
          expect([created._tag, changed._tag]).toEqual(["InvalidRequest", "InvalidRequest"])
          expect(created.detail).toContain(reason)
        }
        expect(yield* mine(chatbots.get(made.id))).toEqual(made)
      }),
    ))
})

describe("a change", () => {
  test("does not undo concurrent changes of other fields", () =>
    run(
      Effect.gen(function* () {
        const { chatbots, mine, made } = yield* setUp
        const patches = [
          { name: "New" },
          { description: "New" },
          { settings: { prompt: "New" } },
          { settings: { greeting: "New" } },
          { settings: { snippet: { slogan: "New" } } },
          { settings: { snippet: { header: "New" } } },
          { personality_config: { tone: "New" } },
          { personality_config: { style: "New" } },
        ]
        yield* Effect.forEach(patches, (patch) => mine(chatbots.update(made.id, always(patch), undefined)), {
          concurrency: "unbounded",
        })
        expect(yield* mine(chatbots.get(made.id))).toMatchObject({
          name: "New",
          description: "New",
          settings: { prompt: "New", greeting: "New", isToolEnabled: true, snippet: { slogan: "New", header: "New" } },
          personality_config: { tone: "New", style: "New" },
          version: made.version + 8n,
        })
      }),
    ))

  test("that names a version fails if the chatbot has another one", () =>
    run(
      Effect.gen(function* () {
        const { chatbots, mine, made } = yield* setUp
        const rename = (name: string, ifMatch: string) => mine(chatbots.update(made.id, always({ name }), ifMatch))
        const tag = etagOf(made)
        const outcomes = yield* Effect.all(
          Array.from({ length: 5 }, (_, index) => Effect.exit(rename(`${index}`, tag))),
          { concurrency: "unbounded" },
        )
        expect(outcomes.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
        for (const stale of [tag, `W/${tag}`, "nonsense", ""]) {
          expect((yield* Effect.flip(rename("stale", stale)))._tag).toBe("PreconditionFailed")
        }
        const now = etagOf(yield* mine(chatbots.get(made.id)))
        expect((yield* rename("listed", `"0", ${now}`)).name).toBe("listed")
        expect((yield* rename("any", "*")).name).toBe("any")
      }),
    ))

  test("of the voice agent merges into its configuration", () =>
    run(
      Effect.gen(function* () {
        const { chatbots, mine, made } = yield* setUp
        yield* mine(
          chatbots.updateVoiceAgent(made.id, always({ model: { temperature: 1 }, voice: "alloy" }), undefined),
        )
        const { config } = yield* mine(
          chatbots.updateVoiceAgent(made.id, always({ model: { max_output_tokens: 5 } }), undefined),
        )
        expect(config).toEqual({ model: { temperature: 1, max_output_tokens: 5 }, voice: "alloy" })
      }),
    ))
})

describe("an avatar", () => {
  test("is served at an address of the server, and replaces the previous one, which is deleted", () =>
    run(
      Effect.gen(function* () {
        const { chatbots, mine, made } = yield* setUp
        const avatars = yield* Avatars
        const first = yield* mine(avatars.update(made.id, Effect.succeed(png), undefined))
        expect(first.settings.avatar).toMatch(/^https:\/\/chat\.example\.com\/avatars\/[0-9a-f-]{36}\.\d+\.png$/)
        const second = yield* mine(avatars.update(made.id, Effect.succeed(gif), undefined))
        const name = second.settings.avatar?.split("/").at(-1) ?? ""
        expect(yield* storedKeys).toEqual([`avatars/${name}`])
        expect(Buffer.from(yield* avatars.get(name))).toEqual(Buffer.from(gif))
        yield* mine(chatbots.remove(made.id))
        expect(yield* storedKeys).toEqual([])
      }),
    ))

  test("changes nothing if it is no image, names an old version, is for another's chatbot or finds the disk full", () =>
    run(
      Effect.gen(function* () {
        const { chatbots, mine, made } = yield* setUp
        const avatars = yield* Avatars
        const theirs = asCaller(yield* makeOrganization)
        const before = yield* mine(avatars.update(made.id, Effect.succeed(png), undefined))
        const svg = new TextEncoder().encode("<svg onload='alert(1)'/>")
        const failures = [
          yield* Effect.flip(mine(avatars.update(made.id, Effect.succeed(svg), undefined))),
          yield* Effect.flip(mine(avatars.update(made.id, Effect.succeed(gif), etagOf(made)))),
          yield* Effect.flip(theirs(avatars.update(made.id, Effect.succeed(gif), undefined))),
        ]
        ;(yield* BlobControl).failing.add("put")
        failures.push(yield* Effect.flip(mine(avatars.update(made.id, Effect.succeed(gif), undefined))))
        expect(failures.map(({ _tag }) => _tag)).toEqual([
          "UnsupportedMediaType",
          "PreconditionFailed",
          "NotFound",
          "Unavailable",
        ])
        expect(yield* mine(chatbots.get(made.id))).toEqual(before)
        // A blob that was written in vain is registered for deletion.
        const owned = `avatars/${before.settings.avatar?.split("/").at(-1)}`
        const registered = yield* SystemSql.use((sql) => sql<{ key: string }>`select key from blob_garbage`)
        const unowned = (yield* storedKeys).filter((key) => key !== owned)
        expect(registered.map(({ key }) => key)).toEqual(expect.arrayContaining(unowned))
        expect(registered.map(({ key }) => key)).not.toContain(owned)
      }),
    ))
})
