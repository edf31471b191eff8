import type { Schema } from "effect"
import type { Prompt } from "effect/ai"
import { fileNote, imageOf } from "../Images.ts"
import type { ModelRequest } from "../ModelCalls.ts"
import { isPassages, passagesText } from "../PassageForm.ts"
import type { JsonObject } from "../../text/Json.ts"
import type { ToolDeclaration } from "../ToolDeclaration.ts"
import type { WantedBack } from "./OpenAiReply.ts"

/*
 * Translates prompts into requests of chat completions, in a form that OpenAI and all compatible servers accept.
 */

interface FunctionCall {
  readonly id: string
  readonly type: "function"
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A part of a message of the user with images. Without any, the content is a text, which every server accepts. */
type UserPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }

export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | ReadonlyArray<UserPart> }
  | {
      readonly role: "assistant"
      readonly content: string | null
      readonly tool_calls?: ReadonlyArray<FunctionCall>
      readonly reasoning_content?: string
      readonly reasoning_details?: ReadonlyArray<Schema.Json>
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string }

interface FunctionTool {
  readonly type: "function"
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

interface ChatCompletionsRequest {
  readonly model: string
  readonly messages: ReadonlyArray<ChatMessage>
  readonly tools?: ReadonlyArray<FunctionTool>
  readonly tool_choice?: "auto"
}

export const chatCompletionsRequest = (model: string, options: ModelRequest): ChatCompletionsRequest => ({
  model,
  messages: messagesOf(options.prompt),
  // Not by `tool_choice` "none", which many servers ignore: their models would go on calling tools.
  ...(options.tools.length === 0 || options.toolChoice === "none"
    ? {}
    : { tools: options.tools.map(functionTool), tool_choice: "auto" }),
})

const messagesOf = (prompt: Prompt.Prompt): ReadonlyArray<ChatMessage> => {
  const messages: Array<ChatMessage> = []
  for (const message of prompt.content.flatMap(chatMessages)) {
    const last = messages.at(-1)
    // The chat templates of many models refuse two messages of the user in a row.
    if (message.role === "user" && last?.role === "user") {
      messages[messages.length - 1] = { role: "user", content: joined(last.content, message.content) }
    } else messages.push(message)
  }
  // They also refuse a conversation that begins with the assistant's message, such as a greeting.
  const first = messages.findIndex(({ role }) => role !== "system")
  return messages[first]?.role === "assistant" ? messages.toSpliced(first, 0, firstMessage) : messages
}

const firstMessage: ChatMessage = { role: "user", content: "(The conversation begins.)" }

const chatMessages = (message: Prompt.Message): ReadonlyArray<ChatMessage> => {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }]
    case "user":
      return [{ role: "user", content: userContent(message) }]
    case "assistant":
      return [assistantMessage(message)]
    case "tool":
      return message.content.flatMap((part) =>
        part.type === "tool-result"
          ? [{ role: "tool" as const, tool_call_id: part.id, content: resultText(part.result) }]
          : [],
      )
  }
}

type UserContent = Extract<ChatMessage, { role: "user" }>["content"]

const joined = (one: UserContent, other: UserContent): UserContent =>
  typeof one === "string" && typeof other === "string" ? `${one}\n\n${other}` : [...partsOf(one), ...partsOf(other)]

const partsOf = (content: UserContent): ReadonlyArray<UserPart> =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

const userContent = (message: Prompt.UserMessage): UserContent => {
  const text = textOf(message.content)
  const images = message.content.flatMap((part): ReadonlyArray<UserPart> => {
    const data = part.type === "file" ? imageOf(part) : undefined
    return part.type === "file" && data !== undefined
      ? [{ type: "image_url", image_url: { url: `data:${part.mediaType};base64,${data}` } }]
      : []
  })
  return images.length === 0 ? text : [...images, ...(text === "" ? [] : partsOf(text))]
}

const resultText = (result: unknown): string => (isPassages(result) ? passagesText(result) : JSON.stringify(result))

declare module "effect/ai/Prompt" {
  interface ToolCallPartOptions {
    readonly openai?: { readonly fields: JsonObject }
  }
  interface ReasoningPartOptions {
    readonly openai?: WantedBack
  }
}

/** A message of the assistant, without reasoning but for what goes with calls and its server wants back. */
const assistantMessage = ({ content }: Prompt.AssistantMessage): ChatMessage => {
  const text = textOf(content)
  const calls = content.flatMap((part) => (part.type === "tool-call" ? [functionCall(part)] : []))
  if (calls.length === 0) return { role: "assistant", content: text }
  const thoughts = content.flatMap((part) => (part.type === "reasoning" ? [part] : []))
  const wanted = thoughts.filter(({ options }) => options.openai?.isWanted === true)
  const details = thoughts.flatMap(({ options }) => options.openai?.details ?? [])
  return {
    role: "assistant",
    content: text === "" ? null : text,
    tool_calls: calls,
    ...(wanted.length > 0 && { reasoning_content: wanted.map(({ text }) => text).join("") }),
    ...(details.length > 0 && { reasoning_details: details }),
  }
}

const functionCall = ({ id, name, options, params }: Prompt.ToolCallPart): FunctionCall => ({
  ...options.openai?.fields,
  id,
  type: "function",
  // Always JSON, even where the model's arguments were not, because some servers parse those of earlier calls.
  function: { name, arguments: JSON.stringify(params ?? {}) },
})

const textOf = (parts: ReadonlyArray<Prompt.Part>): string =>
  parts
    .flatMap((part) => {
      if (part.type === "file") return imageOf(part) === undefined ? [fileNote(part)] : []
      return part.type === "text" && part.text !== "" ? [part.text] : []
    })
    .join("\n\n")

const functionTool = ({ description, inputSchema, name }: ToolDeclaration): FunctionTool => ({
  type: "function",
  function: { name, description, parameters: { ...inputSchema, type: "object" } },
})
