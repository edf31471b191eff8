import { Effect, Layer } from "effect"
import { metrics } from "../../api/System.ts"
import { EXPOSITION_TYPE } from "../../observability/Exposition.ts"
import type { StartupError } from "../../system/StartupError.ts"
import { METRICS_HOST, METRICS_PORT } from "../../system/Variables.ts"
import { pathOf } from "../edge/PathOf.ts"
import { Seat } from "../../system/Seat.ts"
import { Server } from "./Server.ts"
import { cannotListen } from "./CannotListen.ts"

export interface MetricsServerSettings {
  readonly host: string
  /** The port of the metrics; undefined for none. */
  readonly port: number | undefined
}

/** Serves the metrics of this process, or of all workers, on a port of their own to everybody, without a token. */
export const layer = ({ host, port }: MetricsServerSettings): Layer.Layer<never, StartupError, Server> =>
  port === undefined
    ? Layer.empty
    : Layer.effectDiscard(
        Effect.flatMap(Effect.all([Server, Seat]), ([{ metrics: all }, seat]) =>
          Effect.acquireRelease(
            Effect.sync(() =>
              Bun.serve({
                hostname: host,
                port,
                // Each worker answers for all of them.
                reusePort: seat !== undefined,
                fetch: async ({ method, url }) =>
                  method === "GET" && pathOf(url) === metrics.path
                    ? new Response(await Effect.runPromise(all), { headers: { "content-type": EXPOSITION_TYPE } })
                    : new Response(`There is only GET ${metrics.path} on this port.\n`, { status: 404 }),
              }),
            ).pipe(
              Effect.catchDefect((cause) =>
                Effect.flip(cannotListen({ host, port }, cause, [METRICS_HOST, METRICS_PORT])),
              ),
            ),
            (server) => Effect.promise(() => server.stop(true)),
          ),
        ),
      )
