import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Finding, SystemState } from "../../domain/system/SystemState.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { described, IsCrossOrigin, IsProbe, slow } from "../parts/Annotations.ts"
import { attachment } from "../conversations/Attachments.ts"
import { avatar } from "../chatbots/Avatars.ts"
import { Authorization, MetricsAuthorization, Problems, RequiredScope } from "../Middleware.ts"

/** The liveness check of load balancers. */
export const healthz = HttpApiEndpoint.get("healthz", "/healthz", {
  success: Schema.Struct({ status: Schema.Literal("ok") }),
})
  .annotate(IsProbe, true)
  .annotateMerge(described("Liveness", "The process answers."))

const readyz = HttpApiEndpoint.get("readyz", "/readyz", {
  success: Schema.Struct({
    status: Schema.Literal("ready"),
    vectors: Schema.optionalKey(Schema.Literal("waiting")),
    storage: Schema.optionalKey(Schema.Literal("read_only")),
  }),
})
  .annotate(IsProbe, true)
  .annotateMerge(
    described(
      "Readiness",
      "The database answers and the server is not draining; else 503. With `vectors: waiting`, documents wait for the embedding model: it changed or does not answer. Those that were found before are found by their words meanwhile. With `storage: read_only`, the database can only be read, because its disk is nearly full or it is a standby: what needs nothing stored is answered.",
    ),
  )

/** The metrics of the process that answers, or of all workers that share its port. */
export const metrics = HttpApiEndpoint.get("metrics", "/metrics", {
  success: HttpApiSchema.StreamUint8Array({ contentType: "text/plain" }),
})
  .middleware(MetricsAuthorization)
  .annotate(IsProbe, true)
  .annotateMerge(
    described(
      "Metrics",
      "The metrics of the process that answers, or of all workers that share its port, in the text format of Prometheus; see [Observability](/docs/observability). It takes the token of the metrics, or an API key with the scope `operator`, as `Authorization: Bearer`.",
    ),
  )

/** The endpoints that need no API key, except for the metrics, which take a token as well. */
export class SystemApi extends HttpApiGroup.make("system")
  .add(healthz, readyz, metrics, avatar, attachment)
  .annotate(IsCrossOrigin, false)
  .annotateMerge(
    OpenApi.annotations({ title: "System", description: "Health, metrics, and files that everyone may see." }),
  )
  .middleware(Problems) {}

const state = HttpApiEndpoint.get("state", "/api/admin/system", {
  success: Schema.Struct({ system: SystemState }),
}).annotateMerge(
  described(
    "Get the state of the server",
    "Version, readiness, database, queues and memory: of the process that answers, and of the database that all of them share.",
  ),
)

const check = HttpApiEndpoint.get("check", "/api/admin/system/checks", {
  success: Schema.Struct({ checks: Schema.Array(Finding) }),
})
  .annotateMerge(slow(requestCosts.bulk))
  .annotateMerge(
    described(
      "Check the server",
      "What `parley doctor` reports. It asks every configured provider, and the models in use one short question each, and compares the stored files with the database, which takes seconds; those who ask at the same time take turns.",
    ),
  )

/** The endpoints that tell the operator how the server is. */
export class SystemStateApi extends HttpApiGroup.make("systemState")
  .add(state, check)
  .annotateEndpoints(RequiredScope, "operator")
  .annotateMerge(OpenApi.annotations({ title: "System state", description: "The state of the server." }))
  .middleware(Authorization)
  .middleware(Problems) {}
