import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages"
import { Option, type Redacted } from "effect"
import { AnthropicEvents } from "./AnthropicEvents.ts"
import { failureOfEvent, isErrorEvent } from "./AnthropicFailure.ts"
import { decodeMessage, messageParts } from "./AnthropicReply.ts"
import { messagesRequest } from "./AnthropicRequest.ts"
import { type CallSettings, makeCalls, makeConnection } from "../calls/ProviderCalls.ts"
import type { ModelCalls, ModelRequest } from "../ModelCalls.ts"
import { malformed } from "../calls/ProviderFailure.ts"
import { senderTo } from "../calls/Sender.ts"
import { ANTHROPIC_API_KEY } from "../../system/Variables.ts"

/** The version of the API, for the header of that name. */
export const ANTHROPIC_VERSION = "2023-06-01"

export interface AnthropicSettings {
  readonly apiKey: Redacted.Redacted
  readonly baseUrl: string
  readonly limits: CallSettings
}

/** A connection to Anthropic's API, and the language models behind it. */
export interface Anthropic {
  /** Makes the calls of the model with an id, without checking whether Anthropic has it. */
  readonly calls: (model: string) => ModelCalls
}

export const makeAnthropic = (settings: AnthropicSettings): Anthropic => {
  const connection = makeConnection("anthropic", settings.limits)
  const send = senderTo({
    url: `${settings.baseUrl.replace(/\/+$/, "")}/v1/messages`,
    apiKey: settings.apiKey,
    headers: { accept: "application/json", "anthropic-version": ANTHROPIC_VERSION },
    requestId: "request-id",
  })
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
          if (isErrorEvent(json)) return failureOfEvent(json)
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
    ...(system === undefined ? {} : { system: [{ type: "text", text: system, ...cached }] }),
    ...(tools === undefined || lastTool === undefined
      ? {}
      : { tools: [...tools.slice(0, -1), { ...lastTool, ...cached }] }),
  }
}
