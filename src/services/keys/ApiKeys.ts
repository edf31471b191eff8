import { DateTime, Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  type ApiKey,
  type ApiKeyPatch,
  hashKey,
  isWellFormedKey,
  KEY_ENTROPY_BYTES,
  keyHint,
  type KeyMaker,
  LAST_EXPIRY,
  makeKey,
  type Scope,
} from "../../domain/keys/ApiKey.ts"
import { type Budget, noBudget } from "../../domain/organizations/Budget.ts"
import { Caller, COMMAND_LINE, isOperator } from "../../domain/Caller.ts"
import { excessRights } from "../../domain/keys/Delegation.ts"
import { Forbidden, InvalidRequest, Unauthorized, type Unavailable } from "../../domain/Errors.ts"
import { ApiKeyId, type ChatbotId, type OrganizationId } from "../../domain/Ids.ts"
import { atBorder } from "../../observability/Border.ts"
import { isPublishableKey, makePublishableKey } from "../../domain/widget/PublishableKey.ts"
import { Service } from "../../domain/Service.ts"
import * as Storage from "../../storage/keys/ApiKeys.ts"
import { Organizations } from "../../storage/organizations/Organizations.ts"
import { recentLookups } from "./RecentLookups.ts"

const noValidKey = new Unauthorized({
  detail: "Send a valid API key as `x-api-key`, or as `Authorization: Bearer`.",
})

const publishable = new Unauthorized({
  detail:
    "A publishable key (`pub_…`) is good for the chat widget only. Send an API key, and keep that out of web pages.",
})

const alreadyExpired = InvalidRequest.at("expires_at", "Expected a time that is still to come")
const expiresTooLate = InvalidRequest.at("expires_at", "Expected a time before the year 10000")
const notForOthers = InvalidRequest.at("scopes", "Only keys of the operator's organization may have `operator`")

const notAnOperator = new Forbidden({ detail: "Only operators change keys with the scope operator." })

export interface KeyRequest {
  readonly name: string
  /** Empty for a publishable key. */
  readonly scopes: ReadonlyArray<Scope>
  /** The origins that may embed the widget. A key that has them is publishable, and needs a chatbot. */
  readonly allowedOrigins?: ReadonlyArray<string> | undefined
  readonly organization: OrganizationId
  readonly chatbot?: ChatbotId | undefined
  readonly expiresAt?: DateTime.Utc | undefined
}

/** A new key together with its secret, which is stored nowhere. */
export interface IssuedKey {
  readonly apiKey: ApiKey
  readonly key: Redacted.Redacted
}

/** Returns the maker that the list of keys shows for a key. */
const makerOf = ({ apiKeyId, organizationId }: Caller["Service"], { organization }: KeyRequest): KeyMaker => {
  if (apiKeyId === COMMAND_LINE) return "command line"
  return organization === organizationId ? apiKeyId : "operator"
}

/** Creates, authenticates, changes and revokes API keys. */
export class ApiKeys extends Service<ApiKeys>()("parley/services/keys/ApiKeys", function* () {
  const storage = yield* Storage.ApiKeys
  const organizations = yield* Organizations
  const random = yield* SecureRandom.SecureRandom

  // Entries are stored by hash, so that no secret stays in memory, and for unknown keys too, so that guessing
  // reaches the database once a key at most. A 256-bit secret cannot be found by timing an index.
  const lookups = yield* recentLookups(
    (hash) => atBorder(storage.findLive(Buffer.from(hash, "base64")), { span: "api key lookup" }),
    ({ expires_in }) => expires_in,
  )

  const insert = Effect.fnUntraced(function* (
    request: KeyRequest,
    { budget, createdBy }: { readonly budget: Budget; readonly createdBy: KeyMaker },
  ) {
    const { expiresAt } = request
    if (expiresAt !== undefined && (yield* DateTime.isPast(expiresAt))) return yield* alreadyExpired
    if (expiresAt !== undefined && DateTime.isGreaterThan(expiresAt, LAST_EXPIRY)) return yield* expiresTooLate
    if (request.scopes.includes("operator")) {
      const owner = yield* organizations.find(request.organization)
      if (owner?.is_operator === false) return yield* notForOthers
    }
    const { allowedOrigins } = request
    const make = allowedOrigins === undefined ? makeKey : makePublishableKey
    const key = make(yield* random.randomBytes(KEY_ENTROPY_BYTES))
    const apiKey = yield* storage.insert({
      id: ApiKeyId.make(yield* random.uuidV7()),
      organization_id: request.organization,
      chatbot_id: request.chatbot ?? null,
      name: request.name,
      hash: hashKey(key),
      ...keyHint(key),
      ...(allowedOrigins !== undefined && { publishable: { key, allowed_origins: allowedOrigins } }),
      scopes: request.scopes,
      budget,
      expires_at: expiresAt === undefined ? null : DateTime.toDate(expiresAt),
      created_by: createdBy,
    })
    return { apiKey, key: Redacted.make(key) }
  })

  /** Changes a key; the operator's keys, only for the operator. */
  const modify = <E>(
    id: ApiKeyId,
    organization: OrganizationId | undefined,
    change: (key: ApiKey) => Effect.Effect<Storage.KeyChange, E>,
  ) =>
    storage.modify(id, organization, (key): Effect.Effect<Storage.KeyChange, E | Forbidden> =>
      organization !== undefined && key.scopes.includes("operator") ? Effect.fail(notAnOperator) : change(key),
    )

  return {
    /**
     * Returns the caller to whom a key belongs. `unlessKnown` runs before anything else, except for keys that this
     * process has found valid before.
     */
    authenticate: Effect.fnUntraced(function* <E = never>(
      key: Redacted.Redacted,
      unlessKnown: Effect.Effect<void, E> = Effect.void,
    ): Effect.fn.Return<Caller["Service"], Unauthorized | Unavailable | E> {
      const presented = Redacted.value(key)
      if (!isWellFormedKey(presented)) {
        return yield* Effect.andThen(unlessKnown, isPublishableKey(presented) ? publishable : noValidKey)
      }
      const hash = Buffer.from(hashKey(presented)).toString("base64")
      if (!lookups.isKnown(hash)) yield* unlessKnown
      const live = yield* lookups.find(hash)
      if (live === undefined) return yield* noValidKey
      return {
        apiKeyId: live.id,
        organizationId: live.organization_id,
        scopes: live.scopes,
        chatbots: live.chatbot_id === null ? null : [live.chatbot_id],
        expiresAt: live.expires_at,
        budgets: live.budgets,
      }
    }),

    /**
     * Creates a key with any scopes, as the command line does for the operator. An expiry in the past, or after the
     * year 9999, is an `InvalidRequest`; so is the scope `operator` for another organization than the operator's.
     */
    issue: Effect.fn("ApiKeys.issue")((request: KeyRequest) =>
      insert(request, { budget: noBudget, createdBy: "command line" }),
    ),

    /**
     * Creates a key on behalf of the caller, with the caller's budget, and the caller's expiry unless it is to expire
     * sooner. Fails with `Forbidden` if it would have a right that the caller lacks.
     */
    create: Effect.fn("ApiKeys.create")(function* (request: KeyRequest) {
      const caller = yield* Caller
      const last = caller.expiresAt
      const expiresAt = request.expiresAt ?? (last === null ? undefined : DateTime.fromDateUnsafe(last))
      const excess = excessRights(caller, {
        // What visitors of a publishable key may do.
        scopes: request.allowedOrigins === undefined ? request.scopes : ["chat"],
        chatbotId: request.chatbot ?? null,
        expiresAt: expiresAt === undefined ? null : DateTime.toDate(expiresAt),
      })
      if (excess !== undefined) return yield* excess
      const budget = isOperator(caller) ? noBudget : caller.budgets.key
      return yield* insert({ ...request, expiresAt }, { budget, createdBy: makerOf(caller, request) })
    }),

    /** Lists the keys of an organization, newest first. */
    list: storage.list,

    /**
     * Revokes a key. Keys that it has made stay valid. With an organization, a key of another one is not found, and
     * one of the operator is `Forbidden`.
     */
    revoke: (id: ApiKeyId, organization: OrganizationId | undefined) =>
      modify(id, organization, () => Effect.succeed({ isRevoked: true })),

    /**
     * Changes a key; fields that the patch lacks stay. With an organization, a key of another one is not found, and
     * one of the operator is `Forbidden`. Every server applies the change within a second.
     */
    update: <E>(
      id: ApiKeyId,
      organization: OrganizationId | undefined,
      change: (key: ApiKey) => Effect.Effect<ApiKeyPatch, E>,
    ) => modify(id, organization, change),
  }
}) {}
