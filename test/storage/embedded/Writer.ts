/*
 * usage: bun Writer.ts DIRECTORY
 *
 * Opens the embedded database in a process of its own and inserts 1, 2, 3, … into `written` until it is killed. It
 * prints each number once the row is acknowledged. When it cannot open the database, it says why on standard error.
 */
import { writeSync } from "node:fs"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, Layer } from "effect"
import { layerEmbedded, SystemSql } from "../../../src/storage/sql/Database.ts"
import { defaults } from "../../lib/Defaults.ts"

const STDOUT = 1

const write = Effect.gen(function* () {
  const sql = yield* SystemSql
  yield* sql`create table if not exists written (id int primary key)`
  const [last] = yield* sql<{ readonly id: number }>`select coalesce(max(id), 0) as id from written`
  let id = last?.id ?? 0
  while (true) {
    id += 1
    yield* sql`insert into written values (${id})`
    writeSync(STDOUT, `${id}\n`)
  }
})

const directory = process.argv[2] ?? ""
await Effect.runPromise(
  write.pipe(
    Effect.provide(Layer.provide(layerEmbedded({ ...defaults.database, directory }), fileSystem)),
    Effect.catchTag("StartupError", (error) =>
      Effect.sync(() => {
        process.stderr.write(error.message)
        process.exitCode = 1
      }),
    ),
  ),
)
