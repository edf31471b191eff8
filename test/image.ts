import { dirname, join } from "node:path"
import { constants, zstdCompressSync } from "node:zlib"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, FileSystem, Layer, References } from "effect"
import { IMAGE } from "../src/storage/embedded/NewCluster.ts"
import { makeCluster, MANIFEST, manifestOf } from "./lib/DatabaseImage.ts"
import { defaults } from "./lib/Defaults.ts"
import { layerEmbedded, SystemSql } from "../src/storage/sql/Database.ts"
import { migrationsDirectory, readFunctions, readMigrations } from "../src/storage/MigrationFiles.ts"

/*
 * `bun run image`: makes the image of a new embedded database anew, which is due after an upgrade of the engine.
 */

/** 64 MiB, more than a cluster: so the copies of the template databases cost nothing. */
const WINDOW_LOG = 26

/** A new database that owes nothing to the image, closed. */
const makeDatabase = Effect.fnUntraced(function* (directory: string) {
  yield* Effect.promise(() => makeCluster(directory))
  yield* Effect.provide(
    Effect.gen(function* () {
      const sql = yield* SystemSql
      // The log of all that made it is removed by the checkpoint, instead of being kept to be written over.
      yield* sql`set wal_recycle = off`
      yield* sql`select pg_switch_wal()::text`
      yield* sql`checkpoint`.unprepared
    }),
    layerEmbedded({ ...defaults.database, directory }),
  )
})

const pack = (directory: string): Uint8Array => {
  const tar = Bun.spawnSync(["tar", "-c", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "-C", directory, "."])
  if (!tar.success) throw new Error(tar.stderr.toString())
  return zstdCompressSync(tar.stdout, {
    params: { [constants.ZSTD_c_compressionLevel]: 22, [constants.ZSTD_c_windowLog]: WINDOW_LOG },
  })
}

await Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "parley-image-" })
  yield* makeDatabase(directory)
  const archive = pack(join(directory, "cluster"))
  const manifest = manifestOf(
    archive,
    yield* readMigrations(migrationsDirectory),
    yield* readFunctions(migrationsDirectory),
  )
  yield* files.makeDirectory(dirname(IMAGE), { recursive: true })
  yield* files.writeFile(IMAGE, archive)
  yield* files.writeFileString(MANIFEST, `${JSON.stringify(manifest, undefined, 2)}\n`)
}).pipe(
  Effect.scoped,
  Effect.provide([fileSystem, Layer.succeed(References.MinimumLogLevel, "Error")]),
  Effect.runPromise,
)
