import Client from "@anthropic-ai/sdk"
import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages"
import { Effect, Exit, Option, Redacted } from "effect"
import { AnthropicEvents } from "./AnthropicEvents.ts"
import { classify, errorEvent, isErrorEvent } from "./AnthropicFailure.ts"
import { decodeMessage, messageParts } from "./AnthropicReply.ts"
import { messagesRequest } from "./AnthropicRequest.ts"
import {
  type CallSettings,
  type Dialect,
  makeCalls,
  makeConnection,
  REFUSAL_BYTES_MAX,
} from "../calls/ProviderCalls.ts"
import type { ModelCalls, ModelRequest } from "../ModelCalls.ts"
import { malformed, timedOut } from "../calls/ProviderFailure.ts"
import { readStart } from "../calls/ResponseBody.ts"
import { waitFor } from "../calls/WaitFor.ts"
import { ANTHROPIC_API_KEY } from "../../system/Variables.ts"

export interface AnthropicSettings {
  readonly apiKey: Redacted.Redacted
  readonly baseUrl: string
  readonly limits: CallSettings
}

/** A connection to Anthropic's API, and the language models behind it. */
export interface Anthropic {
  /** The model of this id, whether Anthropic knows it or not. Failures are `AiError`s, as `ProviderErrors.ts` reads. */
  readonly calls: (model: string) => ModelCalls
}

export const makeAnthropic = (settings: AnthropicSettings): Anthropic => {
  const connection = makeConnection("anthropic", settings.limits)
  const send = senderOf(settings)
  return {
    calls: (model) =>
      makeCalls(connection, {
        provider: "anthropic",
        apiKey: settings.apiKey,
        keySetting: ANTHROPIC_API_KEY,
        body: (options, streamed) => {
          const params = createParams(model, connection.limits.outputTokensMax, options)
          return JSON.stringify(streamed ? { ...params, stream: true } : params)
        },
        send,
        showsHeader: (name) => shownHeaders.has(name) || name.startsWith("anthropic-ratelimit-"),
        exchange: { citesSources: true },
        readAnswer: (json, { exchange, timestamp }) => {
          if (isErrorEvent(json)) return errorEvent(json)
          const message = decodeMessage(json)
          return Option.isNone(message)
            ? malformed("The response is not a message")
            : messageParts(message.value, exchange, timestamp)
        },
        events: (attempt) => new AnthropicEvents(attempt),
      }),
  }
}

const shownHeaders: ReadonlySet<string> = new Set(["content-type", "date", "request-id", "retry-after"])

const cached = { cache_control: { type: "ephemeral" } } as const

/**
 * The cache is marked after the tools, after the system text and, by the mark at top level, after the last message: a
 * prefix is read again as long as it stays the same, so nothing that changes from call to call may stand in it.
 */
const createParams = (model: string, outputTokensMax: number, options: ModelRequest): MessageCreateParams => {
  const { system, tools, ...request } = messagesRequest(model, options)
  const lastTool = tools?.at(-1)
  return {
    max_tokens: outputTokensMax,
    ...cached,
    ...request,
    ...(system === undefined ? {} : { system: [{ type: "text", text: system, ...cached }] }),
    ...(tools === undefined || lastTool === undefined
      ? {}
      : { tools: [...tools.slice(0, -1), { ...lastTool, ...cached }] }),
  }
}

/** The body is serialised by us, so that what a step shows is what was sent, and its answer is read by us. */
const senderOf = (settings: AnthropicSettings): Dialect["send"] => {
  const client = new Client({
    // A key that is a string shows up when the client is inspected.
    apiKey: async () => Redacted.value(settings.apiKey),
    baseURL: settings.baseUrl,
    maxRetries: 0,
    logLevel: "off",
    openTelemetry: false,
    fetch: fetchShortRefusals,
    // A redirect would take the conversation to where nobody configured it to go, and have it answered there.
    fetchOptions: { redirect: "manual" },
  })
  return (body, millis) =>
    controller.pipe(
      Effect.flatMap(({ signal }) =>
        waitFor({
          millis,
          start: () =>
            client
              .post("/v1/messages", {
                body,
                headers: { "content-type": "application/json" },
                signal,
                timeout: millis,
              })
              .asResponse(),
          onTimeout: () => timedOut("No reply in time"),
          onError: (error) => classify(error, Date.now()),
        }),
      ),
    )
}

/** Lasts as long as the answer, so it stands by itself: a function in `send` would keep the body that was sent. */
const controller = Effect.acquireRelease(
  Effect.sync(() => new AbortController()),
  // To abort costs as much as a statement of the database, also where nothing is left to be aborted.
  (controller, exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => controller.abort())),
)

/** The SDK reads a refusal to its end, however long that is. */
const fetchShortRefusals = async (...request: Parameters<typeof fetch>): Promise<Response> => {
  const response = await fetch(...request)
  if (response.ok) return response
  const { headers, status } = response
  return new Response(await readStart(response, REFUSAL_BYTES_MAX), { headers, status })
}
