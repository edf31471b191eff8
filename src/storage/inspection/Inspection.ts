import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Unavailable } from "../../domain/Errors.ts"
import { LEXEME_INDEX } from "../search/LexemeIndexes.ts"
import { SystemSql } from "../sql/Database.ts"
import { queueState } from "../sql/LeaseQueue.ts"
import { decodeRows, onlyRow } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { TimeLimited, withoutTimeLimit } from "../sql/TimeLimit.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Time for which a document is embedded before it counts as waiting for its vectors. */
const EMBEDDED_WITHIN = "10 seconds"

const Server = Schema.Struct({
  postgres: Schema.String,
  pgvector: Schema.String,
})
const Limits = Schema.Struct({
  /** `statement_timeout` in milliseconds; 0 for none, as on the embedded database. */
  statement: Count,
  /** `idle_in_transaction_session_timeout` in milliseconds; 0 for none, as on the embedded database. */
  idleTransaction: Count,
})
const Migration = Schema.Struct({ name: Schema.String })
const Embedding = Schema.Struct({
  /** The embedding model of the server that was started last; null before any was started. */
  declared: Schema.NullOr(Schema.String),
  /** The number of new documents whose embedding takes long, or is to be tried again: the provider fails or is slow. */
  awaitingVectors: Count,
})
const Model = Schema.Struct({ model: Schema.String, documents: Count, chunks: Count })
const Failure = Schema.Struct({ code: Schema.String, documents: Count })
const LexemeIndex = Schema.Struct({
  chatbot: Schema.String,
  /** `broken`: the process that was building the index has stopped. */
  state: Schema.Literals(["ready", "building", "broken"]),
})
const Garbage = Schema.Struct({
  /** The number of blobs that have been due for deletion for more than an hour. */
  overdue: Count,
  /** The number of blobs without an owner that are not, of which those that are being written may get one. */
  waiting: Count,
})

const decodeServer = decodeRows(Server)
const decodeLimits = decodeRows(Limits)
const decodeMigrations = decodeRows(Migration)
const decodeEmbedding = decodeRows(Embedding)
const decodeModels = decodeRows(Model)
const decodeFailures = decodeRows(Failure)
const decodeLexemeIndexes = decodeRows(LexemeIndex)
const decodeGarbage = decodeRows(Garbage)

/** An index of the words of one chatbot. */
export type LexemeIndexFacts = typeof LexemeIndex.Type

const decodeMissing = decodeRows(Schema.Struct({ missing: Schema.Boolean }))

/** Reads the state of the whole database for its operator. It changes nothing. */
export class Inspection extends Context.Service<Inspection>()("parley/storage/inspection/Inspection", {
  make: Effect.gen(function* () {
    const sql = yield* SystemSql

    /** New documents that wait for their vectors. */
    const awaitingVectors = sql`
      ingestions i join documents d on d.id = i.document_id
      where (i.lease_id is not null or i.run_at > now()) and d.status = 'embedding'
        and d.updated_at < now() - ${EMBEDDED_WITHIN}::interval`

    const database = Effect.gen(function* () {
      const server = yield* decodeServer(sql`
        select current_setting('server_version') as postgres,
          (select extversion from pg_extension where extname = 'vector') as pgvector`)
      const limits = yield* Effect.provideService(
        decodeLimits(sql`
          select (select setting::int from pg_settings where name = 'statement_timeout') as statement,
            (select setting::int from pg_settings where name = 'idle_in_transaction_session_timeout') as "idleTransaction"`),
        TimeLimited,
        true,
      )
      const migrations = yield* decodeMigrations(sql`select name from parley_migrations order by number`)
      return {
        ...(yield* onlyRow(server)),
        limits: yield* onlyRow(limits),
        migrations: migrations.map(({ name }) => name),
      }
    })

    const vectors = Effect.gen(function* () {
      const embedding = yield* decodeEmbedding(sql`
        select (select model from embedding_setting) as declared,
          (select count(*)::int from ${awaitingVectors}) as "awaitingVectors"`)
      const models = yield* decodeModels(sql`
        select coalesce(embedding_model, 'unknown') as model, count(*)::int as documents, sum(chunk_count)::int as chunks
        from documents where revision > 0 group by 1 order by chunks desc, model`)
      return { ...(yield* onlyRow(embedding)), models, reembeddings: yield* queueState(sql, "reembeddings") }
    })

    const documents = Effect.gen(function* () {
      const failures = yield* decodeFailures(sql`
        select coalesce(error->>'code', 'unknown') as code, count(*)::int as documents from documents
        where status = 'failed' group by 1 order by documents desc, code`)
      return { failures, ingestions: yield* queueState(sql, "ingestions") }
    })

    const lexemeIndexes = decodeLexemeIndexes(sql`
      select substr(relname, length(${LEXEME_INDEX}) + 1)::uuid::text as chatbot,
        case when indisvalid then 'ready'
          when exists (select from pg_stat_progress_create_index p where p.index_relid = indexrelid) then 'building'
          else 'broken' end as state
      from pg_index join pg_class on pg_class.oid = indexrelid
      where indrelid = 'chunks'::regclass and starts_with(relname, ${LEXEME_INDEX}) order by relname`)

    const garbage = decodeGarbage(
      sql`select count(*) filter (where is_overdue)::int as overdue, count(*) filter (where not is_overdue)::int as waiting
        from (select due_at < now() - interval '1 hour' as is_overdue from blob_garbage) garbage`,
    ).pipe(Effect.flatMap(onlyRow))

    return {
      /** Whether documents wait for vectors: new ones, or those that have vectors of another model. It counts none. */
      areVectorsMissing: Effect.map(
        decodeMissing(sql`
          select exists (select from reembeddings) or exists (select from ${awaitingVectors}) as missing`),
        ([row]) => row?.missing === true,
      ).pipe(withoutSqlErrors),

      database: inspected(database),

      vectors: inspected(vectors),

      documents: inspected(documents),

      /** The chatbots that have an index of words in the database; the others are searched in memory. */
      lexemeIndexes: inspected(lexemeIndexes),

      garbage: inspected(garbage),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const inspected = <A>(facts: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, Unavailable> =>
  facts.pipe(withoutTimeLimit, withoutSqlErrors)
