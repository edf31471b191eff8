import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import { Effect, FileSystem, Schema } from "effect"
import { type SqlClient, type SqlError, SqlSchema } from "effect/sql"
import { ADVISORY_LOCK, isUnreachable, serverMessage } from "./Preparation.ts"
import { sqlState } from "./SqlErrors.ts"
import { splitStatements } from "./SqlScript.ts"
import { StartupError } from "../../system/StartupError.ts"

/** `sql/` of this Parley, wherever it was started from. */
export const migrationsDirectory = fileURLToPath(new URL("../../../sql", import.meta.url))

/** `NNNN_name.sql` */
const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/

export interface Migration {
  readonly number: number
  /** The file's name without `.sql`. */
  readonly name: string
  /** SHA-256 of the text, with line ends as `\n`, in hex: a checkout may change line ends. */
  readonly checksum: string
  readonly text: string
}

const Applied = Schema.Struct({ number: Schema.Int, name: Schema.String, checksum: Schema.String })
type Applied = typeof Applied.Type

/** The migrations in a directory, by number. */
export const readMigrations = Effect.fn("Migrations.read")(function* (
  directory: string,
): Effect.fn.Return<ReadonlyArray<Migration>, StartupError, FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const names = (yield* Effect.mapError(files.readDirectory(directory), unreadable(directory)))
    .filter((name) => name.endsWith(".sql"))
    .sort()
  const migrations = yield* Effect.forEach(names, (name) =>
    Effect.flatMap(Effect.mapError(files.readFileString(`${directory}/${name}`), unreadable(name)), (text) =>
      parse(name, text),
    ),
  )
  const twice = migrations.find((migration, index) => migrations[index + 1]?.number === migration.number)
  return twice === undefined ? migrations : yield* damaged(`Two migrations have the number ${twice.number}.`)
})

const parse = (file: string, content: string): Effect.Effect<Migration, StartupError> => {
  const number = FILE_NAME.exec(file)?.[1]
  if (number === undefined) return damaged(`sql/${file} is not named like a migration, NNNN_name.sql.`)
  const text = content.replaceAll("\r\n", "\n")
  return Effect.succeed({
    number: Number(number),
    name: file.slice(0, -".sql".length),
    checksum: createHash("sha256").update(text).digest("hex"),
    text,
  })
}

/**
 * Brings the database to the newest migration, or fails without having changed anything that was applied before. Each
 * file is one transaction. Processes that start at once wait for each other. One round trip when all is current.
 */
export const migrate = Effect.fn("Migrations.migrate")(function* (
  sql: SqlClient.SqlClient,
  directory: string,
): Effect.fn.Return<void, StartupError | SqlError.SqlError, FileSystem.FileSystem> {
  const migrations = yield* readMigrations(directory)
  const done = yield* Effect.catchIf(readApplied(sql), isMissingTable, () => Effect.succeed([]))
  for (const migration of yield* pendingOf(migrations, done)) {
    yield* applyOne(sql, migrations, migration)
  }
})

/** What is still to do, once it is certain that what was done is what the files say. */
const pendingOf = (
  migrations: ReadonlyArray<Migration>,
  done: ReadonlyArray<Applied>,
): Effect.Effect<ReadonlyArray<Migration>, StartupError> => {
  for (const applied of done) {
    const migration = migrations.find((candidate) => candidate.number === applied.number)
    if (migration === undefined) {
      return Effect.fail(
        new StartupError({
          what: `The database has had the migration sql/${applied.name}.sql, which is missing here.`,
          doThis: "Start the Parley that made this database, or a newer one.",
        }),
      )
    }
    if (migration.name !== applied.name || migration.checksum !== applied.checksum) {
      return damaged(`sql/${migration.name}.sql is not what the database was given as sql/${applied.name}.sql.`)
    }
  }
  const pending = migrations.filter((migration) => done.every((applied) => applied.number !== migration.number))
  const newest = done.at(-1)?.number ?? -1
  const late = pending.find((migration) => migration.number < newest)
  return late === undefined
    ? Effect.succeed(pending)
    : damaged(`sql/${late.name}.sql is new, but the database has had later ones.`)
}

const applyOne = (sql: SqlClient.SqlClient, migrations: ReadonlyArray<Migration>, migration: Migration) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`
      yield* sql`create table if not exists parley_migrations (
        number int primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`
      // Another process may have applied it, or a different one, while this one waited for the lock.
      const pending = yield* pendingOf(migrations, yield* readApplied(sql))
      if (!pending.includes(migration)) return
      for (const statement of splitStatements(migration.text)) {
        yield* Effect.catchIf(sql.unsafe(statement).unprepared, isRefused, (error) => refused(migration, error))
      }
      yield* sql`insert into parley_migrations ${sql.insert({
        number: migration.number,
        name: migration.name,
        checksum: migration.checksum,
      })}`
    }),
  )

const readApplied = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Applied>, SqlError.SqlError> =>
  SqlSchema.findAll({
    Request: Schema.Void,
    Result: Applied,
    execute: () => sql`select number, name, checksum from parley_migrations order by number`,
  })(undefined).pipe(Effect.catchTag("SchemaError", Effect.die))

const isMissingTable = (error: SqlError.SqlError): boolean => sqlState(error) === "42P01"

const isRefused = (error: SqlError.SqlError): boolean => !isUnreachable(error)

const refused = (migration: Migration, error: SqlError.SqlError): Effect.Effect<never, StartupError> =>
  Effect.fail(
    new StartupError({
      what: `The migration sql/${migration.name}.sql failed and was undone: ${serverMessage(error)}.`,
      doThis: "See the log of the database, and report this if the files are as they were delivered.",
    }),
  )

const damaged = (what: string): Effect.Effect<never, StartupError> =>
  Effect.fail(
    new StartupError({
      what,
      doThis: "Restore sql/ as it was delivered; a change goes into a new, higher number.",
    }),
  )

const unreadable = (what: string) => (): StartupError =>
  new StartupError({
    what: `${what} cannot be read.`,
    doThis: "Reinstall Parley: its sql/ folder is incomplete.",
  })
