import { Context, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { allScopes, hashKey, KEY_ENTROPY_BYTES, keyHint, makeKey } from "../domain/ApiKey.ts"
import type { Conflict, InvalidRequest, NotFound, Unavailable } from "../domain/Errors.ts"
import { ApiKeyId, OrganizationId } from "../domain/Ids.ts"
import type { Change } from "../domain/schema/Merge.ts"
import type { Organization, OrganizationPatch } from "../domain/Organization.ts"
import type { Listed, Range } from "../domain/Page.ts"
import * as ApiKeyStorage from "../storage/ApiKeys.ts"
import * as Storage from "../storage/Organizations.ts"
import { OrganizationRemoval } from "../jobs/OrganizationRemoval.ts"

/** Organizations, and the first of them with the first key. */
export class Organizations extends Context.Service<
  Organizations,
  {
    readonly create: (name: string) => Effect.Effect<Organization, Unavailable>
    readonly find: (id: OrganizationId) => Effect.Effect<Organization | undefined, Unavailable>
    /** Oldest first. */
    readonly list: (range: Range) => Effect.Effect<Listed<Organization>, Unavailable>
    /** A budget holds within a second, on every server. What the change leaves out stays. */
    readonly update: (
      id: OrganizationId,
      change: Change<Organization, OrganizationPatch>,
    ) => Effect.Effect<Organization, InvalidRequest | NotFound | Unavailable>
    /**
     * Its keys are refused within a second, on every server; what it owns is deleted in the background. `Conflict` for the
     * operator's.
     */
    readonly remove: (id: OrganizationId) => Effect.Effect<void, NotFound | Conflict | Unavailable>
    /**
     * Sees to it that there is an operator's organization, and a key to begin with: the given one, which is made
     * whenever it is missing, or one that the very first start makes up. That one is returned, to be shown once.
     */
    readonly bootstrap: (
      given: Redacted.Redacted | undefined,
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

      const bootstrap = Effect.fn("Organizations.bootstrap")(function* (given: Redacted.Redacted | undefined) {
        const key = given === undefined ? makeKey(yield* random.randomBytes(KEY_ENTROPY_BYTES)) : Redacted.value(given)
        const first = {
          id: ApiKeyId.make(yield* random.uuidV7()),
          name: "First key",
          hash: hashKey(key),
          ...keyHint(key),
          scopes: allScopes,
        }
        const { organization, made } = yield* storage.bootstrap("Default", yield* newId, first)
        if (given !== undefined) yield* keys.ensure({ ...first, organization_id: organization.id })
        return made && given === undefined ? Redacted.make(key) : undefined
      })

      const remove = Effect.fn("Organizations.remove")((id: OrganizationId) =>
        Effect.andThen(storage.remove(id), removal.want),
      )

      return { create, find: storage.find, list: storage.list, update: storage.modify, remove, bootstrap }
    }),
  )
}
