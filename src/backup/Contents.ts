import { join } from "node:path"
import { Effect, FileSystem, Schema, Stream } from "effect"
import { tableRules } from "../storage/backup/Tables.ts"
import type { StartupError } from "../system/StartupError.ts"
import { BLOB_LIST, BLOBS, TABLES } from "./Directory.ts"
import { damaged } from "./Failures.ts"
import { readDecoded, readLines } from "./Files.ts"
import { BlobLine, type FileSum, type Manifest, MANIFEST, readManifest } from "./Manifest.ts"

/** A backup that is to be read: its manifest, and where its files are. */
export interface Contents {
  readonly manifest: Manifest
  readonly tables: ReadonlyArray<{
    readonly name: string
    readonly pages: Stream.Stream<ReadonlyArray<string>, StartupError, FileSystem.FileSystem>
  }>
  /** The stored files. */
  readonly blobs: Stream.Stream<BlobLine, StartupError, FileSystem.FileSystem>
  readonly pathOf: (blob: FileSum) => string
}

const BlobText = Schema.fromJsonString(BlobLine)

/** Opens a backup: reads its manifest, and checks that it names nothing but tables of this program. */
export const openContents = Effect.fn("Contents.open")(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const manifest = yield* readManifest(directory)
  const known = new Set(
    tableRules.flatMap(({ isBackedUp, isExported, table }) =>
      (manifest.organization === null ? isBackedUp : isExported) ? [table] : [],
    ),
  )
  for (const { name } of manifest.tables) {
    // Each table may be there once.
    if (!known.delete(name)) return yield* damaged(join(directory, MANIFEST), `names a table ${name}, which none has`)
  }
  for (const name of [TABLES, BLOBS]) {
    const path = join(directory, name)
    const info = yield* Effect.mapError(files.lstat(path), () => damaged(path, "is missing"))
    if (info.type !== "Directory") return yield* damaged(path, "is not a directory")
  }
  return {
    manifest,
    tables: manifest.tables.map(({ name, ...sum }) => ({
      name,
      pages: Stream.chunks(readLines(join(directory, TABLES, `${name}.ndjson`), sum)),
    })),
    blobs: readDecoded(BlobText, join(directory, BLOB_LIST), manifest.blobs.list),
    pathOf: ({ sha256 }) => join(directory, BLOBS, sha256),
  } satisfies Contents
})
