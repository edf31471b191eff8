import { Context, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { allScopes, hashKey, KEY_ENTROPY_BYTES, keyHint, makeKey } from "../domain/ApiKey.ts"
import type { Conflict, InvalidRequest, NotFound, Unavailable } from "../domain/Errors.ts"
import { ApiKeyId, OrganizationId } from "../domain/Ids.ts"
import type { Change } from "../domain/schema/Merge.ts"
import type { Organization, OrganizationPatch } from "../domain/Organization.ts"
import type { Listed, Range } from "../domain/Page.ts"
import * as ApiKeyStorage from "../storage/keys/ApiKeys.ts"
import * as Storage from "../storage/organizations/Organizations.ts"
import { OrganizationRemoval } from "../jobs/OrganizationRemoval.ts"

/** Manages organizations, and creates the first one with its key. */
export class Organizations extends Context.Service<
  Organizations,
  {
    readonly create: (name: string) => Effect.Effect<Organization, Unavailable>
    readonly find: (id: OrganizationId) => Effect.Effect<Organization | undefined, Unavailable>
    /** Lists the organizations, oldest first. */
    readonly list: (range: Range) => Effect.Effect<Listed<Organization>, Unavailable>
    /** Changes an organization; fields that the patch lacks stay. Every server applies a new budget within a second. */
    readonly update: (
      id: OrganizationId,
      change: Change<Organization, OrganizationPatch>,
    ) => Effect.Effect<Organization, InvalidRequest | NotFound | Unavailable>
    /**
     * Deletes an organization. Every server refuses its keys within a second; what it owns is deleted in the
     * background. Fails with `Conflict` for the operator's organization.
     */
    readonly remove: (id: OrganizationId) => Effect.Effect<void, NotFound | Conflict | Unavailable>
    /**
     * Creates the operator's organization if it is missing, with a first key: the configured one, which is created
     * whenever it is missing, or a generated one, which only the very first start creates and returns, to be shown
     * once.
     */
    readonly bootstrap: (
      configuredKey: Redacted.Redacted | undefined,
    ) => Effect.Effect<Redacted.Redacted | undefined, Unavailable>
  }
>()("parley/services/Organizations") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const storage = yield* Storage.Organizations
      const keys = yield* ApiKeyStorage.ApiKeys
      const removal = yield* OrganizationRemoval
      const random = yield* SecureRandom.SecureRandom

      const newId = Effect.map(random.uuidV7(), (id) => OrganizationId.make(id))

      const create = Effect.fn("Organizations.create")(function* (name: string) {
        return yield* storage.insert({ id: yield* newId, name })
      })

      const bootstrap = Effect.fn("Organizations.bootstrap")(function* (configuredKey: Redacted.Redacted | undefined) {
        const key =
          configuredKey === undefined
            ? makeKey(yield* random.randomBytes(KEY_ENTROPY_BYTES))
            : Redacted.value(configuredKey)
        const first = {
          id: ApiKeyId.make(yield* random.uuidV7()),
          name: "First key",
          hash: hashKey(key),
          ...keyHint(key),
          scopes: allScopes,
          created_by: "bootstrap" as const,
        }
        const { organization, made } = yield* storage.bootstrap("Default", yield* newId, first)
        if (configuredKey !== undefined) yield* keys.ensure({ ...first, organization_id: organization.id })
        return made && configuredKey === undefined ? Redacted.make(key) : undefined
      })

      const remove = Effect.fn("Organizations.remove")((id: OrganizationId) =>
        Effect.andThen(storage.remove(id), removal.request),
      )

      return { create, find: storage.find, list: storage.list, update: storage.modify, remove, bootstrap }
    }),
  )
}
