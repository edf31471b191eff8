import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { allScopes, hashKey, KEY_ENTROPY_BYTES, keyHint, makeKey } from "../../domain/keys/ApiKey.ts"
import { ApiKeyId, OrganizationId } from "../../domain/Ids.ts"
import type { Range } from "../../domain/Page.ts"
import { Service } from "../../domain/Service.ts"
import * as ApiKeyStorage from "../../storage/keys/ApiKeys.ts"
import * as Storage from "../../storage/organizations/Organizations.ts"
import { OrganizationRemoval } from "../../jobs/OrganizationRemoval.ts"
import { reach } from "../Reach.ts"

/**
 * Manages organizations, and creates the first one with its key. Only operators may do so: their endpoints require the
 * scope.
 */
export class Organizations extends Service<Organizations>()(
  "parley/services/organizations/Organizations",
  function* () {
    const storage = yield* Storage.Organizations
    const keys = yield* ApiKeyStorage.ApiKeys
    const removal = yield* OrganizationRemoval
    const random = yield* SecureRandom.SecureRandom

    const newId = Effect.map(random.uuidV7(), (id) => OrganizationId.make(id))

    return {
      create: Effect.fn("Organizations.create")(function* (name: string) {
        return yield* storage.insert({ id: yield* newId, name })
      }),

      /** Lists the organizations, oldest first. */
      list: storage.list,

      /** Lists the organizations that the caller reaches, oldest first. */
      listReached: Effect.fn("Organizations.listReached")(function* (range: Range) {
        const only = yield* reach
        if (only === undefined) return yield* storage.list(range)
        // The list has a single entry, so a page after a cursor is empty.
        const own = range.after === undefined ? yield* storage.find(only) : undefined
        return { items: own === undefined ? [] : [own], next: undefined }
      }),

      /**
       * Changes an organization; fields that the patch lacks stay. Every server applies a new budget within a second.
       */
      update: storage.modify,

      /**
       * Deletes an organization. Every server refuses its keys within a second; what it owns is deleted in the
       * background. Fails with `Conflict` for the operator's organization.
       */
      remove: Effect.fn("Organizations.remove")((id: OrganizationId) =>
        Effect.andThen(storage.remove(id), removal.request),
      ),

      /**
       * Creates the operator's organization if it is missing, with a first key: the configured one, which is created
       * whenever it is missing, or a generated one, which only the very first start creates and returns, to be shown
       * once.
       */
      bootstrap: Effect.fn("Organizations.bootstrap")(function* (configuredKey: Redacted.Redacted | undefined) {
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
      }),
    }
  },
) {}
