import { NodeFileSystem, NodePath } from "@effect/platform-node-shared"
import { Array, Context, Effect, Layer, References, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { Agent, type AgentInput, type AgentReply } from "../../src/agent/Agent.ts"
import { BlobNotFound, BlobStore } from "../../src/blobs/BlobStore.ts"
import { Unavailable } from "../../src/domain/Errors.ts"
import { Embeddings, type TextRefused } from "../../src/embeddings/Embeddings.ts"
import { chunk } from "../../src/readers/chunk/Chunker.ts"
import { Extract, type ExtractionFailed, type Scans, type ScanWaits } from "../../src/readers/Extract.ts"
import type { ExtractedText, StoredSource } from "../../src/readers/extract/Extraction.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import * as Storage from "../../src/storage/Storage.ts"
import { sharesWith } from "./Defaults.ts"
import * as TestDatabase from "./TestDatabase.ts"

/*
 * Layers for tests of services: the real storage over a new database, and stand-ins, each with a control service by
 * which a test sets what it does and sees the requests that it got.
 */

export const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, SecureRandom.layerWebCrypto)

/** Switches logging off, for tests that cause failures on purpose. */
export const quiet = Layer.succeed(References.MinimumLogLevel, "None")

/** Every repository, without encryption. */
export const repositories = Layer.provide(Storage.layer({ keys: undefined }), SecureRandom.layerWebCrypto)

/** Shares that limit nothing. */
export const unlimitedShares = sharesWith({
  uploads: Infinity,
  searches: Infinity,
  chats: Infinity,
  streams: Infinity,
  lists: Infinity,
  events: Infinity,
})

/** Every repository, over a new database, which is provided too. */
export const storage = Layer.provideMerge(repositories, TestDatabase.layer)

/** Controls the blob store: its blobs, and which of its methods fail. */
export class BlobControl extends Context.Service<
  BlobControl,
  {
    readonly blobs: Map<string, Uint8Array>
    readonly failing: Set<"put" | "get" | "remove">
    /** The times at which blobs were written, for those that were not written just now. */
    readonly times: Map<string, Date>
  }
>()("test/BlobControl") {}

/** A blob store in memory. A `put` that fails has read some of its content, as on a disk that gets full. */
export const memoryBlobs: Layer.Layer<BlobStore | BlobControl> = Layer.effectContext(
  Effect.sync(() => {
    const control = BlobControl.of({ blobs: new Map(), failing: new Set(), times: new Map() })
    const { blobs, failing } = control
    const unlessFailing = (method: "put" | "get" | "remove") =>
      Effect.suspend(() => (failing.has(method) ? Effect.fail(diskFull) : Effect.void))
    const get = (key: string) =>
      Effect.flatMap(unlessFailing("get"), () => {
        const bytes = blobs.get(key)
        return bytes === undefined ? Effect.fail(new BlobNotFound({ key })) : Effect.succeed(bytes)
      })
    const infoOf = (key: string, bytes: Uint8Array) => ({
      key,
      bytes: bytes.length,
      writtenAt: control.times.get(key) ?? new Date(),
    })
    const store = BlobStore.of({
      put: (key, content) =>
        failing.has("put")
          ? Effect.andThen(Stream.runDrain(Stream.take(content, 1)), Effect.fail(diskFull))
          : Effect.map(Stream.runCollect(content), (parts) => void blobs.set(key, Buffer.concat(parts))),
      get,
      read: (key) => Stream.fromEffect(get(key)),
      open: (key) => Effect.map(get(key), (bytes) => new Blob([bytes])),
      info: (key) =>
        Effect.sync(() => {
          const bytes = blobs.get(key)
          return bytes && infoOf(key, bytes)
        }),
      remove: (key) => Effect.map(unlessFailing("remove"), () => void blobs.delete(key)),
      ready: Effect.void,
      examine: Effect.succeed([]),
      // In pages of two, so that a few blobs are more than one page.
      list: (prefix) =>
        Stream.suspend(() =>
          Stream.fromIterable(
            Array.chunksOf(
              Array.fromIterable(blobs)
                .filter(([key]) => key.startsWith(prefix))
                .map(([key, bytes]) => infoOf(key, bytes)),
              2,
            ),
          ),
        ),
    })
    return Context.make(BlobStore, store).pipe(Context.add(BlobControl, control))
  }),
)

export const diskFull = new Unavailable({ detail: "The disk is full.", retry_after_seconds: 1 })

/** Controls the extraction: how files become text, and the names of the files that were read. */
export class ExtractControl extends Context.Service<
  ExtractControl,
  {
    extract: (source: StoredSource, scans?: Scans) => Effect.Effect<ExtractedText, ExtractionFailed | ScanWaits>
    readonly names: Array<string>
  }
>()("test/ExtractControl") {}

/** Extracts the content as the text, and the name as the title. */
export const plainExtract = (source: StoredSource): Effect.Effect<ExtractedText> =>
  Effect.promise(async () => ({ title: source.name, text: await source.content.text(), omissions: [] }))

export const scriptedExtract: Layer.Layer<Extract | ExtractControl> = Layer.effectContext(
  Effect.sync(() => {
    const control = ExtractControl.of({ extract: plainExtract, names: [] })
    const read = (source: StoredSource, scans?: Scans) => {
      control.names.push(source.name)
      return control.extract(source, scans)
    }
    const extract = Extract.of({
      split: (source, scans) =>
        Effect.map(read(source, scans), (document) => ({
          title: document.title,
          omissions: document.omissions,
          passages: chunk(document),
        })),
      page: () => Effect.die("No test reads web pages by this layer."),
      examine: () => Effect.die("No test examines PDFs by this layer."),
    })
    return Context.make(Extract, extract).pipe(Context.add(ExtractControl, control))
  }),
)

/** Controls the embeddings: how many texts were embedded, and an effect that runs before, such as a failure. */
export class EmbeddingsControl extends Context.Service<
  EmbeddingsControl,
  { embedded: number; before: Effect.Effect<void, Unavailable | TextRefused> }
>()("test/EmbeddingsControl") {}

/** The local embedding, which counts the texts. */
export const countingEmbeddings: Layer.Layer<Embeddings | EmbeddingsControl> = Layer.effectContext(
  Effect.gen(function* () {
    const local = yield* Embeddings
    const control = EmbeddingsControl.of({ embedded: 0, before: Effect.void })
    const counted = Embeddings.of({
      ...local,
      embedDocuments: (texts) =>
        Effect.suspend(() => {
          control.embedded += texts.length
          return Effect.andThen(control.before, local.embedDocuments(texts))
        }),
    })
    return Context.make(Embeddings, counted).pipe(Context.add(EmbeddingsControl, control))
  }),
).pipe(Layer.provide(Embeddings.layerLocal))

type Reply = Agent["Service"]["reply"]

/** Controls the agent: how it answers, and the requests that it got. */
export class AgentControl extends Context.Service<AgentControl, { reply: Reply; readonly asked: Array<AgentInput> }>()(
  "test/AgentControl",
) {}

/** A reply of one step without tools. */
export const replyOf = (output: string): AgentReply => ({
  output,
  sources: [],
  finishReason: "stop",
  saysNoAnswer: false,
  unsupported: [],
  steps: [],
  toolCalls: [],
  toolResults: [],
  provider: "scripted",
  model: "scripted",
  tokens: scriptedTokens,
  costs: [{ model: "scripted", provider: "scripted", tokens: scriptedTokens }],
})

const scriptedTokens = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }

/** An agent that answers `Echo: <last message>` until a test changes its reply. */
export const scriptedAgent: Layer.Layer<Agent | AgentControl> = Layer.effectContext(
  Effect.sync(() => {
    const control = AgentControl.of({
      reply: ({ history }) => Effect.succeed(replyOf(`Echo: ${history.at(-1)?.content}`)),
      asked: [],
    })
    const agent = Agent.of({
      reply: (input) =>
        Effect.suspend(() => {
          control.asked.push(input)
          return control.reply(input)
        }),
    })
    return Context.make(Agent, agent).pipe(Context.add(AgentControl, control))
  }),
)

/** Repeats an effect until its result meets the condition. A test that waits in vain runs into its timeout. */
export const eventually = <A, E, R>(look: Effect.Effect<A, E, R>, isSo: (seen: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.repeat(Effect.tap(look, Effect.sleep("5 millis")), { until: isSo })

/** Waits until the database's clock has gone on: the embedded one has milliseconds, so that two rows may have one time. */
export const nextMillisecond = SystemSql.use((sql) => {
  const now = Effect.map(
    sql<{ now: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`,
    ([row]) => Math.floor(row?.now ?? 0),
  )
  return Effect.flatMap(now, (begin) => eventually(now, (seen) => seen > begin))
})

/**
 * Waits, within a transaction, until others wait for it. On the embedded engine they wait for the connection, which
 * nobody sees: there they get some turns to begin.
 */
export const othersWait = (sql: SqlClient.SqlClient) =>
  process.env["DATABASE_URL"] === undefined
    ? Effect.replicateEffect(Effect.sleep("1 millis"), 20, { discard: true })
    : Effect.asVoid(
        eventually(
          Effect.andThen(
            // Within a transaction, Postgres would show the same activity again.
            sql`select pg_stat_clear_snapshot()`,
            sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          ),
          ({ length }) => length > 0,
        ),
      )
