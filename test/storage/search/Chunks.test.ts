import { afterAll, describe, expect } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { ChunkId } from "../../../src/domain/knowledge/Chunk.ts"
import type { Language } from "../../../src/language/Language.ts"
import { spacedWords } from "../../../src/language/words/Words.ts"
import { isInTitle, placeOf, readLexemes } from "../../../src/knowledge/segments/Lexemes.ts"
import type { Comparison } from "../../../src/storage/search/ChunkCosines.ts"
import type { DocumentId } from "../../../src/domain/Ids.ts"
import { unpack, uuidText } from "../../../src/storage/search/ChunkPacks.ts"
import type { MatchQuery } from "../../../src/storage/search/ChunkMatching.ts"
import { Chunks, type NewChunk } from "../../../src/storage/search/Chunks.ts"
import { LexemeIndexes } from "../../../src/storage/search/LexemeIndexes.ts"
import { type LexemeQuery, tsqueryOf } from "../../../src/storage/search/LexemeQuery.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { Documents } from "../../../src/storage/documents/Documents.ts"
import { Ingestions } from "../../../src/storage/documents/Ingestions.ts"
import type { Tenant } from "../../lib/Knowledge.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, contentOf, makeChatbot, makeTenant, newDocumentId, newId } from "../../lib/Tenants.ts"
import { bounded } from "../../../src/text/BoundedText.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

const MODEL = "test/model"
const newChunkId = Effect.map(newId, (id) => ChunkId.make(id))

/** A unit vector in the plane, at an angle in degrees. */
const at = (degrees: number): Float32Array =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180))

interface Made extends Partial<Omit<NewChunk, "id" | "ordinal">> {
  readonly content: string
}

/** Adds a serving document with these chunks. */
const store = Effect.fnUntraced(function* (
  { organization, chatbot }: Tenant,
  made: ReadonlyArray<Made>,
  options: { readonly language?: Language; readonly title?: string } = {},
) {
  const documentId = yield* newDocumentId
  yield* as(organization)((yield* Documents).add(documentId, chatbot, contentOf(documentId)))
  const attempt = yield* (yield* Ingestions).claim({ id: crypto.randomUUID(), duration: Duration.minutes(1) })
  if (attempt === undefined) return yield* Effect.die("nothing waits")
  const chunks = yield* Effect.forEach(made, (chunk, index) =>
    Effect.map(newChunkId, (id) => ({
      id,
      ordinal: index + 1,
      headings: [],
      page: null,
      embedding: at(index),
      sketch: null,
      ...chunk,
    })),
  )
  yield* as(organization)(
    (yield* Chunks).insert({
      chatbotId: chatbot,
      documentId,
      revision: attempt.revision,
      title: options.title ?? "Title",
      language: options.language ?? "english",
      embeddingModel: MODEL,
      chunks,
    }),
  )
  yield* as(organization)((yield* Ingestions).publish(attempt, chunks.length))
  return { documentId, chunks }
})

const wholeOf = (documentId: DocumentId) => [{ documentId, revision: 1, first: 1, last: 1_000 }]

const cosines = ({ organization, chatbot }: Tenant, comparison: Partial<Comparison>) =>
  Effect.flatMap(Chunks, (chunks) =>
    as(organization)(
      chunks.cosines({
        chatbotId: chatbot,
        chunks: [],
        embedding: at(0),
        embeddingModel: MODEL,
        nearest: 0,
        index: undefined,
        ...comparison,
      }),
    ),
  )

describe("stored chunks", () => {
  it("are read as they were written, each with its own vector", function* () {
    const tenant = yield* makeTenant
    const { documentId, chunks } = yield* store(
      tenant,
      Array.from({ length: 128 }, (_, number) => ({
        content: `It's "chunk" ${number} \\ of 100 %, 黑豹 🦆`,
        headings: ["A, {b}", `"c" ${number}`],
        page: number % 2 === 0 ? number : null,
        embedding: at(number),
      })),
    )
    for (const chunk of [chunks[0], chunks[77], chunks[127]]) {
      if (chunk === undefined) return yield* Effect.die("no chunk")
      const { id, embedding, sketch: _, ...shown } = chunk
      const { chunks: found } = yield* as(tenant.organization)((yield* Chunks).fetch(tenant.chatbot, [id]))
      expect(found).toEqual([
        { chunkId: id, documentId, revision: 1, title: "Title", ...shown, url: null, isApproved: false },
      ])
      expect((yield* cosines(tenant, { chunks: [id], embedding })).get(id)).toBeCloseTo(1, 5)
    }
  })

  it("come with the address of their document, and with whether people have approved it", function* () {
    const tenant = yield* makeTenant
    const { documentId, chunks } = yield* store(tenant, [{ content: "Tides" }])
    const sql = yield* SystemSql
    const url = "https://docs.example.com/tides"
    yield* sql`update documents set url = ${url}, is_approved = true where id = ${documentId}`
    const { chunks: found } = yield* as(tenant.organization)(
      (yield* Chunks).fetch(
        tenant.chatbot,
        chunks.map(({ id }) => id),
      ),
    )
    expect(found).toMatchObject([{ documentId, url, isApproved: true }])
  })

  it("have the lexemes of title, headings and content, stemmed in their language", function* () {
    const tenant = yield* makeTenant
    const options = { title: "Häuser", language: "german" } as const
    const { documentId } = yield* store(
      tenant,
      [{ content: "Die Fenster, alte Türen.", headings: ["Altbau"] }],
      options,
    )
    const chunks = yield* Chunks
    const read = (documentId: DocumentId, model: string | undefined) =>
      Effect.map(as(tenant.organization)(chunks.lexemes(tenant.chatbot, wholeOf(documentId), model)), (pack) =>
        Array.from(unpack(pack)),
      )
    const [row] = yield* read(documentId, undefined)
    expect(uuidText(row?.documentId ?? new Uint8Array(), 0)).toBe(documentId)
    expect(row).toMatchObject({ revision: 1, language: "german", embedding: null })
    const vectors = (model: string) =>
      Effect.map(read(documentId, model), (rows) => rows.map(({ embedding }) => embedding))
    expect(yield* vectors(MODEL)).toEqual([expect.any(Float32Array)])
    expect(yield* vectors("test/other")).toEqual([null])
    const sketch = Uint8Array.from({ length: 512 }, (_, place) => place)
    const sketched = yield* store(tenant, [{ content: "Das Dach", sketch }], options)
    const stored = (model: string) =>
      Effect.map(read(sketched.documentId, model), ([row]) => ({
        sketch: row?.sketch?.toHex(),
        embedding: row?.embedding,
      }))
    expect(yield* stored(MODEL)).toEqual({ sketch: sketch.toHex(), embedding: null })
    expect(yield* stored("test/other")).toEqual({ sketch: undefined, embedding: null })
    const places: Array<readonly [place: number, isTitle: boolean]> = []
    readLexemes(row?.lexemes ?? new Uint8Array(), "german", (_, positions, count) => {
      for (const position of positions.subarray(0, count)) places.push([placeOf(position), isInTitle(position)])
    })
    // The third word is an article, and so a stop word.
    expect(places.toSorted(([left], [right]) => left - right)).toEqual([
      [1, true],
      [2, false],
      [4, false],
      [5, false],
      [6, false],
    ])
    expect(yield* as(tenant.organization)(chunks.languages(tenant.chatbot))).toEqual([
      { language: "german", texts: expect.any(Number) },
    ])
  })

  it("are visible to no other organization, even by a query without a filter", function* () {
    const [mine, theirs] = [yield* makeTenant, yield* makeTenant]
    const { documentId, chunks } = yield* store(theirs, [{ content: "secret" }])
    const repository = yield* Chunks
    const ids = chunks.map(({ id }) => id)
    const foreign = { organization: mine.organization, chatbot: theirs.chatbot }
    expect((yield* cosines(theirs, { chunks: ids })).size).toBe(1)
    expect((yield* cosines(foreign, { chunks: ids, nearest: 5 })).size).toBe(0)
    expect((yield* cosines(mine, { chunks: ids, nearest: 5 })).size).toBe(0)
    const read = repository.lexemes(theirs.chatbot, wholeOf(documentId), undefined)
    expect(Array.from(unpack(yield* as(theirs.organization)(read)))).toHaveLength(1)
    expect(yield* as(mine.organization)(read)).toHaveLength(0)
    expect(yield* as(mine.organization)(repository.serving(theirs.chatbot, MODEL))).toEqual([])
    expect(yield* as(mine.organization)(repository.languages(theirs.chatbot))).toEqual([])
    expect((yield* Effect.flip(as(mine.organization)(repository.probe(theirs.chatbot, []))))._tag).toBe("NotFound")
    const sql = yield* SqlClient.SqlClient
    const unfiltered = sql<{ chatbot_id: string }>`select chatbot_id from chunks`
    expect(yield* as(mine.organization)(unfiltered)).toEqual([])
    expect(yield* as(theirs.organization)(unfiltered)).toEqual([{ chatbot_id: theirs.chatbot }])
  })

  it("belong to one chatbot, and are returned for no other of its organization", function* () {
    const tenant = yield* makeTenant
    const { chunks } = yield* store(tenant, [{ content: "secret" }])
    const ids = chunks.map(({ id }) => id)
    const other = { ...tenant, chatbot: (yield* as(tenant.organization)(makeChatbot)).id }
    const fetched = ({ chatbot, organization }: Tenant) =>
      Effect.flatMap(Chunks, (repository) => as(organization)(repository.fetch(chatbot, ids)))
    expect((yield* fetched(tenant)).chunks).toHaveLength(1)
    expect((yield* fetched(other)).chunks).toEqual([])
    expect((yield* cosines(other, { chunks: ids, nearest: 5 })).size).toBe(0)
  })
})

describe("a probe", () => {
  it("returns the version, and the words stemmed in each language, in order", function* () {
    const tenant = yield* makeTenant
    const ask = (languages: ReadonlyArray<Language>, text: string) =>
      Effect.flatMap(Chunks, (chunks) =>
        as(tenant.organization)(
          chunks.probe(
            tenant.chatbot,
            languages.map((language) => ({ language, words: spacedWords(bounded(text), language) })),
          ),
        ),
      )
    const before = yield* ask([], "houses")
    expect(before.analyses).toEqual([])
    yield* store(tenant, [{ content: "a house" }])
    const after = yield* ask(["english", "simple", "english"], "houses house")
    expect(after.version).toBeGreaterThan(before.version)
    const terms = after.analyses.map((analysis) => {
      let count = 0
      readLexemes(analysis, "english", () => count++)
      return count
    })
    expect(terms).toEqual([1, 2, 1])
  })
})

describe("matching", () => {
  const contentsOf = ({ organization, chatbot }: Tenant, asked: MatchQuery) =>
    Effect.gen(function* () {
      const chunks = yield* Chunks
      const found = yield* as(organization)(chunks.matching(chatbot, asked))
      const fetched = yield* as(organization)(
        chunks.fetch(
          chatbot,
          Array.from(unpack(found), ({ id }) => ChunkId.make(uuidText(id, 0))),
        ),
      )
      return fetched.chunks.map(({ content }) => content).toSorted()
    })

  it("finds chunks with any or all of the lexemes, and fills the rest of the room with the highest ranked", function* () {
    const tenant = yield* makeTenant
    const other = yield* makeTenant
    const texts = ["oak", "oak elm", "elm pine larch", "elm elm elm", "elm fir larch", "ash", "3.5 ash"]
    for (const { organization, chatbot } of [tenant, other]) {
      yield* store(
        { organization, chatbot },
        texts.map((content) => ({ content })),
      )
    }
    const best: LexemeQuery = { any: [{ all: ["oak", "elm"] }, "3.5"] }
    expect(yield* contentsOf(tenant, { best, next: undefined, room: 5, scannedMax: 100 })).toEqual([
      "3.5 ash",
      "oak elm",
    ])
    expect(yield* contentsOf(tenant, { best: "3.5", next: "elm", room: 3, scannedMax: 100 })).toEqual([
      "3.5 ash",
      "elm elm elm",
      "oak elm",
    ])
    expect(yield* contentsOf(tenant, { best, next: "elm", room: 9, scannedMax: 100 })).toHaveLength(5)
    expect(yield* contentsOf(tenant, { best: undefined, next: "ash", room: 1, scannedMax: 100 })).toHaveLength(1)
    // More best matches than expected are cut off.
    expect(
      yield* contentsOf(tenant, { best: { any: ["oak", "elm"] }, next: "ash", room: 1, scannedMax: 100 }),
    ).toHaveLength(2)
    expect(yield* contentsOf(tenant, { best: undefined, next: undefined, room: 5, scannedMax: 100 })).toEqual([])
    const foreign = { organization: tenant.organization, chatbot: other.chatbot }
    const chunks = yield* Chunks
    expect(
      yield* as(foreign.organization)(
        chunks.matching(foreign.chatbot, { best, next: "elm", room: 5, scannedMax: 100 }),
      ),
    ).toHaveLength(0)
    yield* as(tenant.organization)((yield* Documents).remove(tenant.chatbot, "all"))
    expect(yield* contentsOf(tenant, { best, next: "elm", room: 5, scannedMax: 100 })).toEqual([])
  })

  it("scans only the newest documents, and the beginning of a long one, while there is no index of words", function* () {
    const tenant = yield* makeTenant
    const texts = ["first", "second", "third"]
    for (const age of ["old", "middle", "new"]) {
      yield* store(
        tenant,
        texts.map((text) => ({ content: `elm ${age} ${text}` })),
      )
    }
    const found = (scannedMax: number) => contentsOf(tenant, { best: "elm", next: undefined, room: 9, scannedMax })
    expect(yield* found(2)).toEqual(["elm new first", "elm new second"])
    expect(yield* found(4)).toEqual(["elm middle first", "elm new first", "elm new second", "elm new third"])
    expect(yield* contentsOf(tenant, { best: "old", next: "new", room: 9, scannedMax: 6 })).toHaveLength(3)
    expect(yield* found(9)).toHaveLength(9)
    yield* LexemeIndexes.use((indexes) =>
      Effect.andThen(indexes.request(tenant.chatbot), indexes.maintain(Number.MAX_SAFE_INTEGER)),
    )
    expect(yield* found(2)).toHaveLength(9)
  })

  it("does not look for other chunks when fifty match the best query", function* () {
    const tenant = yield* makeTenant
    const found = (best: number) =>
      Effect.map(
        contentsOf(tenant, { best: "oak", next: "elm", room: 60, scannedMax: 100 }),
        (contents) => contents.length - best,
      )
    yield* store(
      tenant,
      Array.from({ length: 60 }, (_, number) => ({ content: number < 49 ? "oak" : "elm" })),
    )
    expect(yield* found(49)).toBe(11)
    yield* store(tenant, [{ content: "oak" }])
    expect(yield* found(50)).toBe(0)
  })

  it("reads no documents where there is an index of words, and only some of the chunks with common words", function* () {
    const tenant = yield* makeTenant
    yield* store(
      tenant,
      Array.from({ length: 90 }, (_, number) => ({ content: number % 9 === 0 ? "oak" : "elm" })),
    )
    yield* LexemeIndexes.use((indexes) =>
      Effect.andThen(indexes.request(tenant.chatbot), indexes.maintain(Number.MAX_SAFE_INTEGER)),
    )
    const sql = yield* SqlClient.SqlClient
    const chunks = yield* Chunks
    const reads = sql<{ chunks: number; documents: number }>`
      select (pg_stat_get_xact_tuples_fetched('chunks'::regclass)
          + pg_stat_get_xact_tuples_returned('chunks'::regclass))::int as chunks,
        pg_stat_get_xact_blocks_fetched('documents'::regclass)::int as documents`
    const ask = (asked: Pick<MatchQuery, "best" | "next" | "isNextCommon">) =>
      Effect.gen(function* () {
        const [before] = yield* reads
        const found = yield* chunks.matching(tenant.chatbot, { ...asked, room: 10, scannedMax: 0 })
        const [after] = yield* reads
        return {
          found: Array.from(unpack(found)).length,
          chunks: (after?.chunks ?? 0) - (before?.chunks ?? 0),
          documents: (after?.documents ?? 0) - (before?.documents ?? 0),
        }
      }).pipe(sql.withTransaction, as(tenant.organization))
    expect(yield* ask({ best: "oak", next: undefined })).toMatchObject({ found: 10, documents: 0 })
    const common = yield* ask({ best: undefined, next: "elm", isNextCommon: true })
    expect(common).toMatchObject({ found: 10, documents: 0 })
    expect(common.chunks).toBeLessThan(90)
  })

  it("finds each lexeme literally, whatever characters it has", function* () {
    const sql = yield* SqlClient.SqlClient
    const { organization } = yield* makeTenant
    for (const lexeme of ["a'b", "a\\b", "a & b", "!x", "x:*", "'", "\\", "(|)", "黑豹"]) {
      const query = tsqueryOf({ all: [lexeme, { any: [lexeme, "other"] }] })
      const holds = sql<{
        holds: boolean
      }>`select array_to_tsvector(array[${lexeme}]) @@ ${query}::tsquery as holds`
      expect([lexeme, yield* as(organization)(holds)]).toEqual([lexeme, [{ holds: true }]])
    }
  })
})

describe("fetching", () => {
  it("returns the chunks that still exist, and the version at that moment", function* () {
    const tenant = yield* makeTenant
    const { documentId, chunks } = yield* store(tenant, [
      { content: "one", headings: ["A", "B"], page: 7 },
      { content: "two" },
    ])
    const ids = chunks.map(({ id }) => id)
    const repository = yield* Chunks
    const fetch = (wanted: ReadonlyArray<ChunkId>) => as(tenant.organization)(repository.fetch(tenant.chatbot, wanted))
    const all = yield* fetch([...ids, yield* newChunkId])
    expect(all.chunks.toSorted((left, right) => left.ordinal - right.ordinal)).toMatchObject([
      { chunkId: ids[0], documentId, ordinal: 1, title: "Title", headings: ["A", "B"], content: "one", page: 7 },
      { chunkId: ids[1], content: "two", page: null },
    ])
    expect(yield* fetch([])).toEqual({ version: all.version, chunks: [] })
    yield* as(tenant.organization)((yield* Documents).remove(tenant.chatbot, "all"))
    const after = yield* fetch(ids)
    expect(after.chunks).toEqual([])
    expect(after.version).toBeGreaterThan(all.version)
  })
})

describe("cosines", () => {
  /** Chunks whose vectors are at 0°, 60° and 90° to that of the question. */
  const stored = Effect.gen(function* () {
    const tenant = yield* makeTenant
    const { chunks } = yield* store(
      tenant,
      [0, 60, 90].map((degrees) => ({ content: `at ${degrees}`, embedding: at(degrees) })),
    )
    return { tenant, ids: chunks.map(({ id }) => id) }
  })
  const rounded = (found: ReadonlyMap<ChunkId, number>, ids: ReadonlyArray<ChunkId>) =>
    ids.map((id) => (found.has(id) ? Math.abs(Number(found.get(id)?.toFixed(3))) : undefined))

  it("are those of the chunks asked for, and of the nearest ones on request, each once", function* () {
    const { tenant, ids } = yield* stored
    const [near, , far] = ids
    if (near === undefined || far === undefined) return yield* Effect.die("no chunk")
    expect(rounded(yield* cosines(tenant, { chunks: ids }), ids)).toEqual([1, 0.5, 0])
    expect(rounded(yield* cosines(tenant, { chunks: [far] }), ids)).toEqual([undefined, undefined, 0])
    expect(rounded(yield* cosines(tenant, { chunks: [far], nearest: 1 }), ids)).toEqual([1, undefined, 0])
    expect(rounded(yield* cosines(tenant, { chunks: [near], nearest: 2 }), ids)).toEqual([1, 0.5, undefined])
  })

  it("are only of vectors of the same model and dimension, and of chunks that still exist", function* () {
    const { tenant, ids } = yield* stored
    expect((yield* cosines(tenant, { chunks: ids, nearest: 2, embeddingModel: "test/other" })).size).toBe(0)
    expect((yield* cosines(tenant, { chunks: ids, nearest: 2, embedding: Float32Array.of(1) })).size).toBe(0)
    yield* as(tenant.organization)((yield* Documents).remove(tenant.chatbot, "all"))
    expect((yield* cosines(tenant, { chunks: ids, nearest: 2 })).size).toBe(0)
  })
})
