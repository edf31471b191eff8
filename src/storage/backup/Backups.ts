import { type Duration, Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { transaction, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval } from "../sql/SqlValues.ts"
import { Service } from "../../domain/Service.ts"

/** The rows of this many finished backups are kept. */
const KEPT = 100

export interface BackupSize {
  readonly rows: number
  readonly files: number
  readonly bytes: number
}

const LatestBackup = Schema.Struct({ age_seconds: Schema.Finite, files: Schema.Finite, bytes: Schema.Finite })
export type LatestBackup = typeof LatestBackup.Type

const decodeLatest = decodeRows(LatestBackup)

/** The table `backups`. While one runs, the blobs of deleted owners stay in the store. */
export class Backups extends Service<Backups>()("parley/storage/backup/Backups", function* () {
  const sql = yield* SystemSql
  const random = yield* SecureRandom.SecureRandom

  return {
    /**
     * Begins a backup, during which no blob is deleted for `hold`. Returns its id, or undefined while another one
     * runs.
     */
    begin: Effect.fnUntraced(function* (hold: Duration.Duration) {
      const id = yield* random.uuidV7()
      const rows = yield* Effect.gen(function* () {
        yield* sql`lock table backups in share row exclusive mode`.unprepared
        return yield* sql`insert into backups (id, holds_until)
          select ${id}::uuid, clock_timestamp() + ${interval(hold)}
          where not exists (select from backups where holds_until > clock_timestamp()) returning id`
      }).pipe(transaction(sql))
      return rows.length === 0 ? undefined : id
    }, withoutSqlErrors),

    /** Moves the end of the time in which no blob is deleted. */
    renew: Effect.fnUntraced(function* (id: string, hold: Duration.Duration) {
      yield* sql`update backups set holds_until = clock_timestamp() + ${interval(hold)}
        where id = ${id} and holds_until is not null`
    }, withoutSqlErrors),

    /** Ends a backup that was not finished. */
    abandon: Effect.fnUntraced(function* (id: string) {
      yield* sql`delete from backups where id = ${id} and finished_at is null`
    }, withoutSqlErrors),

    /** Ends a backup that is complete, and remembers it. */
    finish: Effect.fnUntraced(function* (id: string, { bytes, files, rows }: BackupSize) {
      yield* sql`update backups set holds_until = null, finished_at = clock_timestamp(),
        rows = ${rows}, files = ${files}, bytes = ${bytes} where id = ${id}`
      yield* sql`delete from backups where id not in (select id from backups order by began_at desc limit ${KEPT})
        and (holds_until is null or holds_until < now())`
    }, withoutSqlErrors),

    /** Finds the last backup that was finished. */
    latest: decodeLatest(sql`
      select extract(epoch from now() - finished_at)::float8 as age_seconds, files::float8 as files,
        bytes::float8 as bytes
      from backups where finished_at is not null order by finished_at desc limit 1`).pipe(
      Effect.map(([row]) => row),
      withoutSqlErrors,
    ),
  }
}) {}
