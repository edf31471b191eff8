import { Effect, Redacted, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { InvalidRequest } from "../../domain/Errors.ts"
import {
  type RoleMapping,
  type SignInProvider,
  SignInProviderId,
  type SignInProviderInput,
  type SignInProviderPatch,
} from "../../domain/people/SignInProvider.ts"
import type { Change } from "../../domain/schema/Merge.ts"
import { Service } from "../../domain/Service.ts"
import { SafeFetch } from "../../outbound/SafeFetch.ts"
import * as Storage from "../../storage/people/SignInProviders.ts"
import { PublicUrl } from "../PublicUrl.ts"
import { ensureMayGive } from "./People.ts"
import { ensureMatch, type IfMatch } from "../Versions.ts"

/** A provider as it is shown, with its version. */
export interface ShownProvider {
  readonly provider: SignInProvider
  readonly version: bigint
}

/** Path of the page to which a provider sends browsers back. Each has its own, so that none can answer for another. */
export const callbackPath = (id: SignInProviderId): string => `/api/console/providers/${id}/callback`

/**
 * Manages the providers that sign people in. A caller that says who a provider's people are could be any of them: only
 * one who has what the roles of a provider give may add or change it.
 */
export class SignInProviders extends Service<SignInProviders>()("parley/services/people/SignInProviders", function* () {
  const storage = yield* Storage.SignInProviders
  const { check } = yield* SafeFetch
  const random = yield* SecureRandom.SecureRandom
  const publicUrl = yield* PublicUrl

  const shown = ({ organization_id: _, version, ...provider }: Storage.StoredProvider): ShownProvider => ({
    provider: { ...provider, redirect_uri: `${publicUrl}${callbackPath(provider.id)}` },
    version,
  })

  const ensureMayMap = Effect.fnUntraced(function* (mappings: ReadonlyArray<RoleMapping>) {
    yield* ensureMayGive(mappings, yield* storage.hasOwner)
  })

  return {
    create: Effect.fn("SignInProviders.create")(function* ({
      client_secret,
      id: asked,
      ...content
    }: SignInProviderInput) {
      yield* ensureMayMap(content.role_mappings)
      const issuer = new URL(content.issuer)
      if (issuer.protocol !== "https:" && publicUrl.startsWith("https:")) {
        return yield* InvalidRequest.at("issuer", "Expected an https URL, because this server has one")
      }
      yield* Effect.mapError(check(issuer), ({ detail }) => InvalidRequest.at("issuer", detail))
      const id = asked ?? SignInProviderId.make(yield* random.uuidV7())
      return shown(yield* storage.insert(id, content, Redacted.make(client_secret)))
    }),

    /** Lists the providers of the organization by name. */
    list: Effect.map(storage.list, (found) => found.map(shown)),

    get: (id: SignInProviderId) => Effect.map(storage.get(id), shown),

    update: Effect.fn("SignInProviders.update")(function* (
      id: SignInProviderId,
      change: Change<SignInProvider, SignInProviderPatch>,
      ifMatch: IfMatch,
    ) {
      const stored = yield* storage.modify(id, (row) =>
        Effect.gen(function* () {
          yield* ensureMatch(row, ifMatch)
          const { client_secret, ...patch } = yield* change(shown(row).provider)
          const content = {
            ...Struct.pick(row, ["name", "issuer", "client_id", "roles_claim", "role_mappings"]),
            ...patch,
          }
          yield* ensureMayMap([...row.role_mappings, ...content.role_mappings])
          return [content, client_secret === undefined ? undefined : Redacted.make(client_secret)] as const
        }),
      )
      return shown(stored)
    }),

    remove: storage.remove,
  }
}) {}
