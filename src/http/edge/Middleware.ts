import { Layer } from "effect"
import { MetricsAuthorization, type Middleware, middleware, VisitorAuthorization } from "../../api/Middleware.ts"
import type { Dialect } from "../../api/parts/Dialect.ts"
import * as Authorization from "../access/Authorization.ts"
import * as Idempotency from "./Idempotency.ts"
import * as MetricsAccess from "../access/MetricsAccess.ts"
import * as Problems from "./Problems.ts"
import * as RequestBody from "./RequestBody.ts"
import * as Visitors from "../access/VisitorAuthorization.ts"

const layerFor = <D extends Dialect>(dialect: D, declared: Middleware<D>) =>
  Layer.mergeAll(
    Layer.effect(declared.Authorization, Authorization.make(dialect)),
    Layer.effect(declared.Idempotent.inTransaction, Idempotency.make(dialect, "inTransaction")),
    Layer.effect(declared.Idempotent.inSystemTransaction, Idempotency.make(dialect, "inSystemTransaction")),
    Layer.effect(declared.Idempotent.prepared, Idempotency.make(dialect, "prepared")),
    Layer.effect(declared.Idempotent.repeatable, Idempotency.make(dialect, "repeatable")),
    Layer.effect(declared.RequestBody, RequestBody.make),
    Layer.succeed(declared.Problems, Problems.answerFailures),
  )

/** The middleware of endpoints, for each dialect, of the chat widget, and of the metrics. */
export const layer = Layer.mergeAll(
  layerFor("parley", middleware.parley),
  layerFor("openai", middleware.openai),
  Layer.effect(MetricsAuthorization, MetricsAccess.make),
  Layer.effect(VisitorAuthorization, Visitors.make),
)
