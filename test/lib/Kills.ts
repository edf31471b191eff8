import { mkdirSync, readdirSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { GoneAway, makeWork, type Work } from "./KillsWork.ts"
import { makeMixedFiles, type MixedFile } from "./MixedFiles.ts"
import { random } from "./Random.ts"
import { serverProcess, type Settings, settingsFor } from "./ServerProcess.ts"
import { fresh, layerOf, type TestDatabase } from "./TestDatabase.ts"

/*
 * Kills a server again and again while it ingests files, and compares its database and its disk with those of a server
 * that was not killed.
 */

/** The result of a comparison. */
export interface KillsReport {
  readonly kills: number
  /** The number of attempts to ingest a document that were cut off. */
  readonly cutOff: number
  readonly documents: number
  readonly chunks: number
  /** The differences and leftovers, one line each. */
  readonly faults: ReadonlyArray<string>
}

/** The longest time from the moment at which a server listens to its kill, in milliseconds. */
const LIFE_MAX = 900
/** One in this many kills comes while the server starts. */
const STARTS_KILLED = 8
const servers = {
  INGEST_LEASE: "1s",
  LOG_LEVEL: "warn",
}

/** Kills a server this many times, with one set of files after the other, and compares the results. */
export const killAndCompare = Effect.fn("killAndCompare")(function* (options: {
  readonly kills: number
  readonly files: number
  readonly seed: number
  /** Whether another server, which is never killed, shares the work on the same Postgres and the same files. */
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
  // The rest of the work is done without kills.
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

/** A database with the settings of the servers that use it. */
interface Site {
  readonly database: TestDatabase
  /** The temporary directory is the server's own, and has to be empty in the end. */
  readonly settings: Settings & { readonly DATA_DIR: string; readonly TMPDIR: string }
}

/** Makes a new database and a new directory. */
const site = Effect.gen(function* () {
  const database = yield* fresh
  const given = yield* settingsFor(database)
  const temporary = join(given.DATA_DIR, "temporary")
  yield* Effect.sync(() => mkdirSync(temporary))
  const settings = { ...given, ...servers, TMPDIR: temporary }
  // The embedded database has moved below the server's directory.
  const moved: TestDatabase =
    database.kind === "embedded" ? { kind: "embedded", directory: join(settings.DATA_DIR, "database") } : database
  return { database: moved, settings } satisfies Site
})

/** Runs the process of a server from its start to its kill. */
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
    // The scope kills the process, and waits until it has ended.
  }).pipe(Effect.scoped, Effect.runPromise)

/** Completes the work, stops the server as an operator does, and lets another server delete the garbage. */
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
  // A server deletes temporary files only when they are old.
  for (const draft of filesOf(at, "tmp")) {
    yield* Effect.sync(() => utimesSync(join(at.settings.DATA_DIR, "files", "tmp", draft), 0, 0))
  }
  yield* Effect.scoped(
    Effect.gen(function* () {
      const server = yield* serverProcess(at.settings)
      yield* Effect.promise(() => server.listening)
      yield* Effect.promise(() => steady(() => String(filesOf(at, "documents").length)))
      yield* stop(server)
    }),
  )
})

const stop = (server: Effect.Success<ReturnType<typeof serverProcess>>) =>
  Effect.promise(() => {
    server.kill("SIGTERM")
    return server.exited
  })

/** Waits until the value has not changed for a while. */
const steady = async (look: () => string): Promise<void> => {
  let before
  for (let times = 0; times < 10; times++) {
    const now = look()
    if (now !== before) times = 0
    before = now
    await Bun.sleep(50)
  }
}

const filesOf = ({ settings }: Site, prefix: "avatars" | "documents" | "tmp"): ReadonlyArray<string> =>
  namesIn(join(settings.DATA_DIR, "files", prefix))

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

type Query = <A>(
  database: TestDatabase,
  query: (sql: SystemSql["Service"]) => Effect.Effect<A, unknown>,
) => Effect.Effect<A, never, Scope.Scope>

/** Queries a database while no server uses it. */
const over: Query = (database, query) =>
  Effect.orDie(Effect.provide(SystemSql.use(query), layerOf(database), { local: true }))

interface Contents {
  readonly documents: ReadonlyArray<{
    readonly chatbot: string
    readonly name: string
    readonly sha256: string
    readonly status: string
    readonly failure: string | null
    readonly chunk_count: number
    /** The number of chunks of the serving revision. */
    readonly chunks: number
    readonly digest: string | null
  }>
  readonly foreignChunks: number
  readonly queued: number
  /** The number of attempts to ingest the documents that are left. */
  readonly attempts: number
}

const contentsOf = (database: TestDatabase) =>
  over(database, (sql) =>
    Effect.gen(function* () {
      const documents = yield* sql<Contents["documents"][number]>`
        select b.name as chatbot, d.name, sha256, status, error->>'code' as failure, chunk_count,
          count(c.id)::int as chunks, md5(string_agg(c.ordinal || ':' || c.content, '' order by c.ordinal)) as digest
        from documents d join chatbots b on b.id = d.chatbot_id
          left join chunks c on c.document_id = d.id and c.revision = d.revision
        group by d.id, b.name order by chatbot, d.name, sha256`
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
  const keyOf = ({ chatbot, name, sha256 }: Contents["documents"][number]) => `${chatbot} ${name} ${sha256}`
  const left = new Map(found.documents.map((document) => [keyOf(document), document]))
  if (left.size !== found.documents.length) faults.push(`${found.documents.length - left.size} documents doubled`)
  for (const document of expected.documents) {
    const key = keyOf(document)
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

/** Lists files without an owner, owners without a file, registered garbage, and files in the temporary directory. */
const leftovers = Effect.fnUntraced(function* (at: Site) {
  const keysIn = (query: Query, statement: string) =>
    Effect.map(
      query(at.database, (sql) => sql<{ key: string }>`${sql.literal(statement)}`),
      (rows) => rows.map(({ key }) => key),
    )
  const owned = new Set(
    yield* keysIn(
      over,
      "select blob_key as key from documents union select avatar_blob from chatbots where avatar_blob is not null",
    ),
  )
  const register = yield* keysIn(over, "select key from blob_garbage")
  const files = new Set(
    (["avatars", "documents", "tmp"] as const).flatMap((prefix) =>
      filesOf(at, prefix).map((name) => `${prefix}/${name}`),
    ),
  )
  return [
    ...Array.from(files.difference(owned), (file) => `The file ${file} belongs to nobody`),
    ...Array.from(owned.difference(files), (key) => `The file ${key} is missing`),
    ...register.map((key) => `${key} is still registered as garbage`),
    ...namesIn(at.settings.TMPDIR).map((name) => `${name} lies in the temporary directory`),
  ]
})
