import { Effect, type Scope } from "effect"

/** Serves on a free port of this machine until the scope closes. Returns the address, such as `http://127.0.0.1:4711`. */
export const listening = (
  fetch: (request: Request) => Response | Promise<Response>,
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch })),
      (server) => Effect.promise(() => server.stop(true)),
    ),
    ({ url }) => url.origin,
  )
