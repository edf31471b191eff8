import { availableParallelism } from "node:os"
import {
  EMBEDDINGS,
  EMBEDDINGS_API_KEY,
  EMBEDDINGS_BASE_URL,
  EMBEDDINGS_DIMENSIONS,
  EMBEDDINGS_THREADS,
  RERANK_API_KEY,
  RERANK_MODEL,
  RERANK_URL,
} from "../system/Variables.ts"
import { ofWorker } from "../system/Seat.ts"
import { modelsDirectory } from "./Data.ts"
import { autoOr, embeddingModel, fraction, httpUrl, integer, rerankModel, secret, size } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const embeddings = {
  model: embeddingModel.or(
    EMBEDDINGS,
    "local",
    "Embedding model: `local` compares spelling, [`local:minilm`](operations.md#models-in-the-server) meaning in English; `local:<name>` is a model of your own, `openai:<model>` of any server with OpenAI's API. After a change the servers embed all documents again.",
  ),
  apiKey: secret.orAbsent(EMBEDDINGS_API_KEY, "Key of the embedding provider."),
  baseUrl: httpUrl.orAbsent(EMBEDDINGS_BASE_URL, "Embedding provider, with or without `/v1`. Absent: its own address."),
  dimensions: integer(1, 4_096).orAbsent(EMBEDDINGS_DIMENSIONS, "Dimensions of the vectors. Absent: the model's own."),
  sentences: {
    directory: modelsDirectory,
    threads: autoOr(64)
      .or(
        EMBEDDINGS_THREADS,
        "auto",
        "Threads that run a model of `local:<name>`, at least one for each worker. `auto`: one for each core but one.",
      )
      .map((threads) => ofWorker(1)(Number.isFinite(threads) ? threads : availableParallelism() - 1)),
  },
}

const retriever = {
  threshold: fraction.orAbsent(
    "SIMILARITY_THRESHOLD",
    "Similarity that the best passage must reach for `query-knowledge` to find anything, also over MCP; models always get the best passages. Raise it when results do not answer. Absent: calibrated.",
  ),
}

const reranker = {
  url: httpUrl.orAbsent(
    RERANK_URL,
    `[Service](operations.md#reranking) that reranks the first 30 passages of each search, with or without \`/rerank\` at its end. Absent: no reranking, unless \`${RERANK_MODEL}\` is in the server.`,
  ),
  model: rerankModel.orAbsent(
    RERANK_MODEL,
    `Model of the reranker; \`local:<name>\` is [one in the server](operations.md#rerankers), without \`${RERANK_URL}\`. Absent: the service's only one.`,
  ),
  apiKey: secret.orAbsent(RERANK_API_KEY, "Key of the reranker."),
}

const knowledgeIndexes = {
  bytes: size
    .or(
      "INDEX_MEMORY",
      "512MiB",
      "Memory for search indexes, shared by the workers of a server; the default holds some 250,000 passages in one worker, and 127,000 in each of two.",
    )
    .map(ofWorker(1)),
}

export const search = {
  title: "Embeddings and search",
  introduction: "",
  sections: { embeddings, retriever, reranker, knowledgeIndexes },
} satisfies Group
