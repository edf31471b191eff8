import { Validator } from "@cfworker/json-schema"
import { Duration, Effect, type JsonSchema, Predicate, Redacted, type Schema } from "effect"
import { isBodyless, type ToolMethod } from "../../domain/chatbot/ChatbotTool.ts"
import { jsonDepth, jsonSize, parseJson } from "../../text/Json.ts"
import { fillTemplate, placeholdersOf } from "../../domain/chatbot/UrlTemplate.ts"
import type { SecretUnreadable } from "../../system/Secrets.ts"
import type { SafeFetch, SafeRequest, SafeResponse } from "../../outbound/SafeFetch.ts"
import { type AgentTool, failedOutcome, type ToolOutcome } from "./AgentTool.ts"
import { cut } from "../../text/Cut.ts"
import { withoutSecrets } from "./EchoedSecrets.ts"

/** An HTTP endpoint that the owner of a chatbot declared as a tool. */
export interface HttpToolSpec {
  readonly name: string
  readonly description: string
  readonly input_schema: Schema.JsonObject
  readonly method: ToolMethod
  readonly url: string
  /** The secret headers, which are decrypted for each call and sent to nobody but the endpoint. */
  readonly headers: Effect.Effect<Redacted.Redacted<SafeRequest["secrets"]>, SecretUnreadable>
  /** The longest time that a call may take, in milliseconds, or null for the limit of all tools. */
  readonly timeout_ms: number | null
}

interface HttpToolOptions {
  readonly fetch: SafeFetch["Service"]["fetch"]
  /** The longest answer that a model receives, in UTF-16 code units. */
  readonly resultMaxLength: number
}

/** The longest input of a call, in UTF-16 code units of its JSON. */
const INPUT_MAX_LENGTH = 16_384
/** The depth of JSON to which a result stays JSON. Deeper answers become text, which all code can handle. */
const RESULT_MAX_DEPTH = 32
/** The most mistakes of an input that are reported to the model. */
const MISTAKES_MAX = 5
const accept = "application/json, text/*;q=0.9"

/**
 * A tool that calls an HTTP endpoint. The input is validated against the tool's schema and fills the placeholders of
 * the URL; its other fields go into the query or the body. The model decides nothing else about the request.
 */
export const httpTool = (spec: HttpToolSpec, { fetch, resultMaxLength }: HttpToolOptions): AgentTool => {
  const inputSchema = closed(spec.input_schema)
  return {
    name: spec.name,
    description: spec.description,
    inputSchema,
    ...(spec.timeout_ms !== null && { timeout: Duration.millis(spec.timeout_ms) }),
    run: (input) =>
      Effect.suspend(() => {
        const request = Predicate.isObject(input)
          ? (mistakesOf(inputSchema, input) ?? requestOf(spec, input))
          : "expected an object."
        if (typeof request === "string") return Effect.succeed(failedOutcome(`Invalid input: ${request}`))
        return Effect.flatMap(spec.headers, (headers) => {
          const secrets = Redacted.value(headers)
          return Effect.map(fetch({ ...request, secrets }), (response) => outcomeOf(response, secrets, resultMaxLength))
        }).pipe(
          Effect.catchTags({
            FetchFailed: ({ detail }) => Effect.succeed(failedOutcome(detail)),
            SecretUnreadable: ({ key, why }) =>
              Effect.as(
                Effect.logWarning("The headers of a tool cannot be decrypted", { tool: spec.name, key, why }),
                failedOutcome("The tool is out of order until its operator has set it up again."),
              ),
          }),
        )
      }),
  }
}

/** Forbids properties that a schema does not list, unless the schema itself says whether they are allowed. */
const closed = (schema: Schema.JsonObject): JsonSchema.JsonSchema => ({ additionalProperties: false, ...schema })

/** Keywords whose errors only say that something further down is wrong, for which there is an error of its own. */
const isSummary = /^(?:properties|items|prefixItems|additionalProperties)$/

/** The longest input of which all mistakes are collected. A longer one, which may have millions, yields the first. */
const EVERY_MISTAKE_MAX_LENGTH = 1_024

/** The most parts of a schema times the values of an input: each may be checked against each, which takes some 20 ms. */
const CHECKS_MAX = 200_000
/** The most pairs of values that are compared where items have to be unique. */
const PAIRS_MAX = 400_000

/** Whether so many values may be checked against a schema while others wait. */
const isCheckable = (schema: JsonSchema.JsonSchema, values: number): boolean => {
  const text = JSON.stringify(schema)
  const unique = text.split('"uniqueItems":true').length - 1
  return jsonSize(text).values * values <= CHECKS_MAX && unique * values ** 2 <= PAIRS_MAX
}

/** Describes the mistakes of an input to the model that wrote it. Undefined when the input is valid. */
const mistakesOf = (schema: JsonSchema.JsonSchema, input: object): string | undefined => {
  const text = JSON.stringify(input)
  const { length } = text
  if (length > INPUT_MAX_LENGTH) return `expected at most ${INPUT_MAX_LENGTH} characters.`
  if (!isCheckable(schema, jsonSize(text).values)) return "expected fewer values than can be checked at once."
  const { errors, valid } = new Validator(schema, "2020-12", length > EVERY_MISTAKE_MAX_LENGTH).validate(input)
  if (valid) return undefined
  const causes = errors.filter(({ keyword }) => !isSummary.test(keyword))
  return (causes.length > 0 ? causes : errors)
    .slice(0, MISTAKES_MAX)
    .map(({ error, instanceLocation }) => `${instanceLocation.slice(2) || "input"}: ${error}`)
    .join(" ")
}

/** The request that a valid input makes, or a description of why it makes none. */
const requestOf = (
  spec: HttpToolSpec,
  input: Readonly<Record<string, unknown>>,
): Omit<SafeRequest, "secrets"> | string => {
  const names = new Set(placeholdersOf(spec.url))
  const fills = new Map<string, string>()
  const rest: Array<readonly [string, unknown]> = []
  for (const [name, value] of Object.entries(input)) {
    if (!names.has(name)) rest.push([name, value])
    else if (typeof value === "object") return `${name}: expected a text or a number.`
    else fills.set(name, String(value))
  }
  const url = fillTemplate(spec.url, fills)
  if (url === undefined) return `${Array.from(names).join(", ")}: expected what can stand in an address.`
  const headers = { accept, "user-agent": "Parley" }
  if (!isBodyless(spec.method)) {
    const body = JSON.stringify(Object.fromEntries(rest))
    return { method: spec.method, url, headers: { ...headers, "content-type": "application/json" }, body }
  }
  const fixed = new Set(url.searchParams.keys())
  for (const [name, value] of rest) {
    if (fixed.has(name)) return `${name}: is not for you to choose.`
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, textOf(one))
  }
  return { method: spec.method, url, headers, body: undefined }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const outcomeOf = (response: SafeResponse, secrets: SafeRequest["secrets"], maxLength: number): ToolOutcome => {
  const isFailure = response.status < 200 || response.status > 299
  const answer = answerOf(response, secrets, maxLength)
  if (answer === undefined) return failedOutcome("The answer is neither text nor JSON.")
  return isFailure
    ? { result: { error: `The server answered with status ${response.status}.`, answer }, isFailure }
    : { result: answer, isFailure }
}

const isReadable = /^(?:text\/|application\/(?:[\w.+-]+\+)?json\b)/i
const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i
/**
 * The escapes of NUL and of lone surrogates in the text of `JSON.stringify`, after an even number of backslashes.
 * Postgres stores neither in JSON.
 */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f]..)/

/** The body of a response as JSON, or else as text. Undefined when it is neither. */
const answerOf = (
  { body, contentType, isCut }: SafeResponse,
  secrets: SafeRequest["secrets"],
  maxLength: number,
): Schema.Json | undefined => {
  if (body.length === 0) return null
  if (!isReadable.test(contentType.trim())) return undefined
  const text = withoutSecrets(decode(body, contentType), secrets).replaceAll("\0", "\uFFFD")
  const isWhole = !isCut && text.length <= maxLength
  if (isWhole && isJson.test(contentType.trim()) && jsonDepth(text) <= RESULT_MAX_DEPTH) {
    const parsed = parseJson(text)
    // Written anew, the answer has none of the server's own escapes, in which a secret could hide.
    const written = JSON.stringify(parsed)
    const clean = parsed === undefined || unstorable.test(written) ? undefined : withoutSecrets(written, secrets)
    if (clean !== undefined) return clean === written ? parsed : (parseJson(clean) ?? clean)
  }
  return isWhole ? text : { text: cut(text, maxLength), truncated: true }
}

const decode = (body: Uint8Array, contentType: string): string => {
  const charset = /;\s*charset="?([\w-]+)/i.exec(contentType)?.[1]?.toLowerCase()
  return new TextDecoder(encodings.find((known) => known === charset)).decode(body)
}

/** The encodings besides UTF-8 that servers still use. */
const encodings = ["iso-8859-1", "windows-1252", "utf-16le", "shift_jis", "euc-jp", "gb18030"] as const
