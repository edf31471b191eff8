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
const servers = {
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
  // The rest of the work is done without kills.
  yield* finish(killed, work === undefined ? [] : [work])
  yield* sweep(killed)
  const undisturbed = yield* site
  yield* finish(undisturbed, sets.map(makeWork))
  const { found, keys } = yield* over(killed.database, (sql) =>
    Effect.all({ found: contentsIn(sql), keys: blobKeysIn(sql) }),
  )
  const expected = yield* over(undisturbed.database, contentsIn)
  return {
    kills,
    cutOff: found.attempts - expected.attempts,
    documents: found.documents.length,
    chunks: found.documents.reduce((sum, { chunks }) => sum + chunks, 0),
    faults: [...differences(found, expected), ...leftovers(killed, keys)],
  } satisfies KillsReport
})

interface Site {
  readonly database: TestDatabase
  /** The temporary directory is the server's own, and nothing may ever lie there. */
  readonly settings: Settings & { readonly DATA_DIR: string; readonly TMPDIR: string }
}

/** A database and a directory of its own. */
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

/** Lets the work come to its end, one set after the other, and stops the server as an operator does. */
const finish = Effect.fnUntraced(function* (at: Site, works: ReadonlyArray<Work>) {
  const server = yield* serverProcess(at.settings)
  const url = yield* Effect.promise(() => server.listening)
  for (const { go } of works) yield* Effect.promise(() => go(url))
  yield* stop(server)
}, Effect.scoped)

/** Lets the next server delete the files that nobody owns, as if their time had come. */
const sweep = Effect.fnUntraced(function* (at: Site) {
  yield* over(at.database, (sql) => sql`update blob_garbage set due_at = now()`)
  // As old as they are when a server that was not told looks at them.
  for (const draft of filesOf(at, "tmp")) {
    yield* Effect.sync(() => utimesSync(join(at.settings.DATA_DIR, "files", "tmp", draft), 0, 0))
  }
  const server = yield* serverProcess(at.settings)
  yield* Effect.promise(() => server.listening)
  yield* Effect.promise(() => steady(() => String(filesOf(at, "documents").length)))
  yield* stop(server)
}, Effect.scoped)

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

const filesOf = ({ settings }: Site, prefix: "avatars" | "documents" | "tmp"): ReadonlyArray<string> =>
  namesIn(join(settings.DATA_DIR, "files", prefix))

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** Queries a database while no server uses it. */
const over = <A>(
  database: TestDatabase,
  query: (sql: SystemSql["Service"]) => Effect.Effect<A, unknown>,
): Effect.Effect<A> => Effect.orDie(Effect.provide(SystemSql.use(query), layerOf(database), { local: true }))

interface Contents {
  readonly documents: ReadonlyArray<{
    readonly chatbot: string
    readonly name: string
    readonly sha256: string
    readonly status: string
    readonly failure: string | null
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

const contentsIn = (sql: SystemSql["Service"]) =>
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
  })

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

interface BlobKeys {
  readonly owned: ReadonlyArray<string>
  /** To be deleted. */
  readonly garbage: ReadonlyArray<string>
}

const blobKeysIn = (sql: SystemSql["Service"]) =>
  Effect.gen(function* () {
    const owned = yield* sql<{ key: string }>`
      select blob_key as key from documents
      union select avatar_blob from chatbots where avatar_blob is not null`
    const garbage = yield* sql<{ key: string }>`select key from blob_garbage`
    return { owned: owned.map(({ key }) => key), garbage: garbage.map(({ key }) => key) } satisfies BlobKeys
  })

/** Files without an owner or outside of the directory, owners without a file, and the register of garbage. */
const leftovers = (at: Site, { garbage, ...keys }: BlobKeys): ReadonlyArray<string> => {
  const owned = new Set(keys.owned)
  const files = new Set(
    (["avatars", "documents", "tmp"] as const).flatMap((prefix) =>
      filesOf(at, prefix).map((name) => `${prefix}/${name}`),
    ),
  )
  return [
    ...Array.from(files.difference(owned), (file) => `The file ${file} belongs to nobody`),
    ...Array.from(owned.difference(files), (key) => `The file ${key} is missing`),
    ...garbage.map((key) => `${key} is still registered as garbage`),
    ...namesIn(at.settings.TMPDIR).map((name) => `${name} lies in the temporary directory`),
  ]
}
