import { Effect, Option, type Redacted } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import type { ModelCalls } from "../ModelCalls.ts"
import { withVersion } from "../../outbound/VersionedUrl.ts"
import { OpenAiEvents } from "./OpenAiEvents.ts"
import { readCompletion } from "./OpenAiReply.ts"
import { chatCompletionsRequest } from "./OpenAiRequest.ts"
import {
  type CallSettings,
  type Dialect,
  makeCalls,
  makeConnection,
  REFUSAL_BYTES_MAX,
} from "../calls/ProviderCalls.ts"
import { disconnected, failureOfStatus, timedOut } from "../calls/ProviderFailure.ts"
import { readStart } from "../calls/ResponseBody.ts"
import { OPENAI_API_KEY } from "../../system/Variables.ts"

/** The settings of a server that is compatible with OpenAI's chat completions. */
export interface OpenAiSettings {
  /** The key, which not every compatible server requires. */
  readonly apiKey: Redacted.Redacted | undefined
  /** The base URL, with or without the version at its end; undefined for OpenAI's own API. */
  readonly baseUrl: string | undefined
  readonly limits: CallSettings
}

/** A connection to a server that speaks OpenAI's chat completions, and the language models behind it. */
export interface OpenAi {
  /** Makes the calls of the model with a name, without checking whether the server has it. */
  readonly calls: (model: string) => ModelCalls
}

export const officialUrl = "https://api.openai.com/v1"

export const makeOpenAi = (settings: OpenAiSettings, client: HttpClient.HttpClient): OpenAi => {
  const connection = makeConnection("openai", settings.limits)
  const url = chatCompletionsUrl(settings.baseUrl ?? officialUrl)
  // OpenAI's newer models refuse the older name, which is the only one that most other servers know.
  const limit = url.startsWith("https://api.openai.com/") ? "max_completion_tokens" : "max_tokens"
  const send = senderOf(url, settings.apiKey, client)
  return {
    calls: (model) =>
      makeCalls(connection, {
        provider: "openai",
        apiKey: settings.apiKey,
        keySetting: OPENAI_API_KEY,
        body: (options, streamed) =>
          JSON.stringify({
            ...chatCompletionsRequest(model, options),
            [limit]: connection.limits.outputTokensMax,
            ...(streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
          }),
        send,
        showsHeader: (name) => shownHeaders.has(name) || name.startsWith("x-ratelimit-"),
        readAnswer: readCompletion,
        events: (attempt) => new OpenAiEvents(attempt),
      }),
  }
}

const shownHeaders: ReadonlySet<string> = new Set([
  "content-type",
  "date",
  "openai-processing-ms",
  "retry-after",
  "x-request-id",
])

/** The URL of chat completions below a base URL, which may be that URL already. */
export const chatCompletionsUrl = (baseUrl: string): string =>
  `${withVersion(baseUrl.replace(/\/+$/, "").replace(/\/chat\/completions$/, ""))}/chat/completions`

const senderOf = (
  url: string,
  apiKey: Redacted.Redacted | undefined,
  client: HttpClient.HttpClient,
): Dialect["send"] => {
  const post = HttpClientRequest.post(url).pipe(
    apiKey === undefined ? (request) => request : HttpClientRequest.bearerToken(apiKey),
    HttpClientRequest.setHeader("accept", "application/json, text/event-stream"),
  )
  const scoped = HttpClient.withScope(client)
  return (body, millis) =>
    scoped.execute(HttpClientRequest.bodyText(post, body, "application/json")).pipe(
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      // A redirect would send the key, or the conversation, to a server that nobody configured.
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      Effect.mapError((error: HttpClientError.HttpClientError) => disconnected(error.message)),
      Effect.flatMap((response) => {
        const web = Option.getOrUndefined(HttpClientResponse.toWeb(response))
        if (web === undefined) return Effect.fail(disconnected("The client's response is no web response"))
        return web.ok ? Effect.succeed(web) : refused(web)
      }),
      Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.fail(timedOut("No reply in time")) }),
    )
}

const refused = (response: Response) =>
  Effect.tryPromise({
    try: () => readStart(response, REFUSAL_BYTES_MAX),
    catch: (error) => disconnected(String(error)),
  }).pipe(
    Effect.flatMap((description) =>
      Effect.clockWith((clock) =>
        Effect.fail(
          failureOfStatus({
            status: response.status,
            description: `${response.status} ${description}`,
            headers: response.headers,
            requestId: response.headers.get("x-request-id"),
            now: clock.currentTimeMillisUnsafe(),
          }),
        ),
      ),
    ),
  )
