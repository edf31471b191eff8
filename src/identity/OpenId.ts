import { createHmac, timingSafeEqual } from "node:crypto"
import { Context, Duration, Effect, FiberSet, Predicate, Redacted } from "effect"
import type * as OpenIdClient from "openid-client"
import type { ToolMethod } from "../domain/chatbot/ChatbotTool.ts"
import { SignInFailed } from "../domain/people/SignInFailure.ts"
import { FetchFailed } from "../outbound/FetchFailed.ts"
import { SafeFetch } from "../outbound/SafeFetch.ts"
import type { Profile } from "../domain/people/Person.ts"
import { Service } from "../domain/Service.ts"
import { claimIn, type Claims, profileIn, valuesIn } from "./Claims.ts"

/** The longest time of one conversation with a provider, which is up to five requests. A browser waits for it. */
export const ProviderTimeout: Context.Reference<Duration.Input> = Context.Reference<Duration.Input>(
  "parley/identity/ProviderTimeout",
  { defaultValue: () => "10 seconds" },
)

/** The longest id token that goes into the address that signs out: longer addresses are refused by many servers. */
const ID_TOKEN_HINT_MAX = 4_000

/** How far the clocks of a provider and of this server may be apart, in seconds. */
const CLOCK_TOLERANCE = 60

/** The shortest secret that may sign by HS256, in bytes (OpenID Connect Core 16.19): others are found by trying. */
const SIGNING_SECRET_MIN = 32

/** Statuses of providers that have no user info for this client. */
const refusals: ReadonlySet<number> = new Set([401, 403, 404])

const unreachable = (detail: string) => new SignInFailed({ code: "unreachable", detail })
const invalid = (detail: string) => new SignInFailed({ code: "invalid", detail })

/** A provider, as this server is registered there. */
export interface Provider {
  readonly issuer: string
  readonly client_id: string
  readonly secret: Redacted.Redacted
  /** The claim whose values give roles. */
  readonly roles_claim: string
  /** Where the provider sends browsers back to, after they sign in or out. */
  readonly redirectUri: string
}

/** What the answer to a request to sign in has to match. */
export interface Expected {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** What a provider has just said about a person, with what it takes to ask again. */
export interface Identity extends Profile {
  /** The values of the claim of roles; undefined where the provider says nothing about claims when it is asked again. */
  readonly values: ReadonlyArray<string> | undefined
  readonly refreshToken: string | undefined
  /** Where the browser signs out at the provider as well; undefined where that is not possible, or not known anew. */
  readonly signOutUrl: string | undefined
}

type Tokens = OpenIdClient.TokenEndpointResponse & OpenIdClient.TokenEndpointResponseHelpers

/** A provider whose description was read. */
interface Conversation {
  readonly client: typeof OpenIdClient
  readonly configuration: OpenIdClient.Configuration
  /** Asks for tokens, and checks the id token with its signature. */
  readonly grant: (
    ask: (configuration: OpenIdClient.Configuration) => Promise<Tokens>,
  ) => Effect.Effect<Tokens, SignInFailed>
  /** Asks for the user info of a subject, and checks the signature where it has one. */
  readonly userInfo: (accessToken: string, subject: string) => Promise<Claims>
}

/**
 * Speaks OpenID Connect with the providers of organizations: the code flow with PKCE, nonce, state and issuer. Signatures
 * are checked with the keys that the provider has now, so that one that it has replaced is good no more; an id token by
 * HS256, which has no public key, with the client's secret. Every request goes through the protection of `SafeFetch`.
 */
export class OpenId extends Service<OpenId>()("parley/identity/OpenId", function* () {
  const { fetch } = yield* SafeFetch
  const timeout = Duration.fromInputUnsafe(yield* ProviderTimeout)

  /** Sends a request of the library. Returns what makes the response, which can be read once, any number of times. */
  const answer = Effect.fnUntraced(function* (url: string, options: OpenIdClient.CustomFetchOptions) {
    const { body, headers, method } = options
    const response = yield* fetch({
      method: methodOf(method),
      url: new URL(url),
      headers,
      secrets: {},
      body: body === undefined || body === null ? undefined : String(body),
      followsRedirects: false,
    })
    const isEmpty = response.body.length === 0
    if (response.isCut && !isEmpty) {
      return yield* new FetchFailed({ reason: "too_large", detail: "The provider's answer is too large." })
    }
    return () =>
      new Response(isEmpty ? null : new Uint8Array(response.body), {
        status: response.status,
        headers: { "content-type": response.contentType },
      })
  })

  /** Finds out what a provider can do, and uses it. All its requests end with the conversation. */
  const converse = <A>(
    provider: Provider,
    use: (conversation: Conversation) => Effect.Effect<A, SignInFailed>,
  ): Effect.Effect<A, SignInFailed> =>
    Effect.gen(function* () {
      // Loaded with the first sign-in, because most servers never see one.
      const client = yield* Effect.promise(() => import("openid-client"))
      const run = yield* FiberSet.makeRuntimePromise()
      const secret = Redacted.value(provider.secret)
      const isPlain = provider.issuer.startsWith("http:")
      const own = { [client.clockTolerance]: CLOCK_TOLERANCE }
      const authentication = authenticateAs(client, secret)
      let last = () => new Response()
      const fetchKept: OpenIdClient.CustomFetch = async (url, options) => {
        last = await run(answer(url, options))
        return last()
      }
      const configuration = yield* attempt(() =>
        client.discovery(new URL(provider.issuer), provider.client_id, own, authentication, {
          [client.customFetch]: fetchKept,
          execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
        }),
      )
      const metadata = configuration.serverMetadata()

      /** The same provider, with another description. It checks no signatures. */
      const described = (more: Partial<OpenIdClient.ServerMetadata>, fetch: OpenIdClient.CustomFetch) => {
        const other = new client.Configuration({ ...metadata, ...more }, provider.client_id, own, authentication)
        other[client.customFetch] = fetch
        if (isPlain) client.allowInsecureRequests(other)
        return other
      }

      const grant: Conversation["grant"] = (ask) =>
        attempt(async () => {
          try {
            return await ask(configuration)
          } catch (error) {
            // The library checks signatures by public keys alone, and fails here where the description lists HS256.
            if (causedBy(error, "alg") !== "HS256") throw error
          }
          const answered = last
          const tokens = await ask(described({}, async () => answered()))
          if (!isSignedBy(secret, tokens.id_token ?? "")) throw invalid("The id token is not signed by the secret.")
          if (Buffer.byteLength(secret) < SIGNING_SECRET_MIN) throw new SignInFailed({ code: "short_secret" })
          return tokens
        })

      const userInfo: Conversation["userInfo"] = (accessToken, subject) => {
        // Many providers that sign user infos do not list how: as id tokens then.
        const { id_token_signing_alg_values_supported: algorithms = ["RS256"] } = metadata
        if (metadata.userinfo_signing_alg_values_supported !== undefined)
          return client.fetchUserInfo(configuration, accessToken, subject)
        const listing = described({ userinfo_signing_alg_values_supported: algorithms }, fetchKept)
        client.enableNonRepudiationChecks(listing)
        return client.fetchUserInfo(listing, accessToken, subject)
      }

      return yield* use({ client, configuration, grant, userInfo })
    }).pipe(
      Effect.scoped,
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => unreachable(`It did not answer within ${Duration.toSeconds(timeout)} seconds.`),
      }),
    )

  /** Reads who it is from the id token, if there is one, and the user info, if the provider has it. */
  const identify = Effect.fnUntraced(function* (
    { client, configuration, userInfo }: Conversation,
    provider: Provider,
    tokens: Tokens,
    subject: string,
  ) {
    const metadata = configuration.serverMetadata()
    const signed: Claims | undefined = tokens.claims()
    const asked = yield* attempt(async () => {
      if (metadata.userinfo_endpoint === undefined) return undefined
      try {
        return await userInfo(tokens.access_token, subject)
      } catch (error) {
        const status = Number(causedBy(error, "status"))
        if (!refusals.has(status)) throw error
        // Without the claim, groups that nobody was told of would count as groups that are gone.
        if (signed !== undefined && claimIn(signed, provider.roles_claim) !== undefined) return undefined
        const detail = `The user info was refused (${status}), and no id token has the claim ${provider.roles_claim}.`
        throw new SignInFailed({ code: "user_info", detail })
      }
    })
    const claims = { ...asked, ...signed, sub: subject }
    const profile = profileIn(String(signed?.["iss"] ?? metadata.issuer), claims)
    if (profile === undefined) return yield* invalid("The subject is longer than OpenID Connect allows.")
    const hint = tokens.id_token
    const signOut = attempt(() =>
      client.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: provider.redirectUri,
        ...(hint !== undefined && hint.length <= ID_TOKEN_HINT_MAX && { id_token_hint: hint }),
      }),
    )
    return {
      ...profile,
      values: signed === undefined && asked === undefined ? undefined : valuesIn(claims, provider.roles_claim),
      refreshToken: tokens.refresh_token,
      // It fails where the provider has no page that signs out.
      signOutUrl: hint && (yield* Effect.orElseSucceed(signOut, () => undefined))?.href,
    } satisfies Identity
  })

  return {
    /** Makes the address at which the provider signs a person in, and what its answer has to match. */
    begin: Effect.fn("OpenId.begin")((provider: Provider) =>
      converse(
        provider,
        Effect.fnUntraced(function* ({ client, configuration }) {
          const verifier = client.randomPKCECodeVerifier()
          const expected: Expected = { state: client.randomState(), nonce: client.randomNonce(), verifier }
          const code_challenge = yield* Effect.promise(() => client.calculatePKCECodeChallenge(verifier))
          // Providers refuse scopes that they do not have. A refresh token is what the checks of sessions need.
          const offered = configuration.serverMetadata().scopes_supported ?? []
          const extra = ["offline_access", provider.roles_claim].filter((scope) => offered.includes(scope))
          const { href } = yield* attempt(() =>
            client.buildAuthorizationUrl(configuration, {
              redirect_uri: provider.redirectUri,
              scope: ["openid", "profile", "email", ...extra].join(" "),
              state: expected.state,
              nonce: expected.nonce,
              code_challenge,
              code_challenge_method: "S256",
            }),
          )
          return { url: href, expected }
        }),
      ),
    ),

    /** Exchanges the provider's answer, which is the query of the redirect, for who it is. */
    finish: Effect.fn("OpenId.finish")((provider: Provider, query: string, expected: Expected) =>
      converse(
        provider,
        Effect.fnUntraced(function* (conversation) {
          const { client } = conversation
          const tokens = yield* conversation.grant((configuration) =>
            client.authorizationCodeGrant(configuration, new URL(`${provider.redirectUri}?${query}`), {
              pkceCodeVerifier: expected.verifier,
              expectedNonce: expected.nonce,
              expectedState: expected.state,
              idTokenExpected: true,
            }),
          )
          return yield* identify(conversation, provider, tokens, tokens.claims()?.sub ?? "")
        }),
      ),
    ),

    /** Asks again about a person who is signed in. It fails with `refused` when the provider knows them no more. */
    ask: Effect.fn("OpenId.ask")((provider: Provider, refreshToken: string, subject: string) =>
      converse(
        provider,
        Effect.fnUntraced(function* (conversation) {
          const tokens = yield* conversation.grant((configuration) =>
            conversation.client.refreshTokenGrant(configuration, refreshToken),
          )
          const claims = tokens.claims()
          if (claims !== undefined && claims.sub !== subject) {
            return yield* invalid("The tokens are about another person.")
          }
          return yield* identify(conversation, provider, tokens, subject)
        }),
      ),
    ),
  }
}) {}

const methodOf = (method: string): ToolMethod => (method === "POST" ? "POST" : "GET")

/** Sends the secret in the header, as is the default of the standard, or in the body where the provider wants that. */
const authenticateAs = (client: typeof OpenIdClient, secret: string): OpenIdClient.ClientAuth => {
  const basic = client.ClientSecretBasic(secret)
  const post = client.ClientSecretPost(secret)
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported
    const isPost = methods !== undefined && !methods.includes("client_secret_basic")
    return (isPost ? post : basic)(server, ...request)
  }
}

/** Whether a JWT is signed by HS256 with this secret, which is compared without leaking where it differs. */
const isSignedBy = (secret: string, token: string): boolean => {
  const end = token.lastIndexOf(".")
  const expected = createHmac("sha256", secret).update(token.slice(0, end)).digest()
  const given = Buffer.from(token.slice(end + 1), "base64url")
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const attempt = <A>(work: () => A | Promise<A>): Effect.Effect<Awaited<A>, SignInFailed> =>
  Effect.tryPromise({ try: () => Promise.resolve(work()), catch: failureOf })

/** An error and those that have caused it, outermost first. */
const causesOf = (error: unknown): ReadonlyArray<unknown> =>
  error instanceof Error && error.cause !== undefined ? [error, ...causesOf(error.cause)] : [error]

/** What the library names as the cause of an error: the first value of that name, from the outermost error on. */
const causedBy = (error: unknown, name: string): unknown =>
  causesOf(error)
    .map((cause) => (Predicate.hasProperty(cause, name) ? cause[name] : undefined))
    .find((value) => value !== undefined)

/** What a failure of the library means. Its errors are told apart by their codes, because it loads late. */
const failureOf = (error: unknown): SignInFailed => {
  if (error instanceof SignInFailed) return error
  const causes = causesOf(error)
  const detail = causes
    .map((cause) => (cause instanceof Error ? cause.message : ""))
    .filter(Boolean)
    .join(": ")
  const failed = causes.find((cause) => cause instanceof FetchFailed)
  if (failed !== undefined) {
    const isBad = failed.reason === "too_large" || failed.reason === "bad_answer"
    return isBad ? invalid(failed.detail) : unreachable(failed.detail)
  }
  const code = Predicate.hasProperty(error, "code") ? error.code : undefined
  const saying = Predicate.hasProperty(error, "error") ? error.error : undefined
  if (code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR" || saying === "invalid_grant") {
    return new SignInFailed({ code: "refused", detail: `${detail} (${String(saying)})` })
  }
  const algorithm = causedBy(error, "alg") ?? Object(causedBy(error, "header")).alg
  if (/^HS\d+$/.test(String(algorithm)))
    return new SignInFailed({ code: "algorithm", detail: `${detail} (${algorithm})` })
  // The library wants a text, as the standard does. A number is no name: large ones that differ are read as equal.
  const subject = Object(causedBy(error, "claims") ?? causedBy(error, "body")).sub
  if (typeof subject === "number") return new SignInFailed({ code: "subject", detail })
  const status = causes.map((cause) => (Predicate.hasProperty(cause, "status") ? Number(cause.status) : 0))
  return status.some((one) => one >= 500 || one === 429)
    ? unreachable(`It answered ${Math.max(...status)}.`)
    : invalid(detail)
}
