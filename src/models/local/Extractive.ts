import { Clock, Effect, Option, Schema } from "effect"
import type { Prompt, Response } from "effect/ai"
import * as IdGenerator from "effect/ai/IdGenerator"
import type { Warning } from "../../domain/chat/Chat.ts"
import type { Exchange } from "../Exchange.ts"
import { messagesRequest } from "../anthropic/AnthropicRequest.ts"
import type { ModelCalls, ModelRequest } from "../ModelCalls.ts"
import type { Conversation, Reply, SearchResult } from "./Conversation.ts"
import { replyTo } from "./Reply.ts"
import { sourceName, sourcePart } from "../SourceParts.ts"
import { tokensOfCharacters } from "../TokenCount.ts"
import { Passages } from "../../domain/Passage.ts"
import { searchKnowledgeBase } from "../ToolDeclaration.ts"
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
  /** The similarity from which on a passage may answer a question, 0–1. Defaults to 0: its sentences decide. */
  readonly threshold: number | undefined
}

/** Makes the calls of the model, which never fail. */
export const makeExtractiveCalls = ({ threshold = 0 }: ExtractiveSettings): ModelCalls => ({
  generate: (request) =>
    Effect.map(respond(request, threshold), ({ action, metadata }) => [
      metadata,
      action.part,
      ...action.sources,
      finishPart(action.part, metadata.metadata.parley.bodyLength),
    ]),
  stream: (request, onParts) =>
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
  const turns = messages.flatMap((message) =>
    message.role === "user" || message.role === "assistant" ? [{ role: message.role, text: textOf(message) }] : [],
  )
  const last = turns.findLastIndex(({ role }) => role === "user")
  return {
    question: turns[last]?.text ?? "",
    before: turns.slice(0, Math.max(0, last)),
    found: searchResultOf(messages, threshold),
    maySearch: request.toolChoice !== "none" && request.tools.some((tool) => tool.name === searchKnowledgeBase.name),
  }
}

/** The text of a message without the block of passages that may precede it. */
const textOf = ({ content }: Prompt.UserMessage | Prompt.AssistantMessage): string =>
  content.flatMap((part) => (part.type === "text" && part.options.parley === undefined ? [part.text] : [])).join("\n")

const decodePassages = Schema.decodeUnknownOption(Passages)

/** What was found for the last question, by the search tool or before the request. Undefined before the search. */
const searchResultOf = (messages: ReadonlyArray<Prompt.Message>, threshold: number): SearchResult | undefined => {
  const last = messages.at(-1)
  const lists =
    last?.role === "user"
      ? last.content.flatMap((part) =>
          part.type === "text" && part.options.parley !== undefined ? [part.options.parley.passages] : [],
        )
      : last?.role === "tool"
        ? last.content.flatMap((part) =>
            part.type === "tool-result" && !part.isFailure ? Option.toArray(decodePassages(part.result)) : [],
          )
        : undefined
  if (lists === undefined || (last?.role === "user" && lists.length === 0)) return undefined
  if (lists.length === 0) return "failed"
  const passages = lists.flat()
  const isLikely = ({ similarity = 1 }: (typeof passages)[number]) => similarity >= threshold
  return { likely: passages.filter(isLikely), others: passages.filter((passage) => !isLikely(passage)) }
}

const actionOf = (reply: Reply, id: string): Action =>
  "query" in reply
    ? {
        part: { type: "tool-call", id: `call_${id}`, name: searchKnowledgeBase.name, params: { query: reply.query } },
        sources: [],
      }
    : {
        part: { type: "text", text: reply.text },
        sources: reply.quotes.flatMap(({ passage, text }) => sourcePart(sourceName(passage), text)),
      }

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
