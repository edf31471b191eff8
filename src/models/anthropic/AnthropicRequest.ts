import type {
  ContentBlockParam,
  MessageParam,
  SearchResultBlockParam,
  Tool as ToolParam,
  ToolChoice,
} from "@anthropic-ai/sdk/resources/messages"
import { Predicate, Schema } from "effect"
import type { Prompt } from "effect/ai"
import type { PassageJson } from "../../domain/Passage.ts"
import type { ModelRequest } from "../ModelCalls.ts"
import { sourceName } from "../SourceParts.ts"
import { Passages } from "../../domain/Passage.ts"
import type { ToolDeclaration } from "../ToolDeclaration.ts"

/*
 * A prompt in the shape of Anthropic's Messages API. `local/extractive` shows its request in the same shape.
 */

declare module "effect/ai/Prompt" {
  interface ReasoningPartOptions {
    /** What makes a thinking block one that its model accepts back. */
    readonly anthropic?: { readonly signature: string } | { readonly redacted: string }
  }
}

export interface MessagesRequest {
  readonly model: string
  readonly system?: string
  readonly messages: Array<MessageParam>
  readonly tools?: Array<ToolParam>
  readonly tool_choice?: ToolChoice
}

export const messagesRequest = (model: string, options: ModelRequest): MessagesRequest => {
  const system = systemOf(options.prompt)
  return {
    model,
    ...(system === "" ? {} : { system }),
    messages: messagesOf(options.prompt),
    ...(options.tools.length === 0
      ? {}
      : { tools: options.tools.map(toolParam), tool_choice: { type: options.toolChoice } }),
  }
}

const systemOf = (prompt: Prompt.Prompt): string =>
  prompt.content.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n")

/** The API refuses empty text, and dropping the turn would join its neighbours. */
const emptyText = "(empty message)"
/** The API wants the user to speak first, but a conversation may open with the chatbot's greeting. */
const opening: MessageParam = { role: "user", content: [{ type: "text", text: "(The conversation begins.)" }] }

const messagesOf = (prompt: Prompt.Prompt): Array<MessageParam> => {
  const messages: Array<MessageParam> = []
  for (const message of prompt.content) {
    if (message.role === "system") continue
    const blocks = blocksOf(message)
    messages.push({
      role: message.role === "assistant" ? "assistant" : "user",
      content: blocks.length === 0 ? [{ type: "text", text: emptyText }] : blocks,
    })
  }
  if (messages[0]?.role === "assistant") messages.unshift(opening)
  return messages
}

const blocksOf = (message: Exclude<Prompt.Message, Prompt.SystemMessage>): Array<ContentBlockParam> => {
  const blocks: Array<ContentBlockParam> = []
  for (const part of message.content) {
    const passages = part.type === "text" ? part.options.parley?.passages : undefined
    const block = passages === undefined ? blockOf(part) : undefined
    if (passages !== undefined) blocks.push(...contextBlocks(passages))
    if (block !== undefined) blocks.push(block)
  }
  return blocks
}

const blockOf = (part: Prompt.Part): ContentBlockParam | undefined => {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? undefined : { type: "text", text: part.text }
    case "reasoning":
      return thinkingBlock(part)
    case "tool-call":
      // A call that was cut off may hold no object; the API takes nothing else.
      return {
        type: "tool_use",
        id: toolUseId(part.id),
        name: part.name,
        input: Predicate.isObject(part.params) ? part.params : {},
      }
    case "tool-result":
      return toolResultBlock(part)
    default:
      return undefined
  }
}

const thinkingBlock = (part: Prompt.ReasoningPart): ContentBlockParam | undefined => {
  const origin = part.options.anthropic
  if (origin === undefined) return undefined
  return "redacted" in origin
    ? { type: "redacted_thinking", data: origin.redacted }
    : { type: "thinking", thinking: part.text, signature: origin.signature }
}

const toolResultBlock = (part: Prompt.ToolResultPart): ContentBlockParam => ({
  type: "tool_result",
  tool_use_id: toolUseId(part.id),
  content: isPassages(part.result) ? part.result.map(searchResult) : JSON.stringify(part.result),
  ...(part.isFailure ? { is_error: true } : {}),
})

/** The API takes no other characters, and the call may be another provider's. */
const toolUseId = (id: string): string => id.replaceAll(/[^a-zA-Z0-9_-]/g, "_") || "_"

const isSomePassages = Schema.is(Passages)
/** An empty array may be any tool's, and says that nothing was found. */
const isPassages = (result: unknown): result is ReadonlyArray<PassageJson> =>
  isSomePassages(result) && result.length > 0

/** What was found for a chatbot without tools: between the marks that its instructions speak of. */
const contextBlocks = (passages: ReadonlyArray<PassageJson>): ReadonlyArray<ContentBlockParam> => [
  { type: "text", text: "<knowledge_base>" },
  ...passages.map(searchResult),
  { type: "text", text: "</knowledge_base>" },
]

/** The one form in which retrieved text enters a request: whatever it says, it is a result that can be cited. */
const searchResult = (passage: PassageJson): SearchResultBlockParam => ({
  type: "search_result",
  source: sourceName(passage),
  title: passage.title,
  content: quotable(passage.content).map((text) => ({ type: "text", text })),
  citations: { enabled: true },
})

/** A shorter piece, such as a heading, goes with the next one. */
const QUOTABLE_MIN_LENGTH = 120

/** A citation quotes whole pieces, so a passage is given in paragraphs. Empty ones are refused. */
const quotable = (content: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let piece = ""
  for (const paragraph of content.split(/(?<=\n)\s*\n/)) {
    piece = piece === "" ? paragraph : `${piece}\n${paragraph}`
    if (piece.length < QUOTABLE_MIN_LENGTH) continue
    pieces.push(piece)
    piece = ""
  }
  if (piece.trim() !== "") pieces.push(piece)
  return pieces.length === 0 ? [emptyText] : pieces
}

const toolParam = ({ description, inputSchema, name }: ToolDeclaration): ToolParam => ({
  name,
  description,
  input_schema: { ...inputSchema, type: "object" },
})
