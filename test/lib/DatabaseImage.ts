import { createHash } from "node:crypto"
import { dirname, join } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { dependencies } from "../../package.json" with { type: "json" }
import { DURABLE_START_PARAMETERS, DurableFiles } from "../../src/storage/embedded/DurableFiles.ts"
import { IMAGE } from "../../src/storage/embedded/NewCluster.ts"
import type { FunctionFile, Migration } from "../../src/storage/MigrationFiles.ts"

/*
 * The image of a new embedded database: what it was made from, and how a database is made without it.
 */

/** The file that says what the delivered image was made from. */
export const MANIFEST = join(dirname(IMAGE), "manifest.json")

/** The manifest of an image with this archive, made by the current packages, these migrations and these functions. */
export const manifestOf = (
  archive: Uint8Array,
  migrations: ReadonlyArray<Migration>,
  functions: ReadonlyArray<FunctionFile>,
) => ({
  /** The versions of the packages that made the image, by name. */
  packages: {
    "@electric-sql/pglite": dependencies["@electric-sql/pglite"],
    "@electric-sql/pglite-pgvector": dependencies["@electric-sql/pglite-pgvector"],
  },
  /** The checksums of the migrations that were applied, by name, in order. */
  migrations: Object.fromEntries(migrations.map(({ name, checksum }) => [name, checksum])),
  /** The checksums of the files of functions, by subject. */
  functions: Object.fromEntries(functions.map(({ checksum, subject }) => [subject, checksum])),
  /** SHA-256 of the archive in hex. */
  sha256: createHash("sha256").update(archive).digest("hex"),
})

/** Makes an empty cluster in a directory of a database by the engine itself. */
export const makeCluster = async (directory: string): Promise<void> => {
  const engine = await PGlite.create({
    fs: new DurableFiles(join(directory, "cluster")),
    extensions: { vector },
    startParams: [...DURABLE_START_PARAMETERS],
  })
  await engine.close()
}
