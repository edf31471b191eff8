import { Duration, Effect, Option, Semaphore } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { currentMonotonicMillis } from "../system/Monotonic.ts"
import { telemetry } from "./Metrics.ts"

/** The most exports under way at once. Each of them holds up to a batch of telemetry in memory. */
const EXPORTS_AT_ONCE = 4
/** Least time between two warnings in the log that the collector takes nothing. */
const WARNING_INTERVAL = Duration.minutes(5)

/** Stands for the answer to an export that is dropped, so that the exporter neither repeats it nor pauses. */
const dropped = (request: HttpClientRequest.HttpClientRequest) =>
  HttpClientResponse.fromWeb(request, new Response(null, { status: 200 }))

/**
 * Bounds what a collector can cost. The exporter of Effect has neither a time limit nor a bound of exports under way, so
 * that a collector which hangs would fill the memory. Here an export beyond the bound is dropped and counted. A failure
 * is logged every five minutes at most; the exporter itself then pauses for a minute.
 */
export const bounded = Effect.fnUntraced(function* (client: HttpClient.HttpClient, timeout: Duration.Duration) {
  const places = yield* Semaphore.make(EXPORTS_AT_ONCE)
  let warnedAt: number | undefined
  /** Addresses that the collector does not have, as one that takes traces only. It is said once of each. */
  const missing = new Set<string>()

  const warn = (why: string) =>
    Effect.gen(function* () {
      telemetry.dropped().add()
      const now = yield* currentMonotonicMillis
      if (warnedAt !== undefined && now - warnedAt < Duration.toMillis(WARNING_INTERVAL)) return
      warnedAt = now
      yield* Effect.logWarning("The collector does not take telemetry, which is lost", { why })
    })

  return HttpClient.make((request) => {
    const sent = client.execute(request).pipe(
      Effect.tap(({ status }) => {
        if (status !== 404) return status >= 400 ? warn(`It answered ${status}.`) : Effect.void
        if (missing.has(request.url)) return Effect.sync(() => telemetry.dropped().add())
        missing.add(request.url)
        return Effect.andThen(
          Effect.sync(() => telemetry.dropped().add()),
          Effect.logWarning("The collector does not take one kind of telemetry", { url: request.url }),
        )
      }),
      Effect.tapError((error) => warn(error.reason._tag)),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          Effect.as(warn(`It did not answer within ${Duration.toSeconds(timeout)} seconds.`), dropped(request)),
      }),
    )
    return Effect.flatMap(places.withPermitsIfAvailable(1)(sent), (answer) =>
      Option.isSome(answer)
        ? Effect.succeed(answer.value)
        : Effect.as(warn("Its earlier answers are still awaited."), dropped(request)),
    )
  })
})
