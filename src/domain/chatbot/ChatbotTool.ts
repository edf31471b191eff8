import { Schema, Struct } from "effect"
import { boundedRecord } from "../schema/Bounded.ts"
import { ChatbotId, ToolId } from "../Ids.ts"
import {
  inputSchemaIssues,
  INPUT_SCHEMA_MAX_COUNT,
  INPUT_SCHEMA_MAX_DEPTH,
  INPUT_SCHEMA_MAX_LENGTH,
  type SchemaIssue,
} from "./InputSchema.ts"
import { Text, textBetween } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { unexpressed } from "../schema/Unexpressed.ts"
import { URL_TEMPLATE_MAX_LENGTH, urlTemplateProblem } from "./UrlTemplate.ts"

/*
 * HTTP endpoints that a chatbot's model may call, as an operator declares them.
 */

/** The longest time-out of a tool, in milliseconds. */
const TOOL_TIMEOUT_MAX = 30_000
const TOOL_TIMEOUT_MIN = 100
const HEADERS_MAX_COUNT = 32
const HEADER_MAX_LENGTH = 4_096

const ToolName = Schema.String.check(
  Schema.isPattern(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/u, {
    message: "Expected a letter, then at most 63 letters, digits, _ and -",
  }),
).annotate({ description: "The name by which the model calls it.", examples: ["orderStatus"] })

const InputSchema = Schema.JsonObject.check(Schema.makeFilter(inputSchemaIssues, unexpressed)).annotate({
  description: `JSON Schema of the input, an object; what it does not list is refused unless it says \`additionalProperties\`. At most ${INPUT_SCHEMA_MAX_LENGTH} characters and ${INPUT_SCHEMA_MAX_COUNT} schemas, which nest at most ${INPUT_SCHEMA_MAX_DEPTH} deep. \`$ref\`, \`pattern\` and \`patternProperties\` are not taken.`,
  examples: [
    {
      type: "object",
      properties: { orderId: { type: "string", description: "As in the confirmation, such as A-4711." } },
      required: ["orderId"],
    },
  ],
})

export const ToolMethod = Schema.Literals(["GET", "POST", "PUT", "PATCH", "DELETE"])
export type ToolMethod = typeof ToolMethod.Type

/** The methods that carry the input in the query of the URL, and not in a body. */
export const isBodyless = (method: ToolMethod): boolean => method === "GET" || method === "DELETE"

const ToolUrl = textBetween(1, URL_TEMPLATE_MAX_LENGTH)
  .check(Schema.makeFilter(urlTemplateProblem, unexpressed))
  .annotate({
    description:
      "`{placeholders}` in the path and the query name required properties of the input. The other properties go into the query with GET and DELETE, else into a JSON body. The address must not be private, unless the server's settings allow it.",
    examples: ["https://shop.example.com/orders/{orderId}"],
  })

/** Header names that operators cannot set, because they say how the request is sent. */
const ownHeaders =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/i

const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/

/** A check of the whole record: with a schema for its keys, a wrong name would pass for an unknown field. */
const headerIssues = (headers: Readonly<Record<string, unknown>>): ReadonlyArray<SchemaIssue> =>
  Object.keys(headers).flatMap((name) => {
    if (!headerName.test(name)) return [{ path: [name], issue: "Expected the name of a header" }]
    return ownHeaders.test(name) ? [{ path: [name], issue: "Expected a header that is not the connection's own" }] : []
  })

const HeaderValue = Schema.String.check(
  Schema.isPattern(/^[\t\x20-\x7e]*$/u, { message: "Expected visible ASCII characters and spaces" }),
  Schema.isMaxLength(HEADER_MAX_LENGTH),
)

const headersOf = <S extends Schema.Top>(value: S, annotations: Parameters<typeof boundedRecord<S>>[2]) =>
  boundedRecord(value, HEADERS_MAX_COUNT, annotations).check(Schema.makeFilter(headerIssues, unexpressed))

const headersDescription = "Sent with every call. Their values are secrets: they are never shown, to models neither."

const Timeout = Schema.NullOr(
  Schema.Int.check(Schema.isBetween({ minimum: TOOL_TIMEOUT_MIN, maximum: TOOL_TIMEOUT_MAX })),
).annotate({ description: "Longest time for one call, in milliseconds. Null: the server's own.", examples: [5_000] })

const Description = Text.check(Schema.isBetweenLength(1, 4_096)).annotate({
  description: "Tells the model what the tool does, and when to call it.",
  examples: ["Tells where an order is."],
})

/** The fields that declare a tool. */
export const ChatbotToolInput = Schema.Struct({
  name: ToolName,
  description: Description,
  input_schema: InputSchema,
  method: Schema.optionalKey(ToolMethod.annotate({ description: "Absent: `GET`." })),
  url: ToolUrl,
  headers: Schema.optionalKey(
    headersOf(HeaderValue, { description: headersDescription, examples: [{ authorization: "Bearer s3cr3t" }] }),
  ),
  timeout_ms: Schema.optionalKey(Timeout),
})
export type ChatbotToolInput = typeof ChatbotToolInput.Type

/** A change of a tool. A field that is absent stays as it is. */
export const ChatbotToolPatch = ChatbotToolInput.mapFields(Struct.map(Schema.optionalKey)).mapFields(
  Struct.assign({
    headers: Schema.optionalKey(
      headersOf(Schema.NullOr(HeaderValue), {
        description: `Merged by name: null keeps a value, as answers show it, and an empty text removes the header. When \`url\` moves to another server, every value has to be given anew. ${headersDescription}`,
        examples: [{ authorization: "Bearer n3w" }],
      }),
    ),
  }),
)
export type ChatbotToolPatch = typeof ChatbotToolPatch.Type

/** A tool as the API shows it. */
export const ChatbotTool = Schema.Struct({
  id: ToolId,
  chatbot_id: ChatbotId,
  name: Schema.String,
  description: Schema.String,
  input_schema: Schema.JsonObject,
  method: ToolMethod,
  url: Schema.String,
  headers: Schema.Record(Schema.String, Schema.Null).annotate({ description: "Their names; the values stay secret." }),
  timeout_ms: Schema.NullOr(Schema.Int),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({
  identifier: "Tool",
  examples: [
    {
      id: ToolId.make("01a1f949-589d-74eb-b296-3f233cb51b4c"),
      chatbot_id: ChatbotId.make("01a1f949-589d-74eb-b296-3f233cb51b4b"),
      name: "orderStatus",
      description: "Tells where an order is.",
      input_schema: { type: "object", properties: { orderId: { type: "string" } }, required: ["orderId"] },
      method: "GET",
      url: "https://shop.example.com/orders/{orderId}",
      headers: { authorization: null },
      timeout_ms: null,
      created_at: Timestamp.make("2026-11-20T14:08:16.031+00:00"),
      updated_at: Timestamp.make("2026-11-20T14:08:16.031+00:00"),
    },
  ],
})
export type ChatbotTool = typeof ChatbotTool.Type

/** Outcome of a call of a tool that an operator has tried. */
export const ToolTrial = Schema.Struct({
  result: Schema.Json.annotate({ description: "What the model would see: JSON or text." }),
  is_failure: Schema.Boolean.annotate({ description: "Whether the model would be told that the call has failed." }),
  request: Schema.NullOr(
    Schema.Struct({
      method: ToolMethod,
      url: Schema.String,
      header_names: Schema.Array(Schema.String).annotate({ description: "Their values stay secret." }),
    }),
  ).annotate({ description: "What was sent; null when the input does not fit the schema, so that nothing was." }),
  status: Schema.NullOr(Schema.Int).annotate({ description: "Of the endpoint's answer; null without one." }),
  duration_ms: Schema.Finite,
}).annotate({
  identifier: "ToolTrial",
  examples: [
    {
      result: { status: "shipped" },
      is_failure: false,
      request: {
        method: "GET",
        url: "https://shop.example.com/orders/A-4711",
        header_names: ["accept", "user-agent", "authorization"],
      },
      status: 200,
      duration_ms: 84.2,
    },
  ],
})
export type ToolTrial = typeof ToolTrial.Type
