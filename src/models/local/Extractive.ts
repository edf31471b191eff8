import { Clock, Effect, Option, Schema } from "effect"
import type { Prompt, Response } from "effect/ai"
import * as IdGenerator from "effect/ai/IdGenerator"
import { extractiveModel } from "../../domain/chatbot/Chatbot.ts"
import type { Warning } from "../../domain/chat/Chat.ts"
import type { Exchange } from "../Exchange.ts"
import { messagesRequest } from "../anthropic/AnthropicRequest.ts"
import { messagesBefore } from "../../language/messages/SearchText.ts"
import { saysNothingFound } from "../../language/messages/HumanWish.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"
import { approvedAnswer } from "../ApprovedAnswer.ts"
import { withoutImages } from "../Images.ts"
import type { ModelCalls, ModelRequest } from "../ModelCalls.ts"
import type { Conversation, Reply } from "./Conversation.ts"
import { replyTo } from "./Reply.ts"
import { sourceName, sourcePart } from "../SourceParts.ts"
import { tokensOfCharacters } from "../TokenCount.ts"
import { LIKELY_SIMILARITY, type PassageJson, Passages } from "../../domain/knowledge/Passage.ts"
import {
  DocumentTitles,
  listDocuments,
  requestHuman,
  searchKnowledgeBase,
  type ToolDeclaration,
} from "../ToolDeclaration.ts"
import { ANTHROPIC_API_KEY, OPENAI_BASE_URL } from "../../system/Variables.ts"

/*
 * The model that needs no key and no network. It searches the knowledge base and answers with the paragraph, the list or
 * the rows that fit the question best. Apart from a few fixed phrases it writes nothing itself.
 */

const warnings: ReadonlyArray<Warning> = [
  {
    type: "other",
    message: `No language model is configured; this answer quotes the knowledge base. Set ${ANTHROPIC_API_KEY} and choose a claude-… model, or ${OPENAI_BASE_URL} and an openai/… model, for written answers.`,
  },
]

export interface ExtractiveSettings {
  /** The similarity from which on a passage may answer a question, 0–1. Defaults to `LIKELY_SIMILARITY`. */
  readonly threshold: number | undefined
}

/** Makes the calls of the model, which never fail. */
export const makeExtractiveCalls = ({ threshold = LIKELY_SIMILARITY }: ExtractiveSettings): ModelCalls => ({
  answer: (request, onParts) => Effect.flatMap(respond(request, threshold), (parts) => onParts(parts) ?? Effect.void),
})

/** Responds with a text and its sources, or with the call of a tool. */
const respond = Effect.fnUntraced(function* (request: ModelRequest, threshold: number) {
  const id = yield* IdGenerator.defaultIdGenerator.generateId()
  const timestamp = new Date(yield* Clock.currentTimeMillis).toISOString()
  const body = JSON.stringify(messagesRequest(extractiveModel, { ...request, prompt: withoutImages(request.prompt) }))
  const parley: Exchange = { body, bodyLength: body.length, headers: {}, warnings, citesSources: true }
  const reply = approvedAnswer(request) ?? replyTo(conversationOf(request, threshold))
  const text = typeof reply === "object" && "text" in reply ? reply.text : undefined
  const input = tokensOfCharacters(body.length)
  const output = tokensOfCharacters((text ?? JSON.stringify(reply)).length)
  const parts: ReadonlyArray<Response.StreamPartEncoded> = [
    { type: "response-metadata", id, modelId: extractiveModel, timestamp, metadata: { parley } },
    ...partsOf(reply, id),
    {
      type: "finish",
      reason: text === undefined ? "tool-calls" : "stop",
      usage: {
        inputTokens: { uncached: input, total: input, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: output, text: undefined, reasoning: undefined },
      },
    },
  ]
  return parts
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
  const since = messages.slice(last + 1)
  const [chatbot] = messages.flatMap((message) => (message.role === "system" ? (message.options.parley ?? []) : []))
  return {
    name: bounded(chatbot?.name ?? "", MESSAGE_MAX_LENGTH),
    language: chatbot?.language,
    question: bounded(turns.at(-1)?.content ?? "", MESSAGE_MAX_LENGTH),
    hasFiles: messages[last]?.role === "user" && messages[last].content.some(({ type }) => type === "file"),
    isFirst: turns.length <= 1,
    before: messagesBefore(turns.slice(0, -1)),
    found: [...passagesIn(messages[last]), ...resultsOf(since, searchKnowledgeBase, decodePassages)].map((passages) => {
      if (passages === "failed") return passages
      const isLikely = ({ similarity = 1 }: PassageJson) => similarity >= threshold
      return { likely: passages.filter(isLikely), others: passages.filter((passage) => !isLikely(passage)) }
    }),
    documents: resultsOf(since, listDocuments, decodeTitles).at(-1),
    maySearch: offers(searchKnowledgeBase),
    mayList: offers(listDocuments),
    mayRequest: offers(requestHuman),
    isRequested: resultsOf(since, requestHuman, Option.some).some((result) => result !== "failed"),
    foundNothingBefore: saysNothingFound(turns.findLast(({ role }) => role === "assistant")?.content ?? ""),
  }
}

/** The text of a message without the block of passages that may precede it. */
const textOf = ({ content }: Prompt.UserMessage | Prompt.AssistantMessage): string =>
  content.flatMap((part) => (part.type === "text" && part.options.parley === undefined ? [part.text] : [])).join("\n")

const decodePassages = Schema.decodeUnknownOption(Passages)
const decodeTitles = Schema.decodeUnknownOption(DocumentTitles)

/** The results of a tool, each decoded, or `failed` in place of one that failed. */
const resultsOf = <A>(
  messages: ReadonlyArray<Prompt.Message>,
  { name }: ToolDeclaration,
  decode: (result: unknown) => Option.Option<A>,
): ReadonlyArray<A | "failed"> =>
  messages
    .flatMap(({ content, role }) => (role === "tool" ? content : []))
    .flatMap((part) => (part.type === "tool-result" && part.name === name ? [part] : []))
    .map(({ isFailure, result }) => (isFailure ? "failed" : Option.getOrElse(decode(result), () => "failed" as const)))

/** The passages that came with the question, from a search before the request. */
const passagesIn = (message: Prompt.Message | undefined): ReadonlyArray<ReadonlyArray<PassageJson>> =>
  message?.role === "user"
    ? message.content.flatMap((part) =>
        part.type === "text" && part.options.parley ? [part.options.parley.passages] : [],
      )
    : []

const partsOf = (reply: Reply, id: string): ReadonlyArray<Response.StreamPartEncoded> => {
  if (reply === "list") return [calling(listDocuments, {}, id)]
  if ("human" in reply) return [calling(requestHuman, { reason: reply.human }, id)]
  if ("query" in reply) return [calling(searchKnowledgeBase, { query: reply.query }, id)]
  // Each passage is a source once, with all that is quoted from it.
  const quotes = Map.groupBy(reply.quotes, ({ passage }) => sourceName(passage))
  return [
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: reply.text },
    { type: "text-end", id: "0" },
    ...Array.from(quotes).flatMap(([name, own]) => sourcePart(name, own.map(({ text }) => text).join(" "))),
  ]
}

const calling = ({ name }: ToolDeclaration, params: Schema.JsonObject, id: string): Response.ToolCallPartEncoded => ({
  type: "tool-call",
  id: `call_${id}`,
  name,
  params,
})
