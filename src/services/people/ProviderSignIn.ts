import { type Duration, Effect, Result, Schema, Struct } from "effect"
import { NotFound, type Unauthorized, type Unavailable } from "../../domain/Errors.ts"
import { hashKey } from "../../domain/keys/ApiKey.ts"
import { claimedRoles } from "../../domain/people/ClaimedRoles.ts"
import { type SignInFailureCode, SignInFailed } from "../../domain/people/SignInFailure.ts"
import { SignInProviderId } from "../../domain/people/SignInProvider.ts"
import { Service } from "../../domain/Service.ts"
import { OpenId } from "../../identity/OpenId.ts"
import { ProviderPeople, type TokensRow } from "../../storage/people/ProviderPeople.ts"
import * as Storage from "../../storage/people/SignInProviders.ts"
import { PublicUrl } from "../PublicUrl.ts"
import { ConsoleSessions } from "./ConsoleSessions.ts"
import { SignIns } from "./SignIns.ts"
import { callbackPath } from "./SignInProviders.ts"

const KIND = "provider"
const CONSOLE = "/console"
/** Matches a path below the console. Anything else could lead from the sign-in to somebody else's page. */
const consolePath = /^\/console(?:[/?][\w\-.~%/?=&+:,]*)?$/

/** The path of the console that is meant, as browsers and proxies resolve it: dots do not lead out of the console either. */
const resolved = (path: string): string => {
  const { pathname, search } = new URL(consolePath.test(path) ? path : CONSOLE, "http://localhost")
  return consolePath.test(pathname) && !/%(?:2f|5c)/i.test(pathname) ? pathname + search : CONSOLE
}

/** What the end of a sign-in has to match. */
const Attempt = Schema.Struct({
  provider_id: SignInProviderId,
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  return_to: Schema.String,
  /** The secret of the invitation that it accepts; null for none. */
  invitation: Schema.NullOr(Schema.String),
})

/** Where a browser goes on, and what it is given there. */
export interface Onward {
  readonly location: string
  /** The secret of a sign-in that has begun. */
  readonly secret?: string
  /** The cookie of a new session. */
  readonly session?: { readonly cookie: string; readonly lifetime: Duration.Duration }
}

const noProvider = new NotFound({ detail: "There is no such sign-in provider." })

/** Signs people in by OpenID Connect, and out. */
export class ProviderSignIn extends Service<ProviderSignIn>()("parley/services/people/ProviderSignIn", function* () {
  const providers = yield* Storage.SignInProviders
  const people = yield* ProviderPeople
  const openId = yield* OpenId
  const sessions = yield* ConsoleSessions
  const signIns = yield* SignIns
  const publicUrl = yield* PublicUrl

  const found = Effect.fnUntraced(function* (id: SignInProviderId) {
    const provider = (yield* providers.find(id)) ?? (yield* noProvider)
    return { ...provider, redirectUri: `${publicUrl}${callbackPath(id)}` }
  })

  const refused = (id: SignInProviderId, code: SignInFailureCode, detail?: string) =>
    Effect.as(
      Effect.logInfo("A sign-in by a provider was refused", { provider_id: id, code, ...(detail && { detail }) }),
      { location: `${publicUrl}${CONSOLE}#sign-in-failed=${code}` } satisfies Onward,
    )

  const signIn = Effect.fnUntraced(function* (
    id: SignInProviderId,
    query: string,
    secret: string | undefined,
    userAgent: string | undefined,
  ) {
    const { invitation, provider_id, return_to, ...expected } = yield* signIns.take(Attempt, KIND, secret)
    if (provider_id !== id) return yield* new SignInFailed({ code: "invalid", detail: "Another provider answers." })
    const provider = yield* found(id)
    const said = yield* openId.finish(provider, query, expected)
    const organization = provider.organization_id
    const arrival = yield* people.arrive({
      ...Struct.pick(said, ["issuer", "subject", "name", "email", "avatar"]),
      organization,
      roles: claimedRoles(provider.role_mappings, said.values ?? []),
      invitation: invitation === null ? undefined : hashKey(invitation),
    })
    const person = yield* Effect.fromResult(Result.mapError(arrival, (code) => new SignInFailed({ code })))
    const tokens = yield* people.seal(
      { organization_id: organization, person_id: person },
      { redirectUri: provider.redirectUri, refresh: said.refreshToken, signOut: said.signOutUrl },
    )
    const session = yield* sessions.begin({ person, organization, userAgent, provider: { id, tokens } })
    return { location: `${publicUrl}${return_to}`, session } satisfies Onward
  })

  /** Makes an attempt to sign in, which counts for the client's address. A refusal is an address of the console, too. */
  const attempt = (
    id: SignInProviderId,
    work: Effect.Effect<Onward, SignInFailed | Unauthorized | NotFound | Unavailable>,
  ) =>
    sessions.attempt(work).pipe(
      Effect.catchTags({
        SignInFailed: ({ code, detail }) => refused(id, code, detail),
        Unauthorized: () => refused(id, "expired"),
      }),
    )

  return {
    /** Sends a browser to a provider. A path that is none of the console's is replaced by its beginning. */
    begin: (
      id: SignInProviderId,
      { invitation, return_to = CONSOLE }: { readonly invitation?: string; readonly return_to?: string },
    ) =>
      attempt(
        id,
        Effect.gen(function* () {
          const { expected, url } = yield* openId.begin(yield* found(id))
          const data = {
            ...expected,
            provider_id: id,
            return_to: resolved(return_to),
            invitation: invitation ?? null,
          }
          return { location: url, secret: yield* signIns.begin(KIND, data) }
        }),
      ).pipe(Effect.withSpan("ProviderSignIn.begin")),

    /**
     * Ends a sign-in by the answer of a provider, which is the query of the address to which it has sent the browser. The
     * browser comes back there without an answer when it has signed out.
     */
    end: (id: SignInProviderId, query: string, secret: string | undefined, userAgent: string | undefined) => {
      const answer = new URLSearchParams(query)
      return answer.has("code") || answer.has("error")
        ? attempt(id, signIn(id, query, secret, userAgent)).pipe(Effect.withSpan("ProviderSignIn.end"))
        : Effect.succeed<Onward>({ location: `${publicUrl}${CONSOLE}` })
    },

    /** Where the browser of a session that has ended signs out at its provider; undefined where it need not. */
    signOutUrl: (ended: TokensRow) => Effect.map(people.open(ended), (tokens) => tokens?.signOut),
  }
}) {}
