import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages"
import type { Redacted } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { AnthropicEvents } from "./AnthropicEvents.ts"
import { messagesRequest } from "./AnthropicRequest.ts"
import { type CallSettings, makeCalls, makeConnection } from "../calls/ProviderCalls.ts"
import { senderOf } from "../calls/Sender.ts"
import type { ModelCalls, ModelRequest } from "../ModelCalls.ts"
import { ANTHROPIC_API_KEY } from "../../system/Variables.ts"

export interface AnthropicSettings {
  readonly apiKey: Redacted.Redacted
  readonly baseUrl: string
  readonly limits: CallSettings
}

/** Makes a request of Anthropic's API with the key. */
export const anthropicRequest = (
  method: "GET" | "POST",
  path: string,
  { apiKey, baseUrl }: AnthropicSettings,
): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.make(method)(`${baseUrl}/v1/${path}`).pipe(
    HttpClientRequest.bearerToken(apiKey),
    HttpClientRequest.setHeader("anthropic-version", "2023-06-01"),
  )

/** Makes the calls of Anthropic's models by their ids, without checking whether Anthropic has them. */
export const makeAnthropic = (
  settings: AnthropicSettings,
  client: HttpClient.HttpClient,
): ((model: string) => ModelCalls) => {
  const connection = makeConnection("anthropic", settings.limits)
  const send = senderOf(anthropicRequest("POST", "messages", settings), client)
  return (model) =>
    makeCalls(connection, {
      provider: "anthropic",
      apiKey: settings.apiKey,
      keySetting: ANTHROPIC_API_KEY,
      body: (request) => JSON.stringify(createParams(model, connection.limits.outputTokensMax, request)),
      send,
      showsHeader: (name) => shownHeaders.has(name) || name.startsWith("anthropic-ratelimit-"),
      exchange: { citesSources: true },
      events: (attempt) => new AnthropicEvents(attempt),
    })
}

const shownHeaders: ReadonlySet<string> = new Set(["content-type", "date", "request-id", "retry-after"])

const cached = { cache_control: { type: "ephemeral" } } as const

/**
 * The parameters of a request. Cache breakpoints stand after the tools, after the system text and, by the one at the
 * top level, after the last message: the provider's cache serves a prefix as long as it stays the same.
 */
const createParams = (model: string, outputTokensMax: number, options: ModelRequest): MessageCreateParams => {
  const { system, tools, ...request } = messagesRequest(model, options)
  const lastTool = tools?.at(-1)
  return {
    max_tokens: outputTokensMax,
    ...cached,
    ...request,
    ...(options.isWhole === true ? {} : { stream: true }),
    ...(system === undefined ? {} : { system: [{ type: "text", text: system, ...cached }] }),
    ...(tools === undefined || lastTool === undefined
      ? {}
      : { tools: [...tools.slice(0, -1), { ...lastTool, ...cached }] }),
  }
}
