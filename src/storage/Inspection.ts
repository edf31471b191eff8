import { Context, Effect, Layer } from "effect"
import type { Unavailable } from "../domain/Errors.ts"
import { LEXEME_INDEX } from "./search/LexemeIndexes.ts"
import { SystemSql } from "./sql/Database.ts"
import { type QueueState, queueState } from "./sql/LeaseQueue.ts"
import { withoutSqlErrors } from "./sql/SqlErrors.ts"
import { withoutTimeLimit } from "./sql/TimeLimit.ts"

export interface DatabaseFacts {
  readonly postgres: string
  readonly pgvector: string
  /** Names of the migrations it has had, by number. */
  readonly migrations: ReadonlyArray<string>
  /** Of documents that serve, by what made their embeddings. */
  readonly models: ReadonlyArray<{ readonly model: string; readonly documents: number; readonly chunks: number }>
  /** What the server that was started last embeds with; null before any was. */
  readonly declared: string | null
  readonly ingestions: QueueState
  readonly reembeddings: QueueState
  /** Documents that have failed, by reason, most first. */
  readonly failures: ReadonlyArray<{ readonly code: string; readonly documents: number }>
  /** Chatbots whose words have an index in the database; the others are searched by indexes in memory. */
  readonly lexemeIndexes: ReadonlyArray<{
    readonly chatbot: string
    /** `broken`: whoever was making it has stopped. */
    readonly state: "ready" | "building" | "broken"
  }>
  /** Files that are to be deleted, and should have been an hour ago. */
  readonly garbageOverdue: number
}

/** What can be told of the whole database, for the operator. Reads, and changes nothing. */
export class Inspection extends Context.Service<
  Inspection,
  { readonly facts: Effect.Effect<DatabaseFacts, Unavailable> }
>()("parley/storage/Inspection") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SystemSql

      const facts = Effect.gen(function* () {
        const [server] = yield* sql<Pick<DatabaseFacts, "postgres" | "pgvector" | "declared" | "garbageOverdue">>`
          select current_setting('server_version') as postgres,
            (select extversion from pg_extension where extname = 'vector') as pgvector,
            (select model from embedding_setting) as declared,
            (select count(*)::int from blob_garbage where due_at < now() - interval '1 hour') as "garbageOverdue"`
        const migrations = yield* sql<{ name: string }>`select name from parley_migrations order by number`
        const models = yield* sql<DatabaseFacts["models"][number]>`
          select coalesce(embedding_model, 'unknown') as model, count(*)::int as documents, sum(chunk_count)::int as chunks
          from documents where revision > 0 group by 1 order by chunks desc, model`
        const failures = yield* sql<DatabaseFacts["failures"][number]>`
          select coalesce(error->>'code', 'unknown') as code, count(*)::int as documents from documents
          where status = 'failed' group by 1 order by documents desc, code`
        const lexemeIndexes = yield* sql<DatabaseFacts["lexemeIndexes"][number]>`
          select substr(relname, length(${LEXEME_INDEX}) + 1)::uuid::text as chatbot,
            case when indisvalid then 'ready'
              when exists (select from pg_stat_progress_create_index p where p.index_relid = indexrelid) then 'building'
              else 'broken' end as state
          from pg_index join pg_class on pg_class.oid = indexrelid
          where indrelid = 'chunks'::regclass and starts_with(relname, ${LEXEME_INDEX}) order by relname`
        return {
          ...(yield* Effect.orDie(Effect.fromNullishOr(server))),
          migrations: migrations.map(({ name }) => name),
          models,
          failures,
          lexemeIndexes,
          ingestions: yield* queueState(sql, "ingestions"),
          reembeddings: yield* queueState(sql, "reembeddings"),
        }
      }).pipe(withoutTimeLimit, withoutSqlErrors)

      return { facts }
    }),
  )
}
