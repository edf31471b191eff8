import { Effect, type FileSystem, Schema } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { readFunctions, splitStatements } from "../MigrationFiles.ts"
import { decodeRows } from "../Rows.ts"
import { StartupError } from "../../system/StartupError.ts"
import { ADVISORY_LOCK, isUnreachable, serverMessage } from "./Preparation.ts"
import { sqlState, transaction } from "./SqlErrors.ts"

/*
 * The functions and the triggers of the database are those of the files in `sql/functions/`, as they are now: no
 * migration has any. A migration drops those that no file has any more.
 */

const decodeKnown = decodeRows(Schema.Struct({ subject: Schema.String, checksum: Schema.String }))

/**
 * Gives the database the functions of each file that it was not given last as it is now. Each file is a transaction of
 * its own, so that the tables of its triggers are locked for a moment only.
 */
export const replaceFunctions = Effect.fn("Functions.replace")(function* (
  sql: SqlClient.SqlClient,
  /** The directory of the migrations. */
  directory: string,
): Effect.fn.Return<void, StartupError | SqlError.SqlError, FileSystem.FileSystem> {
  const files = yield* readFunctions(directory)
  const known = decodeKnown(sql`select subject, checksum from parley_functions`)
  const changedOf = (given: Effect.Success<typeof known>) =>
    files.filter((file) =>
      given.every(({ checksum, subject }) => subject !== file.subject || checksum !== file.checksum),
    )
  const changed = changedOf(yield* Effect.catchIf(known, isMissingTable, () => Effect.succeed([])))
  for (const file of changed) {
    const replace = Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`
      yield* sql`create table if not exists parley_functions (subject text primary key, checksum text not null)`
      // Another process may have replaced them while this one waited for the lock.
      if (!changedOf(yield* known).includes(file)) return
      // A function may call one of a file that comes later.
      yield* sql`set local check_function_bodies = off`
      for (const statement of splitStatements(file.text)) yield* sql.unsafe(statement).unprepared
      yield* sql.unsafe(PRIVILEGES).unprepared
      yield* sql`insert into parley_functions ${sql.insert({ subject: file.subject, checksum: file.checksum })}
        on conflict (subject) do update set checksum = excluded.checksum`
    })
    // The triggers' tables are locked one by one, and a server that writes to two of them may be in the way.
    yield* Effect.catchIf(transaction(sql)(replace), isRefused, (error) =>
      refused(`The file sql/functions/${file.subject}.sql`, error),
    )
  }
})

/**
 * Postgres lets every role execute a new function. A function that runs with its owner's rights reads past row-level
 * security, so that a second role on the same server could read all tenants through it. Only the tenants' role may
 * execute ours; trigger functions need no right, and a function that is replaced keeps its rights. Functions of
 * extensions stay as they are, and so do default privileges, which would also hold for what an extension adds later in
 * this owner's name.
 */
const PRIVILEGES = `do $$
declare
  one record;
begin
  for one in
    select p.oid::regprocedure as name, p.prorettype = 'trigger'::regtype as is_trigger
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace and pg_has_role(current_user, p.proowner, 'usage')
      and not exists (
        select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
      )
      and has_function_privilege('public', p.oid, 'execute')
  loop
    execute format('revoke execute on routine %s from public', one.name);
    if not one.is_trigger then
      execute format('grant execute on routine %s to parley_tenant', one.name);
    end if;
  end loop;
end
$$`

export const isMissingTable = (error: SqlError.SqlError): boolean => sqlState(error) === "42P01"

export const isRefused = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && !isUnreachable(error)

/** Fails with what the database says of a part of `sql/`. */
export const refused = (what: string, error: SqlError.SqlError): Effect.Effect<never, StartupError> =>
  Effect.fail(
    new StartupError({
      what: `${what} failed and was undone: ${serverMessage(error)}.`,
      doThis: "See the log of the database, and report this if the files are as they were delivered.",
    }),
  )
