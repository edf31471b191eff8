import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { OrganizationId, optionalId } from "../../domain/Ids.ts"
import { ConsoleSession } from "../../domain/people/ConsoleSession.ts"
import { PersonSession } from "../../domain/people/Person.ts"
import { WebAuthnJson } from "../../domain/people/Passkey.ts"
import { SignInProviderId } from "../../domain/people/SignInProvider.ts"
import { Name, textBetween } from "../../domain/schema/Text.ts"
import { RequestBody } from "../Middleware.ts"
import { Problem } from "../failures/Problem.ts"
import { described, IsForStrangers } from "../parts/Annotations.ts"

/** The headers of an answer that sets a cookie, or several. */
export const SetCookie = { "set-cookie": Schema.String, "cache-control": Schema.Literal("no-store") }

const refusals = [Problem.Unauthorized, Problem.Forbidden, Problem.RateLimited] as const
const OneSession = HttpApiSchema.WithHeaders(Schema.Struct({ session: ConsoleSession }), SetCookie)

const Options = WebAuthnJson.annotate({
  description: "For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`.",
})
const Credential = WebAuthnJson.annotate({ description: "What the `toJSON` of the browser's credential returns." })
const token = textBetween(1, 256).annotate({ description: "What follows `#invitation=` in the link." })

const organization = Schema.Struct({ id: OrganizationId, name: Schema.String })
const providers = Schema.Array(Schema.Struct({ id: SignInProviderId, name: Schema.String }))

const entrance = HttpApiEndpoint.get("entrance", "/api/console/sign-in", {
  query: { organization_id: optionalId(OrganizationId, "Absent: the operator's organization.") },
  success: Schema.Struct({
    organization,
    providers,
    passkeys: Schema.Boolean.annotate({
      description: "Whether somebody has a passkey, and the page has an address at which browsers use them.",
    }),
  }),
  error: [Problem.NotFound, Problem.RateLimited],
}).annotateMerge(described("See how to sign in", "What the form to sign in of an organization offers, beside a key."))

const passkeyOptions = HttpApiEndpoint.post("passkeyOptions", "/api/console/passkeys/options", {
  payload: Schema.Struct({}),
  success: HttpApiSchema.WithHeaders(Schema.Struct({ options: Options }), SetCookie),
  error: refusals,
})
  .middleware(RequestBody)
  .annotate(IsForStrangers, true)
  .annotateMerge(
    described(
      "Begin to sign in by a passkey",
      "What is expected of the answer is kept for ten minutes and for this browser, in the cookie `parley_sign_in`.",
    ),
  )

const passkey = HttpApiEndpoint.post("passkey", "/api/console/passkeys", {
  payload: Schema.Struct({ credential: Credential }),
  success: OneSession,
  error: refusals,
})
  .middleware(RequestBody)
  .annotate(IsForStrangers, true)
  .annotateMerge(
    described(
      "Sign in by a passkey",
      "Begins a new session of the person whose passkey it is, in the cookie of the console. Every attempt counts for the client's address, a wrong one ten times (429).",
    ),
  )

const invitationOptions = HttpApiEndpoint.post("invitationOptions", "/api/console/invitations/options", {
  payload: Schema.Struct({ token }),
  success: HttpApiSchema.WithHeaders(
    Schema.Struct({
      person: Schema.Struct({ name: Schema.String, email: Schema.NullOr(Schema.String) }),
      organization,
      providers,
      options: Options,
    }),
    SetCookie,
  ),
  error: refusals,
})
  .middleware(RequestBody)
  .annotate(IsForStrangers, true)
  .annotateMerge(
    described("Open an invitation", "Shows whom it is for, and begins to accept it by a new passkey. It stays open."),
  )

const invitation = HttpApiEndpoint.post("invitation", "/api/console/invitations", {
  payload: Schema.Struct({ token, name: Schema.optionalKey(Name), credential: Credential }),
  success: OneSession,
  error: refusals,
})
  .middleware(RequestBody)
  .annotate(IsForStrangers, true)
  .annotateMerge(
    described(
      "Accept an invitation",
      "By the new passkey, once. The person is active from now on, and a new session begins. 401 where the invitation was accepted before, or is older than a week.",
    ),
  )

/** The endpoints by which people sign in without a provider. */
export const personAccess = [entrance, passkeyOptions, passkey, invitationOptions, invitation] as const

/** The path parameter that names a session of a person. */
export const ofSession = {
  sessionId: Schema.String.check(Schema.isUUID()).annotate({ description: "Id of a session." }),
}

const sessionsPath = "/api/console/sessions"

const sessions = HttpApiEndpoint.get("sessions", sessionsPath, {
  success: Schema.Struct({ sessions: Schema.Array(PersonSession) }),
}).annotateMerge(
  described("List your sessions", "Where the person is signed in, the latest use first; none for a key."),
)

const endSession = HttpApiEndpoint.delete("endSession", `${sessionsPath}/:sessionId`, {
  params: ofSession,
  success: Schema.Struct({ message: Schema.Literal("Session ended successfully") }),
  error: Problem.NotFound,
}).annotateMerge(described("End one of your sessions", "Within a second, on every server."))

/** The endpoints of a person's own sessions. */
export const ownSessions = [sessions, endSession] as const
