import { Cache, Context, DateTime, Duration, Effect, Exit, Layer, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  type ApiKey,
  type ApiKeyPatch,
  hashKey,
  isWellFormedKey,
  KEY_ENTROPY_BYTES,
  keyHint,
  makeKey,
  type Scope,
} from "../domain/ApiKey.ts"
import { Caller } from "../domain/Caller.ts"
import { Forbidden, InvalidRequest, type NotFound, Unauthorized, type Unavailable } from "../domain/Errors.ts"
import { ApiKeyId, type ChatbotId, type OrganizationId } from "../domain/Ids.ts"
import type { Change } from "../domain/schema/Merge.ts"
import { currentMonotonicMillis } from "../system/Monotonic.ts"
import type { Listed, Range } from "../domain/Page.ts"
import * as Storage from "../storage/ApiKeys.ts"

/** Every process asks the database again after this time: a revocation takes effect within a second everywhere. In milliseconds. */
const LOOKUP_TIME_TO_LIVE = 900
/** Whoever waited for a database that does not answer is told so, and does not wait for it once more. In milliseconds. */
const FAILURE_TIME_TO_LIVE = 100
/** Keys (and wrong guesses) remembered at once. */
const LOOKUP_CAPACITY = 10_000

const unauthorized = new Unauthorized({
  detail: "Send a valid API key as `x-api-key`, or as `Authorization: Bearer`.",
})

const alreadyExpired = InvalidRequest.at("expires_at", "Expected a time that is still to come")

export interface KeyRequest {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly organization: OrganizationId
  readonly chatbot?: ChatbotId | undefined
  readonly expiresAt?: DateTime.Utc | undefined
}

/** A key and its secret, which exists nowhere else. */
export interface IssuedKey {
  readonly apiKey: ApiKey
  readonly key: Redacted.Redacted
}

/** API keys: made, recognised, revoked. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Who has this key. */
    readonly authenticate: (key: Redacted.Redacted) => Effect.Effect<Caller["Service"], Unauthorized | Unavailable>
    /** Makes a key, as the operator on the command line does. An expiry that has passed is refused. */
    readonly issue: (request: KeyRequest) => Effect.Effect<IssuedKey, InvalidRequest | NotFound | Unavailable>
    /** Makes a key with no more scopes than the caller has, and bound to the same chatbot if the caller is. */
    readonly create: (
      request: KeyRequest,
    ) => Effect.Effect<IssuedKey, InvalidRequest | NotFound | Forbidden | Unavailable, Caller>
    /** Newest first. */
    readonly list: (organization: OrganizationId, range: Range) => Effect.Effect<Listed<ApiKey>, Unavailable>
    /** Of any organization, or only of this one. */
    readonly revoke: (
      id: ApiKeyId,
      organization: OrganizationId | undefined,
    ) => Effect.Effect<ApiKey, NotFound | Unavailable>
    /** Holds within a second, on every server. Of any organization, or only of this one; what the change leaves out stays. */
    readonly update: (
      id: ApiKeyId,
      organization: OrganizationId | undefined,
      change: Change<ApiKey, ApiKeyPatch>,
    ) => Effect.Effect<ApiKey, InvalidRequest | NotFound | Unavailable>
  }
>()("parley/services/ApiKeys") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const storage = yield* Storage.ApiKeys
      const random = yield* SecureRandom.SecureRandom

      // By hash, so that no secret stays in memory, and absent keys too, so that guessing does not reach the database
      // more than once a key. A 256-bit secret cannot be found by timing an index. Effect's cache would measure by the
      // time of day, which may step back: an entry says itself until when it holds, counted from before it was asked for.
      const lookups = yield* Cache.makeWith(
        Effect.fnUntraced(function* (hash: string) {
          const askedAt = yield* currentMonotonicMillis
          const found = yield* Effect.result(storage.findLive(Buffer.from(hash, "base64")))
          if (Result.isFailure(found)) {
            return { found, freshUntil: (yield* currentMonotonicMillis) + FAILURE_TIME_TO_LIVE }
          }
          const livesFor = found.success?.expires_in ?? LOOKUP_TIME_TO_LIVE
          return { found, freshUntil: askedAt + Math.min(LOOKUP_TIME_TO_LIVE, livesFor) }
        }),
        {
          capacity: LOOKUP_CAPACITY,
          timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero),
        },
      )

      const lookUp = (hash: string) =>
        Effect.flatMap(currentMonotonicMillis, (now) =>
          Effect.filterOrElse(
            Cache.get(lookups, hash),
            ({ freshUntil }) => now < freshUntil,
            (outdated) =>
              Effect.andThen(
                Cache.invalidateWhen(lookups, hash, (held) => held === outdated),
                Cache.get(lookups, hash),
              ),
          ),
        )

      const authenticate = Effect.fnUntraced(function* (key: Redacted.Redacted) {
        const presented = Redacted.value(key)
        if (!isWellFormedKey(presented)) return yield* unauthorized
        const { found } = yield* lookUp(Buffer.from(hashKey(presented)).toString("base64"))
        const live = yield* Effect.fromResult(found)
        if (live === undefined) return yield* unauthorized
        return {
          apiKeyId: live.id,
          organizationId: live.organization_id,
          scopes: live.scopes,
          chatbotId: live.chatbot_id,
          isOperator: live.is_operator,
          budgets: live.budgets,
        }
      })

      const issue = Effect.fn("ApiKeys.issue")(function* (request: KeyRequest) {
        if (request.expiresAt !== undefined && (yield* DateTime.isPast(request.expiresAt))) return yield* alreadyExpired
        const key = makeKey(yield* random.randomBytes(KEY_ENTROPY_BYTES))
        const apiKey = yield* storage.insert({
          id: ApiKeyId.make(yield* random.uuidV7()),
          organization_id: request.organization,
          chatbot_id: request.chatbot ?? null,
          name: request.name,
          hash: hashKey(key),
          ...keyHint(key),
          scopes: request.scopes,
          expires_at: request.expiresAt === undefined ? null : DateTime.toDate(request.expiresAt),
        })
        return { apiKey, key: Redacted.make(key) }
      })

      const create = Effect.fn("ApiKeys.create")(function* (request: KeyRequest) {
        const caller = yield* Caller
        const excess = request.scopes.filter((scope) => !caller.scopes.includes(scope))
        if (excess.length > 0) {
          return yield* new Forbidden({ detail: `This API key lacks what it would give: ${excess.join(", ")}.` })
        }
        return yield* issue(request)
      })

      return { authenticate, issue, create, list: storage.list, revoke: storage.revoke, update: storage.modify }
    }),
  )
}
