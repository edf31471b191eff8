import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { ChatbotId, DocumentId, optionalId } from "../../domain/Ids.ts"
import { QUERY_MAX_LENGTH } from "../../domain/knowledge/Passage.ts"
import { textBetween } from "../../domain/schema/Text.ts"
import { Problem } from "../failures/Problem.ts"
import { Idempotent, RequestBody, RequiredScope } from "../Middleware.ts"
import { described } from "../parts/Annotations.ts"

/** The fields that a result has when the request has `explain: true`. */
const Explanation = {
  document_id: optionalId(DocumentId, "With `explain`, as all that follows."),
  chunk: Schema.optionalKey(
    Schema.Int.annotate({ description: "The passage's number in its document, from 1.", examples: [3] }),
  ),
  page: Schema.optionalKey(
    Schema.NullOr(Schema.Int).annotate({
      description: "Page on which it begins; null where a document has none.",
      examples: [2, null],
    }),
  ),
  url: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description: "The address of its document; null for an uploaded file.",
      examples: ["https://docs.example.com/guide/passwords", null],
    }),
  ),
  matched_words: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "The words of the question that the passage, its title or its headings hold, in any form.",
      examples: [["reset", "password"]],
    }),
  ),
  matched_synonyms: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "The synonyms of words of the question, of the chatbot's `settings.synonyms`, that they hold.",
      examples: [["paid leave"]],
    }),
  ),
  ranks: Schema.optionalKey(
    Schema.Struct({
      lexical: Schema.Int.annotate({ description: "Its place by `scores.lexical` alone, from 1." }),
      vector: Schema.NullOr(Schema.Int).annotate({ description: "Its place by `scores.vector` alone, from 1." }),
    }).annotate({ description: "Among all passages that were compared.", examples: [{ lexical: 1, vector: 3 }] }),
  ),
  reranked: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        from: Schema.Int.annotate({ description: "Its place by `scores.fused`, from 1." }),
        score: Schema.Finite.annotate({ description: "The reranker's score, on a scale of its own." }),
      }),
    ).annotate({
      description:
        "Null where no reranker ordered it: none is set, it gave no usable answer in time, or the passage was not among the first 30.",
      examples: [{ from: 4, score: 0.93 }, null],
    }),
  ),
  scores: Schema.optionalKey(
    Schema.Struct({
      lexical: Schema.Finite.annotate({
        description: "BM25 over the question's words; comparable within one answer only.",
      }),
      vector: Schema.NullOr(Schema.Finite).annotate({
        description: "Cosine of the question and the passage; null when another model embedded the passage.",
      }),
      fused: Schema.Finite.annotate({
        description:
          "Both together, from 0 for the least of what was compared to 1: results are in its order, unless `reranked`.",
      }),
    }).annotate({ examples: [{ lexical: 14.2, vector: 0.31, fused: 0.94 }] }),
  ),
}

const resultFields = {
  content: Schema.String.annotate({
    examples: ["Title: Handbook\nChunk: 3\n\nPasswords are reset under Settings."],
  }),
  similarity: Schema.Finite.annotate({ description: "0 to 1. Order is by relevance, which may differ." }),
  ...Explanation,
}

/** The endpoint of operation 10 of the source specification. */
export const query = HttpApiEndpoint.post("query", "/api/external/chatbot/:chatbotId/query-knowledge", {
  params: { chatbotId: ChatbotId },
  payload: Schema.Struct({
    query: textBetween(1, QUERY_MAX_LENGTH).annotate({ examples: ["How do I reset my password?"] }),
    top_k: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })).annotate({
        description: "Results, at most.",
        default: 5,
      }),
    ),
    explain: Schema.optionalKey(
      Schema.Boolean.annotate({
        default: false,
        description:
          "For operators: each result also tells where it stands, the scores that put it in its place and the words that it matches; `left_out` shows what came next.",
      }),
    ),
  }),
  success: HttpApiSchema.WithHeaders(
    Schema.Struct({
      results: Schema.Array(Schema.Struct(resultFields)),
      similarity_threshold_setting: Schema.Finite.annotate({
        description: "Similarity that one passage must reach. The others then count as reaching it too.",
      }),
      status: Schema.Literal("OK"),
      total_docs: Schema.Int.annotate({ description: "Number of `results`." }),
      left_out: Schema.optionalKey(
        Schema.Array(
          Schema.Struct({
            ...resultFields,
            reason: Schema.Literals(["below_threshold", "beyond_top_k"]).annotate({
              description: "Whether no similarity is high enough, or there are enough better results.",
            }),
          }),
        ).annotate({ description: "With `explain`: the passages that came next, at most 10, most relevant first." }),
      ),
    }),
    {
      "server-timing": Schema.String.annotate({
        examples: ["search;dur=3.2, open;dur=0.1, match;dur=0.4, rank;dur=2.5"],
      }),
    },
  ),
  error: [Problem.NotFound, Problem.TooManyAtOnce],
})
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(
    described(
      "Search the knowledge base",
      "The passages that bear most on a question, most relevant first. None is below `similarity_threshold_setting`: where no passage reaches it, the list is empty.",
    ),
  )

/** The endpoint that suggests what a chatbot's synonyms may need. */
export const suggestSynonyms = HttpApiEndpoint.get(
  "suggestSynonyms",
  "/api/external/chatbot/:chatbotId/synonyms/suggestions",
  {
    params: { chatbotId: ChatbotId },
    success: Schema.Struct({
      suggestions: Schema.Array(
        Schema.Struct({
          word: Schema.String.annotate({ examples: ["holiday"] }),
          questions: Schema.Int.annotate({ description: "The number of questions with the word.", examples: [3] }),
          latest_question: Schema.String.annotate({ examples: ["How many days of holiday do I get?"] }),
        }),
      ).annotate({ description: "At most 20, those of most questions first." }),
    }),
    error: [Problem.NotFound, Problem.TooManyAtOnce],
  },
)
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(
    described(
      "Suggest synonyms",
      "Words of the latest 200 questions without an answer that no passage contains in any form, that are no typing error of one that passages contain, and that the chatbot's `settings.synonyms` do not have. A group of such a word and the one that the documents use for it lets search find them. Computed when it is asked for.",
    ),
  )
