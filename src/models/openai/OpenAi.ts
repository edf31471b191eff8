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
import { disconnected, ofStatus, timedOut } from "../calls/ProviderFailure.ts"
import { readStart } from "../calls/ResponseBody.ts"
import { OPENAI_API_KEY } from "../../system/Variables.ts"

export interface OpenAiSettings {
  /** Not every server that is compatible with OpenAI's wants one. */
  readonly apiKey: Redacted.Redacted | undefined
  /** With or without the version at its end. Absent: OpenAI's own. */
  readonly baseUrl: string | undefined
  readonly limits: CallSettings
}

/** A connection to a server that speaks OpenAI's chat completions, and the language models behind it. */
export interface OpenAi {
  readonly calls: (model: string) => ModelCalls
}

export const officialUrl = "https://api.openai.com/v1"

export const makeOpenAi = (settings: OpenAiSettings, client: HttpClient.HttpClient): OpenAi => {
  const connection = makeConnection("openai", settings.limits)
  const url = chatCompletionsUrl(settings.baseUrl ?? officialUrl)
  // OpenAI's newer models refuse the old name, and most other servers know no other.
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

/** The address of chat completions below a base URL, which may name it already. */
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
      // A redirect would take the key, or the conversation, to where nobody configured it to go.
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      Effect.mapError((error: HttpClientError.HttpClientError) => disconnected(error.message)),
      Effect.flatMap((response) => {
        const web = Option.getOrUndefined(HttpClientResponse.toWeb(response))
        if (web === undefined) return Effect.fail(disconnected("The client keeps its responses to itself"))
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
          ofStatus({
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
