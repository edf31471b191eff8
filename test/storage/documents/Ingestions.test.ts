import { afterAll, beforeEach, describe, expect } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { unpack } from "../../../src/storage/search/ChunkPacks.ts"
import { Chunks } from "../../../src/storage/search/Chunks.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { Documents } from "../../../src/storage/documents/Documents.ts"
import { type Ingestion, Ingestions } from "../../../src/storage/documents/Ingestions.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, chunkBatch, contentOf, makeTenant, newDocumentId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
beforeEach(() => run(SystemSql.use((sql) => sql`delete from ingestions`)))
afterAll(() => runtime.dispose())

const lease = Duration.minutes(1)
const error = { code: "no_text", message: "No text." }

const makeDocument = Effect.fnUntraced(function* (text = "text") {
  const tenant = yield* makeTenant
  const id = yield* newDocumentId
  const document = yield* as(tenant.organization)((yield* Documents).add(id, tenant.chatbot, contentOf(text)))
  return { ...tenant, document }
})

const claim = Effect.fnUntraced(function* (duration = lease) {
  return yield* (yield* Ingestions).claim({ id: crypto.randomUUID(), duration })
})
const mustClaim = (duration = lease) =>
  Effect.flatMap(claim(duration), (attempt) =>
    attempt === undefined ? Effect.die("nothing waits") : Effect.succeed(attempt),
  )

/** Makes every write of an attempt, and returns their results. */
const writes = (attempt: Ingestion) =>
  as(attempt.organization_id)(
    Effect.gen(function* () {
      const ingestions = yield* Ingestions
      return {
        progress: yield* ingestions.progress(attempt, { status: "embedding", progress: 0.5, error: null, lease }),
        published: yield* ingestions.publish(attempt, 7),
        failed: yield* ingestions.fail(attempt, error),
        released: yield* ingestions.release(attempt, Duration.zero, true),
      }
    }),
  )

describe("the queue", () => {
  it("gives each document to one of many concurrent claims", function* () {
    const made = yield* Effect.replicateEffect(makeDocument(), 5)
    const attempts = yield* Effect.all(
      Array.from({ length: 20 }, () => claim()),
      { concurrency: "unbounded" },
    )
    const ids = attempts.flatMap((attempt) => (attempt === undefined ? [] : [attempt.document_id]))
    expect(ids.toSorted()).toEqual(made.map(({ document }) => document.id).toSorted())
    expect(yield* claim()).toBeUndefined()
  })

  it("gives the oldest document first", function* () {
    const made = yield* Effect.replicateEffect(makeDocument(), 3)
    const attempts = yield* Effect.replicateEffect(mustClaim(), 3)
    expect(attempts.map(({ document_id }) => document_id)).toEqual(made.map(({ document }) => document.id))
  })

  it("serves organizations in turn, whenever and however many documents each of them queued", function* () {
    const [many, few] = [yield* makeTenant, yield* makeTenant]
    const queue = ({ organization, chatbot }: typeof many, count: number) =>
      Effect.replicateEffect(
        Effect.flatMap(newDocumentId, (id) =>
          as(organization)(Documents.use((documents) => documents.add(id, chatbot, contentOf(crypto.randomUUID())))),
        ),
        count,
      )
    const served = (count: number) =>
      Effect.map(Effect.replicateEffect(mustClaim(), count), (attempts) =>
        attempts.map(({ organization_id }) => (organization_id === few.organization ? "few" : "many")),
      )
    yield* queue(many, 30)
    yield* served(10)
    // This organization queued its document later than the others, and is next all the same.
    yield* queue(few, 3)
    expect((yield* served(7)).filter((one) => one === "few")).toHaveLength(3)
    // An organization that has been served before has neither an advantage nor a disadvantage.
    yield* queue(few, 5)
    expect((yield* served(8)).filter((one) => one === "few").length).toBeGreaterThanOrEqual(3)
    expect(yield* served(10)).toContain("many")
  })

  it("is not blocked by documents that are to be tried later", function* () {
    const { organization } = yield* makeDocument("poison")
    const poison = yield* mustClaim()
    yield* as(organization)((yield* Ingestions).release(poison, Duration.minutes(1), true))
    const { document } = yield* makeDocument("harmless")
    expect((yield* mustClaim()).document_id).toBe(document.id)
    expect(yield* claim()).toBeUndefined()
  })

  it("gives documents again that were returned or whose lease has expired, and counts both separately", function* () {
    const { organization } = yield* makeDocument()
    const ingestions = yield* Ingestions
    const first = yield* mustClaim(Duration.zero)
    const second = yield* mustClaim()
    expect(second.revision).toBeGreaterThan(first.revision)
    const [tries, lapses] = [[first, second].map((one) => one.attempts), [first, second].map((one) => one.lapses)]
    expect({ tries, lapses }).toEqual({ tries: [0, 0], lapses: [0, 1] })
    yield* as(organization)(ingestions.release(second, Duration.minutes(1), true))
    expect(yield* claim()).toBeUndefined()
    yield* SystemSql.use((sql) => sql`update ingestions set run_at = now()`)
    const third = yield* mustClaim()
    expect(third).toMatchObject({ attempts: 1, lapses: 1 })
    // A failure that the document did not cause does not count.
    yield* as(organization)(ingestions.release(third, Duration.zero, false))
    expect(yield* mustClaim()).toMatchObject({ attempts: 1, lapses: 1 })
    yield* ingestions.releaseAll
    expect(yield* mustClaim()).toMatchObject({ attempts: 1, lapses: 2 })
  })

  it("delays a document whose attempts end with their process, so that the process lives meanwhile", function* () {
    yield* makeDocument()
    const ingestions = yield* Ingestions
    for (let death = 1; death < 4; death++) {
      yield* mustClaim()
      yield* ingestions.releaseAll
    }
    expect(yield* claim()).toBeUndefined()
    yield* SystemSql.use((sql) => sql`update ingestions set run_at = now()`)
    expect(yield* mustClaim()).toMatchObject({ attempts: 0, lapses: 3 })
  })

  it("keeps a lease that is renewed", function* () {
    const { organization } = yield* makeDocument()
    const attempt = yield* mustClaim(Duration.zero)
    const state = { status: "extracting" as const, progress: 0.1, error: null, lease }
    expect(yield* as(organization)((yield* Ingestions).progress(attempt, state))).toBe(true)
    expect(yield* claim()).toBeUndefined()
  })
})

describe("an attempt that has lost its lease", () => {
  it("can write nothing", function* () {
    const { organization, chatbot, document } = yield* makeDocument()
    const lost = yield* mustClaim(Duration.zero)
    const holder = yield* mustClaim()
    const documents = yield* Documents
    const claimed = yield* as(organization)(documents.get(chatbot, document.id))
    expect(claimed).toMatchObject({ status: "extracting", progress: 0 })
    expect(yield* writes(lost)).toMatchObject({ progress: false, published: false })
    expect(yield* as(organization)(documents.get(chatbot, document.id))).toEqual(claimed)
    expect(yield* claim()).toBeUndefined()
    expect((yield* writes(holder)).progress).toBe(true)
    expect(yield* as(organization)(documents.get(chatbot, document.id))).toMatchObject({
      status: "ready",
      chunk_count: 7,
    })
  })

  it("because its document was replaced or deleted can write nothing either", function* () {
    const { organization, chatbot, document } = yield* makeDocument()
    const documents = yield* Documents
    const old = yield* mustClaim()
    yield* as(organization)(documents.replace(chatbot, document.id, contentOf("newer")))
    const replaced = yield* as(organization)(documents.get(chatbot, document.id))
    expect(yield* writes(old)).toMatchObject({ progress: false, published: false })
    expect(yield* as(organization)(documents.get(chatbot, document.id))).toEqual(replaced)
    const newer = yield* mustClaim()
    yield* as(organization)(documents.remove(chatbot, document.id))
    expect(yield* writes(newer)).toMatchObject({ progress: false, published: false })
    expect((yield* Effect.flip(as(organization)(documents.get(chatbot, document.id))))._tag).toBe("NotFound")
  })
})

describe("publishing", () => {
  it("makes exactly the attempt's own chunks serve, all at once, and advances the version of the knowledge", function* () {
    const { organization, chatbot, document } = yield* makeDocument("first")
    const [chunks, ingestions, documents] = [yield* Chunks, yield* Ingestions, yield* Documents]
    const found = as(organization)(
      Effect.gen(function* () {
        const serving = yield* chunks.serving(chatbot, undefined)
        const pack = yield* chunks.lexemes(
          chatbot,
          serving.map(({ id, revision, chunks }) => ({ documentId: id, revision, first: 1, last: chunks })),
          undefined,
        )
        const { version } = yield* chunks.probe(chatbot, [])
        return { revisions: Array.from(unpack(pack), ({ revision }) => revision), version }
      }),
    )
    const store = ({ revision }: Ingestion, count: number) =>
      Effect.flatMap(chunkBatch({ chatbot, document: document.id, revision, count }), (batch) =>
        as(organization)(chunks.insert(batch)),
      )
    // This attempt is cut off, and its chunks must never be found.
    yield* store(yield* mustClaim(Duration.zero), 3)
    const second = yield* mustClaim()
    yield* store(second, 2)
    expect(yield* found).toEqual({ revisions: [], version: 0n })
    yield* as(organization)(ingestions.publish(second, 2))
    expect(yield* found).toEqual({ revisions: [second.revision, second.revision], version: 1n })

    yield* as(organization)(documents.replace(chatbot, document.id, contentOf("second")))
    const third = yield* mustClaim()
    yield* store(third, 1)
    expect((yield* found).revisions).toEqual([second.revision, second.revision])
    yield* as(organization)(ingestions.publish(third, 1))
    expect(yield* found).toEqual({ revisions: [third.revision], version: 2n })

    yield* as(organization)(documents.replace(chatbot, document.id, contentOf("third")))
    const fourth = yield* mustClaim()
    yield* store(fourth, 4)
    yield* as(organization)(ingestions.fail(fourth, error))
    expect((yield* found).revisions).toEqual([third.revision])
    const [left] = yield* SystemSql.use(
      (sql) => sql<{ n: number }>`select count(*)::int as n from chunks where document_id = ${document.id}`,
    )
    expect(left?.n).toBe(1)
    yield* as(organization)(documents.remove(chatbot, document.id))
    expect(yield* found).toEqual({ revisions: [], version: 3n })
  })
})
