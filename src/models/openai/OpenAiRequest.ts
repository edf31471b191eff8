import type { Prompt } from "effect/ai"
import type { ModelRequest } from "../ModelCalls.ts"
import type { ToolDeclaration } from "../ToolDeclaration.ts"

/*
 * A prompt in the shape of the chat completions API, as OpenAI and the many servers that are compatible with it take it.
 */

interface FunctionCall {
  readonly id: string
  readonly type: "function"
  readonly function: { readonly name: string; readonly arguments: string }
}

export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string | null; readonly tool_calls?: ReadonlyArray<FunctionCall> }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string }

interface FunctionTool {
  readonly type: "function"
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

export interface ChatCompletionsRequest {
  readonly model: string
  readonly messages: ReadonlyArray<ChatMessage>
  readonly tools?: ReadonlyArray<FunctionTool>
  readonly tool_choice?: "auto"
}

export const chatCompletionsRequest = (model: string, options: ModelRequest): ChatCompletionsRequest => ({
  model,
  messages: messagesOf(options.prompt),
  // Many servers pass over `tool_choice`, and their models would call on where an answer has to be.
  ...(options.tools.length === 0 || options.toolChoice === "none"
    ? {}
    : { tools: options.tools.map(functionTool), tool_choice: "auto" }),
})

const messagesOf = (prompt: Prompt.Prompt): ReadonlyArray<ChatMessage> => {
  const messages: Array<ChatMessage> = []
  for (const message of prompt.content.flatMap(chatMessages)) {
    const last = messages.at(-1)
    // The chat templates of many models refuse two turns of one side in a row.
    if (message.role === "user" && last?.role === "user") {
      messages[messages.length - 1] = { role: "user", content: `${last.content}\n\n${message.content}` }
    } else messages.push(message)
  }
  // They also refuse a conversation that the assistant opens, as one with a greeting does.
  const first = messages.findIndex(({ role }) => role !== "system")
  return messages[first]?.role === "assistant" ? messages.toSpliced(first, 0, opening) : messages
}

const opening: ChatMessage = { role: "user", content: "(The conversation begins.)" }

const chatMessages = (message: Prompt.Message): ReadonlyArray<ChatMessage> => {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }]
    case "user":
      return [{ role: "user", content: textOf(message.content) }]
    case "assistant":
      return [assistantMessage(message)]
    case "tool":
      return message.content.flatMap((part) =>
        part.type === "tool-result"
          ? [{ role: "tool" as const, tool_call_id: part.id, content: JSON.stringify(part.result) }]
          : [],
      )
  }
}

/** What a model thought is left out: no server takes it back. */
const assistantMessage = ({ content }: Prompt.AssistantMessage): ChatMessage => {
  const text = textOf(content)
  const calls = content.flatMap((part) => (part.type === "tool-call" ? [functionCall(part)] : []))
  if (calls.length === 0) return { role: "assistant", content: text }
  return { role: "assistant", content: text === "" ? null : text, tool_calls: calls }
}

const functionCall = ({ id, name, params }: Prompt.ToolCallPart): FunctionCall => ({
  id,
  type: "function",
  // Some servers parse the arguments of earlier calls, so they have to be JSON even where the model's were not.
  function: { name, arguments: JSON.stringify(params ?? {}) },
})

const textOf = (parts: ReadonlyArray<Prompt.Part>): string =>
  parts.flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : [])).join("\n\n")

const functionTool = ({ description, inputSchema, name }: ToolDeclaration): FunctionTool => ({
  type: "function",
  function: { name, description, parameters: { ...inputSchema, type: "object" } },
})
