import { Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { Forbidden } from "../../domain/Errors.ts"
import { ConsoleSessions } from "../../services/people/ConsoleSessions.ts"
import { ProviderSignIn } from "../../services/people/ProviderSignIn.ts"
import { PersonSessions } from "../../services/people/PersonSessions.ts"
import { type Begun, SignIns } from "../../services/people/SignIns.ts"
import { HasPublicUrl, PublicUrl } from "../../services/PublicUrl.ts"
import { attemptOf, consoleCookieOf, isOfForeignPage, attemptCookie, sessionCookie } from "../access/ConsoleCookie.ts"
import { mayUsePasskeys, pageOf } from "../access/RelyingParty.ts"
import { group } from "../Group.ts"

const foreignPage = new Forbidden({ detail: "Only the console's own pages sign in and out." })

const ensureOurs = (request: HttpServerRequest.HttpServerRequest) =>
  isOfForeignPage(request) ? Effect.fail(foreignPage) : Effect.void

const withCookie = <A>(body: A, cookie: string) =>
  HttpApiSchema.withHeaders({ body, headers: { "set-cookie": cookie, "cache-control": "no-store" as const } })

const access = group("consoleAccess", function* (handlers) {
  const sessions = yield* ConsoleSessions
  const publicUrl = yield* PublicUrl
  const hasPublicUrl = yield* HasPublicUrl

  const signIns = yield* SignIns
  const providers = yield* ProviderSignIn

  const page = (request: HttpServerRequest.HttpServerRequest) => pageOf(request, publicUrl, hasPublicUrl)

  /** Answers with a new session, whose cookie replaces that of the attempt. */
  const signedIn = (
    request: HttpServerRequest.HttpServerRequest,
    begun: Effect.Success<ReturnType<typeof sessions.begin>>,
  ) => withCookie({ session: begun.session }, sessionCookie(request, publicUrl, begun))

  /** Answers with what a browser does next, and the cookie of the attempt. */
  const begun = <A>(request: HttpServerRequest.HttpServerRequest, { answer, secret }: Begun<A>) =>
    withCookie(answer, attemptCookie(request, publicUrl, secret))

  return handlers.handleAll({
    signIn: Effect.fnUntraced(function* ({ payload, request }) {
      yield* ensureOurs(request)
      return signedIn(request, yield* sessions.signIn(payload))
    }),

    signOut: Effect.fnUntraced(function* ({ request }) {
      yield* ensureOurs(request)
      const cookie = consoleCookieOf(request, publicUrl)
      const ended = cookie === undefined ? undefined : yield* sessions.end(cookie)
      const redirect_to = ended && (yield* providers.signOutUrl(ended))
      const body = { message: "Signed out successfully" as const, ...(redirect_to !== undefined && { redirect_to }) }
      return withCookie(body, sessionCookie(request, publicUrl))
    }),

    entrance: ({ query, request }) =>
      Effect.map(signIns.entrance(query.organization_id), ({ passkeys, ...found }) => ({
        ...found,
        passkeys: passkeys && mayUsePasskeys(page(request)),
      })),

    passkeyOptions: Effect.fnUntraced(function* ({ request }) {
      yield* ensureOurs(request)
      const { answer, secret } = yield* signIns.beginPasskey(page(request))
      return begun(request, { answer: { options: answer }, secret })
    }),

    passkey: Effect.fnUntraced(function* ({ payload, request }) {
      yield* ensureOurs(request)
      const secret = attemptOf(request, publicUrl)
      return signedIn(
        request,
        yield* signIns.endPasskey(page(request), secret, payload.credential, request.headers["user-agent"]),
      )
    }),

    invitationOptions: Effect.fnUntraced(function* ({ payload, request }) {
      yield* ensureOurs(request)
      return begun(request, yield* signIns.beginInvitation(page(request), payload.token))
    }),

    invitation: Effect.fnUntraced(function* ({ payload, request }) {
      yield* ensureOurs(request)
      const secret = attemptOf(request, publicUrl)
      return signedIn(
        request,
        yield* signIns.endInvitation(page(request), secret, payload, request.headers["user-agent"]),
      )
    }),
  })
})

const session = group("console", function* (handlers) {
  const sessions = yield* ConsoleSessions

  const people = yield* PersonSessions

  return handlers.handleAll({
    whoAmI: () => Effect.bindTo(sessions.current, "session"),
    sessions: () => Effect.bindTo(people.own, "sessions"),
    endSession: ({ params }) =>
      Effect.as(people.endOwn(params.sessionId), { message: "Session ended successfully" as const }),
  })
})

export const layer = Layer.merge(access, session)
