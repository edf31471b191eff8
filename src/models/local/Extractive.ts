import { Clock, Effect, Option, Schema } from "effect"
import type { Prompt, Response } from "effect/ai"
import * as IdGenerator from "effect/ai/IdGenerator"
import type { Warning } from "../../domain/chat/Chat.ts"
import type { Exchange } from "../Exchange.ts"
import { messagesRequest } from "../anthropic/AnthropicRequest.ts"
import { messagesBefore } from "../../languages/messages/SearchText.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"
import type { ModelCalls, ModelRequest } from "../ModelCalls.ts"
import type { Conversation, Reply, SearchResult } from "./Conversation.ts"
import { replyTo } from "./Reply.ts"
import { sourceName, sourcePart } from "../SourceParts.ts"
import { tokensOfCharacters } from "../TokenCount.ts"
import { LIKELY_SIMILARITY, type PassageJson, Passages } from "../../domain/knowledge/Passage.ts"
import { DocumentTitles, listDocuments, searchKnowledgeBase, type ToolDeclaration } from "../ToolDeclaration.ts"
import { ANTHROPIC_API_KEY, OPENAI_BASE_URL } from "../../system/Variables.ts"

/*
 * The model that needs no key and no network. It searches the knowledge base and answers with the sentences of the
 * passages that fit the question best. Apart from a few fixed phrases it writes nothing itself.
 */

export const extractiveModel = "local/extractive"

const warnings: ReadonlyArray<Warning> = [
  {
    type: "other",
    message: `No language model is configured; this answer is made of sentences from the knowledge base. Set ${ANTHROPIC_API_KEY} and choose a claude-… model, or ${OPENAI_BASE_URL} and an openai/… model, for written answers.`,
  },
]

export interface ExtractiveSettings {
  /** The similarity from which on a passage may answer a question, 0–1. Defaults to `LIKELY_SIMILARITY`. */
  readonly threshold: number | undefined
}

/** Makes the calls of the model, which never fail. */
export const makeExtractiveCalls = ({ threshold = LIKELY_SIMILARITY }: ExtractiveSettings): ModelCalls => ({
  answer: (request, onParts) =>
    Effect.flatMap(
      respond(request, threshold),
      ({ action, metadata }) =>
        onParts([
          metadata,
          ...(action.part.type === "tool-call" ? [action.part] : streamed(action.part.text)),
          ...action.sources,
          finishPart(action.part, metadata.metadata.parley.bodyLength),
        ]) ?? Effect.void,
    ),
})

interface Action {
  readonly part: Response.TextPartEncoded | Response.ToolCallPartEncoded
  readonly sources: ReadonlyArray<Response.DocumentSourcePartEncoded>
}

const respond = Effect.fnUntraced(function* (request: ModelRequest, threshold: number) {
  const id = yield* IdGenerator.defaultIdGenerator.generateId()
  const body = JSON.stringify(messagesRequest(extractiveModel, request))
  const exchange: Exchange = {
    body,
    bodyLength: body.length,
    headers: {},
    warnings,
    citesSources: true,
  }
  const timestamp = new Date(yield* Clock.currentTimeMillis).toISOString()
  return {
    action: actionOf(replyTo(conversationOf(request, threshold)), id),
    metadata: {
      type: "response-metadata" as const,
      id,
      modelId: extractiveModel,
      timestamp,
      metadata: { parley: exchange },
    },
  }
})

const conversationOf = (request: ModelRequest, threshold: number): Conversation => {
  const messages = request.prompt.content
  const last = messages.findLastIndex(({ role }) => role === "user")
  const turns = messages
    .slice(0, last + 1)
    .flatMap((message) =>
      message.role === "user" || message.role === "assistant" ? [{ role: message.role, content: textOf(message) }] : [],
    )
  const offers = ({ name }: ToolDeclaration) =>
    request.toolChoice !== "none" && request.tools.some((tool) => tool.name === name)
  const results = messages.slice(last + 1).flatMap(({ content, role }) => (role === "tool" ? content : []))
  return {
    name: bounded(
      messages.flatMap((message) => (message.role === "system" ? (message.options.parley?.name ?? []) : []))[0] ?? "",
      MESSAGE_MAX_LENGTH,
    ),
    question: bounded(turns.at(-1)?.content ?? "", MESSAGE_MAX_LENGTH),
    isFirst: turns.length <= 1,
    before: messagesBefore(turns.slice(0, -1)),
    found: [...passagesIn(messages[last]), ...searched(results)].map((passages) =>
      passages === "failed" ? passages : searchResultOf(passages, threshold),
    ),
    documents: listed(results),
    maySearch: offers(searchKnowledgeBase),
    mayList: offers(listDocuments),
  }
}

/** The text of a message without the block of passages that may precede it. */
const textOf = ({ content }: Prompt.UserMessage | Prompt.AssistantMessage): string =>
  content.flatMap((part) => (part.type === "text" && part.options.parley === undefined ? [part.text] : [])).join("\n")

/** The passages that came with the question, from a search before the request. */
const passagesIn = (message: Prompt.Message | undefined): ReadonlyArray<ReadonlyArray<PassageJson>> =>
  message?.role === "user"
    ? message.content.flatMap((part) =>
        part.type === "text" && part.options.parley !== undefined ? [part.options.parley.passages] : [],
      )
    : []

type Results = ReadonlyArray<Prompt.ToolMessagePart>

const resultsOf = (results: Results, { name }: ToolDeclaration) =>
  results.flatMap((part) => (part.type === "tool-result" && part.name === name ? [part] : []))

const decodePassages = Schema.decodeUnknownOption(Passages)
const decodeTitles = Schema.decodeUnknownOption(DocumentTitles)

/** The passages of each search since the question, or `failed` in place of those of a search that failed. */
const searched = (results: Results): ReadonlyArray<ReadonlyArray<PassageJson> | "failed"> =>
  resultsOf(results, searchKnowledgeBase).map(({ isFailure, result }) =>
    isFailure ? "failed" : Option.getOrElse(decodePassages(result), () => "failed" as const),
  )

const listed = (results: Results): DocumentTitles | "failed" | undefined => {
  const last = resultsOf(results, listDocuments).at(-1)
  if (last === undefined) return undefined
  return last.isFailure ? "failed" : Option.getOrElse(decodeTitles(last.result), () => "failed" as const)
}

const searchResultOf = (passages: ReadonlyArray<PassageJson>, threshold: number): SearchResult => {
  const isLikely = ({ similarity = 1 }: PassageJson) => similarity >= threshold
  return { likely: passages.filter(isLikely), others: passages.filter((passage) => !isLikely(passage)) }
}

const actionOf = (reply: Reply, id: string): Action => {
  if (reply === "list") return calling(listDocuments, {}, id)
  if ("query" in reply) return calling(searchKnowledgeBase, { query: reply.query }, id)
  return {
    part: { type: "text", text: reply.text },
    sources: reply.quotes.flatMap(({ passage, text }) => sourcePart(sourceName(passage), text)),
  }
}

const calling = ({ name }: ToolDeclaration, params: Schema.JsonObject, id: string): Action => ({
  part: { type: "tool-call", id: `call_${id}`, name, params },
  sources: [],
})

const streamed = (text: string): Array<Response.StreamPartEncoded> => [
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: text },
  { type: "text-end", id: "0" },
]

const finishPart = (part: Action["part"], bodyLength: number): Response.FinishPartEncoded => {
  const input = tokensOfCharacters(bodyLength)
  const output = tokensOfCharacters((part.type === "text" ? part.text : JSON.stringify(part.params)).length)
  return {
    type: "finish",
    reason: part.type === "text" ? "stop" : "tool-calls",
    usage: {
      inputTokens: { uncached: input, total: input, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: output, text: undefined, reasoning: undefined },
    },
  }
}
