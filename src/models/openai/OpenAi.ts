import type { Redacted } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { type ModelCalls, outputTokensWithin } from "../ModelCalls.ts"
import { keyHeaders } from "../../outbound/KeyHeaders.ts"
import { endpointAt } from "../../outbound/VersionedUrl.ts"
import { OpenAiEvents } from "./OpenAiEvents.ts"
import { chatCompletionsRequest } from "./OpenAiRequest.ts"
import { type CallSettings, makeCalls, makeConnection } from "../calls/ProviderCalls.ts"
import { senderOf } from "../calls/Sender.ts"
import { OPENAI_API_KEY } from "../../system/Variables.ts"

/** The settings of a server that is compatible with OpenAI's chat completions. */
export interface OpenAiSettings {
  /** The key, which not every compatible server requires. */
  readonly apiKey: Redacted.Redacted | undefined
  /** The base URL, with or without the version at its end; undefined for OpenAI's own API. */
  readonly baseUrl: string | undefined
  readonly limits: CallSettings
  /** Where the key stands, for messages to the operator. Absent: in the settings. */
  readonly keySetting?: string
}

export const officialUrl = "https://api.openai.com/v1"

/** Makes the calls of a server's models by their names, without checking whether the server has them. */
export const makeOpenAi = (
  settings: OpenAiSettings,
  client: HttpClient.HttpClient,
): ((model: string) => ModelCalls) => {
  const url = endpointAt(settings.baseUrl ?? officialUrl, "/chat/completions")
  const connection = makeConnection("openai", url, settings.limits)
  // OpenAI's newer models refuse the older name, which is the only one that most other servers know.
  const limit = url.startsWith("https://api.openai.com/") ? "max_completion_tokens" : "max_tokens"
  const post = HttpClientRequest.post(url).pipe(
    HttpClientRequest.setHeaders(keyHeaders(url, settings.apiKey)),
    HttpClientRequest.setHeader("accept", "application/json, text/event-stream"),
  )
  const send = senderOf(post, client)
  return (model) =>
    makeCalls(connection, {
      provider: "openai",
      model,
      apiKey: settings.apiKey,
      keySetting: settings.keySetting ?? OPENAI_API_KEY,
      body: (request) =>
        JSON.stringify({
          ...chatCompletionsRequest(model, request),
          [limit]: outputTokensWithin(request.bounds, connection.limits.outputTokensMax),
          temperature: request.bounds?.temperature,
          stream: true,
          stream_options: { include_usage: true },
        }),
      send,
      showsHeader: (name) => shownHeaders.has(name) || name.startsWith("x-ratelimit-"),
      events: (attempt, request) => new OpenAiEvents(attempt, request),
    })
}

const shownHeaders: ReadonlySet<string> = new Set([
  "content-type",
  "date",
  "openai-processing-ms",
  "retry-after",
  "x-request-id",
])
