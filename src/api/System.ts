import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { IsCrossOrigin, IsProbe } from "./Annotations.ts"
import { Problems } from "./Middleware.ts"
import * as Problem from "./Problem.ts"

export const healthz = HttpApiEndpoint.get("healthz", "/healthz", {
  success: Schema.Struct({ status: Schema.Literal("ok") }),
})
  .annotate(IsProbe, true)
  .annotateMerge(OpenApi.annotations({ summary: "Liveness", description: "The process answers." }))

const readyz = HttpApiEndpoint.get("readyz", "/readyz", {
  success: Schema.Struct({ status: Schema.Literal("ready") }),
})
  .annotate(IsProbe, true)
  .annotateMerge(
    OpenApi.annotations({
      summary: "Readiness",
      description: "The database answers and the server is not draining; else 503.",
    }),
  )

const avatar = HttpApiEndpoint.get("avatar", "/avatars/:name", {
  params: {
    name: Schema.String.check(
      Schema.isPattern(/^[0-9a-f-]{36}\.(?:png|jpg|webp|gif)$/u, {
        message: "Expected the name of an avatar, as `settings.avatar` ends with it",
      }),
    ).annotate({
      description: "The file's name, as `settings.avatar` of a chatbot holds it.",
      examples: ["987c56ce-0295-48d0-b5c8-b9ccb000ab39.png"],
    }),
  },
  success: HttpApiSchema.StreamUint8Array({ contentType: "image/*" }),
  error: Problem.NotFound,
}).annotateMerge(
  OpenApi.annotations({
    summary: "A chatbot's avatar",
    description: "Public, immutable, never executed by a browser: a new avatar has a new address.",
  }),
)

/** What load balancers, browsers and people without a key may ask. */
export class SystemApi extends HttpApiGroup.make("system")
  .add(healthz, readyz, avatar)
  .annotate(IsCrossOrigin, false)
  .annotateMerge(OpenApi.annotations({ title: "System", description: "Health, and files that everyone may see." }))
  .middleware(Problems) {}
