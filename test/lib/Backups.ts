import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, type Redacted } from "effect"
import { Backup } from "../../src/backup/Backup.ts"
import { encodeManifest, type Manifest } from "../../src/backup/Manifest.ts"
import { Restore } from "../../src/backup/Restore.ts"
import { SystemSql, type Migrating } from "../../src/storage/sql/Database.ts"
import * as Storage from "../../src/storage/Storage.ts"
import { Secrets } from "../../src/system/Secrets.ts"
import { BlobControl, memoryBlobs, platform } from "./Layers.ts"
import { layerOf, type TestDatabase } from "./TestDatabase.ts"

/*
 * Places to back up and to restore to: a database with a store of files in memory.
 */

/** What a place may be, beside the defaults. */
export interface PlaceSettings {
  readonly keys?: Redacted.Redacted<ReadonlyArray<Uint8Array>>
  readonly migrating?: Migrating
}

/** The services of a database and of a new store of files in memory. */
export const placeOf = (database: TestDatabase, { keys, migrating }: PlaceSettings = {}) =>
  Layer.mergeAll(Backup.layer, Restore.layer).pipe(
    Layer.provideMerge(Storage.layer({ keys })),
    Layer.provideMerge(Layer.merge(layerOf(database, migrating), memoryBlobs)),
    Layer.provideMerge(Layer.provideMerge(Secrets.layer({ keys }), platform)),
  )

/** Puts the content of every document into the store: its text is the name that `makeFilledTenant` gave its content. */
export const storeDocuments = Effect.gen(function* () {
  const sql = yield* SystemSql
  const { blobs } = yield* BlobControl
  const texts = new Map(["ready", "running"].map((text) => [Bun.SHA256.hash(text, "hex"), text]))
  const rows = yield* sql<{ blob_key: string; sha256: string }>`
    select blob_key, sha256 from documents union select blob_key, sha256 from ingestions`
  for (const { blob_key, sha256 } of rows) blobs.set(blob_key, Buffer.from(texts.get(sha256) ?? ""))
  for (const { blob_key } of yield* sql<{ blob_key: string }>`select blob_key from attachments`) {
    blobs.set(blob_key, Buffer.from("ready"))
  }
})

export const manifestIn = (directory: string): Manifest & { readonly checksum: string } =>
  JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8"))

/** Changes the manifest of a backup, as somebody could who makes backups by hand: its checksum is right. */
export const forgeManifest = (directory: string, change: (manifest: Manifest) => Manifest): void => {
  const { checksum: _, ...manifest } = manifestIn(directory)
  writeFileSync(join(directory, "manifest.json"), encodeManifest(change(manifest)))
}

/** Writes a file of a backup anew, and returns its size and checksum for the manifest. */
export const forgeFile = (path: string, content: string | Buffer) => {
  writeFileSync(path, content)
  return { bytes: Buffer.byteLength(content), sha256: Bun.SHA256.hash(content, "hex") }
}
