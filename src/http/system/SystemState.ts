import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { Api, apiVersion } from "../../api/Api.ts"
import { SystemStates } from "../../services/console/SystemStates.ts"
import { isStaying, Lifecycle } from "../edge/Lifecycle.ts"
import { Server } from "../server/Server.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "systemState",
  Effect.fn(function* (handlers) {
    const states = yield* SystemStates
    const lifecycle = yield* Lifecycle
    const server = yield* Server

    return handlers.handleAll({
      state: () =>
        Effect.map(states.current, ({ vectors, ...state }) => ({
          system: {
            ...state,
            api_version: apiVersion,
            readiness: {
              status: isStaying(lifecycle) ? ("ready" as const) : ("stopping" as const),
              vectors,
            },
          },
        })),
      check: ({ request }) =>
        Effect.acquireUseRelease(
          // An examination may take longer than a silent connection is kept.
          Effect.sync(() => server.keepOpen(request)),
          () => Effect.map(states.examine, (checks) => ({ checks })),
          (release) => Effect.sync(release),
        ),
    })
  }),
)
