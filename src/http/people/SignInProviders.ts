import { Effect } from "effect"
import { SignInProvider, SignInProviderPatch } from "../../domain/people/SignInProvider.ts"
import { type ShownProvider, SignInProviders } from "../../services/people/SignInProviders.ts"
import { changes } from "../Changes.ts"
import { withEtag } from "../Etag.ts"
import { group } from "../Group.ts"

const providerChange = changes(SignInProvider, SignInProviderPatch, ["role_mappings"])

const one = ({ provider, version }: ShownProvider) => withEtag({ provider }, { version })

export const layer = group("signInProviders", function* (handlers) {
  const providers = yield* SignInProviders

  return handlers.handleAll({
    create: ({ payload }) => Effect.map(providers.create(payload), one),
    list: () => Effect.map(providers.list, (found) => ({ providers: found.map(({ provider }) => provider) })),
    get: ({ params }) => Effect.map(providers.get(params.providerId), one),
    update: ({ headers, params, payload }) =>
      Effect.map(providers.update(params.providerId, providerChange(payload), headers["if-match"]), one),
    remove: ({ params }) =>
      Effect.as(providers.remove(params.providerId), { message: "Sign-in provider deleted successfully" as const }),
  })
})
