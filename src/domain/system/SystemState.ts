import { Schema } from "effect"
import { Timestamp } from "../schema/Timestamp.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A kind of job that outlives its request. */
export const QueueKind = Schema.Literals(["ingestion", "embedding", "sources"]).annotate({
  description:
    "`ingestion`: documents to read. `embedding`: documents whose vectors are made again. `sources`: sources to read; those that wait for their schedule are `delayed`.",
})

/** The jobs of one kind, of all organizations. */
export const Queue = Schema.Struct({
  kind: QueueKind,
  waiting: Count.annotate({ description: "Jobs that are due, and that no server has taken." }),
  under_way: Count,
  delayed: Count.annotate({ description: "Jobs that are tried again later." }),
  oldest_seconds: Schema.NullOr(Schema.Finite).annotate({
    description: "For how long the oldest due job has been due; null when none is.",
  }),
}).annotate({ identifier: "Queue" })

/** The state of one server process and of the database that it uses. */
export const SystemState = Schema.Struct({
  version: Schema.String.annotate({ description: "Of the program.", examples: ["0.1.0"] }),
  api_version: Schema.String.annotate({ examples: ["1.0.0"] }),
  runtime: Schema.String.annotate({ examples: ["Bun 1.4.5"] }),
  started_at: Timestamp.annotate({ description: "When the process that answers was started." }),
  uptime_seconds: Schema.Finite,
  readiness: Schema.Struct({
    status: Schema.Literals(["ready", "stopping"]).annotate({ description: "As `/readyz` answers." }),
    vectors: Schema.Literals(["complete", "waiting"]).annotate({
      description: "`waiting`: documents wait for the embedding model.",
    }),
  }),
  database: Schema.Struct({
    kind: Schema.Literals(["embedded", "postgres"]),
    version: Schema.String.annotate({ description: "Of PostgreSQL.", examples: ["18.1"] }),
    pgvector: Schema.String.annotate({ examples: ["0.8.1"] }),
    migration: Schema.String.annotate({ description: "The last one that was applied.", examples: ["0002_budgets"] }),
  }),
  queues: Schema.Array(Queue),
  search_indexes: Schema.Struct({
    count: Count.annotate({ description: "Knowledge bases whose index is in memory." }),
    bytes: Count,
    limit_bytes: Count.annotate({ description: "The limit that the settings give, or the part of this worker in it." }),
  }),
  memory_bytes: Count.annotate({ description: "Memory that the process occupies." }),
  warnings: Schema.Array(Schema.String).annotate({
    description: "What is odd about the settings, as the log of the start says it.",
  }),
}).annotate({ identifier: "SystemState" })
export type SystemState = typeof SystemState.Type

/** A finding of `doctor` about one part of the server. */
export const Finding = Schema.Struct({
  state: Schema.Literals(["ok", "note", "wrong"]).annotate({
    description: "`note`: no fault, but worth a look.",
  }),
  part: Schema.Literals([
    "database",
    "clock",
    "connections",
    "servers",
    "tables",
    "disk",
    "models",
    "embeddings",
    "vectors",
    "search",
    "ingestion",
    "sources",
    "readers",
    "documents",
    "files",
    "backups",
    "webhooks",
    "secrets",
  ]),
  text: Schema.String.annotate({ examples: ["local/extractive answers"] }),
}).annotate({ identifier: "Finding" })
export type Finding = typeof Finding.Type
