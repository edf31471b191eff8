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
  requests: counter(
    "parley_http_requests_total",
    "Answered HTTP requests by method, pattern of the route and status.",
    ["method", "route", "status"],
    2_000,
  ),
  seconds: histogram(
    "parley_http_request_duration_seconds",
    "Time from a request to the head of its response.",
    SHORT,
    ["method", "route"],
  ),
  running: gauge("parley_http_requests_in_flight", "Requests and streams that are being answered."),
  failures: counter("parley_http_failures_total", "Requests answered with a failure, by its code.", ["code"], 100),
}

export const chat = {
  firstWord: histogram(
    "parley_chat_first_word_seconds",
    "Time from the begin of a chat to the first word of its reply, of chats that are streamed.",
    LONG,
  ),
  replies: counter("parley_chat_replies_total", "Chats that a model was to answer, by outcome.", ["outcome"]),
  seconds: histogram("parley_chat_duration_seconds", "Time from the begin of a chat to the end of its reply.", LONG),
}

export const model = {
  calls: counter(
    "parley_model_calls_total",
    "Calls of language models by provider, model and outcome.",
    ["provider", "model", "outcome"],
    4 * MODELS_MAX,
  ),
  seconds: histogram(
    "parley_model_call_duration_seconds",
    "Time of a call of a language model, with all its attempts.",
    LONG,
    ["provider", "model"],
    MODELS_MAX,
  ),
  firstPart: histogram(
    "parley_model_first_part_seconds",
    "Time from a streamed call of a language model to the first part of its answer.",
    LONG,
    ["provider", "model"],
    MODELS_MAX,
  ),
  tokens: counter(
    "parley_model_tokens_total",
    "Tokens of language models by provider, model and kind.",
    ["provider", "model", "kind"],
    4 * MODELS_MAX,
  ),
}

export const tool = {
  seconds: histogram("parley_tool_call_duration_seconds", "Time of a tool call, by kind of tool and outcome.", LONG, [
    "kind",
    "outcome",
  ]),
}

export const search = {
  seconds: histogram("parley_search_duration_seconds", "Time of a search in a knowledge base.", SHORT),
  stages: histogram(
    "parley_search_stage_duration_seconds",
    "Time of a stage of a search: open the index, match words, embed the question, rank, rerank.",
    SHORT,
    ["stage"],
  ),
  indexes: gauge("parley_search_indexes", "Search indexes in memory."),
  bytes: gauge("parley_search_index_memory_bytes", "Memory of the search indexes."),
  limit: gauge("parley_search_index_memory_limit_bytes", "The most memory that search indexes may take."),
}

export const embeddings = {
  seconds: histogram(
    "parley_embedding_duration_seconds",
    "Time of a request to a provider of embeddings, by purpose (query, document) and outcome.",
    LONG,
    ["purpose", "outcome"],
  ),
}

export const rerank = {
  seconds: histogram("parley_rerank_duration_seconds", "Time of a request to the reranker, by outcome.", SHORT, [
    "outcome",
  ]),
}

export const jobs = {
  finished: counter("parley_jobs_total", "Attempts at jobs by queue and outcome.", ["queue", "outcome"]),
  seconds: histogram("parley_job_duration_seconds", "Time of an attempt at a job.", LONG, ["queue"]),
  stages: histogram(
    "parley_ingestion_stage_duration_seconds",
    "Time of a stage of the ingestion of a document: fetch, extract, index, publish.",
    LONG,
    ["stage"],
  ),
  queued: gauge("parley_queue_jobs", "Jobs of all servers by queue and state: waiting, under_way, delayed.", [
    "queue",
    "state",
  ]),
  oldest: gauge(
    "parley_queue_oldest_seconds",
    "How long the first due job of a queue has been waiting; 0 when none is.",
    ["queue"],
  ),
}

export const database = {
  up: gauge("parley_database_up", "Whether the database answered when the metrics were read."),
  statements: histogram(
    "parley_database_statement_duration_seconds",
    "Time of a statement, with the wait for a connection, by pool: tenant, system.",
    SHORT,
    ["pool"],
  ),
  failures: counter("parley_database_failures_total", "Statements that failed, by pool.", ["pool"]),
  used: gauge(
    "parley_database_connections_in_use",
    "Connections that are lent to statements and transactions, by pool.",
    ["pool"],
  ),
  limit: gauge("parley_database_connections_limit", "The most connections of a pool.", ["pool"]),
  waiting: gauge(
    "parley_database_connections_waiting",
    "Pipelines and transactions that wait for a connection, by pool.",
    ["pool"],
  ),
}

export const blobs = {
  seconds: histogram(
    "parley_blob_operation_duration_seconds",
    "Time of an operation on a stored file, by operation and outcome.",
    SHORT,
    ["operation", "outcome"],
  ),
}

export const outbound = {
  requests: histogram(
    "parley_outbound_request_duration_seconds",
    "Time of a request to an address that a user named, by outcome.",
    LONG,
    ["outcome"],
  ),
}

export const telemetry = {
  dropped: counter("parley_telemetry_dropped_total", "Attempts to export telemetry that the collector did not take."),
}

export const process = {
  build: gauge("parley_build_info", "Always 1; the labels say which version runs.", ["version", "bun"]),
  loopLag: histogram(
    "parley_event_loop_lag_seconds",
    "How late timers run, because the event loop is busy.",
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  ),
  heap: gauge("parley_heap_used_bytes", "Memory of JavaScript objects."),
  cpu: counted("process_cpu_seconds_total", "Total user and system CPU time spent in seconds."),
  resident: gauge("process_resident_memory_bytes", "Resident memory size in bytes."),
  started: gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds."),
}
