import type {
  ContentBlockParam,
  MessageParam,
  SearchResultBlockParam,
  TextBlockParam,
  Tool as ToolParam,
  ToolChoice,
} from "@anthropic-ai/sdk/resources/messages"
import { Predicate } from "effect"
import type { Prompt } from "effect/ai"
import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import { fileNote, imageOf } from "../Images.ts"
import type { ModelRequest } from "../ModelCalls.ts"
import { isPassages, shownSimilarity, titleWithSection } from "../PassageForm.ts"
import { sourceName } from "../SourceParts.ts"
import type { ToolDeclaration } from "../ToolDeclaration.ts"

/*
 * Translates prompts into requests of Anthropic's Messages API. `local/extractive` shows its requests in the same form.
 */

declare module "effect/ai/Prompt" {
  interface ReasoningPartOptions {
    /** The data with which the model accepts a thinking block back. */
    readonly anthropic?: { readonly signature: string } | { readonly redacted: string }
  }
}

interface MessagesRequest {
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

/** The text of an empty message: the API refuses empty texts, and leaving a message out would join its neighbours. */
const emptyText = "(empty message)"
/** Precedes a chatbot's greeting, because the API requires the first message to be the user's. */
const firstMessage: MessageParam = { role: "user", content: [{ type: "text", text: "(The conversation begins.)" }] }

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
  if (messages[0]?.role === "assistant") messages.unshift(firstMessage)
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
    case "file":
      return fileBlock(part)
    case "reasoning":
      return thinkingBlock(part)
    case "tool-call":
      // The input of a call that was cut off may be text, and the API accepts only objects.
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

const fileBlock = (part: Prompt.FilePart): ContentBlockParam => {
  const data = imageOf(part)
  return data !== undefined && isImageType(part.mediaType)
    ? { type: "image", source: { type: "base64", media_type: part.mediaType, data } }
    : { type: "text", text: fileNote(part) }
}

const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const
const isImageType = (type: string): type is (typeof imageTypes)[number] => imageTypes.some((known) => known === type)

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
  content: isPassages(part.result) ? passageBlocks(part.result) : JSON.stringify(part.result),
  ...(part.isFailure ? { is_error: true } : {}),
})

/** The id of a call for the API, which refuses other characters. Calls may be those of another provider's model. */
const toolUseId = (id: string): string => id.replaceAll(/[^a-zA-Z0-9_-]/g, "_") || "_"

/** The passages for a chatbot without tools, between the marks that its system instruction names. */
const contextBlocks = (passages: ReadonlyArray<PassageJson>): ReadonlyArray<ContentBlockParam> => [
  { type: "text", text: "<knowledge_base>" },
  ...passageBlocks(passages),
  { type: "text", text: "</knowledge_base>" },
]

/** Passages as search results, followed by their similarities, which stand apart so that no citation quotes them. */
const passageBlocks = (passages: ReadonlyArray<PassageJson>): Array<SearchResultBlockParam | TextBlockParam> => {
  const similarities = passages.map(shownSimilarity)
  const approved = passages.flatMap((passage, index) => (passage.approved === true ? [index + 1] : []))
  const notes = [
    ...(similarities.includes(undefined)
      ? []
      : [`The similarities of these passages, in order: ${similarities.join(", ")}.`]),
    ...(approved.length === 0 ? [] : [`The numbers of the approved ones: ${approved.join(", ")}.`]),
  ]
  return [
    ...passages.map(searchResult),
    ...(notes.length === 0 ? [] : [{ type: "text" as const, text: notes.join(" ") }]),
  ]
}

/** A passage as a search result, the only form in which retrieved text enters a request, and which can be cited. */
const searchResult = (passage: PassageJson): SearchResultBlockParam => ({
  type: "search_result",
  source: sourceName(passage),
  title: titleWithSection(passage),
  content: paragraphsOf(passage.content).map((text) => ({ type: "text", text })),
  citations: { enabled: true },
})

/** The least length of a block, in UTF-16 code units. A shorter paragraph joins the next one. */
const BLOCK_MIN_LENGTH = 120

const isHeading = (paragraph: string): boolean => /^#{1,6} [^\n]*$/.test(paragraph.trimEnd())

/**
 * Splits a passage into headings and paragraphs, because a citation quotes whole blocks, and a heading is no quotation.
 * No block is empty, which the API refuses.
 */
const paragraphsOf = (content: string): ReadonlyArray<string> => {
  const blocks: Array<string> = []
  let block = ""
  let isOfHeadings = false
  const end = () => {
    if (block.trim() !== "") blocks.push(block.trimEnd())
    block = ""
  }
  for (const paragraph of content.split(/(?<=\n)\s*\n/)) {
    if (isHeading(paragraph) !== isOfHeadings) end()
    isOfHeadings = isHeading(paragraph)
    block = block === "" ? paragraph : `${block}\n${paragraph}`
    if (block.length >= BLOCK_MIN_LENGTH) end()
  }
  end()
  return blocks.length === 0 ? [emptyText] : blocks
}

const toolParam = ({ description, inputSchema, name }: ToolDeclaration): ToolParam => ({
  name,
  description,
  input_schema: { ...inputSchema, type: "object" },
})
