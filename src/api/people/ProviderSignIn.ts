import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { SignInProviderId } from "../../domain/people/SignInProvider.ts"
import { signInFailures } from "../../domain/people/SignInFailure.ts"
import { textUpTo } from "../../domain/schema/Text.ts"
import { Problems } from "../Middleware.ts"
import { Problem } from "../failures/Problem.ts"
import { described, IsForStrangers, IsSlow } from "../parts/Annotations.ts"

const providerPath = "/api/console/providers/:providerId"
const ofProvider = { providerId: SignInProviderId }

const Redirect = HttpApiSchema.WithHeaders(HttpApiSchema.Empty(303), {
  location: Schema.String,
  "set-cookie": Schema.String,
  "cache-control": Schema.Literal("no-store"),
})

const codes = Object.entries(signInFailures)
  .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
  .join("\n")

const begin = HttpApiEndpoint.get("begin", `${providerPath}/sign-in`, {
  params: ofProvider,
  query: {
    return_to: Schema.optionalKey(
      textUpTo(1_000).annotate({
        description: "A path below `/console` to open afterwards. Anything else counts as absent.",
        examples: ["/console/inbox"],
      }),
    ),
    invitation: Schema.optionalKey(
      textUpTo(256).annotate({ description: "The token of an invitation, which this sign-in accepts." }),
    ),
  },
  success: Redirect,
  error: [Problem.NotFound, Problem.RateLimited],
})
  .annotate(IsSlow, true)
  .annotate(IsForStrangers, true)
  .annotateMerge(
    described(
      "Sign in by a provider",
      "For a browser, which it redirects to the provider. What is expected of the answer is kept for ten minutes and for this browser, in the cookie `parley_sign_in`. Every call counts for the client's address (429). A provider that does not answer within ten seconds has failed, as at the end of the sign-in.",
    ),
  )

const end = HttpApiEndpoint.get("end", `${providerPath}/callback`, {
  params: ofProvider,
  success: Redirect,
  error: [Problem.NotFound, Problem.RateLimited],
})
  .annotate(IsSlow, true)
  .annotate(IsForStrangers, true)
  .annotateMerge(
    described(
      "End a sign-in by a provider",
      `The \`redirect_uri\` of the provider, where it sends the browser back to. A new session begins as with a key, and the browser goes on to \`return_to\`; otherwise to \`/console#sign-in-failed=\` with a code:\n\n${codes}\n\nWho is refused after the provider has named them has an entry in the audit log.`,
    ),
  )

/** The endpoints by which browsers sign people in by OpenID Connect. */
export class ProviderSignInApi extends HttpApiGroup.make("providerSignIn")
  .add(begin, end)
  .annotateMerge(
    OpenApi.annotations({ title: "Console: providers", description: "Signing in by OpenID Connect, for browsers." }),
  )
  .middleware(Problems) {}
