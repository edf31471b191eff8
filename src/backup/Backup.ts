import { join, resolve } from "node:path"
import { Duration, Effect, FileSystem, Schedule, Schema, Stream } from "effect"
import { version } from "../../package.json" with { type: "json" }
import { BlobStore } from "../blobs/BlobStore.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import { Service } from "../domain/Service.ts"
import { Backups } from "../storage/backup/Backups.ts"
import { type Snapshot, SnapshotBlob, Snapshots } from "../storage/backup/Snapshots.ts"
import { Organizations } from "../storage/organizations/Organizations.ts"
import { regularly } from "../system/Background.ts"
import { StartupError } from "../system/StartupError.ts"
import { databaseFailed, notWritten, storeFailed } from "./Failures.ts"
import { isWhole, readDecoded, rename, syncDirectory, writeFile, writeLines } from "./Files.ts"
import { BlobLine, encodeManifest, type FileSum, FORMAT, type Manifest, MANIFEST, type TableFile } from "./Manifest.ts"
import { BLOBS, BLOB_LIST, prepareDirectory, TABLES, UNFINISHED } from "./Directory.ts"

/** No file is deleted from the store for this long after a backup has last shown that it runs. */
const HOLD = Duration.minutes(1)
const RENEW_EVERY = Duration.seconds(15)
/** The seconds that a backup waits for the end of another one: longer than one that was killed holds files. */
const WAITS = 65
/** The number of stored files that are copied at once. */
const COPIED_AT_ONCE = 4
/** A file that arrives damaged is read again this many times. */
const TRIES = 3
/** The list of the stored files of the snapshot, while they are being copied. */
const WANTED = "wanted.ndjson"
/** The most keys of damaged files that are reported. */
const DAMAGED_MAX = 100

/** The content of a stored file in the backup. */
interface Copied extends FileSum {
  /** Whether the content is not what was uploaded. */
  readonly isDamaged: boolean
}

export interface BackupOptions {
  /** A new or empty directory, or one with a backup that was cut off, which is made anew. */
  readonly directory: string
  /** Only this organization. */
  readonly organization?: OrganizationId | undefined
  /** The longest time for which others may have to wait for the database. */
  readonly patience?: Duration.Duration | undefined
}

/** Makes backups of everything, or of one organization, while servers go on working. */
export class Backup extends Service<Backup>()("parley/backup/Backup", function* () {
  const store = yield* BlobStore
  const snapshots = yield* Snapshots
  const backups = yield* Backups
  const organizations = yield* Organizations
  const files = yield* FileSystem.FileSystem

  /** Keeps files from being deleted from the store until the scope closes. Returns the id of the backup. */
  const hold = Effect.gen(function* () {
    const id = yield* Effect.acquireRelease(Effect.mapError(backups.begin(HOLD), databaseFailed), (begun) =>
      begun === undefined ? Effect.void : Effect.ignore(backups.abandon(begun)),
    ).pipe(
      Effect.repeat({ until: (begun) => begun !== undefined, schedule: Schedule.spaced("1 second"), times: WAITS }),
    )
    if (id === undefined) {
      return yield* new StartupError({
        what: "Another backup is under way.",
        doThis: "Run the command again when that has ended.",
      })
    }
    const warning = "The backup could not tell the servers that it is still running"
    const renewing = regularly(RENEW_EVERY, warning, backups.renew(id, HOLD))
    yield* Effect.forkScoped(Effect.delay(renewing, RENEW_EVERY))
    return id
  })

  /** Writes what the snapshot says: its tables, and the list of the stored files that they name. */
  const writeSnapshot = Effect.fnUntraced(function* (directory: string, snapshot: Snapshot) {
    const write = (path: string, lines: Snapshot["blobs"]) =>
      writeLines(join(directory, path), Stream.mapError(lines, databaseFailed))
    const tables: Array<TableFile> = []
    for (const name of snapshot.tables) {
      tables.push({ name, ...(yield* write(join(TABLES, `${name}.ndjson`), snapshot.rows(name))) })
    }
    return { snapshot, tables, wanted: yield* write(WANTED, snapshot.blobs) }
  })

  /** Copies a stored file that is not there yet; undefined when the store does not have it. */
  const copyBlob = Effect.fnUntraced(function* (
    blobs: string,
    { bytes, key, sha256 }: SnapshotBlob,
  ): Effect.fn.Return<Copied | undefined, StartupError, FileSystem.FileSystem> {
    if (sha256 !== null && bytes !== null) {
      const expected = { bytes, sha256 }
      if (yield* isWhole(join(blobs, sha256), expected)) return { ...expected, isDamaged: false }
    }
    let isDamaged = false
    const content = store.read(key)
    const asItIs = Stream.catchTag(content, "BlobDamaged", () => {
      isDamaged = true
      return Stream.empty
    })
    const draft = join(blobs, `draft-${key.replaceAll("/", "-")}`)
    const copied = yield* writeFile(draft, content).pipe(
      // It may have been changed on its way.
      Effect.retry({ while: ({ _tag }) => _tag === "BlobDamaged", times: TRIES }),
      Effect.catchTag("BlobDamaged", () => writeFile(draft, asItIs)),
      Effect.catchTags({
        BlobNotFound: () => Effect.as(Effect.ignore(files.remove(draft)), undefined),
        Unavailable: (error) => Effect.fail(storeFailed(key)(error)),
      }),
    )
    if (copied === undefined) return undefined
    yield* rename(draft, join(blobs, copied.sha256))
    return { ...copied, isDamaged: isDamaged || (sha256 !== null && copied.sha256 !== sha256) }
  })

  /** Copies the stored files of the snapshot, and removes those of an attempt that was cut off and are not among them. */
  const copyBlobs = Effect.fnUntraced(function* (directory: string, wanted: FileSum, leftovers: Set<string>) {
    const blobs = join(directory, BLOBS)
    const found = { files: 0, bytes: 0, missing: 0 }
    const damaged: Array<string> = []
    const encode = Schema.encodeEffect(Schema.fromJsonString(BlobLine))
    const lines = readDecoded(Schema.fromJsonString(SnapshotBlob), join(directory, WANTED), wanted).pipe(
      Stream.mapEffect(
        Effect.fnUntraced(function* (blob) {
          const copied = yield* copyBlob(blobs, blob)
          if (copied === undefined) {
            found.missing++
            return []
          }
          const { bytes, isDamaged, sha256 } = copied
          found.files++
          found.bytes += bytes
          leftovers.delete(sha256)
          if (isDamaged && damaged.length < DAMAGED_MAX) damaged.push(blob.key)
          return [yield* Effect.orDie(encode({ key: blob.key, bytes, sha256 }))]
        }),
        { concurrency: COPIED_AT_ONCE },
      ),
    )
    const { rows: _, ...list } = yield* writeLines(join(directory, BLOB_LIST), lines)
    for (const name of leftovers) {
      const path = join(blobs, name)
      yield* Effect.mapError(files.remove(path, { force: true }), notWritten(path))
    }
    yield* syncDirectory(blobs)
    return { damaged, blobs: { ...found, list } }
  })

  const findOrganization = Effect.fnUntraced(function* (id: OrganizationId | undefined) {
    if (id === undefined) return null
    const found = yield* Effect.mapError(organizations.find(id), databaseFailed)
    if (found !== undefined) return { id: found.id, name: found.name }
    return yield* new StartupError({
      what: "There is no such organization.",
      doThis: "`organizations list` shows which ones there are.",
    })
  })

  const run = Effect.fn("Backup.run")(function* (options: BackupOptions) {
    const directory = resolve(options.directory)
    const organization = yield* findOrganization(options.organization)
    // Another one may write to the same directory until then.
    const id = yield* hold
    const leftovers = yield* prepareDirectory(directory)
    const { patience = Duration.infinity } = options
    const { snapshot, tables, wanted } = yield* snapshots
      .take(options.organization, (taken) => writeSnapshot(directory, taken))
      .pipe(
        Effect.catchTag("Unavailable", (error) => Effect.fail(databaseFailed(error))),
        Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(tookTooLong(patience)) }),
      )
    const { blobs, damaged } = yield* copyBlobs(directory, wanted, leftovers)
    yield* syncDirectory(join(directory, TABLES))
    const manifest: Manifest = {
      format: FORMAT,
      parley: version,
      migration: snapshot.migration,
      postgres: snapshot.postgres,
      taken_at: snapshot.takenAt,
      organization,
      secret_keys: snapshot.secretKeys,
      tables,
      sequences: snapshot.sequences,
      blobs,
    }
    const draft = join(directory, `${MANIFEST}.draft`)
    yield* writeFile(draft, Stream.make(new TextEncoder().encode(encodeManifest(manifest))))
    yield* syncDirectory(directory)
    yield* rename(draft, join(directory, MANIFEST))
    yield* syncDirectory(directory)
    yield* Effect.ignore(files.remove(join(directory, WANTED)))
    yield* Effect.ignore(files.remove(join(directory, UNFINISHED)))
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
    const size = { rows, files: blobs.files, bytes: bytes + blobs.bytes }
    if (organization === null) yield* Effect.mapError(backups.finish(id, size), databaseFailed)
    return { rows, bytes, files: blobs.files, file_bytes: blobs.bytes, damaged, missing: blobs.missing }
  }, Effect.scoped)

  return { run: (options: BackupOptions) => Effect.provideService(run(options), FileSystem.FileSystem, files) }
}) {}

const tookTooLong = (patience: Duration.Duration): StartupError =>
  new StartupError({
    what: `Reading the database took longer than ${Duration.format(patience)}, during which it served nobody else.`,
    doThis: "Stop the server and run the command again: then it may take as long as it needs.",
  })
