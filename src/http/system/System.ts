import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { apiVersion } from "../../api/Api.ts"
import { SystemStates } from "../../services/system/SystemStates.ts"
import { Health } from "../../services/system/Health.ts"
import { EXPOSITION_TYPE } from "../../observability/Exposition.ts"
import { attachmentHandlers } from "../conversations/Attachments.ts"
import { avatarHandlers } from "../chatbots/Avatars.ts"
import { isStaying, Lifecycle, shuttingDown } from "../edge/Lifecycle.ts"
import { Server } from "../server/Server.ts"
import { group } from "../Group.ts"

const probes = group("system", function* (handlers) {
  const { attachment } = yield* attachmentHandlers
  const { avatar } = yield* avatarHandlers
  const health = yield* Health
  const lifecycle = yield* Lifecycle
  const server = yield* Server

  return handlers.handleAll({
    healthz: () => Effect.succeed({ status: "ok" as const }),

    readyz: () =>
      Effect.suspend(() =>
        isStaying(lifecycle)
          ? Effect.map(health.check, ({ areVectorsMissing, isReadOnly }) => ({
              status: "ready" as const,
              ...(areVectorsMissing ? { vectors: "waiting" as const } : {}),
              ...(isReadOnly ? { storage: "read_only" as const } : {}),
            }))
          : Effect.fail(shuttingDown),
      ),

    metrics: () =>
      Effect.map(server.metrics, (text) => HttpServerResponse.text(text, { contentType: EXPOSITION_TYPE })),

    avatar,

    attachment,
  })
})

const state = group("systemState", function* (handlers) {
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
        () => Effect.bindTo(states.examine, "checks"),
        (release) => Effect.sync(release),
      ),
  })
})

export const layer = Layer.merge(probes, state)
