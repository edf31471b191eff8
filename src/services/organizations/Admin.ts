import { Context, Effect, Layer } from "effect"
import type { ApiKey, ApiKeyPatch, KeyKind, Scope } from "../../domain/keys/ApiKey.ts"
import type { Limits } from "../../domain/organizations/Budget.ts"
import { Caller } from "../../domain/Caller.ts"
import { excessBudget } from "../../domain/keys/Delegation.ts"
import { type Forbidden, InvalidRequest } from "../../domain/Errors.ts"
import type { ApiKeyId, OrganizationId } from "../../domain/Ids.ts"
import type { Range } from "../../domain/Page.ts"
import type { Change } from "../../domain/schema/Merge.ts"
import { ApiKeys, type KeyRequest } from "../keys/ApiKeys.ts"
import { organizationWithinReach, reach } from "../Reach.ts"

/** The properties of a new key. Without an organization, the key belongs to the caller's. */
export interface AdminKeyRequest extends Omit<KeyRequest, "organization" | "scopes"> {
  readonly kind: KeyKind
  readonly scopes: ReadonlyArray<Scope> | undefined
  readonly organization: OrganizationId | undefined
}

const noScopes = InvalidRequest.at("scopes", "Expected at least one scope of a secret key")
const scopesOfPublishable = InvalidRequest.at("scopes", "Expected none: a publishable key is good for the widget only")
const noOrigins = InvalidRequest.at("allowed_origins", "Expected the origins of the pages that may embed the widget")
const originsOfSecret = InvalidRequest.at("allowed_origins", "Expected none: only a publishable key has origins")
const noChatbot = InvalidRequest.at("chatbot_id", "Expected the chatbot whose widget the publishable key is for")

/** Completes a request for a key, whose kind decides what it has to say. */
const complete = (request: AdminKeyRequest): Effect.Effect<Omit<KeyRequest, "organization">, InvalidRequest> => {
  const { allowedOrigins, chatbot, kind, scopes = [] } = request
  if (kind === "secret") {
    if (scopes.length === 0) return noScopes
    return allowedOrigins === undefined ? Effect.succeed({ ...request, scopes }) : originsOfSecret
  }
  if (scopes.length > 0) return scopesOfPublishable
  if (allowedOrigins === undefined) return noOrigins
  return chatbot === undefined ? noChatbot : Effect.succeed({ ...request, scopes })
}

/**
 * Administers API keys within the reach of the caller's admin key: a key with the scope `operator`
 * reaches all organizations, any other key only its own. An organization out of reach fails as `NotFound`.
 */
export class Admin extends Context.Service<Admin>()("parley/services/organizations/Admin", {
  make: (keyDefaults: Limits) =>
    Effect.gen(function* () {
      const organizationOf = yield* organizationWithinReach
      const keys = yield* ApiKeys

      return {
        createApiKey: (request: AdminKeyRequest) =>
          Effect.flatMap(organizationOf(request.organization), (organization) =>
            Effect.flatMap(complete(request), (completed) => keys.create({ ...completed, organization })),
          ),

        /** Lists the keys of an organization, or of the caller's if it is undefined; newest first. */
        listApiKeys: (organization: OrganizationId | undefined, range: Range) =>
          Effect.flatMap(organizationOf(organization), (found) => keys.list(found, range)),

        revokeApiKey: (id: ApiKeyId) => Effect.flatMap(reach, (only) => keys.revoke(id, only)),

        /** Changes a key; fails with `Forbidden` if it would raise a budget beyond that of the caller's own key. */
        updateApiKey: Effect.fn("Admin.updateApiKey")(function* (id: ApiKeyId, change: Change<ApiKey, ApiKeyPatch>) {
          const caller = yield* Caller
          return yield* keys.update(id, yield* reach, (key) =>
            Effect.flatMap(change(key), (patch): Effect.Effect<ApiKeyPatch, Forbidden | InvalidRequest> => {
              if (patch.allowed_origins !== undefined && key.kind === "secret") return originsOfSecret
              const excess = excessBudget(caller, { before: key.budget, patch: patch.budget ?? {} }, keyDefaults)
              return excess === undefined ? Effect.succeed(patch) : Effect.fail(excess)
            }),
          )
        }),
      }
    }),
}) {
  /** @param keyDefaults the limits of an API key that has no budget of its own */
  static readonly layer = (keyDefaults: Limits) => Layer.effect(this, this.make(keyDefaults))
}
