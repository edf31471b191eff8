import { createHash, timingSafeEqual } from "node:crypto"
import { Effect, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { Config } from "../../Config.ts"
import { type Caller, isOperator, refusal } from "../../domain/Caller.ts"
import { type Forbidden, type RateLimited, Unauthorized, type Unavailable } from "../../domain/Errors.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { METRICS_TOKEN } from "../../system/Variables.ts"
import { keyOf, makeAdmission } from "./Admission.ts"
import { makeRefusals } from "./Refusals.ts"

type Refusal = Forbidden | RateLimited | Unauthorized | Unavailable

const stranger = new Unauthorized({
  detail: `Send the token of ${METRICS_TOKEN}, or an API key with the scope operator, as \`Authorization: Bearer\`.`,
})

const notAnOperator = (caller: Caller["Service"]) =>
  refusal(caller, {
    key: `The metrics are the operator's: send the token of ${METRICS_TOKEN}, or an API key with the scope operator.`,
    person: "The metrics are the operator's: none of your roles has the scope operator.",
  })

const digestOf = (text: string): Uint8Array => createHash("sha256").update(text).digest()

/**
 * Makes the middleware that admits those who may read the metrics. It takes the token of the settings without asking the
 * database, so that the metrics are there while the database is not.
 */
export const make = Effect.gen(function* () {
  const { token } = (yield* Config).metrics
  const admit = yield* makeAdmission
  const expected = token && digestOf(Redacted.value(token))

  const refusals = makeRefusals<Refusal>()

  const ensureAllowed = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void, Refusal> => {
    // Digests have the same length, so that the comparison tells nothing of the token.
    if (expected !== undefined && timingSafeEqual(digestOf(keyOf(request)), expected)) return Effect.void
    return Effect.flatMap(
      Effect.catchTag(admit(request, requestCosts.plain, "parley"), "Unauthorized", () => Effect.fail(stranger)),
      (caller) => (isOperator(caller) ? Effect.void : notAnOperator(caller)),
    )
  }

  const authorize = <A, E, R>(respond: Effect.Effect<A, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.andThen(refusals.remember(request, ensureAllowed(request)), respond),
    )

  return { apiKey: authorize, bearer: refusals.repeat }
})
