import { createHash } from "node:crypto"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, FileSystem, Predicate, Schema } from "effect"
import { dependencies } from "../../../package.json" with { type: "json" }
import { type Migration, migrationsDirectory, readMigrations } from "../MigrationFiles.ts"

/*
 * An image is a new, migrated database, packed once: unpacking it takes a tenth of the time that the engine and the
 * migrations take to make one. `bun run image` makes the image that Parley is delivered with. An image can be used
 * until the engine is upgraded: newer migrations are applied after it was unpacked, as to any other database.
 */

/** The image cannot be unpacked, for instance because it is damaged, or was made by another version of the engine. */
export class ImageUnusable extends Schema.TaggedError<ImageUnusable>()("ImageUnusable", {
  reason: Schema.String,
}) {}

/** Record of what an image was made from. */
const ImageManifest = Schema.Struct({
  /** The versions of the packages that made the image, by name. */
  packages: Schema.Record(Schema.String, Schema.String),
  /** The checksums of the migrations that were applied, by name, in order. */
  migrations: Schema.Record(Schema.String, Schema.String),
  /** SHA-256 of the archive in hex. */
  sha256: Schema.String,
})
type ImageManifest = typeof ImageManifest.Type

/** The directory of the image that Parley is delivered with. */
export const deliveredImage = fileURLToPath(new URL("image", import.meta.url))

/** The file with the tar of the cluster's directory, compressed by Zstandard. */
export const ARCHIVE = "cluster.tar.zst"
/** The file with the `ImageManifest`. */
export const MANIFEST = "manifest.json"

/** The manifest of an image with this archive, made by the current packages and these migrations. */
export const manifestOf = (archive: Uint8Array, migrations: ReadonlyArray<Migration>): ImageManifest => ({
  packages: {
    "@electric-sql/pglite": dependencies["@electric-sql/pglite"],
    "@electric-sql/pglite-pgvector": dependencies["@electric-sql/pglite-pgvector"],
  },
  migrations: Object.fromEntries(migrations.map(({ name, checksum }) => [name, checksum])),
  sha256: createHash("sha256").update(archive).digest("hex"),
})

/**
 * Unpacks the image in the directory `image` into the new directory `cluster`. A failure may leave some files there.
 */
export const unpackImage = Effect.fn("DatabaseImage.unpack")(
  function* (image: string, cluster: string) {
    const files = yield* FileSystem.FileSystem
    const json = yield* files.readFileString(join(image, MANIFEST))
    const manifest = yield* Schema.decodeEffect(Schema.fromJsonString(ImageManifest))(json)
    const archive = yield* files.readFile(join(image, ARCHIVE))
    const migrations = yield* readMigrations(migrationsDirectory)
    const reason = whyUnusable(manifest, archive, migrations)
    if (reason !== undefined) return yield* new ImageUnusable({ reason })
    yield* Effect.tryPromise(async () => new Bun.Archive(await Bun.zstdDecompress(archive)).extract(cluster))
  },
  Effect.mapError((error) =>
    Predicate.isTagged(error, "ImageUnusable") ? error : new ImageUnusable({ reason: error.message }),
  ),
)

const whyUnusable = (
  manifest: ImageManifest,
  archive: Uint8Array,
  migrations: ReadonlyArray<Migration>,
): string | undefined => {
  const names = Object.keys(manifest.migrations)
  const now = manifestOf(archive, migrations.slice(0, names.length))
  const other = Object.entries(now.packages).find(([name, version]) => manifest.packages[name] !== version)
  if (other !== undefined) return `${other[0]} is now ${other[1]}`
  const changed = names.find((name) => now.migrations[name] !== manifest.migrations[name])
  if (changed !== undefined) return `sql/${changed}.sql is no longer what the image was made from`
  return now.sha256 === manifest.sha256 ? undefined : "The archive is damaged"
}
