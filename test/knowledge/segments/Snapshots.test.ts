import { afterAll, describe, expect, test } from "bun:test"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, Latch, Layer, ManagedRuntime } from "effect"
import { Retriever } from "../../../src/knowledge/Retriever.ts"
import { Snapshots } from "../../../src/knowledge/segments/Snapshots.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import {
  ChunksCalls,
  countedChunks,
  forget,
  indexing,
  learn,
  relearn,
  search,
  type Tenant,
} from "../../lib/Knowledge.ts"
import { eventually, platform, quiet, storage } from "../../lib/Layers.ts"
import { as, makeTenant } from "../../lib/Tenants.ts"

const MEBIBYTE = 2 ** 20

const runtime = ManagedRuntime.make(
  indexing.pipe(Layer.provideMerge(countedChunks), Layer.provideMerge(Layer.mergeAll(storage, platform, quiet))),
)
const run = runtime.runPromise
const root = mkdtempSync(join(tmpdir(), "parley-snapshots-"))
afterAll(async () => {
  await runtime.dispose()
  rmSync(root, { recursive: true, force: true })
})

const ROOMS = 40
/** Makes the passage of a room take more memory than the expected size of a chunk. */
const inventory = Array.from({ length: 600 }, (_, number) => `item${number}`).join(" ")
/** Passages with a word of their own each; more than these tests let a search read. */
const roomsOf = (word: string, more = "a window") =>
  Array.from({ length: ROOMS }, (_, number) => ({ text: `Room ${word}${number} has a projector, ${more}.` }))
const CHUNKS_WITHIN_SEARCH = 15

const makeDirectory = Effect.sync(() => mkdtempSync(join(root, "data-")))
const kept = (directory: string, bytes = 100 * MEBIBYTE) => Layer.fresh(Snapshots.layer({ directory, bytes }))
/** Stands for a new process, which has nothing but the database and the directory. */
const process = (directory: string, { indexBytes = 64 * MEBIBYTE, snapshots = kept(directory) } = {}) =>
  search({ indexBytes, threshold: 0, chunksWithinSearch: CHUNKS_WITHIN_SEARCH }, snapshots)

const find = ({ organization, chatbot }: Tenant, query: string) =>
  Effect.map(
    Retriever.use((retriever) => as(organization)(retriever.search({ chatbotId: chatbot, query, topK: 5 }))),
    ({ hits }) => hits.map(({ content, similarity }) => `${content} ${similarity.toFixed(4)}`),
  )

const filesIn = (directory: string, { organization, chatbot }: Tenant): ReadonlyArray<string> => {
  try {
    return readdirSync(join(directory, organization, chatbot)).map((name) =>
      join(directory, organization, chatbot, name),
    )
  } catch {
    return []
  }
}
const segmentsIn = (directory: string, tenant: Tenant) =>
  filesIn(directory, tenant).filter((name) => name.endsWith(".segment"))

/** Repeats a search until an index in memory answers it. */
const findIndexed = Effect.fnUntraced(function* (tenant: Tenant, query: string) {
  const calls = yield* ChunksCalls
  return yield* eventually(
    Effect.suspend(() => {
      calls.clear()
      return find(tenant, query)
    }),
    () => !calls.has("matching") && !calls.has("probe"),
  )
})

/** Makes a tenant with a document whose index has a file. */
const makeKept = Effect.fnUntraced(function* (directory: string, word = "quartz", more?: string) {
  const tenant = yield* makeTenant
  const document = yield* learn(tenant, "Rooms", roomsOf(word, more))
  const found = yield* Effect.provide(findIndexed(tenant, `${word}7`), process(directory))
  const [file = ""] = segmentsIn(directory, tenant)
  return { tenant, document, found, file }
})

describe("a large search index", () => {
  test("is stored on disk, and the next process opens it without reading a chunk", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        const { tenant, found, file } = yield* makeKept(directory)
        expect(found[0]).toContain("quartz7 ")
        expect(statSync(file).mode & 0o777).toBe(0o600)
        expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
        const calls = yield* ChunksCalls
        calls.clear()
        expect(yield* Effect.provide(find(tenant, "quartz7"), process(directory))).toEqual(found)
        expect(calls.get("serving")).toBe(1)
        expect([calls.has("lexemes"), calls.has("sample"), calls.has("matching")]).toEqual([false, false, false])
      }),
    ))

  test("is brought up to date after a restart by reading only what is new", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        const { tenant } = yield* makeKept(directory)
        const [doomed, changed] = [
          yield* learn(tenant, "Doomed", [{ text: "The granite hall is new." }]),
          yield* learn(tenant, "Changed", [{ text: "The basalt hall is new." }]),
        ]
        yield* relearn(tenant, changed, "Changed", [{ text: "The marble hall is new." }])
        yield* forget(tenant, doomed)
        yield* Effect.gen(function* () {
          const calls = yield* ChunksCalls
          calls.clear()
          expect((yield* find(tenant, "marble hall"))[0]).toContain("marble")
          expect(calls.get("lexemes")).toBe(1)
          expect((yield* find(tenant, "granite basalt")).filter((text) => /granite|basalt/.test(text))).toEqual([])
          expect((yield* find(tenant, "quartz7"))[0]).toContain("quartz7 ")
        }).pipe(Effect.provide(process(directory)))
      }),
    ))

  test("is built again when its file is damaged, cut off, of another format or of another owner", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        const { tenant, found, file } = yield* makeKept(directory)
        const other = yield* makeKept(directory, "granite")
        const whole = readFileSync(file)
        const flipped = (place: number) => {
          const bytes = Buffer.from(whole)
          bytes[place] = (bytes[place] ?? 0) ^ 1
          return () => writeFileSync(file, bytes)
        }
        const damages = [
          flipped(whole.length - 9),
          flipped(0),
          flipped(7),
          flipped(30),
          () => truncateSync(file, whole.length - 16),
          () => truncateSync(file, 3),
          () => cpSync(other.file, file),
        ]
        for (const damage of damages) {
          for (const old of filesIn(directory, tenant)) rmSync(old)
          writeFileSync(file, whole)
          damage()
          expect(yield* Effect.provide(findIndexed(tenant, "quartz7"), process(directory))).toEqual(found)
          expect(segmentsIn(directory, tenant)).toHaveLength(1)
          expect(segmentsIn(directory, tenant)).not.toContain(file)
        }
      }),
    ))

  test("is not needed for a search: while it is built, the database ranks the same passage first", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        const tenant = yield* makeTenant
        yield* learn(tenant, "Rooms", roomsOf("quartz"))
        const gate = yield* Latch.make(false)
        const held = Layer.effect(
          Snapshots,
          Effect.map(Snapshots, (snapshots) =>
            Snapshots.of({
              ...snapshots,
              build: (chatbot, packs) => Effect.andThen(gate.await, snapshots.build(chatbot, packs)),
            }),
          ),
        ).pipe(Layer.provide(kept(directory)))
        yield* Effect.gen(function* () {
          const calls = yield* ChunksCalls
          calls.clear()
          const before = yield* find(tenant, "quartz7 projector")
          expect(calls.get("matching")).toBe(1)
          expect(before[0]).toContain("quartz7 ")
          yield* gate.open
          const [first] = yield* findIndexed(tenant, "quartz7 projector")
          expect(first).toBe(before[0])
        }).pipe(Effect.provide(process(directory, { snapshots: held })))
      }),
    ))

  test("is not built again at once after a failure, and the database answers meanwhile", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        yield* learn(tenant, "Rooms", roomsOf("quartz"))
        let builds = 0
        const failing = Layer.effect(
          Snapshots,
          Effect.map(Snapshots, (snapshots) =>
            Snapshots.of({
              ...snapshots,
              build: () => Effect.suspend(() => Effect.die(new Error(`no thread, try ${++builds}`))),
            }),
          ),
        ).pipe(Layer.provide(kept(yield* makeDirectory)))
        yield* Effect.gen(function* () {
          for (const number of [7, 8, 9])
            expect((yield* find(tenant, `quartz${number}`))[0]).toContain(`quartz${number} `)
          expect(builds).toBe(1)
        }).pipe(Effect.provide(process("", { snapshots: failing })))
      }),
    ))

  test("is restored from its file after an eviction, without a query to the database", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        const made = makeKept(directory, "quartz", inventory)
        const tenants = [(yield* made).tenant, (yield* made).tenant]
        const [size = 0] = tenants.map((tenant) => statSync(segmentsIn(directory, tenant)[0] ?? "").size)
        yield* Effect.gen(function* () {
          for (const tenant of tenants) yield* find(tenant, "quartz7")
          const calls = yield* ChunksCalls
          for (const number of [1, 2, 3, 4, 5, 6]) {
            const [tenant] = tenants.slice(number % 2)
            if (tenant === undefined) return
            calls.clear()
            expect((yield* find(tenant, "quartz7"))[0]).toContain("quartz7 ")
            expect(Object.fromEntries(calls)).toEqual({ fetch: 1 })
          }
          // Without their files the indexes are built again.
          for (const tenant of tenants) for (const file of filesIn(directory, tenant)) rmSync(file)
          for (const tenant of tenants) expect((yield* find(tenant, "quartz7"))[0]).toContain("quartz7 ")
        }).pipe(Effect.provide(process(directory, { indexBytes: 1.5 * size })))
      }),
    ))
})

describe("the files of search indexes", () => {
  const tidy = ({ organization, chatbot }: Tenant) =>
    Snapshots.use((snapshots) => as(organization)(snapshots.tidy(chatbot)))

  test("are removed when they contain a deleted document or belong to a deleted chatbot, and only then", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        const [first, second] = [yield* makeKept(directory), yield* makeKept(directory)]
        yield* Effect.gen(function* () {
          yield* tidy(first.tenant)
          expect(segmentsIn(directory, first.tenant)).toHaveLength(1)
          yield* forget(first.tenant, first.document)
          yield* tidy(first.tenant)
          expect(filesIn(directory, first.tenant)).toEqual([])
          expect(segmentsIn(directory, second.tenant)).toHaveLength(1)
          yield* SystemSql.use((sql) => sql`delete from chatbots where id = ${second.tenant.chatbot}`)
          yield* tidy(second.tenant)
          expect(filesIn(directory, second.tenant)).toEqual([])
        }).pipe(Effect.provide(kept(directory)))
      }),
    ))

  test("are swept when they were not used for long, were never finished or take too much space", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        const [old, young, gone] = [yield* makeKept(directory), yield* makeKept(directory), yield* makeKept(directory)]
        const daysAgo = (days: number) => Date.now() / 1_000 - days * 86_400
        utimesSync(old.file, daysAgo(8), daysAgo(8))
        const draft = `${young.file}.draft`
        writeFileSync(draft, "")
        utimesSync(draft, daysAgo(1), daysAgo(1))
        mkdirSync(join(directory, "foreign"))
        yield* SystemSql.use((sql) => sql`delete from chatbots where id = ${gone.tenant.chatbot}`)
        /** Sweeps until the tenant has no files any more. */
        const swept = ({ tenant }: typeof gone, bytes?: number) =>
          Effect.forkScoped(Snapshots.use((snapshots) => snapshots.keep)).pipe(
            Effect.andThen(
              eventually(
                Effect.sync(() => filesIn(directory, tenant)),
                (files) => files.length === 0,
              ),
            ),
            Effect.scoped,
            Effect.provide(kept(directory, bytes)),
          )
        yield* swept(gone)
        expect(filesIn(directory, old.tenant)).toEqual([])
        expect(filesIn(directory, young.tenant)).toEqual([young.file])
        utimesSync(young.file, daysAgo(1), daysAgo(1))
        const last = yield* makeKept(directory)
        yield* swept(young, statSync(last.file).size * 1.5)
        expect(filesIn(directory, last.tenant)).toEqual([last.file])
      }),
    ))
})
