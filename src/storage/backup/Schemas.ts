import { Effect, Schema } from "effect"
import { StartupError } from "../../system/StartupError.ts"
import { migrationsDirectory, readMigrations } from "../MigrationFiles.ts"
import type { Migrating } from "../sql/Database.ts"
import { migrate } from "../sql/Migrations.ts"
import { decodeRows } from "../Rows.ts"
import { readMigration, readTables } from "./Catalog.ts"
import { tableRules } from "./Tables.ts"

/*
 * The schemas with which the commands on backups open a database, in place of bringing it to the current one.
 */

const decodeEmpty = decodeRows(Schema.Struct({ has_rows: Schema.Boolean }))

/**
 * Makes the schema of an empty database as it was after a migration, for the restoration of a backup that was made
 * then. A database that is not empty, or already newer, is refused and stays as it is.
 */
export const emptyAt =
  (migration: string): Migrating =>
  (sql) =>
    Effect.gen(function* () {
      const files = yield* readMigrations(migrationsDirectory)
      const found = files.find(({ folds, name }) => name === migration || folds?.name === migration)
      if (found === undefined) {
        return yield* new StartupError({
          what: `The backup was made with the migration sql/${migration}.sql, which is missing here.`,
          doThis: `Restore it by the version of Parley that made it, or a newer one; this one knows up to sql/${files.at(-1)?.name}.sql.`,
        })
      }
      const catalog = yield* readTables(sql)
      for (const { isBackedUp, table } of tableRules) {
        if (!isBackedUp || !catalog.has(table)) continue
        const [row] = yield* decodeEmpty(sql`select exists (select from ${sql(table)}) as has_rows`)
        if (row?.has_rows === true) {
          return yield* new StartupError({
            what: `The database is not empty: there are rows in the table ${table}.`,
            doThis: "Restore into a new database, or a new data directory.",
          })
        }
      }
      yield* migrate(sql, migrationsDirectory, found.number)
      const reached = yield* readMigration(sql)
      if (reached !== found.name) {
        return yield* new StartupError({
          what: `The database is empty, but its schema is newer (sql/${reached}.sql) than that of the backup (sql/${found.name}.sql).`,
          doThis: "Restore into a new database, or a new data directory.",
        })
      }
    })

/** Leaves the schema as it is, and refuses a database that another version of Parley has brought to another one. */
export const asItIs: Migrating = (sql) =>
  Effect.gen(function* () {
    const newest = (yield* readMigrations(migrationsDirectory)).at(-1)?.name
    const reached = yield* readMigration(sql)
    if (reached === newest) return
    return yield* new StartupError({
      what:
        reached === undefined
          ? "There is nothing in the database yet."
          : `The schema of the database is sql/${reached}.sql, and that of this Parley sql/${newest}.sql.`,
      doThis: "Back it up by the version of Parley that runs on it, or run `parley migrate` first.",
    })
  })
