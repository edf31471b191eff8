import {
  EMBEDDINGS,
  EMBEDDINGS_API_KEY,
  EMBEDDINGS_BASE_URL,
  EMBEDDINGS_DIMENSIONS,
  EMBEDDINGS_THREADS,
  NPM_CONFIG_REGISTRY,
  RERANK_API_KEY,
  RERANK_MODEL,
  RERANK_URL,
} from "../system/Variables.ts"
import { modelsDirectory } from "./Data.ts"
import { embeddingModel, fraction, httpUrl, integer, secret, size, text } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const embeddings = {
  model: embeddingModel.or(
    EMBEDDINGS,
    "local",
    "How text becomes vectors: `local` compares spelling; `local:minilm` compares meaning, in English, by a model of 19 MB that is fetched once, and `local:<name>` by [one of your own](operations.md#models-in-the-server); `openai:<model>` is any server with OpenAI's API; `voyage:<model>`. After a change the servers embed all documents again.",
  ),
  apiKey: secret.orAbsent(EMBEDDINGS_API_KEY, "Key of the embedding provider."),
  baseUrl: httpUrl.orAbsent(
    EMBEDDINGS_BASE_URL,
    "Where the embedding provider is, with or without `/v1`. Absent: its own.",
  ),
  dimensions: integer(1, 4_096).orAbsent(
    EMBEDDINGS_DIMENSIONS,
    "Dimensions of the vectors, for models that leave a choice. Absent: the model's own.",
  ),
  sentences: {
    directory: modelsDirectory,
    threads: integer(1, 64).or(
      EMBEDDINGS_THREADS,
      "1",
      "Threads that run the model of `local:<name>`, each with its own copy in memory. Raise it on machines with more than two cores that take in many documents.",
    ),
    registry: httpUrl.or(
      NPM_CONFIG_REGISTRY,
      "https://registry.npmjs.org",
      "npm registry that has the model `minilm`, whose checksum is known. Change it where machines reach only a mirror.",
    ),
  },
}

const retriever = {
  threshold: fraction.orAbsent(
    "SIMILARITY_THRESHOLD",
    "Similarity that the best passage must reach for `query-knowledge` (over HTTP and MCP) to find anything; models get the best passages whatever their similarity. Raise it when questions find what does not answer them, lower it when too many find nothing. Absent: calibrated.",
  ),
}

const reranker = {
  url: httpUrl.orAbsent(
    RERANK_URL,
    "Service that reranks the first 30 passages of each search, with or without `/rerank` at its end, such as `https://api.cohere.com/v2`, `https://api.jina.ai/v1`, `https://api.voyageai.com/v1`, or a server of your own. It receives questions and passages. Absent: no reranking.",
  ),
  model: text.orAbsent(
    RERANK_MODEL,
    "Model of the reranker. Absent: the server has one, and takes requests as text-embeddings-inference and llama.cpp do.",
  ),
  apiKey: secret.orAbsent(RERANK_API_KEY, "Key of the reranker."),
}

const knowledgeIndexes = {
  bytes: size.or(
    "INDEX_MEMORY",
    "256MiB",
    "Memory for search indexes of knowledge bases. It holds an index of some 127,000 passages. Raise it for larger ones, or for many that are searched at once.",
  ),
}

export const search = {
  title: "Embeddings and search",
  introduction: "How passages are found for a question.",
  sections: { embeddings, retriever, reranker, knowledgeIndexes },
} satisfies Group
