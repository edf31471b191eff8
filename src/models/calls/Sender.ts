import { Effect, Option } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import type { Dialect } from "./ProviderCalls.ts"
import { disconnected, failureOfStatus, timedOut } from "./ProviderFailure.ts"
import { FetchFailed } from "../../outbound/FetchFailed.ts"
import { readStart } from "../../outbound/ResponseText.ts"
import { REFUSAL_BYTES_MAX } from "./ResponseBody.ts"

/** Makes the function that sends requests, and returns a successful response within `millis` milliseconds. */
export const sending = (client: HttpClient.HttpClient) => {
  const scoped = HttpClient.withScope(client)
  return (request: HttpClientRequest.HttpClientRequest, millis: number) =>
    scoped.execute(request).pipe(
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      // A redirect would send the key, or the conversation, to a server that nobody configured.
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      Effect.mapError(({ cause, message }: HttpClientError.HttpClientError) =>
        disconnected(cause instanceof FetchFailed ? cause.detail : message),
      ),
      Effect.flatMap((response) => {
        const web = Option.getOrUndefined(HttpClientResponse.toWeb(response))
        if (web === undefined) return Effect.fail(disconnected("The client's response is no web response"))
        return web.ok ? Effect.succeed(web) : refused(web)
      }),
      Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.fail(timedOut("No reply in time")) }),
    )
}

/** Makes the function that sends bodies of JSON by this request. They are text, so that a step shows what was sent. */
export const senderOf = (post: HttpClientRequest.HttpClientRequest, client: HttpClient.HttpClient): Dialect["send"] => {
  const send = sending(client)
  return (body, millis) => send(HttpClientRequest.bodyText(post, body, "application/json"), millis)
}

const refused = (response: Response) =>
  Effect.tryPromise({
    try: () => readStart(response, REFUSAL_BYTES_MAX),
    catch: (error) => disconnected(String(error)),
  }).pipe(
    Effect.flatMap((said) =>
      Effect.clockWith((clock) =>
        Effect.fail(
          failureOfStatus({
            status: response.status,
            description: `${response.status} ${said}`,
            headers: response.headers,
            now: clock.currentTimeMillisUnsafe(),
          }),
        ),
      ),
    ),
  )
