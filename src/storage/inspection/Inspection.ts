import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { OrganizationId } from "../../domain/Ids.ts"
import { LOCAL } from "../../domain/models/ModelConnection.ts"
import { Service } from "../../domain/Service.ts"
import { LEXEME_INDEX } from "../search/LexemeIndexes.ts"
import { LOCK_CLASS } from "../servers/ServerPresence.ts"
import { SystemSql } from "../sql/Database.ts"
import { type QueueState, queueState } from "../sql/LeaseQueue.ts"
import { decodeRows, onlyRow } from "../Rows.ts"
import { lengthy, withoutSqlErrors } from "../sql/SqlErrors.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Time for which a document is embedded before it counts as waiting for its vectors. */
const EMBEDDED_WITHIN = "10 seconds"

const Versions = Schema.Struct({
  postgres: Schema.String,
  pgvector: Schema.String,
  /** The name of the last migration that was applied. */
  migration: Schema.String,
})
const PostgresServer = Schema.Struct({
  /** The time of the database, in milliseconds since 1970. */
  at: Schema.Finite,
  /** The connections that the database gives to roles like that of the servers. */
  connectionsMax: Schema.Int,
  /** The connections that are open at the moment, those of other programs included. */
  open: Schema.Int,
})
const RunningServer = Schema.Struct({
  version: Schema.String,
  host: Schema.String,
  /** Connections to the database, at most. */
  connections: Schema.Int,
})
const Embedding = Schema.Struct({
  /** The embedding model of the server that was started last; null before any was started. */
  declared: Schema.NullOr(Schema.String),
  /** The number of new documents whose embedding takes long, or is to be tried again: the provider fails or is slow. */
  awaitingVectors: Count,
})
const Model = Schema.Struct({ model: Schema.String, documents: Count, chunks: Count })
const ModelInUse = Schema.Struct({
  model: Schema.String,
  /** One of the organizations whose chatbots have it. */
  organization: OrganizationId,
  /** The name of the organization that has connected it; null for a model of the settings. */
  connectedBy: Schema.NullOr(Schema.String),
})
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
const Webhooks = Schema.Struct({
  active: Count,
  /** Webhooks whose endpoint fails, and that are still tried. */
  failing: Count,
  /** Webhooks that the server has switched off. */
  dead: Count,
})

const decodeVersions = decodeRows(Versions)
const decodePostgres = decodeRows(PostgresServer)
const decodeServers = decodeRows(RunningServer)
const decodeNames = decodeRows(Schema.Struct({ name: Schema.String }))
const decodeEmbedding = decodeRows(Embedding)
const decodeModels = decodeRows(Model)
const decodeModelsInUse = decodeRows(ModelInUse)
const decodeFailures = decodeRows(Failure)
const decodeLexemeIndexes = decodeRows(LexemeIndex)
const decodeGarbage = decodeRows(Garbage)
const decodeWebhooks = decodeRows(Webhooks)
const decodeReadOnly = decodeRows(Schema.Struct({ isReadOnly: Schema.Boolean }))
const decodeMissing = decodeRows(Schema.Struct({ missing: Schema.Boolean }))

/** A server that uses the database. */
export type RunningServer = typeof RunningServer.Type

/** A language model that chatbots have. */
export type ModelInUse = typeof ModelInUse.Type

/** Facts about a Postgres server. */
export type PostgresServer = typeof PostgresServer.Type

/** An index of the words of one chatbot. */
export type LexemeIndexFacts = typeof LexemeIndex.Type

/** The state of each queue, by the name of its table. */
export type Queues = Readonly<
  Record<
    "ingestions" | "mail_queue" | "reembeddings" | "source_queue" | "test_queue" | "webhook_deliveries",
    QueueState
  >
>

/** Reads the state of the whole database for its operator. It changes nothing. */
export class Inspection extends Service<Inspection>()("parley/storage/inspection/Inspection", function* () {
  const sql = yield* SystemSql

  /** New documents that wait for their vectors. */
  const awaitingVectors = sql`
    ingestions i join documents d on d.id = i.document_id
    where (i.lease_id is not null or i.run_at > now()) and d.status = 'embedding'
      and d.updated_at < now() - ${EMBEDDED_WITHIN}::interval`

  const versions = decodeVersions(sql`
    select current_setting('server_version') as postgres,
      (select extversion from pg_extension where extname = 'vector') as pgvector,
      (select name from parley_migrations order by number desc limit 1) as migration`).pipe(Effect.flatMap(onlyRow))

  const postgres = decodePostgres(sql`
    select extract(epoch from clock_timestamp())::float8 * 1000 as at,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as open,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as "connectionsMax"`).pipe(
    Effect.flatMap(onlyRow),
  )

  const servers = decodeServers(sql`
    select version, host, connections from servers
    where exists (
      select from pg_locks
      where locktype = 'advisory' and granted and objsubid = 2 and classid = ${LOCK_CLASS}::int::oid
        and objid = number::oid and database = (select oid from pg_database where datname = current_database())
    )`)

  // Indexes of words and vectors are built in the background again, and have findings of their own.
  const invalidIndexes = Effect.map(
    decodeNames(sql`
      select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
      where relnamespace = 'public'::regnamespace and not indisvalid
        and not starts_with(relname, ${LEXEME_INDEX}) and not starts_with(relname, 'chunks_nearest_')
        and not exists (select from pg_stat_progress_create_index p where p.index_relid = indexrelid)
      order by 1`),
    (rows) => rows.map(({ name }) => name),
  )

  const waitingDeliveries = sql`(
    select lease_id, due_at as run_at from webhook_deliveries where state = 'waiting'
  ) q`

  const queues: Effect.Effect<Queues, SqlError.SqlError> = Effect.all({
    ingestions: queueState(sql, "ingestions"),
    mail_queue: queueState(sql, "mail_queue"),
    reembeddings: queueState(sql, "reembeddings"),
    source_queue: queueState(sql, "source_queue"),
    test_queue: queueState(sql, "test_queue"),
    webhook_deliveries: queueState(sql, waitingDeliveries),
  })

  const vectors = Effect.gen(function* () {
    const embedding = yield* decodeEmbedding(sql`
      select (select model from embedding_setting) as declared,
        (select count(*)::int from ${awaitingVectors}) as "awaitingVectors"`)
    const models = yield* decodeModels(sql`
      select coalesce(embedding_model, 'unknown') as model, count(*)::int as documents, sum(chunk_count)::int as chunks
      from documents where revision > 0 group by 1 order by chunks desc, model`)
    return { ...(yield* onlyRow(embedding)), models }
  })

  const modelsInUse = (most: number) =>
    decodeModelsInUse(sql`
      select model, min(o.id::text) as organization, case when m.id is not null then min(o.name) end as "connectedBy"
      from chatbots c join organizations o on o.id = c.organization_id
        cross join lateral (
          select c.settings->>'model' as model
          union select jsonb_array_elements_text(c.settings->'fallbackModels')
        ) used
        left join model_connections m on m.organization_id = o.id
          and (starts_with(model, m.name || '/') or (m.name = 'anthropic' and starts_with(model, 'claude-')))
      where c.active and not starts_with(model, ${`${LOCAL}/`}) group by model, m.id
      order by count(*) desc, model limit ${most}`)

  const failures = decodeFailures(sql`
    select coalesce(error->>'code', 'unknown') as code, count(*)::int as documents from documents
    where status = 'failed' group by 1 order by documents desc, code`)

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

  const webhooks = decodeWebhooks(sql`
    select count(*) filter (where active)::int as active,
      count(*) filter (where active and failures > 0)::int as failing,
      count(*) filter (where switched_off is not null)::int as dead
    from webhooks`).pipe(Effect.flatMap(onlyRow))

  return {
    /**
     * Whether the database can only be read: because its disk is nearly full, or because it is a standby. Asking takes
     * one round trip, by which one learns whether it answers.
     */
    isReadOnly: Effect.map(
      decodeReadOnly(sql`select current_setting('transaction_read_only')::boolean as "isReadOnly"`),
      ([row]) => row?.isReadOnly === true,
    ).pipe(withoutSqlErrors),

    /** Whether documents wait for vectors: new ones, or those that have vectors of another model. It counts none. */
    areVectorsMissing: Effect.map(
      decodeMissing(sql`
        select exists (select from reembeddings) or exists (select from ${awaitingVectors}) as missing`),
      ([row]) => row?.missing === true,
    ).pipe(withoutSqlErrors),

    versions: withoutSqlErrors(versions),

    /** The clock and the connections of a Postgres server. */
    postgres: withoutSqlErrors(postgres),

    /** The servers that use a Postgres server's database. */
    servers: withoutSqlErrors(servers),

    /** The names of indexes that Postgres does not use because building them was never finished. */
    invalidIndexes: withoutSqlErrors(invalidIndexes),

    queues: withoutSqlErrors(queues),

    vectors: lengthy(vectors),

    /** The models that active chatbots have, beside those of the server itself: at most so many, of most chatbots first. */
    modelsInUse: (most: number) => lengthy(modelsInUse(most)),

    /** The numbers of failed documents, by the code of the failure. */
    failures: lengthy(failures),

    /** The chatbots that have an index of words in the database; the others are searched in memory. */
    lexemeIndexes: lengthy(lexemeIndexes),

    garbage: lengthy(garbage),

    /** The webhooks of all organizations in numbers. */
    webhooks: withoutSqlErrors(webhooks),
  }
}) {}
