import { EMBEDDINGS, EMBEDDINGS_API_KEY, EMBEDDINGS_BASE_URL, EMBEDDINGS_DIMENSIONS } from "../system/Variables.ts"
import { embeddingModel, fraction, httpUrl, integer, secret, size } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const embeddings = {
  model: embeddingModel.or(
    EMBEDDINGS,
    "local",
    "How text becomes vectors: `local` needs no network; `openai:<model>` is any server with OpenAI's API; `voyage:<model>`. After a change the servers embed all documents again.",
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
}

const retriever = {
  threshold: fraction.orAbsent(
    "SIMILARITY_THRESHOLD",
    "Similarity that the best passage must reach for `query-knowledge` (over HTTP and MCP) to find anything; models get the best passages whatever their similarity. Raise it when questions find what does not answer them, lower it when too many find nothing. Absent: calibrated.",
  ),
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
  sections: { embeddings, retriever, knowledgeIndexes },
} satisfies Group
