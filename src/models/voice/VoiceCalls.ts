import { Duration, Effect, type Scope } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { keyHeaders } from "../../outbound/KeyHeaders.ts"
import { retrying } from "../../outbound/Retrying.ts"
import { Gate } from "../calls/Gate.ts"
import { defaultLimits } from "../calls/ProviderCalls.ts"
import { explained, type ProviderFailure } from "../calls/ProviderFailure.ts"
import { sending } from "../calls/Sender.ts"
import { LOGGED_MAX_LENGTH } from "../ClientFailures.ts"
import type { VoiceServer } from "./VoiceServers.ts"
import { endpointAt } from "../../outbound/VersionedUrl.ts"

/** The limits of calls while somebody waits for a voice: one further attempt, and soon. */
const limits = {
  ...defaultLimits,
  attemptsMax: 2,
  retryDelay: Duration.millis(200),
  retryAfterMax: Duration.seconds(1),
  concurrency: 256,
  turnWait: Duration.seconds(2),
}

/** Time to the head of an answer, in milliseconds. */
const HEAD_TIMEOUT = 20_000

/** Makes the function that posts to one endpoint of a server, with further attempts, and the protection of its gate. */
export const voiceCalls = Effect.fnUntraced(function* (server: VoiceServer, path: string, keySetting: string) {
  const send = sending(yield* HttpClient.HttpClient)
  const name = `${path.split("/").at(-1)} server`
  const gate = new Gate(name, limits)
  const headers = keyHeaders(server.baseUrl, server.apiKey)
  const post = HttpClientRequest.post(endpointAt(server.baseUrl, path), { headers })
  /** `read` reads the answer; it is called anew for each attempt, which there are until `hasBegun`. */
  return <A>(
    body: (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest,
    read: (response: Response) => Effect.Effect<A, ProviderFailure, Scope.Scope>,
    hasBegun: () => boolean = () => false,
  ): Effect.Effect<A, ProviderFailure> => {
    const attempt = Effect.scoped(
      Effect.flatMap(
        Effect.suspend(() => send(body(post), HEAD_TIMEOUT)),
        read,
      ),
    )
    return gate.guard(retrying(gate.limit(attempt), limits, () => !hasBegun())).pipe(
      Effect.mapError((failure) => explained(failure, name, server.apiKey, keySetting)),
      Effect.tapError(({ description, kind }) =>
        Effect.logWarning(`The ${name} failed`, { reason: kind, detail: description.slice(0, LOGGED_MAX_LENGTH) }),
      ),
    )
  }
})
