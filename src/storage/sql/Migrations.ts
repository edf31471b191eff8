import { Effect, type FileSystem, Schedule, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { damagedMigrations, type Migration, readMigrations, splitStatements } from "../MigrationFiles.ts"
import { isMissingTable, isRefused, refused, replaceFunctions } from "./Functions.ts"
import { makeIndexes } from "./Indexes.ts"
import { ADVISORY_LOCK } from "./Preparation.ts"
import { transaction } from "./SqlErrors.ts"
import { decodeRows } from "../Rows.ts"
import { nothingThere, StartupError } from "../../system/StartupError.ts"

const Applied = Schema.Struct({
  number: Schema.Int,
  name: Schema.String,
  checksum: Schema.String,
  /** As `Migration.usableFrom`. */
  usable_from: Schema.NullOr(Schema.Int),
})
type Applied = typeof Applied.Type

/**
 * Applies the migrations in a directory that the database has not had. A database that has had later ones can be used
 * if each of them declares that servers of this directory can, so that servers of two versions run side by side while
 * one replaces the other, and the older one can come back. Each migration is a transaction of its own, so that one that
 * fails leaves the database at the one before; only the indexes that it makes concurrently are there already. After the
 * last migration, functions that the database has otherwise are replaced, unless it is newer than this server. Processes
 * that start at the same time wait for each other. It takes two round trips when there is nothing to do.
 */
export const migrate = Effect.fn("Migrations.migrate")(function* (
  sql: SqlClient.SqlClient,
  directory: string,
  /** The number of the last migration to apply; all are applied when it is absent. */
  last = Number.POSITIVE_INFINITY,
): Effect.fn.Return<void, StartupError | SqlError.SqlError, FileSystem.FileSystem> {
  const migrations = yield* readMigrations(directory)
  const done = yield* appliedOf(sql, migrations)
  const newer = done.filter((applied) => migrations.every(({ number }) => number !== applied.number))
  if (newer.length > 0 && newer.every((applied) => isUsable(applied, migrations))) {
    yield* Effect.logWarning(
      "The database is newer than this server, which can use it. Update the server, or keep it until another is back.",
      { migrations: newer.map(({ name }) => name).join(", ") },
    )
  }
  for (const migration of yield* pendingOf(migrations, done)) {
    if (migration.number > last) return
    // Nobody writes to the tables of a new database, and an index is made faster within the transaction.
    if (done.length > 0) {
      yield* Effect.catchIf(buildIndexes(sql, migration), isRefused, (error) =>
        refused(`The migration sql/${migration.name}.sql`, error),
      )
    }
    yield* inTransaction(sql, migrations, migration, done.length === 0)
  }
  if (newer.length === 0 && last >= (migrations.at(-1)?.number ?? 0)) yield* replaceFunctions(sql, directory)
})

/** Fails where a database has not had every migration in a directory, and changes nothing. `place` names the database. */
export const refuseOutdated = Effect.fn("Migrations.refuseOutdated")(function* (
  sql: SqlClient.SqlClient,
  directory: string,
  place: string,
): Effect.fn.Return<void, StartupError | SqlError.SqlError, FileSystem.FileSystem> {
  const migrations = yield* readMigrations(directory)
  const done = yield* appliedOf(sql, migrations)
  if (done.length === 0) return yield* nothingThere(place)
  if ((yield* pendingOf(migrations, done)).length === 0) return
  return yield* new StartupError({
    what: `The schema of the database in ${place} is sql/${done.at(-1)?.name}.sql, and that of this Parley sql/${migrations.at(-1)?.name}.sql.`,
    doThis: "Start a server of this version, or run `parley migrate`: both bring it up to date.",
  })
})

/** Whether servers with these migrations can use a database after one that they do not know. */
const isUsable = ({ number, usable_from }: Applied, migrations: ReadonlyArray<Migration>): boolean => {
  const newest = migrations.at(-1)?.number ?? 0
  return number > newest && usable_from !== null && usable_from <= newest
}

/** Returns the migrations that are still to be applied, or fails when the applied ones differ from the files. */
const pendingOf = (
  migrations: ReadonlyArray<Migration>,
  done: ReadonlyArray<Applied>,
): Effect.Effect<ReadonlyArray<Migration>, StartupError> => {
  const [first] = migrations
  const [oldest] = done
  if (first?.folds !== undefined && oldest !== undefined && oldest.name !== first.name) {
    return Effect.fail(
      new StartupError({
        what: `The schema of the database is sql/${done.at(-1)?.name}.sql, which is too old for this Parley.`,
        doThis: `First start the Parley whose last migration is sql/${first.folds.name}.sql, then this one.`,
      }),
    )
  }
  for (const applied of done) {
    const migration = migrations.find((candidate) => candidate.number === applied.number)
    if (migration === undefined && isUsable(applied, migrations)) continue
    if (migration === undefined) {
      return Effect.fail(
        new StartupError({
          what: `The database has had the migration sql/${applied.name}.sql, which is missing here, and this server is too old for it.`,
          doThis: "Start the Parley that made this database, or a newer one.",
        }),
      )
    }
    if (migration.name !== applied.name || migration.checksum !== applied.checksum) {
      return damagedMigrations(
        `sql/${migration.name}.sql is not what the database was given as sql/${applied.name}.sql.`,
      )
    }
  }
  const pending = migrations.filter((migration) => done.every((applied) => applied.number !== migration.number))
  const newest = done.at(-1)?.number ?? -1
  const late = pending.find((migration) => migration.number < newest)
  return late === undefined
    ? Effect.succeed(pending)
    : damagedMigrations(`sql/${late.name}.sql is new, but the database has had later ones.`)
}

/** A statement that makes an index outside of the transaction of its migration. */
const INDEX = /^create index concurrently (?<name>\w+) on (?<table>\w+) (?<definition>[^;]+)$/
/** The interval at which it is tried again when another process builds an index. */
const INDEX_WAIT = Schedule.spaced("1 second")

/**
 * Builds the indexes of a migration before its transaction, so that older servers, which still write to the table, do
 * not wait for them. One that is there already stays, and one that a process left unfinished is built anew.
 */
const buildIndexes = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, migration: Migration) {
  const indexes = makeIndexes(sql)
  for (const statement of splitStatements(migration.text)) {
    const { name, table, definition } = INDEX.exec(statement)?.groups ?? {}
    if (name === undefined || table === undefined || definition === undefined) continue
    yield* Effect.repeat(indexes.ensure({ name, table, definition }), {
      until: (isThere) => isThere,
      schedule: INDEX_WAIT,
    })
  }
})

const inTransaction = Effect.fnUntraced(
  function* (
    sql: SqlClient.SqlClient,
    migrations: ReadonlyArray<Migration>,
    migration: Migration,
    withIndexes: boolean,
  ) {
    yield* sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`
    yield* sql`create table if not exists parley_migrations (
      number int primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now(),
      usable_from integer
    )`
    // Another process may have applied migrations while this one waited for the lock.
    const done = yield* appliedOf(sql, migrations)
    const pending = yield* pendingOf(migrations, done)
    if (!pending.includes(migration)) return
    const [first] = done
    if (done.length === 1 && first !== undefined) {
      // In place of those that it folds.
      yield* sql`delete from parley_migrations`
      yield* sql`insert into parley_migrations ${sql.insert(first)}`
    }
    for (const statement of splitStatements(migration.text)) {
      if (INDEX.test(statement) && !withIndexes) continue
      yield* sql.unsafe(statement.replace(/^create index concurrently /, "create index ")).unprepared
    }
    yield* sql`insert into parley_migrations ${sql.insert({
      number: migration.number,
      name: migration.name,
      checksum: migration.checksum,
      usable_from: migration.usableFrom ?? null,
    })}`
  },
  (work, sql, _migrations, migration) =>
    // A server that writes to several of the tables may be in the way.
    Effect.catchIf(transaction(sql)(work), isRefused, (error) =>
      refused(`The migration sql/${migration.name}.sql`, error),
    ),
)

const decodeApplied = decodeRows(Applied)

/** The migrations that the database has had: the first one in place of all that it folds. */
const appliedOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, [first]: ReadonlyArray<Migration>) {
  const done = yield* Effect.catchIf(
    decodeApplied(sql`select number, name, checksum, usable_from from parley_migrations order by number`),
    isMissingTable,
    () => Effect.succeed([]),
  )
  const last = done.at(-1)
  if (first?.folds === undefined || last?.name !== first.folds.name || last.checksum !== first.folds.checksum)
    return done
  return [{ number: first.number, name: first.name, checksum: first.checksum, usable_from: null }]
})
