import Client from "@anthropic-ai/sdk"
import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages"
import { Effect, Exit, Redacted } from "effect"
import { AnthropicEvents } from "./AnthropicEvents.ts"
import { failureOf } from "./AnthropicFailure.ts"
import { messagesRequest } from "./AnthropicRequest.ts"
import { type CallSettings, type Dialect, makeCalls, makeConnection } from "../calls/ProviderCalls.ts"
import { timedOut } from "../calls/ProviderFailure.ts"
import { readStart } from "../../outbound/ResponseText.ts"
import { REFUSAL_BYTES_MAX } from "../calls/ResponseBody.ts"
import { type ModelCalls, type ModelRequest, outputTokensWithin } from "../ModelCalls.ts"
import { ANTHROPIC_API_KEY } from "../../system/Variables.ts"

export interface AnthropicSettings {
  readonly apiKey: Redacted.Redacted
  readonly baseUrl: string
  readonly limits: CallSettings
  /** Where the key stands, for messages to the operator. Absent: in the settings. */
  readonly keySetting?: string
  /** Sends the requests; absent: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

/** Makes the calls of Anthropic's models by their ids, without checking whether Anthropic has them. */
export const makeAnthropic = (settings: AnthropicSettings): ((model: string) => ModelCalls) => {
  const connection = makeConnection("anthropic", settings.baseUrl, settings.limits)
  const send = senderOf(settings)
  return (model) =>
    makeCalls(connection, {
      provider: "anthropic",
      model,
      apiKey: settings.apiKey,
      keySetting: settings.keySetting ?? ANTHROPIC_API_KEY,
      body: (request) => JSON.stringify(createParams(model, connection.limits.outputTokensMax, request)),
      send,
      showsHeader: (name) => shownHeaders.has(name) || name.startsWith("anthropic-ratelimit-"),
      exchange: { citesSources: true },
      events: (attempt) => new AnthropicEvents(attempt),
    })
}

const shownHeaders: ReadonlySet<string> = new Set(["content-type", "date", "request-id", "retry-after"])

const cacheMark = { cache_control: { type: "ephemeral" } } as const

/**
 * The parameters of a request. Cache breakpoints stand after the tools, after the system text and, by the one at the
 * top level, after the last message: the provider's cache serves a prefix as long as it stays the same.
 */
const createParams = (model: string, outputTokensMax: number, options: ModelRequest): MessageCreateParams => {
  const { system, tools, ...request } = messagesRequest(model, options)
  const { bounds } = options
  const lastTool = tools?.at(-1)
  return {
    // No temperature: the newer models refuse it.
    max_tokens: outputTokensWithin(bounds, outputTokensMax),
    ...cacheMark,
    ...request,
    stream: true,
    ...(system === undefined ? {} : { system: [{ type: "text", text: system, ...cacheMark }] }),
    ...(tools === undefined || lastTool === undefined
      ? {}
      : { tools: [...tools.slice(0, -1), { ...lastTool, ...cacheMark }] }),
  }
}

/** Sends bodies by the SDK. They are serialized before, so that a step shows the exact body that was sent. */
const senderOf = ({ apiKey, baseUrl, fetch = globalThis.fetch }: AnthropicSettings): Dialect["send"] => {
  const client = new Client({
    // A function, because a key that is a string appears when the client is inspected.
    apiKey: async () => Redacted.value(apiKey),
    baseURL: baseUrl,
    maxRetries: 0,
    logLevel: "off",
    openTelemetry: false,
    fetch: withShortRefusals(fetch),
    // A redirect would send the conversation to a server that nobody configured.
    fetchOptions: { redirect: "manual" },
  })
  const headers = { "content-type": "application/json" }
  return (body, millis) =>
    Effect.flatMap(controller, ({ signal }) =>
      Effect.clockWith((clock) =>
        Effect.tryPromise({
          // The SDK refuses fractions of a millisecond.
          try: () => client.post("/v1/messages", { body, headers, signal, timeout: Math.ceil(millis) }).asResponse(),
          catch: (error) => failureOf(error, clock.currentTimeMillisUnsafe()),
        }).pipe(Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.fail(timedOut("No reply in time")) })),
      ),
    )
}

/**
 * An abort controller that aborts when its scope does not close with success. It is defined here because it lives as
 * long as the answer: a closure in `send` would keep the body in memory meanwhile.
 */
const controller = Effect.acquireRelease(
  Effect.sync(() => new AbortController()),
  // Not after success: aborting takes as long as a database statement, even when the request has ended.
  (controller, exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => controller.abort())),
)

/** A `fetch` that cuts the bodies of refusals, because the SDK would read them to their end at any length. */
const withShortRefusals =
  (fetch: typeof globalThis.fetch) =>
  async (...request: Parameters<typeof fetch>): Promise<Response> => {
    const response = await fetch(...request)
    if (response.ok) return response
    const { headers, status } = response
    return new Response(await readStart(response, REFUSAL_BYTES_MAX), { headers, status })
  }
