import { createHash } from "node:crypto"
import { join } from "node:path"
import { Effect, FileSystem, Schema } from "effect"
import { BlobKey } from "../domain/BlobKey.ts"
import { OrganizationId } from "../domain/Ids.ts"
import { StartupError } from "../system/StartupError.ts"
import { wordsOf } from "../system/SystemError.ts"
import { damaged, notRead } from "./Failures.ts"

/** The file that describes a backup. It is written last: a directory without it is no backup, or an unfinished one. */
export const MANIFEST = "manifest.json"
/** The version of the format that is written, and the newest that can be read. */
export const FORMAT = 1
/** The most bytes of a manifest. One with all tables has a few kilobytes. */
const MANIFEST_MAX = 1024 * 1024

const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
const Size = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
/** The name of a table or sequence, which is also that of a file. */
const Name = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_]{0,62}$/))

export const FileSum = Schema.Struct({ bytes: Size, sha256: Sha256 })
export type FileSum = typeof FileSum.Type

export const TableFile = Schema.Struct({ name: Name, rows: Size, ...FileSum.fields })
export type TableFile = typeof TableFile.Type

/** Describes a backup: what it was made of, and the size and checksum of every file in it. */
export const Manifest = Schema.Struct({
  format: Schema.Literal(FORMAT),
  /** The version of Parley that made the backup. */
  parley: Schema.String,
  /** The name of the last migration that the database had had. */
  migration: Schema.String.check(Schema.isPattern(/^\d{4}_[a-z0-9_]+$/)),
  postgres: Schema.String,
  /** The moment that the backup shows, by the clock of the database. */
  taken_at: Schema.String,
  /** The organization that an export consists of; null for a backup of everything. */
  organization: Schema.NullOr(Schema.Struct({ id: OrganizationId, name: Schema.String })),
  /** Ids of the keys of `SECRETS_KEY` without which encrypted secrets cannot be read. */
  secret_keys: Schema.Array(Schema.String),
  /** The tables, parents first. */
  tables: Schema.Array(TableFile),
  /** The last number that each sequence has given. */
  sequences: Schema.Record(Name, Schema.String.check(Schema.isPattern(/^\d{1,18}$/))),
  /** The stored files: their number, the bytes of all, and the list of them, `blobs.ndjson`. */
  blobs: Schema.Struct({ files: Size, bytes: Size, missing: Size, list: FileSum }),
})
export type Manifest = typeof Manifest.Type

/** A line of `blobs.ndjson`: a stored file, whose content is in `blobs/` under its SHA-256. */
export const BlobLine = Schema.Struct({
  key: BlobKey,
  ...FileSum.fields,
})
export type BlobLine = typeof BlobLine.Type

const sumOf = (text: string): string => createHash("sha256").update(text).digest("hex")
const textOf = (value: unknown): string => JSON.stringify(value, undefined, 2)

/** The text of the manifest's file, which ends with a checksum of everything before. */
export const encodeManifest = (manifest: Manifest): string =>
  `${textOf({ ...manifest, checksum: sumOf(textOf(manifest)) })}\n`

const Envelope = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json))
const decodeEnvelope = Schema.decodeEffect(Envelope)
const decode = Schema.decodeUnknownEffect(Manifest)

/** Reads the manifest of a backup, and refuses one that is newer, damaged or missing. */
export const readManifest = Effect.fn("Manifest.read")(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const path = join(directory, MANIFEST)
  yield* Effect.mapError(
    files.readDirectory(directory),
    (error) =>
      new StartupError({
        what: `The directory ${JSON.stringify(directory)} cannot be read: ${wordsOf(error)}.`,
        doThis: "Give the directory of a backup.",
      }),
  )
  const info = yield* Effect.mapError(
    files.lstat(path),
    (error) =>
      new StartupError({
        what: `${JSON.stringify(directory)} is not a finished backup: its ${MANIFEST} cannot be read: ${wordsOf(error)}.`,
        doThis: "Give the directory of a backup; one that was cut off is made by running its command again.",
      }),
  )
  if (info.type !== "File" || info.size > MANIFEST_MAX) return yield* damaged(path, "is not a file of the usual size")
  const text = yield* Effect.mapError(files.readFileString(path), notRead(path))
  const notManifest = () => damaged(path, "is not a manifest")
  const { checksum, ...content } = yield* Effect.mapError(decodeEnvelope(text), notManifest)
  const format = content["format"]
  if (typeof format === "number" && format > FORMAT) {
    return yield* new StartupError({
      what: `The backup in ${JSON.stringify(directory)} has the format ${format}, and this Parley reads up to ${FORMAT}.`,
      doThis: "Use the version of Parley that made it, or a newer one.",
    })
  }
  if (checksum !== sumOf(textOf(content))) return yield* damaged(path, "is not what was written")
  return yield* Effect.mapError(decode(content), notManifest)
})
