import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ConsoleSession, SignIn } from "../../domain/people/ConsoleSession.ts"
import { Authorization, Problems, RequestBody } from "../Middleware.ts"
import { Problem } from "../failures/Problem.ts"
import { ownSessions, personAccess, SetCookie } from "../people/SignIn.ts"
import { AnsweredBy, described, IsForStrangers } from "../parts/Annotations.ts"

const sessionPath = "/api/console/session"

const OneSession = Schema.Struct({ session: ConsoleSession })

const signIn = HttpApiEndpoint.post("signIn", sessionPath, {
  payload: SignIn,
  success: HttpApiSchema.WithHeaders(OneSession, SetCookie),
  error: [Problem.Unauthorized, Problem.Forbidden, Problem.RateLimited],
})
  .middleware(RequestBody)
  .annotate(AnsweredBy, "first worker")
  .annotate(IsForStrangers, true)
  .annotateMerge(
    described(
      "Sign in at the console",
      "Sets the cookie `parley_console` (behind https `__Host-parley_console`), which holds the API key, encrypted, for twelve hours or until the key expires. It is `HttpOnly` and `SameSite=Strict`, and stands for the key in requests below `/api/` that carry no other key and that the browser marks as coming from this server's own pages (`Sec-Fetch-Site: same-origin`). The one-time link of the first start signs in in the key's place. A page of another origin cannot sign in (403). Every attempt, and above all a wrong one, counts for the client's address (429). The audit log gets an entry.",
    ),
  )

const signOut = HttpApiEndpoint.delete("signOut", sessionPath, {
  success: HttpApiSchema.WithHeaders(
    Schema.Struct({
      message: Schema.Literal("Signed out successfully"),
      redirect_to: Schema.optionalKey(
        Schema.String.annotate({ description: "Where the browser signs out at the person's provider as well." }),
      ),
    }),
    SetCookie,
  ),
  error: [Problem.Forbidden, Problem.Unavailable],
}).annotateMerge(
  described("Sign out", "Removes the console's cookie, and ends the session of a person. A key stays as it is."),
)

/** The endpoints of signing in and out, which need no API key. */
export class ConsoleAccessApi extends HttpApiGroup.make("consoleAccess")
  .add(signIn, signOut, ...personAccess)
  .annotateEndpoints(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "Console: access", description: "Signing in at the console." }))
  .middleware(Problems) {}

const whoAmI = HttpApiEndpoint.get("whoAmI", sessionPath, { success: OneSession }).annotateMerge(
  described(
    "Get the session",
    "Who the caller is, be it by the console's cookie or by an API key: the person, or the key without its secret, the organization and what they may do. 401 when nobody is signed in, the key was revoked, or the session was ended since.",
  ),
)

/** The endpoint that says who is signed in. */
export class ConsoleApi extends HttpApiGroup.make("console")
  .add(whoAmI, ...ownSessions)
  .annotateMerge(
    OpenApi.annotations({ title: "Console", description: "The session of the person or key that is signed in." }),
  )
  .middleware(Authorization)
  .middleware(Problems) {}
