import { afterAll, beforeEach, describe, expect } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { FetchHttpClient } from "effect/http"
import { VoiceServers } from "../../../src/models/voice/VoiceServers.ts"
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
import { effectTests } from "../../lib/EffectTests.ts"

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
const it = effectTests(run)
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

describe("an avatar", () => {
  it("changes nothing if it is no image, names an old version, is for another's chatbot or finds the disk full", function* () {
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
  })
})
