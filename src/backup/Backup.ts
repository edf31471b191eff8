import { join, resolve } from "node:path"
import { Context, Duration, Effect, FileSystem, Layer, Option, Schedule, Schema, Stream } from "effect"
import { version } from "../../package.json" with { type: "json" }
import { BlobStore } from "../blobs/BlobStore.ts"
import type { Unavailable } from "../domain/Errors.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import { Backups } from "../storage/backup/Backups.ts"
import { type Snapshot, SnapshotBlob, Snapshots } from "../storage/backup/Snapshots.ts"
import { Organizations } from "../storage/organizations/Organizations.ts"
import { regularly } from "../system/Background.ts"
import { StartupError } from "../system/StartupError.ts"
import { databaseFailed, notWritten, storeFailed } from "./Failures.ts"
import { isWhole, publish, readDecoded, readFile, syncDirectory, writeFile, writeLines } from "./Files.ts"
import { BlobLine, encodeManifest, type FileSum, FORMAT, type Manifest, MANIFEST, type TableFile } from "./Manifest.ts"
import { BLOBS, BLOB_LIST, prepareDirectory, previousBackup, TABLES, UNFINISHED } from "./Directory.ts"

/** No file is deleted from the store for this long after a backup has last shown that it runs. */
const HOLD = Duration.minutes(1)
const RENEW_EVERY = Duration.seconds(15)
/** The number of stored files that are copied at once. */
const COPIED_AT_ONCE = 4
/** A store that does not answer is tried again this many times. */
const TRIES = 3
/** The list of the stored files of the snapshot, while they are being copied. */
const WANTED = "wanted.ndjson"
/** The most keys of missing files that are reported. */
const EXAMPLES = 5
/** The most keys of damaged files that are reported. */
const DAMAGED_MAX = 100

/** The content of a stored file in the backup. */
interface Copied extends FileSum {
  /** Whether the content was not copied from the store. */
  readonly isReused: boolean
  /** Whether the content is not what was uploaded. */
  readonly isDamaged?: boolean
}

export interface BackupOptions {
  /** A new or empty directory, or one with an unfinished backup, which goes on. */
  readonly directory: string
  /** An earlier backup, or a directory with some: files that the newest of them has are linked instead of copied. */
  readonly previous?: string | undefined
  /** Only this organization. */
  readonly organization?: OrganizationId | undefined
  /** The longest time for which others may have to wait for the database. */
  readonly patience?: Duration.Duration | undefined
}

/** Makes backups of everything, or of one organization, while servers go on working. */
export class Backup extends Context.Service<Backup>()("parley/backup/Backup", {
  make: Effect.gen(function* () {
    const store = yield* BlobStore
    const snapshots = yield* Snapshots
    const backups = yield* Backups
    const organizations = yield* Organizations
    const files = yield* FileSystem.FileSystem

    /** Keeps files from being deleted from the store until the scope closes. Returns the id of the backup. */
    const hold = Effect.acquireRelease(
      Effect.filterOrFail(
        Effect.mapError(backups.begin(HOLD), databaseFailed),
        (id) => id !== undefined,
        () =>
          new StartupError({
            what: "Another backup is under way, or was cut off less than a minute ago.",
            doThis: "Try again in a minute.",
          }),
      ),
      (id) => Effect.ignore(backups.abandon(id)),
    ).pipe(
      Effect.tap((id) =>
        regularly(
          RENEW_EVERY,
          "The backup could not tell the servers that it is still running",
          backups.renew(id, HOLD),
        ).pipe(Effect.delay(RENEW_EVERY), Effect.forkScoped),
      ),
    )

    /** Writes what the snapshot says: its tables, and the list of the stored files that they name. */
    const writeSnapshot = Effect.fnUntraced(function* (directory: string, snapshot: Snapshot) {
      const tables: Array<TableFile> = []
      for (const name of snapshot.tables) {
        const path = join(directory, TABLES, `${name}.ndjson`)
        tables.push({ name, ...(yield* writeLines(path, Stream.mapError(snapshot.rows(name), databaseFailed))) })
      }
      const encode = Schema.encodeEffect(Schema.fromJsonString(SnapshotBlob))
      const wanted = yield* writeLines(
        join(directory, WANTED),
        Stream.mapEffect(Stream.mapError(snapshot.blobs, databaseFailed), (blobs) =>
          Effect.orDie(Effect.forEach(blobs, (blob) => encode(blob))),
        ),
      )
      return { tables, wanted }
    })

    /** Copies a stored file, and returns its size and checksum; undefined when the store does not have it. */
    const copyBlob = Effect.fnUntraced(function* (
      directory: string,
      previous: string | undefined,
      { bytes, key, sha256 }: SnapshotBlob,
      draft: string,
    ): Effect.fn.Return<Copied | undefined, StartupError, FileSystem.FileSystem> {
      if (sha256 !== null && bytes !== null) {
        const expected = { bytes, sha256 }
        const target = join(directory, BLOBS, sha256)
        if (yield* isWhole(target, expected)) return { ...expected, isReused: true }
        const earlier = previous === undefined ? undefined : join(previous, BLOBS, sha256)
        if (earlier !== undefined && (yield* isWhole(earlier, expected))) {
          yield* Effect.mapError(files.remove(target, { force: true }), notWritten(target))
          // Not every file system has links, and none has them to another one.
          yield* Effect.catch(files.link(earlier, target), () =>
            Effect.andThen(writeFile(draft, readFile(earlier, expected)), publish(draft, target)),
          )
          return { ...expected, isReused: true }
        }
      }
      let isDamaged = false
      const content = store.read(key)
      const asItIs = Stream.catchTag(content, "BlobDamaged", () => {
        isDamaged = true
        return Stream.empty
      })
      const copied: Option.Option<FileSum> = yield* Effect.asSome(writeFile(draft, content)).pipe(
        Effect.retry({
          while: (error) => error._tag === "Unavailable" || error._tag === "BlobDamaged",
          times: TRIES,
          schedule: Schedule.jittered(Schedule.exponential("200 millis")),
        }),
        Effect.catchTag("BlobDamaged", () => Effect.asSome(writeFile(draft, asItIs))),
        Effect.catchTags({
          BlobNotFound: () => Effect.as(Effect.ignore(files.remove(draft)), Option.none()),
          Unavailable: (error) => Effect.fail(storeFailed(key)(error)),
        }),
      )
      if (Option.isNone(copied)) return undefined
      isDamaged ||= sha256 !== null && copied.value.sha256 !== sha256
      if (isDamaged) {
        yield* Effect.logWarning("A stored file is not what was uploaded; it is in the backup as it is").pipe(
          Effect.annotateLogs({ key }),
        )
      }
      yield* publish(draft, join(directory, BLOBS, copied.value.sha256))
      return { ...copied.value, isReused: false, isDamaged }
    })

    const copyBlobs = Effect.fnUntraced(function* (
      directory: string,
      previous: string | undefined,
      wanted: FileSum,
      isContinued: boolean,
    ) {
      let drafts = 0
      const found = { files: 0, bytes: 0, reused: 0 }
      const damaged: Array<string> = []
      const missing: Array<string> = []
      let missingCount = 0
      const used = new Set<string>()
      const encode = Schema.encodeEffect(Schema.fromJsonString(BlobLine))
      const copied = readDecoded(Schema.fromJsonString(SnapshotBlob), join(directory, WANTED), wanted).pipe(
        // Blobs with the same content are copied once.
        Stream.groupAdjacentBy(({ key, sha256 }) => sha256 ?? key),
        Stream.mapEffect(
          Effect.fnUntraced(function* ([, blobs]) {
            const draft = join(directory, BLOBS, `draft-${drafts++}`)
            const lines: Array<string> = []
            let copied: Copied | undefined
            for (const blob of blobs) {
              copied = copied?.sha256 === blob.sha256 ? copied : yield* copyBlob(directory, previous, blob, draft)
              if (copied === undefined) {
                missingCount++
                if (missing.length < EXAMPLES) missing.push(blob.key)
                continue
              }
              const { bytes, isDamaged = false, isReused, sha256 } = copied
              if (isDamaged && damaged.length < DAMAGED_MAX) damaged.push(blob.key)
              found.files++
              found.bytes += bytes
              if (isReused) found.reused++
              if (isContinued) used.add(sha256)
              lines.push(yield* Effect.orDie(encode({ key: blob.key, bytes, sha256 })))
              copied = { ...copied, isReused: true }
            }
            return lines
          }),
          { concurrency: COPIED_AT_ONCE },
        ),
      )
      const { rows: _, ...list } = yield* writeLines(join(directory, BLOB_LIST), copied)
      if (missingCount > 0) {
        yield* Effect.logWarning("Files that the database names are not in the store, and not in the backup").pipe(
          Effect.annotateLogs({ files: missingCount, examples: missing.join(" ") }),
        )
      }
      if (isContinued) {
        // Files of the attempt that was cut off, which have no owner any more.
        const refused = Effect.mapError(notWritten(directory))
        const names = yield* refused(files.readDirectory(join(directory, BLOBS)))
        yield* Effect.forEach(
          names.filter((name) => !used.has(name)),
          (name) => refused(files.remove(join(directory, BLOBS, name))),
          { discard: true },
        )
      }
      yield* syncDirectory(join(directory, BLOBS))
      return { ...found, damaged, missing: missingCount, list }
    })

    const findOrganization = (id: OrganizationId | undefined) =>
      id === undefined
        ? Effect.succeed(null)
        : Effect.filterOrFail(
            Effect.mapError(organizations.find(id), databaseFailed),
            (organization) => organization !== undefined,
            () =>
              new StartupError({
                what: "There is no such organization.",
                doThis: "`organizations list` shows which ones there are.",
              }),
          ).pipe(Effect.map((found) => ({ id: found.id, name: found.name })))

    const run = Effect.fn("Backup.run")(function* (options: BackupOptions) {
      const directory = resolve(options.directory)
      const organization = yield* findOrganization(options.organization)
      const previous =
        options.previous === undefined ? undefined : yield* previousBackup(resolve(options.previous), directory)
      const isContinued = yield* prepareDirectory(directory)
      const id = yield* hold
      const taken = snapshots
        .take(options.organization, (snapshot) =>
          Effect.map(writeSnapshot(directory, snapshot), (written) => ({ ...written, snapshot })),
        )
        .pipe(Effect.catchTag("Unavailable", (error: Unavailable) => Effect.fail(databaseFailed(error))))
      const { patience } = options
      const { snapshot, tables, wanted } = yield* patience === undefined
        ? taken
        : Effect.timeoutOrElse(taken, { duration: patience, orElse: () => Effect.fail(tookTooLong(patience)) })
      const { damaged, list, reused, ...blobs } = yield* copyBlobs(directory, previous, wanted, isContinued)
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
        blobs: { ...blobs, list },
      }
      const draft = join(directory, `${MANIFEST}.draft`)
      yield* writeFile(draft, Stream.make(new TextEncoder().encode(encodeManifest(manifest))))
      yield* syncDirectory(directory)
      yield* publish(draft, join(directory, MANIFEST))
      yield* syncDirectory(directory)
      yield* Effect.ignore(files.remove(join(directory, WANTED)))
      yield* Effect.ignore(files.remove(join(directory, UNFINISHED)))
      const rows = tables.reduce((sum, table) => sum + table.rows, 0)
      const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
      if (organization === null) {
        yield* Effect.mapError(
          backups.finish(id, { rows, files: blobs.files, bytes: bytes + blobs.bytes }),
          databaseFailed,
        )
      }
      return { rows, bytes, files: blobs.files, file_bytes: blobs.bytes, reused, damaged, missing: blobs.missing }
    }, Effect.scoped)

    return { run: (options: BackupOptions) => Effect.provideService(run(options), FileSystem.FileSystem, files) }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const tookTooLong = (patience: Duration.Duration): StartupError =>
  new StartupError({
    what: `Reading the database took longer than ${Duration.format(patience)}, during which it served nobody else.`,
    doThis: "Stop the server and run the command again: then it may take as long as it needs.",
  })
