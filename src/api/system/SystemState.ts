import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Finding, SystemState } from "../../domain/console/SystemState.ts"
import { requestCosts } from "../../domain/RateLimit.ts"
import { Authorization, Problems, RequiredScope } from "../Middleware.ts"
import { described, IsSlow, RequestCost } from "../parts/Annotations.ts"

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
  .annotate(IsSlow, true)
  .annotate(RequestCost, requestCosts.bulk)
  .annotateMerge(
    described(
      "Check the server",
      "What `parley doctor` reports. It asks every configured provider, and compares the stored files with the database, which takes seconds; those who ask at the same time take turns.",
    ),
  )

/** The endpoints that tell the operator how the server is. */
export class SystemStateApi extends HttpApiGroup.make("systemState")
  .add(state, check)
  .annotateEndpoints(RequiredScope, "operator")
  .annotateMerge(OpenApi.annotations({ title: "System state", description: "How the server is." }))
  .middleware(Authorization)
  .middleware(Problems) {}
