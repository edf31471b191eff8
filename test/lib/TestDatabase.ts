import { createHash } from "node:crypto"
import { cpSync, existsSync, renameSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import manifest from "../../package.json" with { type: "json" }
import image from "../../src/storage/embedded/image/manifest.json" with { type: "json" }
import { layerEmbedded, layerPostgres, type Database, type Migrating } from "../../src/storage/sql/Database.ts"
import { migrationsDirectory, readFunctions, readMigrations } from "../../src/storage/MigrationFiles.ts"
import type { StartupError } from "../../src/system/StartupError.ts"
import { databaseTraits, defaults } from "./Defaults.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"

/** A new database, as the settings of a server name it. */
export type TestDatabase =
  | { readonly kind: "embedded"; readonly directory: string }
  | { readonly kind: "postgres"; readonly url: string }

/** The URL of any database of the Postgres server to test on; undefined to test on the embedded database. */
const serverUrl = process.env["DATABASE_URL"]

/**
 * Makes a database with the current schema and no rows, which is deleted when the scope closes: on Postgres when
 * `DATABASE_URL` is set, and embedded otherwise. It is a copy of a template, which is made when this module is loaded
 * for the first time after a change of `sql/`, where no test's timeout counts.
 */
export const fresh: Effect.Effect<TestDatabase, StartupError | SqlError.SqlError, Scope.Scope> = Effect.suspend(() =>
  serverUrl === undefined ? freshDirectory : copyOfDatabase(serverUrl),
)

/** The two SQL clients over a new database, which several processes of a test may share. */
export const layer: Layer.Layer<Database, StartupError | SqlError.SqlError> = Layer.unwrap(
  Effect.map(fresh, (database) => Layer.provideMerge(databaseTraits({ isAlone: false }), layerOf(database))),
)

/** The two SQL clients over an existing database. */
export const layerOf = (database: TestDatabase, migrating?: Migrating): Layer.Layer<Database, StartupError> =>
  Layer.provide(
    database.kind === "embedded"
      ? layerEmbedded({ ...defaults.database, directory: database.directory }, migrating)
      : layerPostgres(
          { ...defaults.database, url: Redacted.make(database.url), isHidden: migrating !== undefined },
          migrating,
        ),
    fileSystem,
  )

/** A hash of everything that the content of a new database depends on. */
const fingerprint = Effect.map(
  Effect.provide(Effect.all([readMigrations(migrationsDirectory), readFunctions(migrationsDirectory)]), fileSystem),
  (files) =>
    createHash("sha256")
      .update(JSON.stringify([manifest.dependencies, image.sha256, files.flat().map(({ checksum }) => checksum)]))
      .digest("hex")
      .slice(0, 16),
)

/** Opens a database, which brings it to the current schema, and closes it. */
const migrateOnce = (database: TestDatabase): Effect.Effect<void, StartupError> =>
  Effect.scoped(Effect.asVoid(Layer.build(layerOf(database))))

/** Makes a database for the embedded engine, even when there is a Postgres server to test on. */
export const freshDirectory: Effect.Effect<TestDatabase & { readonly kind: "embedded" }, StartupError, Scope.Scope> =
  Effect.gen(function* () {
    const template = yield* templateDirectory
    const directory = yield* temporaryDirectory("test")
    yield* Effect.sync(() => cpSync(template, directory, { recursive: true }))
    return { kind: "embedded", directory }
  })

const templateDirectory = Effect.gen(function* () {
  const template = join(tmpdir(), `parley-template-${yield* fingerprint}`)
  if (!existsSync(template)) yield* Effect.scoped(makeTemplateDirectory(template))
  return template
})

const makeTemplateDirectory = Effect.fnUntraced(function* (template: string) {
  const directory = yield* temporaryDirectory("template")
  yield* migrateOnce({ kind: "embedded", directory })
  // Another process may have been quicker, and its template is as good.
  yield* Effect.ignore(Effect.try(() => renameSync(directory, template)))
})

/** Makes a database with the current schema and no rows on this Postgres server; it is deleted with the scope. */
export const copyOfDatabase = Effect.fnUntraced(function* (
  server: string,
): Effect.fn.Return<TestDatabase, StartupError | SqlError.SqlError, Scope.Scope> {
  const sql = yield* connect(server)
  const template = yield* templateDatabase(sql, server)
  const name = `parley_test_${crypto.randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(sql`create database ${sql(name)} template ${sql(template)}`, () =>
    Effect.orDie(sql`drop database ${sql(name)} with (force)`),
  )
  return { kind: "postgres", url: urlOf(server, name) }
})

/** Makes a database without anything on this Postgres server, and returns its URL; it is deleted with the scope. */
export const emptyDatabase = Effect.fnUntraced(function* (server: string) {
  const sql = yield* connect(server)
  const name = `parley_test_${crypto.randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(sql`create database ${sql(name)}`, () =>
    Effect.orDie(sql`drop database ${sql(name)} with (force)`),
  )
  return urlOf(server, name)
})

const connect = (server: string) =>
  Effect.provide(PgClient.makeClient({ url: Redacted.make(server) }), Reactivity.layer)

const templateDatabase = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, server: string) {
  const template = `parley_template_${yield* fingerprint}`
  const [found] = yield* sql`select 1 from pg_database where datname = ${template}`
  if (found === undefined) yield* makeTemplateDatabase(sql, server, template)
  return template
})

const makeTemplateDatabase = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, server: string, template: string) {
  const name = `parley_building_${crypto.randomUUID().replaceAll("-", "")}`
  yield* sql`create database ${sql(name)}`
  yield* migrateOnce({ kind: "postgres", url: urlOf(server, name) })
  // Another process may have been quicker, and its template is as good.
  yield* Effect.catch(
    sql`alter database ${sql(name)} rename to ${sql(template)}`,
    () => sql`drop database ${sql(name)} with (force)`,
  )
})

const urlOf = (server: string, database: string): string => {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

await Effect.runPromise(
  Effect.scoped(
    serverUrl === undefined
      ? Effect.asVoid(templateDirectory)
      : Effect.flatMap(connect(serverUrl), (sql) => Effect.asVoid(templateDatabase(sql, serverUrl))),
  ),
)
