import { Effect, Exit, Redacted } from "effect"
import { disconnected, failureOfStatus, ProviderFailure, timedOut } from "./ProviderFailure.ts"
import type { Dialect } from "./ProviderCalls.ts"
import { readStart } from "./ResponseBody.ts"
import { waitFor } from "./WaitFor.ts"

/** The number of bytes that are read of the body of a refusal. */
export const REFUSAL_BYTES_MAX = 64 * 1024

/** The address to which the requests of a provider are posted. */
interface Endpoint {
  readonly url: string
  /** The key, which not every server requires. */
  readonly apiKey: Redacted.Redacted | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The name of the response header by which the provider identifies a request. */
  readonly requestId: string
}

/** Makes the function that sends the bodies of requests. */
export const senderTo =
  (endpoint: Endpoint): Dialect["send"] =>
  (body, millis) =>
    Effect.flatMap(controller, ({ signal }) =>
      Effect.clockWith((clock) =>
        waitFor({
          millis,
          start: () => post(endpoint, body, signal, () => clock.currentTimeMillisUnsafe()),
          onTimeout: () => timedOut("No reply in time"),
          onError: (error) => (error instanceof ProviderFailure ? error : disconnected(String(error))),
        }),
      ),
    )

/** Rejects with a `ProviderFailure` when the provider refuses the request. */
const post = async (
  { apiKey, headers, requestId, url }: Endpoint,
  body: string,
  signal: AbortSignal,
  now: () => number,
): Promise<Response> => {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      ...headers,
      ...(apiKey !== undefined && { authorization: `Bearer ${Redacted.value(apiKey)}` }),
      "content-type": "application/json",
    },
    body,
    signal,
    // A redirect would send the key, or the conversation, to a server that nobody configured.
    redirect: "manual",
  })
  if (response.ok) return response
  const { headers: answered, status } = response
  throw failureOfStatus({
    status,
    description: `${status} ${await readStart(response, REFUSAL_BYTES_MAX)}`,
    headers: answered,
    requestId: answered.get(requestId),
    now: now(),
  })
}

/**
 * An abort controller that aborts when its scope does not close with success. It is defined here because it lives as
 * long as the answer: a closure in the function that sends would keep the body in memory meanwhile.
 */
const controller = Effect.acquireRelease(
  Effect.sync(() => new AbortController()),
  // Not after success: aborting takes as long as a database statement, even when the request has ended.
  (controller, exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => controller.abort())),
)
