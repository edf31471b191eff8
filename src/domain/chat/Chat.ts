import { Schema, SchemaTransformation } from "effect"
import { AttachmentIds, type ChatFile } from "./Attachment.ts"
import { Unsupported } from "./Grounding.ts"
import { boundedList } from "../schema/Bounded.ts"
import { SessionId } from "../Ids.ts"
import { Text, textUpTo } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { unexpressed } from "../schema/Unexpressed.ts"

/*
 * The chat as it goes over HTTP: the messages that a client sends, and the steps of the reply in the shape of the AI
 * SDK's `generateText` at 4.0.x. The names are those of the source specification.
 */

/** Most messages of one request. */
export const CHAT_MESSAGES_MAX_COUNT = 1_000
/** Most parts of one message. */
export const CHAT_PARTS_MAX_COUNT = 1_000
/** Longest message that is answered, in UTF-16 code units. */
export const CHAT_INPUT_MAX_LENGTH = 32_000

/** One turn of a conversation, as the model sees it. */
export const ChatTurn = Schema.Struct({ role: Schema.Literals(["user", "assistant"]), content: Text })
/** A turn, with the files that were sent with it, in the prompt of a model. */
export type ChatTurn = typeof ChatTurn.Type & { readonly files?: ReadonlyArray<ChatFile> | undefined }

const MessagePart = Schema.Struct({ type: Schema.String, text: Schema.optionalKey(Text) })

const ClientsId = textUpTo(200)

const MessageBody = Schema.Struct({
  id: Schema.optionalKey(ClientsId).annotate({
    description: "The client's own id of the message; stored as `metadata.mid`.",
  }),
  role: Schema.Literals(["user", "assistant", "bot"]).annotate({
    description: "`bot` is an alias of `assistant`.",
  }),
  content: Schema.optionalKey(Text).annotate({ examples: ["How long do refunds take?"] }),
  parts: Schema.optionalKey(
    boundedList(
      MessagePart,
      { maximum: CHAT_PARTS_MAX_COUNT },
      {
        description: "AI SDK form, instead of `content`: the text of its `text` parts counts, other parts are ignored.",
        examples: [[{ type: "text", text: "How long do refunds take?" }]],
      },
    ),
  ),
  attachments: Schema.optionalKey(AttachmentIds),
}).check(
  Schema.makeFilter((message) =>
    message.content !== undefined || message.parts !== undefined
      ? undefined
      : { path: ["content"], issue: "Expected content, or parts" },
  ),
)

const textOf = (message: typeof MessageBody.Type): string =>
  message.content ?? (message.parts ?? []).map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("")

/** One message of a request. Unknown fields are ignored, since real chat clients send extras. */
export const ChatMessage = MessageBody.pipe(
  Schema.decodeTo(
    Schema.Struct({
      ...ChatTurn.fields,
      id: Schema.optionalKey(ClientsId),
      attachments: Schema.optionalKey(Schema.toType(AttachmentIds)),
    }),
    SchemaTransformation.transform({
      decode: (message) => ({
        ...(message.id !== undefined && { id: message.id }),
        role: message.role === "user" ? ("user" as const) : ("assistant" as const),
        content: textOf(message),
        ...(message.attachments !== undefined && { attachments: message.attachments }),
      }),
      encode: (turn) => turn,
    }),
  ),
)

const lastProblem = (messages: ReadonlyArray<typeof ChatMessage.Type>): Schema.FilterOutput => {
  const path = [messages.length - 1]
  const last = messages.at(-1)
  if (last === undefined) return undefined
  if (last.role !== "user") return { path: [...path, "role"], issue: "Expected the last message to be the user's" }
  if (last.content.length >= (last.attachments?.length ? 0 : 1) && last.content.length <= CHAT_INPUT_MAX_LENGTH)
    return undefined
  return { path: [...path, "content"], issue: `Expected 1 to ${CHAT_INPUT_MAX_LENGTH} characters` }
}

/** The messages of a request: 1–1,000, the last of them the user's and not empty. */
export const ChatMessages = boundedList(
  ChatMessage,
  { minimum: 1, maximum: CHAT_MESSAGES_MAX_COUNT },
  {
    description:
      "One message: the model sees the stored session and it. Several: the model sees them as sent, and what the session does not hold yet is stored.",
  },
).check(Schema.makeFilter(lastProblem, unexpressed))

export const FinishReason = Schema.Literals([
  "stop",
  "length",
  "content-filter",
  "tool-calls",
  "error",
  "other",
  "unknown",
]).annotate({ description: "`stop` when the reply is complete." })
export type FinishReason = typeof FinishReason.Type

export const ToolCall = Schema.Struct({
  type: Schema.Literal("tool-call"),
  toolCallId: Schema.String,
  toolName: Schema.String.annotate({ examples: ["searchKnowledgeBase"] }),
  args: Schema.Json.annotate({ examples: [{ query: "refund period" }] }),
})
export type ToolCall = typeof ToolCall.Type

export const ToolResult = Schema.Struct({
  type: Schema.Literal("tool-result"),
  toolCallId: Schema.String,
  toolName: Schema.String.annotate({ examples: ["searchKnowledgeBase"] }),
  args: Schema.Json.annotate({ examples: [{ query: "refund period" }] }),
  result: Schema.Json.annotate({
    description:
      "For `searchKnowledgeBase` the passages found, best first: `{title, chunk, content, similarity?, document_id}`. For `listDocuments` the number of documents and the titles of the first: `{total, titles}`. A call that failed or was not run has `{error}`.",
  }),
})
export type ToolResult = typeof ToolResult.Type

/** A passage that supports a reply. */
export const Citation = Schema.Struct({
  document_id: Schema.String,
  title: Schema.String.annotate({ description: "Of the document." }),
  chunk: Schema.Int.annotate({ description: "The passage's place in the document, from 1." }),
  page: Schema.NullOr(Schema.Int).annotate({ description: "From 1, where the document has pages." }),
  quote: Schema.String.annotate({ description: "The part of the passage on which the reply rests." }),
  url: Schema.optionalKey(
    Schema.String.annotate({
      description: "The page of the document, at the quote where a link can say so; absent for an uploaded file.",
      examples: ["https://docs.example.com/guide/refunds#:~:text=Refunds%20take%20five%20days."],
    }),
  ),
}).annotate({ identifier: "Source" })
export type Citation = typeof Citation.Type

export const Warning = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("other"),
    message: Schema.String,
    details: Schema.optionalKey(
      Schema.String.annotate({
        description:
          "What the provider of a model that could not answer says; absent for an API key that lacks `conversations:read`.",
      }),
    ),
  }),
  Schema.Struct({
    type: Schema.Literal("unsupported-setting"),
    setting: Schema.String,
    details: Schema.optionalKey(Schema.String),
  }),
])
export type Warning = typeof Warning.Type

export const Usage = Schema.Struct({
  promptTokens: Schema.Natural,
  completionTokens: Schema.Natural,
  totalTokens: Schema.Natural,
}).annotate({
  description:
    "Tokens of one step. As in the AI SDK, `promptTokens` leaves out those read from or written to the provider's cache; they are in `experimental_providerMetadata`.",
})
export type Usage = typeof Usage.Type

const ResponseMessage = Schema.Struct({
  role: Schema.Literals(["assistant", "tool"]),
  content: Schema.Array(Schema.Json).annotate({
    description: '`{type: "text", text}`, and the tool calls or results of the message.',
  }),
})
export type ResponseMessage = typeof ResponseMessage.Type

export const Step = Schema.Struct({
  stepType: Schema.Literals(["initial", "continue", "tool-result"]).annotate({
    description:
      "`initial` for the first step, `continue` after a step that was cut, `tool-result` after tool results.",
  }),
  finishReason: FinishReason,
  isContinued: Schema.Boolean.annotate({ description: "Whether the next step is `continue`." }),
  text: Schema.String,
  toolCalls: Schema.Array(ToolCall),
  toolResults: Schema.Array(ToolResult),
  warnings: Schema.Array(Warning),
  usage: Usage,
  experimental_providerMetadata: Schema.Json.annotate({
    description: "The provider's own counters.",
    examples: [{ anthropic: { cacheCreationInputTokens: 0, cacheReadInputTokens: 1024 } }],
  }),
  request: Schema.Struct({
    body: Schema.String.annotate({
      description:
        "The exact body that was sent to the model's API; empty for an API key that lacks `conversations:read`.",
    }),
  }),
  response: Schema.Struct({
    id: Schema.String,
    modelId: Schema.String,
    timestamp: Timestamp,
    headers: Schema.Record(Schema.String, Schema.String).annotate({
      description: "Those headers of the provider's response that are safe to show.",
    }),
    messages: Schema.Array(ResponseMessage).annotate({
      description: "All messages made so far, this step's included.",
    }),
  }),
})
export type Step = typeof Step.Type

export const ChatReply = Schema.Struct({
  session_id: SessionId,
  finish_reason: FinishReason,
  output: Schema.String.annotate({ description: "The reply. Empty where people answer instead of the chatbot." }),
  handover: Schema.optionalKey(
    Schema.Struct({ owner: Schema.Literal("people") }).annotate({
      description:
        "Where people answer in the conversation from now on: they have it already, and the message waits for them, or this reply hands it over.",
    }),
  ),
  sources: Schema.optionalKey(
    Schema.Array(Citation).annotate({ description: "The passages that the reply rests on, where it rests on some." }),
  ),
  unsupported: Schema.optionalKey(
    Schema.Array(Unsupported).annotate({
      description: "Sentences of the reply that no passage supports, where the chatbot checks them and there are some.",
    }),
  ),
  steps: Schema.Array(Step).annotate({ description: "One entry for each call of the model." }),
  tool_calls: Schema.Array(ToolCall).annotate({ description: "Those of all steps." }),
  tool_results: Schema.Array(ToolResult).annotate({ description: "Those of all steps." }),
})
export type ChatReply = typeof ChatReply.Type
