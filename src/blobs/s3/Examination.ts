import { Clock, Duration, Effect } from "effect"
import type { Finding } from "../../domain/system/SystemState.ts"
import { StartupError } from "../../system/StartupError.ts"
import type { S3Client } from "./S3Client.ts"
import { type S3Failure, skewOf } from "./S3Failure.ts"

/** The difference of clocks that is worth a look, long before requests are refused for it. */
const SKEW_NOTED = Duration.seconds(30)

/** Asks for what every other request needs too: the key, the signature, the region and the bucket. */
const ask = (client: S3Client) => client.attempt({ method: "GET", query: { "list-type": "2", "max-keys": "1" } })

/**
 * Fails when the store will refuse every request until somebody mends the settings or the bucket. A store that cannot be
 * reached does not keep the server from starting, since it may come back, and much of the server works without it.
 */
export const checkAtStart = (client: S3Client): Effect.Effect<void, StartupError> =>
  Effect.asVoid(ask(client)).pipe(
    Effect.catchIf(
      ({ retryable }) => retryable,
      ({ what }) => Effect.logWarning("Files cannot be stored or read until the S3 server answers", { why: what }),
    ),
    Effect.mapError(({ doThis = "", what }: S3Failure) => new StartupError({ what, doThis })),
  )

/** Says whether the store answers, and how its clock differs from this machine's. */
export const examine = (client: S3Client): Effect.Effect<ReadonlyArray<Pick<Finding, "state" | "text">>> => {
  const { bucket, endpoint } = client.settings
  return ask(client).pipe(
    Effect.flatMap(({ headers }) => Effect.map(Clock.currentTimeMillis, (now) => skewOf(headers, now))),
    Effect.match({
      onSuccess: (skew) => [
        { state: "ok" as const, text: `the bucket ${bucket} at ${endpoint} answers` },
        ...(skew > Duration.toMillis(SKEW_NOTED)
          ? [
              {
                state: "note" as const,
                text: `the clocks of this machine and of the S3 server differ by ${Math.round(skew / 1_000)} s; from 15 minutes on it refuses requests`,
              },
            ]
          : []),
      ],
      onFailure: ({ doThis = "", what }) => [{ state: "wrong" as const, text: `${what} ${doThis}`.trim() }],
    }),
  )
}
