import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentTimings, type Timings } from "../../observability/Border.ts"

/** The value of the header `Server-Timing`, with durations in milliseconds. */
export const serverTiming = (timings: Timings): string =>
  Array.from(timings, ([name, millis]) => `${name};dur=${millis.toFixed(1)}`).join(", ")

/** Says in the header `Server-Timing` how long the parts of the work took that makes a response. */
export const withServerTiming = <E, R>(
  respond: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.suspend(() => {
    const timings: Timings = new Map()
    return Effect.map(Effect.provideService(respond, CurrentTimings, timings), (response) =>
      HttpServerResponse.setHeader(response, "server-timing", serverTiming(timings)),
    )
  })
