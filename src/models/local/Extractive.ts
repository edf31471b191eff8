import { Clock, Effect, Option, Schema } from "effect"
import type { Prompt, Response } from "effect/ai"
import * as IdGenerator from "effect/ai/IdGenerator"
import type { Warning } from "../../domain/chat/Chat.ts"
import { normalize } from "../../text/Normalization.ts"
import type { Exchange } from "../Exchange.ts"
import type { PassageJson } from "../../domain/Passage.ts"
import { messagesRequest } from "../anthropic/AnthropicRequest.ts"
import type { ModelCalls, ModelRequest } from "../ModelCalls.ts"
import { leadingSentences, type Selection, selectSentences } from "./Sentences.ts"
import { sourceName, sourcePart } from "../SourceParts.ts"
import { tokensOfCharacters } from "../TokenCount.ts"
import { cut } from "../../text/Cut.ts"
import { Passages } from "../../domain/Passage.ts"
import { QUERY_MAX_LENGTH, searchKnowledgeBase } from "../ToolDeclaration.ts"
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

const greeting = "Hello! Ask me a question, and I will look for the answer in the knowledge base."
const nothingFound = "I found nothing about that in the knowledge base."
const searchFailed = "I could not search the knowledge base just now. Please try again in a moment."
const closest = "I found no direct answer. This is the closest passage:"

/** The calls of the model, which never fail. */
export const extractiveCalls: ModelCalls = {
  generate: (request) =>
    Effect.map(respond(request), ({ action, metadata }) => [
      metadata,
      action.part,
      ...action.sources,
      finishPart(action.part, metadata.metadata.parley.bodyLength),
    ]),
  stream: (request, onParts) =>
    Effect.flatMap(
      respond(request),
      ({ action, metadata }) =>
        onParts([
          metadata,
          ...(action.part.type === "tool-call" ? [action.part] : streamed(action.part.text)),
          ...action.sources,
          finishPart(action.part, metadata.metadata.parley.bodyLength),
        ]) ?? Effect.void,
    ),
}

interface Action {
  readonly part: Response.TextPartEncoded | Response.ToolCallPartEncoded
  readonly sources: ReadonlyArray<Response.DocumentSourcePartEncoded>
}

const respond = Effect.fnUntraced(function* (request: ModelRequest) {
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
    action: nextAction(request, id),
    metadata: {
      type: "response-metadata" as const,
      id,
      modelId: extractiveModel,
      timestamp,
      metadata: { parley: exchange },
    },
  }
})

const nextAction = (request: ModelRequest, id: string): Action => {
  const messages = request.prompt.content
  const question = questionOf(messages)
  if (isGreeting(question)) return text(greeting)
  const found = searchResultOf(messages)
  if (found === "failed") return text(searchFailed)
  if (found !== undefined) return answer(question, found)
  const mayCall = request.toolChoice !== "none" && request.tools.some((tool) => tool.name === searchKnowledgeBase.name)
  if (!mayCall) return text(nothingFound)
  const params = { query: cut(question, QUERY_MAX_LENGTH) }
  return { part: { type: "tool-call", id: `call_${id}`, name: searchKnowledgeBase.name, params }, sources: [] }
}

const text = (text: string): Action => ({ part: { type: "text", text }, sources: [] })

const questionOf = (messages: ReadonlyArray<Prompt.Message>): string => {
  const last = messages.findLast((message) => message.role === "user")
  return (last?.content ?? [])
    .flatMap((part) => (part.type === "text" && part.options.parley === undefined ? [part.text] : []))
    .join("\n")
}

const decodePassages = Schema.decodeUnknownOption(Passages)

/** The passages for the last question, from the search tool or the context block. Undefined before the search. */
const searchResultOf = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<PassageJson> | "failed" | undefined => {
  const last = messages.at(-1)
  if (last?.role === "user") {
    return last.content.flatMap((part) => (part.type === "text" ? (part.options.parley ?? []) : []))[0]?.passages
  }
  if (last?.role !== "tool") return undefined
  const results = last.content.flatMap((part) =>
    part.type === "tool-result" && !part.isFailure ? Option.toArray(decodePassages(part.result)) : [],
  )
  return results.length === 0 ? "failed" : results.flat()
}

const answer = (question: string, passages: ReadonlyArray<PassageJson>): Action => {
  if (passages.length === 0) return text(nothingFound)
  // The part of the question that the search was for.
  const selected = selectSentences(cut(question, QUERY_MAX_LENGTH), passages)
  return selected.length > 0 ? quoting([], selected) : quoting([closest], leadingSentences(passages))
}

const quoting = (before: ReadonlyArray<string>, selected: ReadonlyArray<Selection>): Action => ({
  part: { type: "text", text: [...before, ...selected.map(paragraph)].join("\n\n") },
  sources: selected.flatMap(({ sentences }) =>
    sentences.flatMap(({ passage, text }) => sourcePart(sourceName(passage), text)),
  ),
})

const paragraph = ({ isTable, sentences, title }: Selection): string => {
  const texts = sentences.map(({ text }) => text)
  const areSentences = !isTable && texts.every((text) => /[.!?…。！？؟।][\p{Pe}\p{Pf}"']*$/u.test(text))
  if (!areSentences) return `${texts.map((text) => `- ${text}`).join("\n")}\n(${title})`
  return `${texts.join(" ").replaceAll(/(?<=[。！？]) /g, "")} (${title})`
}

const greetings: ReadonlySet<string> = new Set(
  "hi hello hey hiya yo greetings good morning evening afternoon day there hallo guten tag morgen abend moin servus salut bonjour bonsoir coucou hola buenas buenos días tardes noches ciao buongiorno buonasera olá oi bom dia boa tarde hei hej hallå cześć ahoj szia merhaba selam привет здравствуйте привіт γεια مرحبا السلام عليكم שלום नमस्ते 你好 您好 こんにちは おはよう 안녕 안녕하세요".split(
    " ",
  ),
)

const isGreeting = (message: string): boolean => {
  const words = normalize(message.toLowerCase(), "NFC").match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return words.length <= 3 && words.every((word) => greetings.has(word))
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
