import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { SystemSql } from "../../src/storage/Database.ts"
import { makeMixedFiles, type MixedFile } from "./MixedFiles.ts"
import { random } from "./Random.ts"
import { operatorKey, serverProcess, type Settings, settingsFor } from "./ServerProcess.ts"
import { fresh, layerOf, type TestDatabase } from "./TestDatabase.ts"

/*
 * A server that is killed again and again while it takes files in, and what its database and its disk hold afterwards,
 * beside those of a server that was left alone.
 */

export interface KillsReport {
  readonly kills: number
  /** Attempts to ingest a document that were cut off. */
  readonly cutOff: number
  readonly documents: number
  readonly chunks: number
  /** What is wrong, one line each. */
  readonly faults: ReadonlyArray<string>
}

/** Milliseconds from the moment it listens to the kill, at most. */
const LIFE_MAX = 900
/** Kills while it starts: one in so many. */
const STARTS_KILLED = 8
const FILES_PER_UPLOAD = 5
/** Of the files, one in so many is replaced, and one in so many deleted, once it has been uploaded. */
const REPLACED = 10
const DELETED = 25
/** Milliseconds: what takes longer never happens. */
const PATIENCE = 120_000

const servers = {
  // A kill is the document's doing as far as a server can know, and few documents deserve more than three.
  INGEST_ATTEMPTS: "100",
  INGEST_LEASE: "1s",
  LOG_LEVEL: "warn",
}

/** Kills so many times, with sets of so many files one after the other, and compares. */
export const killAndCompare = Effect.fn("killAndCompare")(function* (options: {
  readonly kills: number
  readonly files: number
  readonly seed: number
  /** Another server, on the same Postgres and the same files, lives on and shares the work. */
  readonly companion: boolean
  readonly tell: (line: string) => void
}) {
  const killed = yield* site
  const draw = random(options.seed)
  const companion = yield* Scope.make()
  if (options.companion) {
    const other = yield* Scope.provide(serverProcess(killed.settings), companion)
    yield* Effect.promise(() => other.listening)
  }
  const sets: Array<ReadonlyArray<MixedFile>> = []
  let kills = 0
  let work: Work | undefined
  while (kills < options.kills) {
    if (work === undefined || work.isDone()) {
      sets.push(makeMixedFiles(options.files, options.seed + sets.length))
      work = makeWork(sets.at(-1) ?? [])
    }
    yield* Effect.promise(() => live(killed.settings, work?.go, draw))
    kills++
    if (kills % 10 === 0) options.tell(`${kills} kills, ${sets.length} sets of files`)
  }
  yield* Scope.close(companion, Exit.void)
  // What was left undone is done in peace.
  yield* settle(killed, work?.go)
  const undisturbed = yield* site
  for (const files of sets) {
    const { go } = makeWork(files)
    yield* settle(undisturbed, go)
  }
  const [found, expected] = [yield* contentsOf(killed.database), yield* contentsOf(undisturbed.database)]
  return {
    kills,
    cutOff: found.attempts - expected.attempts,
    documents: found.documents.length,
    chunks: found.documents.reduce((sum, { chunks }) => sum + chunks, 0),
    faults: [...differences(found, expected), ...(yield* leftovers(killed))],
  } satisfies KillsReport
})

interface Site {
  readonly database: TestDatabase
  readonly settings: Settings & { readonly DATA_DIR: string }
}

/** A database and a directory of its own. */
const site = Effect.gen(function* () {
  const database = yield* fresh
  const settings = { ...(yield* settingsFor(database)), ...servers }
  // The embedded database has moved below the server's directory.
  const moved: TestDatabase =
    database.kind === "embedded" ? { kind: "embedded", directory: join(settings.DATA_DIR, "database") } : database
  return { database: moved, settings } satisfies Site
})

interface Work {
  /** Goes on where it was cut off; fails when the server goes away. */
  readonly go: (url: string) => Promise<void>
  readonly isDone: () => boolean
}

/** Everything that is done to one set of files, until it has been acknowledged and is settled. */
const makeWork = (files: ReadonlyArray<MixedFile>): Work => {
  let chatbot: string | undefined
  let done = false
  const ids = new Map<string, string>()
  const acknowledged = new Set<string>()

  /** Unless it was acknowledged before. */
  const once = async (what: string, act: () => Promise<unknown>) => {
    if (acknowledged.has(what)) return
    await act()
    acknowledged.add(what)
  }

  const go = async (url: string) => {
    chatbot ??= idOf((await call(url, "POST", "/api/external/chatbots", { name: "Kills" }))["chatbot"])
    const base = `/api/external/chatbot/${chatbot}/knowledge-base`
    for (let from = 0; from < files.length; from += FILES_PER_UPLOAD) {
      await once(`upload ${from}`, async () => {
        const form = new FormData()
        form.set("chatbotId", chatbot ?? "")
        for (const { name, bytes } of files.slice(from, from + FILES_PER_UPLOAD)) {
          form.append("files", new Blob([bytes]), name)
        }
        const { documents } = await call(url, "POST", "/api/embedfiles", form)
        for (const document of listOf(documents)) ids.set(String(document["name"]), idOf(document))
      })
      // One after the other with the reading, not all at first.
      await Bun.sleep(5)
    }
    for (const [index, { name, bytes }] of files.entries()) {
      const id = ids.get(name) ?? ""
      if (index % REPLACED === 3) {
        await once(`replace ${name}`, () => {
          const form = new FormData()
          form.set("documentId", id)
          // The other kinds do not take a line more.
          const text = Buffer.concat([bytes, Buffer.from("\n\nA line that the first content did not have.")])
          form.set("file", new Blob([name.endsWith(".json") ? bytes : text]), name)
          return call(url, "PATCH", base, form)
        })
      } else if (index % DELETED === 7) {
        await once(`delete ${name}`, () => call(url, "DELETE", `${base}/documents/${id}`, undefined, [404]))
      }
    }
    for (const end = Date.now() + PATIENCE; Date.now() < end; await Bun.sleep(20)) {
      const waiting = await Promise.all(
        ["queued", "extracting", "embedding"].map((status) => call(url, "GET", `${base}/documents?status=${status}`)),
      )
      if (waiting.every(({ data }) => listOf(data).length === 0)) {
        done = true
        return
      }
    }
    throw new Error("The documents never settled.")
  }

  return { go, isDone: () => done }
}

/** The process of a server from its start to its kill. */
const live = (settings: Settings, work: Work["go"] | undefined, draw: () => number): Promise<void> =>
  Effect.gen(function* () {
    const server = yield* serverProcess(settings)
    if (draw() < 1 / STARTS_KILLED) {
      yield* Effect.promise(() => Bun.sleep(draw() * LIFE_MAX))
    } else {
      const url = yield* Effect.promise(() => server.listening)
      const working = work?.(url).catch((error: unknown) => {
        if (!(error instanceof GoneAway)) throw error
      })
      yield* Effect.promise(() => Promise.race([Bun.sleep(draw() * LIFE_MAX), working ?? Bun.sleep(0)]))
      server.kill("SIGKILL")
      yield* Effect.promise(() => Promise.resolve(working))
    }
    // The scope kills, and waits until it is gone.
  }).pipe(Effect.scoped, Effect.runPromise)

/** Lets the work come to its end, and the sweep to the end of its own, and stops the server as an operator does. */
const settle = Effect.fnUntraced(function* (at: Site, work: Work["go"] | undefined) {
  yield* Effect.scoped(
    Effect.gen(function* () {
      const server = yield* serverProcess(at.settings)
      const url = yield* Effect.promise(() => server.listening)
      yield* Effect.promise(async () => work?.(url))
      yield* stop(server)
    }),
  )
  yield* over(at.database, (sql) => sql`update blob_garbage set due_at = now()`)
  yield* Effect.scoped(
    Effect.gen(function* () {
      const server = yield* serverProcess(at.settings)
      yield* Effect.promise(() => server.listening)
      yield* Effect.promise(() => steady(() => String(filesOf(at).length)))
      yield* stop(server)
    }),
  )
})

const stop = (server: Effect.Success<ReturnType<typeof serverProcess>>) =>
  Effect.promise(() => {
    server.kill("SIGTERM")
    return server.exited
  })

/** Until it has been the same for a while. */
const steady = async (look: () => string): Promise<void> => {
  let before
  for (let times = 0; times < 10; times++) {
    const now = look()
    if (now !== before) times = 0
    before = now
    await Bun.sleep(50)
  }
}

const filesOf = ({ settings }: Site): ReadonlyArray<string> => {
  try {
    return readdirSync(join(settings.DATA_DIR, "files", "documents"))
  } catch {
    return []
  }
}

type Query = <A>(
  database: TestDatabase,
  query: (sql: SystemSql["Service"]) => Effect.Effect<A, unknown>,
) => Effect.Effect<A, never, Scope.Scope>

/** While no server has the database. */
const over: Query = (database, query) =>
  Effect.orDie(Effect.provide(SystemSql.use(query), layerOf(database), { local: true }))

interface Contents {
  readonly documents: ReadonlyArray<{
    readonly name: string
    readonly sha256: string
    readonly status: string
    readonly chunk_count: number
    /** Of the revision that serves. */
    readonly chunks: number
    readonly digest: string | null
  }>
  readonly foreignChunks: number
  readonly queued: number
  /** Of the documents that are left. */
  readonly attempts: number
}

const contentsOf = (database: TestDatabase) =>
  over(database, (sql) =>
    Effect.gen(function* () {
      const documents = yield* sql<Contents["documents"][number]>`
        select name, sha256, status, chunk_count, count(c.id)::int as chunks,
          md5(string_agg(c.ordinal || ':' || c.content, '' order by c.ordinal)) as digest
        from documents d left join chunks c on c.document_id = d.id and c.revision = d.revision
        group by d.id order by name, sha256`
      const [counts] = yield* sql<Omit<Contents, "documents">>`
        select (select count(*)::int from chunks c join documents d on d.id = c.document_id
          where c.revision <> d.revision) as "foreignChunks",
          (select count(*)::int from ingestions) as queued,
          (select sum(last_revision)::int from documents) as attempts`
      return { documents, ...(counts ?? { foreignChunks: -1, queued: -1, attempts: -1 }) } satisfies Contents
    }),
  )

const differences = (found: Contents, expected: Contents): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const left = new Map(found.documents.map((document) => [`${document.name} ${document.sha256}`, document]))
  if (left.size !== found.documents.length) faults.push(`${found.documents.length - left.size} documents doubled`)
  for (const document of expected.documents) {
    const key = `${document.name} ${document.sha256}`
    const twin = left.get(key)
    left.delete(key)
    if (twin === undefined) faults.push(`${key} lost`)
    else if (!Bun.deepEquals(twin, document)) faults.push(`${JSON.stringify(twin)} and not ${JSON.stringify(document)}`)
  }
  for (const key of left.keys()) faults.push(`${key} should not be there`)
  if (found.foreignChunks > 0) faults.push(`${found.foreignChunks} chunks of revisions that do not serve`)
  if (found.queued > 0) faults.push(`${found.queued} ingestions left`)
  return faults
}

/** Files without an owner, owners without a file, and the register of garbage. */
const leftovers = (at: Site) =>
  Effect.gen(function* () {
    const owned = yield* over(at.database, (sql) => sql<{ key: string }>`select blob_key as key from documents`)
    const register = yield* over(at.database, (sql) => sql<{ key: string }>`select key from blob_garbage`)
    const keys = new Set(owned.map(({ key }) => key.replace("documents/", "")))
    const files = new Set(filesOf(at))
    return [
      ...Array.from(files.difference(keys), (file) => `The file ${file} belongs to nobody`),
      ...Array.from(keys.difference(files), (key) => `The file ${key} is missing`),
      ...register.map(({ key }) => `${key} is still registered as garbage`),
    ]
  })

/** The server was killed before it answered. */
class GoneAway extends Error {}

type Body = Readonly<Record<string, unknown>>

const call = async (
  url: string,
  method: string,
  path: string,
  body?: FormData | object,
  alsoFine: ReadonlyArray<number> = [],
): Promise<Body> => {
  const isForm = body instanceof FormData
  let response
  let text
  try {
    response = await fetch(url + path, {
      method,
      headers: {
        "x-api-key": operatorKey,
        prefer: "respond-async",
        ...(body !== undefined && !isForm && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    text = await response.text()
  } catch (cause) {
    throw new GoneAway(`${method} ${path}`, { cause })
  }
  if (!response.ok && !alsoFine.includes(response.status)) throw new Error(`${method} ${path}: ${text}`)
  return asBody(JSON.parse(text))
}

const asBody = (value: unknown): Body => (typeof value === "object" && value !== null ? { ...value } : {})
const listOf = (value: unknown): ReadonlyArray<Body> => (Array.isArray(value) ? value.map(asBody) : [])
const idOf = (value: unknown): string => String(asBody(value)["id"])
