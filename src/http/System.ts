import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { NotFound } from "../domain/Errors.ts"
import { imageContentType } from "../domain/chatbot/ImageFormats.ts"
import { Chatbots } from "../services/Chatbots.ts"
import { Health } from "../services/Health.ts"
import { Lifecycle, shuttingDown } from "./edge/Lifecycle.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fn(function* (handlers) {
    const chatbots = yield* Chatbots
    const health = yield* Health
    const lifecycle = yield* Lifecycle

    return handlers.handleAll({
      healthz: () => Effect.succeed({ status: "ok" as const }),

      readyz: () =>
        Effect.suspend(() =>
          lifecycle.phase === "serving"
            ? Effect.as(health.check, { status: "ready" as const })
            : Effect.fail(shuttingDown),
        ),

      avatar: ({ params }) =>
        chatbots.avatar(params.name).pipe(
          Effect.map((image) =>
            HttpServerResponse.uint8Array(image, {
              contentType: imageContentType(image),
              headers: {
                "cache-control": "public, max-age=31536000, immutable",
                "content-security-policy": "default-src 'none'; sandbox",
                "x-content-type-options": "nosniff",
                "cross-origin-resource-policy": "cross-origin",
              },
            }),
          ),
          Effect.catchTag("BlobNotFound", () => Effect.fail(new NotFound({ detail: "There is no such avatar." }))),
        ),
    })
  }),
)
