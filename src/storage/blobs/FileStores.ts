import { Effect, Schema } from "effect"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { Service } from "../../domain/Service.ts"

const decodeStores = decodeRows(Schema.Struct({ id: Schema.String, is_marked: Schema.Boolean }))

/** The table `file_stores`: the id by which servers of one database recognize its store of files. */
export class FileStores extends Service<FileStores>()("parley/storage/blobs/FileStores", function* () {
  const sql = yield* SystemSql
  const found = Effect.map(decodeStores(sql`select id, is_marked from file_stores`), ([row]) => row)

  return {
    /** The id of the database's store of files, and whether the store has been marked; undefined before a server asked. */
    found: withoutSqlErrors(found),

    /** The same, with an id that is made when it is asked for the first time. */
    get: Effect.andThen(sql`insert into file_stores default values on conflict do nothing`, found).pipe(
      withoutSqlErrors,
    ),

    /**
     * Runs `mark`, which marks the store, and records that it did, unless a server has done so before. Others that
     * begin meanwhile wait. A failure of `mark` records nothing.
     */
    claim: <E>(mark: Effect.Effect<void, E>) =>
      Effect.gen(function* () {
        const claimed = yield* sql`update file_stores set is_marked = true where not is_marked returning id`
        if (claimed.length > 0) yield* mark
      }).pipe(committing(sql)),
  }
}) {}
