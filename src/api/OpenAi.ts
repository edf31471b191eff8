import { Schema, SchemaTransformation } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { boundedList } from "../domain/schema/Bounded.ts"
import { CHAT_INPUT_MAX_LENGTH, CHAT_MESSAGES_MAX_COUNT, CHAT_PARTS_MAX_COUNT } from "../domain/chat/Chat.ts"
import { Text, textBetween } from "../domain/schema/Text.ts"
import { unexpressed } from "../domain/schema/Unexpressed.ts"
import { requestCosts } from "../domain/organizations/RateLimit.ts"
import { chatFailures, ReplyHeaders } from "./conversations/Chat.ts"
import { described, Speaks, slow } from "./parts/Annotations.ts"
import { alsoStream } from "./parts/EventStream.ts"
import { middleware, RequiredScope } from "./Middleware.ts"
import { cursorQuery, nextCursor, withLink } from "./parts/Paging.ts"
import { OpenAiError } from "./failures/OpenAiError.ts"

const ModelName = textBetween(1, 200).annotate({
  description: "A chatbot: its slug, or its id.",
  examples: ["support"],
})

const Content = Schema.Union([
  Text,
  boundedList(Schema.Struct({ type: Schema.Literal("text"), text: Text }), { maximum: CHAT_PARTS_MAX_COUNT }),
  Schema.Null,
]).pipe(
  Schema.decodeTo(
    Text,
    SchemaTransformation.transform({
      decode: (content) => (typeof content === "string" ? content : (content ?? []).map(({ text }) => text).join("")),
      encode: (text) => text,
    }),
  ),
)

/** Refuses fields that would change the meaning of the answer and are not supported, unless their values are empty. */
const none = <const F extends ReadonlyArray<string>>(fields: F, why: string) =>
  Schema.makeFilter((value: { readonly [field: string]: unknown }) => {
    const used = fields.find((field) => !isNothing(value[field]))
    return used === undefined ? undefined : { path: [used], issue: why }
  })

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0)

const Unused = Schema.optionalKey(Schema.Unknown)

const Message = Schema.Struct({
  role: Schema.Literals(["system", "developer", "user", "assistant"]),
  content: Content.annotate({ description: "Text, or parts of type `text`." }),
  tool_calls: Unused,
  function_call: Unused,
}).check(none(["tool_calls", "function_call"], "Calls of the client's own tools are not supported"))
type Message = typeof Message.Type

/** Requires the last message of the conversation to be the user's. System and developer messages may stand anywhere. */
const lastProblem = (messages: ReadonlyArray<Message>): Schema.FilterOutput => {
  const index = messages.findLastIndex(({ role }) => role === "user" || role === "assistant")
  const last = messages[index]
  if (last === undefined) return { path: [], issue: "Expected a message of the user" }
  if (last.role !== "user") return { path: [index, "role"], issue: "Expected the last message to be the user's" }
  if (last.content.length >= 1 && last.content.length <= CHAT_INPUT_MAX_LENGTH) return undefined
  return { path: [index, "content"], issue: `Expected 1 to ${CHAT_INPUT_MAX_LENGTH} characters` }
}

const Request = Schema.Struct({
  model: ModelName,
  messages: boundedList(
    Message,
    { minimum: 1, maximum: CHAT_MESSAGES_MAX_COUNT },
    {
      description:
        "As in `Chat`. `system` and `developer` messages are added to the chatbot's own instructions where `settings.isSystemMessageEnabled` of the chatbot or the scope `chatbots:write` of the key allows it, and are ignored elsewhere. `tool` and `function` messages are refused.",
    },
  ).check(Schema.makeFilter(lastProblem, unexpressed)),
  stream: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  stream_options: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        include_usage: Schema.optionalKey(
          Schema.NullOr(Schema.Boolean).annotate({ description: "Whether the stream ends with the tokens used." }),
        ),
      }),
    ),
  ),
  n: Schema.optionalKey(Schema.NullOr(Schema.Literal(1))).annotate({ description: "One answer is made." }),
  metadata: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        session_id: Schema.optionalKey(
          textBetween(1, 200).annotate({
            description:
              "Names the conversation, as `sessionToken` does in `Chat`. Absent: `x-session-id`, else a new one.",
          }),
        ),
      }),
    ),
  ),
  response_format: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ type: Schema.Literal("text") })).annotate({
      description: "Text only.",
      message: "Only text is supported",
    }),
  ),
  modalities: Schema.optionalKey(Schema.NullOr(boundedList(Schema.Literal("text"), { maximum: 2 }))).annotate({
    description: "Text only.",
  }),
  tools: Unused,
  functions: Unused,
  audio: Unused,
  logprobs: Unused,
}).check(none(["tools", "functions", "audio", "logprobs"], "Not supported"))

const Completion = Schema.Struct({
  id: Schema.String.annotate({ examples: ["chatcmpl-01a1f95a-af18-7790-86b8-edc5c6780a50"] }),
  object: Schema.Literal("chat.completion"),
  created: Schema.Int.annotate({ description: "Seconds since 1970." }),
  model: Schema.String,
  choices: Schema.Array(
    Schema.Struct({
      index: Schema.Int,
      message: Schema.Struct({
        role: Schema.Literal("assistant"),
        content: Schema.String,
        refusal: Schema.Null,
      }),
      logprobs: Schema.Null,
      finish_reason: Schema.Literals(["stop", "length", "content_filter"]),
    }),
  ),
  usage: Schema.Struct({
    prompt_tokens: Schema.Int,
    completion_tokens: Schema.Int,
    total_tokens: Schema.Int,
    prompt_tokens_details: Schema.Struct({ cached_tokens: Schema.Int }),
  }).annotate({ description: "Of all steps." }),
}).annotate({ identifier: "ChatCompletion", description: "A finished reply." })
export type Completion = typeof Completion.Type

const Model = Schema.Struct({
  id: Schema.String.annotate({ description: "The chatbot's slug.", examples: ["support"] }),
  object: Schema.Literal("model"),
  created: Schema.Int.annotate({ description: "Seconds since 1970." }),
  owned_by: Schema.Literal("parley"),
}).annotate({ identifier: "Model", description: "A chatbot, as a model." })
export type Model = typeof Model.Type

const completions = HttpApiEndpoint.post("completions", "/v1/chat/completions", {
  headers: {
    "x-session-id": Schema.optionalKey(
      textBetween(1, 200).annotate({ description: "Names the conversation. Absent: a new one." }),
    ),
    "x-stainless-retry-count": Schema.optionalKey(
      Schema.String.annotate({
        description:
          "Sent by OpenAI's own clients. Above 0 the same was asked before and not answered: what the conversation ends with is not stored a second time.",
      }),
    ),
  },
  payload: Request,
  success: HttpApiSchema.WithHeaders(Completion, ReplyHeaders),
  error: chatFailures(OpenAiError),
})
  .middleware(middleware.openai.Idempotent.repeatable)
  .middleware(middleware.openai.RequestBody)
  .annotateMerge(slow(requestCosts.chat))
  .annotate(RequiredScope, "chat")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Chat, for clients of OpenAI",
      description:
        "Answers as the chatbot that `model` names, with its own model and tools. Sampling parameters are ignored, since the chatbot decides; what would change the meaning of the answer and is not supported is refused.",
      transform: alsoStream(
        "OpenAI's `chat.completion.chunk`s, then `[DONE]`. A stream also has what the chatbot says before it searches. What fails after the first chunk is an `error` in place of a chunk.",
      ),
    }),
  )

const models = HttpApiEndpoint.get("models", "/v1/models", {
  query: cursorQuery,
  success: withLink(Schema.Struct({ object: Schema.Literal("list"), data: Schema.Array(Model), ...nextCursor })),
})
  .annotate(RequiredScope, "chat")
  .annotateMerge(described("List chatbots as models", "Those that the key may chat with, newest first."))

const model = HttpApiEndpoint.get("model", "/v1/models/:model", {
  params: { model: ModelName },
  success: Model,
  error: OpenAiError.NotFound,
})
  .annotate(RequiredScope, "chat")
  .annotateMerge(described("Get a chatbot as a model", "By its slug or its id."))

/** The endpoints for clients of OpenAI's API. */
export class OpenAiApi extends HttpApiGroup.make("openai")
  .add(completions, models, model)
  .annotate(Speaks, "openai")
  .annotateMerge(
    OpenApi.annotations({
      title: "OpenAI",
      description:
        "Chatbots for clients of OpenAI: its base URL is this server's address and `/v1`. Errors have OpenAI's form.",
    }),
  )
  .middleware(middleware.openai.Authorization)
  .middleware(middleware.openai.Problems) {}
