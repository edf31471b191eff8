import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  SignInProvider,
  SignInProviderId,
  SignInProviderInput,
  SignInProviderPatch,
} from "../../domain/people/SignInProvider.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { Problem } from "../failures/Problem.ts"
import { described } from "../parts/Annotations.ts"
import { changeDescription, ChangePayload } from "../parts/ChangePayload.ts"
import { IfMatch, withEtag } from "../parts/Etag.ts"

const providersPath = "/api/admin/sign-in-providers"
const providerPath = `${providersPath}/:providerId` as const
const ofProvider = { providerId: SignInProviderId }
const OneProvider = withEtag(Schema.Struct({ provider: SignInProvider }))

const create = HttpApiEndpoint.post("create", providersPath, {
  payload: SignInProviderInput,
  success: OneProvider.pipe(HttpApiSchema.status(201)),
  error: Problem.Conflict,
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotateMerge(
    described(
      "Add a sign-in provider",
      "Then let the provider's client redirect to `redirect_uri`, after signing in and, where it asks for that, after signing out. The issuer has https, unless this server is reached without it as well. The caller needs every right that its roles give (403).",
    ),
  )

const list = HttpApiEndpoint.get("list", providersPath, {
  success: Schema.Struct({ providers: Schema.Array(SignInProvider) }),
}).annotateMerge(described("List sign-in providers", "Of the caller's organization, by name, without their secrets."))

const get = HttpApiEndpoint.get("get", providerPath, {
  params: ofProvider,
  success: OneProvider,
  error: Problem.NotFound,
}).annotateMerge(described("Get a sign-in provider", "Without its secret."))

const update = HttpApiEndpoint.patch("update", providerPath, {
  params: ofProvider,
  headers: IfMatch,
  payload: ChangePayload(SignInProviderPatch),
  success: OneProvider,
  error: [Problem.NotFound, Problem.PreconditionFailed],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotateMerge(
    described(
      "Change a sign-in provider",
      `Absent fields stay; \`role_mappings\` are replaced as a whole, and hold for each person from the next sign-in or check. The issuer never changes, because people are known by it: add another provider. ${changeDescription}`,
    ),
  )

const remove = HttpApiEndpoint.delete("remove", providerPath, {
  params: ofProvider,
  success: Schema.Struct({ message: Schema.Literal("Sign-in provider deleted successfully") }),
  error: Problem.NotFound,
}).annotateMerge(
  described("Delete a sign-in provider", "Whom it has signed in is signed out. People and what they did remain."),
)

/** The endpoints by which administrators manage the providers that sign people in. */
export class SignInProvidersApi extends HttpApiGroup.make("signInProviders")
  .add(create, list, get, update, remove)
  .annotateEndpoints(RequiredScope, "admin")
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({ title: "Sign-in providers", description: "Servers that sign people in by OpenID Connect." }),
  )
  .middleware(Authorization)
  .middleware(Problems) {}
