import { counted, counter, gauge, histogram } from "./Instruments.ts"

/*
 * Every metric of Parley. docs/observability.md explains them; the dashboard and the alert rules of docs/operations use
 * them, so that a renamed metric is a change for operators.
 */

/** Boundaries for what takes from a millisecond to ten seconds. */
const SHORT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Boundaries for what waits for a language model, or for a document to be read. */
const LONG = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300]

/** The most models that have series of their own. Owners of chatbots choose the names of models. */
const MODELS_MAX = 100

export const http = {
  requests: counter({
    name: "parley_http_requests_total",
    description: "Answered HTTP requests by method, pattern of the route and status.",
    labels: ["method", "route", "status"],
    seriesMax: 2_000,
  }),
  seconds: histogram({
    name: "parley_http_request_duration_seconds",
    description: "Time from a request to the head of its response.",
    labels: ["method", "route"],
    boundaries: SHORT,
  }),
  running: gauge({
    name: "parley_http_requests_in_flight",
    description: "Requests and streams that are being answered.",
    labels: [],
  }),
  failures: counter({
    name: "parley_http_failures_total",
    description: "Requests answered with a failure, by its code.",
    labels: ["code"],
    seriesMax: 100,
  }),
}

export const chat = {
  firstWord: histogram({
    name: "parley_chat_first_word_seconds",
    description: "Time from the begin of a chat to the first word of its reply, of chats that are streamed.",
    labels: [],
    boundaries: LONG,
  }),
  replies: counter({
    name: "parley_chat_replies_total",
    description: "Chats that a model was to answer, by outcome.",
    labels: ["outcome"],
  }),
  seconds: histogram({
    name: "parley_chat_duration_seconds",
    description: "Time from the begin of a chat to the end of its reply.",
    labels: [],
    boundaries: LONG,
  }),
}

export const model = {
  calls: counter({
    name: "parley_model_calls_total",
    description: "Calls of language models by provider, model and outcome.",
    labels: ["provider", "model", "outcome"],
    seriesMax: 4 * MODELS_MAX,
  }),
  seconds: histogram({
    name: "parley_model_call_duration_seconds",
    description: "Time of a call of a language model, with all its attempts.",
    labels: ["provider", "model"],
    boundaries: LONG,
    seriesMax: MODELS_MAX,
  }),
  firstPart: histogram({
    name: "parley_model_first_part_seconds",
    description: "Time from a streamed call of a language model to the first part of its answer.",
    labels: ["provider", "model"],
    boundaries: LONG,
    seriesMax: MODELS_MAX,
  }),
  tokens: counter({
    name: "parley_model_tokens_total",
    description: "Tokens of language models by provider, model and kind.",
    labels: ["provider", "model", "kind"],
    seriesMax: 4 * MODELS_MAX,
  }),
}

export const tool = {
  seconds: histogram({
    name: "parley_tool_call_duration_seconds",
    description: "Time of a tool call, by kind of tool and outcome.",
    labels: ["kind", "outcome"],
    boundaries: LONG,
  }),
}

export const search = {
  seconds: histogram({
    name: "parley_search_duration_seconds",
    description: "Time of a search in a knowledge base.",
    labels: [],
    boundaries: SHORT,
  }),
  stages: histogram({
    name: "parley_search_stage_duration_seconds",
    description: "Time of a stage of a search: open the index, match words, embed the question, rank.",
    labels: ["stage"],
    boundaries: SHORT,
  }),
  indexes: gauge({
    name: "parley_search_indexes",
    description: "Search indexes in memory.",
    labels: [],
  }),
  bytes: gauge({
    name: "parley_search_index_memory_bytes",
    description: "Memory of the search indexes.",
    labels: [],
  }),
  limit: gauge({
    name: "parley_search_index_memory_limit_bytes",
    description: "The most memory that search indexes may take.",
    labels: [],
  }),
}

export const embeddings = {
  seconds: histogram({
    name: "parley_embedding_duration_seconds",
    description: "Time of a request to a provider of embeddings, by purpose (query, document) and outcome.",
    labels: ["purpose", "outcome"],
    boundaries: LONG,
  }),
}

export const jobs = {
  finished: counter({
    name: "parley_jobs_total",
    description: "Attempts at jobs by queue and outcome.",
    labels: ["queue", "outcome"],
  }),
  seconds: histogram({
    name: "parley_job_duration_seconds",
    description: "Time of an attempt at a job.",
    labels: ["queue"],
    boundaries: LONG,
  }),
  stages: histogram({
    name: "parley_ingestion_stage_duration_seconds",
    description: "Time of a stage of the ingestion of a document: fetch, extract, index, publish.",
    labels: ["stage"],
    boundaries: LONG,
  }),
  queued: gauge({
    name: "parley_queue_jobs",
    description: "Jobs of all servers by queue and state: waiting, under_way, delayed.",
    labels: ["queue", "state"],
  }),
  oldest: gauge({
    name: "parley_queue_oldest_seconds",
    description: "How long the first due job of a queue has been waiting; 0 when none is.",
    labels: ["queue"],
  }),
}

export const database = {
  up: gauge({
    name: "parley_database_up",
    description: "Whether the database answered when the metrics were read.",
    labels: [],
  }),
  statements: histogram({
    name: "parley_database_statement_duration_seconds",
    description: "Time of a statement, with the wait for a connection, by pool: tenant, system.",
    labels: ["pool"],
    boundaries: SHORT,
  }),
  failures: counter({
    name: "parley_database_failures_total",
    description: "Statements that failed, by pool.",
    labels: ["pool"],
  }),
  used: gauge({
    name: "parley_database_connections_in_use",
    description: "Connections that are lent to statements and transactions, by pool.",
    labels: ["pool"],
  }),
  limit: gauge({
    name: "parley_database_connections_limit",
    description: "The most connections of a pool.",
    labels: ["pool"],
  }),
  waiting: gauge({
    name: "parley_database_connections_waiting",
    description: "Pipelines and transactions that wait for a connection, by pool.",
    labels: ["pool"],
  }),
}

export const blobs = {
  seconds: histogram({
    name: "parley_blob_operation_duration_seconds",
    description: "Time of an operation on a stored file, by operation and outcome.",
    labels: ["operation", "outcome"],
    boundaries: SHORT,
  }),
}

export const outbound = {
  requests: histogram({
    name: "parley_outbound_request_duration_seconds",
    description: "Time of a request to an address that a user named, by outcome.",
    labels: ["outcome"],
    boundaries: LONG,
  }),
}

export const telemetry = {
  dropped: counter({
    name: "parley_telemetry_dropped_total",
    description: "Attempts to export telemetry that the collector did not take.",
    labels: [],
  }),
}

export const process = {
  build: gauge({
    name: "parley_build_info",
    description: "Always 1; the labels say which version runs.",
    labels: ["version", "bun"],
  }),
  loopLag: histogram({
    name: "parley_event_loop_lag_seconds",
    description: "How late timers run, because the event loop is busy.",
    labels: [],
    boundaries: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  }),
  heap: gauge({
    name: "parley_heap_used_bytes",
    description: "Memory of JavaScript objects.",
    labels: [],
  }),
  cpu: counted({
    name: "process_cpu_seconds_total",
    description: "Total user and system CPU time spent in seconds.",
    labels: [],
  }),
  resident: gauge({
    name: "process_resident_memory_bytes",
    description: "Resident memory size in bytes.",
    labels: [],
  }),
  started: gauge({
    name: "process_start_time_seconds",
    description: "Start time of the process since unix epoch in seconds.",
    labels: [],
  }),
}
