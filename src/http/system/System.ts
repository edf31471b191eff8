import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Api } from "../../api/Api.ts"
import { Health } from "../../services/Health.ts"
import { EXPOSITION_TYPE } from "../../observability/Exposition.ts"
import { avatarHandlers } from "../chatbots/Avatars.ts"
import { isStaying, Lifecycle, shuttingDown } from "../edge/Lifecycle.ts"
import { Server } from "../server/Server.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fn(function* (handlers) {
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
    })
  }),
)
