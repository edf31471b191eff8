import { mkdirSync, readdirSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { STORES } from "../../../src/blobs/BlobStore.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import type { FakeS3 } from "../FakeS3.ts"
import { serverProcess, type Settings, settingsFor } from "../ServerProcess.ts"
import { fresh, layerOf, type TestDatabase } from "../TestDatabase.ts"

/*
 * The database and the files of servers that are killed, and what must not be left in them.
 */

/** A database and a directory of its own. */
export interface Site {
  readonly database: TestDatabase
  /** The temporary directory is the server's own, and nothing may ever lie there. */
  readonly settings: Settings & { readonly DATA_DIR: string; readonly TMPDIR: string }
  /** Where the files are kept; undefined for a directory. */
  readonly s3: FakeS3 | undefined
}

/** Makes a database and a directory, or a bucket, for servers with these settings. */
export const site = Effect.fnUntraced(function* (servers: Settings, s3?: FakeS3) {
  const database = yield* fresh
  const given = yield* settingsFor(database)
  const temporary = join(given.DATA_DIR, "temporary")
  yield* Effect.sync(() => mkdirSync(temporary))
  const bucket: Settings =
    s3 === undefined
      ? {}
      : {
          BLOBS: "s3",
          S3_ENDPOINT: s3.url,
          S3_BUCKET: s3.bucket,
          S3_REGION: s3.region,
          S3_ACCESS_KEY_ID: s3.accessKeyId,
          S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
        }
  const settings = { ...given, ...servers, ...bucket, TMPDIR: temporary }
  // The embedded database has moved below the server's directory.
  const moved: TestDatabase =
    database.kind === "embedded" ? { kind: "embedded", directory: join(settings.DATA_DIR, "database") } : database
  return { database: moved, settings, s3 } satisfies Site
})

/**
 * Lets the next server delete the files that nobody owns, as if their time had come. It stops once `finish` has
 * resolved as well.
 */
export const sweep = Effect.fnUntraced(function* (at: Site, finish?: (url: string) => Promise<void>) {
  yield* over(at.database, (sql) => sql`update blob_garbage set due_at = now()`)
  // As old as they are when a server that was not told looks at them.
  for (const draft of namesIn(join(at.settings.DATA_DIR, "files", "tmp"))) {
    yield* Effect.sync(() => utimesSync(join(at.settings.DATA_DIR, "files", "tmp", draft), 0, 0))
  }
  const server = yield* serverProcess(at.settings)
  const url = yield* Effect.promise(() => server.listening)
  if (finish !== undefined) yield* Effect.promise(() => finish(url))
  yield* Effect.promise(() => steady(() => String(blobsOf(at).length)))
  yield* stop(server)
}, Effect.scoped)

/** Stops a server as an operator does. */
export const stop = (server: Effect.Success<ReturnType<typeof serverProcess>>) =>
  Effect.promise(() => {
    server.kill("SIGTERM")
    return server.exited
  })

/** Waits until something has been the same for half a second. */
export const steady = async (look: () => string): Promise<void> => {
  let before
  for (let times = 0; times < 10; times++) {
    const now = look()
    if (now !== before) times = 0
    before = now
    await Bun.sleep(50)
  }
}

/** The keys of the files, with those that are only half written. */
const blobsOf = ({ s3, settings }: Site): ReadonlyArray<string> => {
  const files = (["avatars", "documents", "tmp"] as const).flatMap((prefix) =>
    namesIn(join(settings.DATA_DIR, "files", prefix)).map((name) => `${prefix}/${name}`),
  )
  // The mark by which servers recognize their store has no owner; in a directory it is outside of these, too.
  const objects = s3 === undefined ? [] : Array.from(s3.objects.keys()).filter((key) => !key.startsWith(STORES))
  return [...files, ...objects]
}

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** Queries a database while no server uses it. */
export const over = <A>(
  database: TestDatabase,
  query: (sql: SystemSql["Service"]) => Effect.Effect<A, unknown>,
): Effect.Effect<A> => Effect.orDie(Effect.provide(SystemSql.use(query), layerOf(database), { local: true }))

interface BlobKeys {
  readonly owned: ReadonlyArray<string>
  /** To be deleted. */
  readonly garbage: ReadonlyArray<string>
}

/** Reads the keys of the blobs that have an owner, and of those that are registered as garbage. */
export const blobKeysIn = (sql: SystemSql["Service"]) =>
  Effect.gen(function* () {
    const owned = yield* sql<{ key: string }>`
      select blob_key as key from documents
      union select avatar_blob from chatbots where avatar_blob is not null`
    const garbage = yield* sql<{ key: string }>`select key from blob_garbage`
    return { owned: owned.map(({ key }) => key), garbage: garbage.map(({ key }) => key) } satisfies BlobKeys
  })

/** Files without an owner or outside of the directory, owners without a file, and the register of garbage. */
export const leftovers = (at: Site, { garbage, ...keys }: BlobKeys): ReadonlyArray<string> => {
  const owned = new Set(keys.owned)
  const files = new Set(blobsOf(at))
  return [
    ...Array.from(files.difference(owned), (file) => `The file ${file} belongs to nobody`),
    ...Array.from(owned.difference(files), (key) => `The file ${key} is missing`),
    ...garbage.map((key) => `${key} is still registered as garbage`),
    ...namesIn(at.settings.TMPDIR).map((name) => `${name} lies in the temporary directory`),
  ]
}
