import { Clock, Context, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { hashKey } from "../../domain/keys/ApiKey.ts"
import { Caller, isOperator, onlyOne } from "../../domain/Caller.ts"
import { ClientAddress } from "../../domain/ClientAddress.ts"
import { rightsFor, scopesByChatbot } from "../../domain/people/Rights.ts"
import type { ConsoleSession, SignIn } from "../../domain/people/ConsoleSession.ts"
import { isPublishableKey } from "../../domain/widget/PublishableKey.ts"
import { Unauthorized } from "../../domain/Errors.ts"
import { atBorder } from "../../observability/Border.ts"
import * as ApiKeyStorage from "../../storage/keys/ApiKeys.ts"
import { SignIns } from "../../storage/people/SignIns.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { currentMonotonicMillis } from "../../system/Monotonic.ts"
import { ApiKeys } from "../keys/ApiKeys.ts"
import { recentLookups } from "../keys/RecentLookups.ts"
import { rateCounters } from "../../admission/RateCounter.ts"
import { networkOf, RateLimiter, REFUSED_COST, UNKEYED_COST } from "../../admission/RateLimiter.ts"
import { RecentMap } from "../../system/RecentMap.ts"
import { PersonSessions, type SessionOf } from "./PersonSessions.ts"
import { ServerSecrets } from "../ServerSecrets.ts"
import { unguessableText } from "../../system/UnguessableId.ts"

export interface ConsoleSessionsSettings {
  /** Time that a session lasts. */
  readonly lifetime: Duration.Duration
}

const PURPOSE = "console session"
/** Time for which a one-time link signs in. */
const LINK_LIFETIME = Duration.hours(1)
/** The most links that have not been used: only the first start makes one. */
const LINKS_MAX = 10
const HOUR = 3_600
/** The most refused attempts to sign in that the audit log is told of in an hour. */
const REFUSALS_PER_HOUR = 100
/** The longest cookie that is looked at, in characters: one with the longest key has fewer than 500. */
const COOKIE_MAX_LENGTH = 1_000

const wrongKey = new Unauthorized({ detail: "This is not a valid API key." })
const wrongLink = new Unauthorized({
  detail: "This link was used already, or is older than an hour. Sign in another way, or ask for a new one.",
})
const nobody = new Unauthorized({ detail: "Nobody is signed in." })

/**
 * Content of the cookie: an API key, or the secret of a person's session, and the time in milliseconds since 1970 at
 * which the session ends.
 */
const Content = Schema.fromJsonString(
  Schema.Struct({
    key: Schema.optionalKey(Schema.String),
    session: Schema.optionalKey(Schema.String),
    until: Schema.Finite,
  }),
)
const encodeContent = Schema.encodeEffect(Content)
const decodeContent = Schema.decodeEffect(Content)

/** The kind of what the database keeps of a key's session that was signed out. */
const SIGNED_OUT = "signed out"

/**
 * Sessions at the console. The browser keeps an API key or the secret of a person's session, encrypted, in a cookie that
 * its programs cannot read. The server stores the sessions of people alone: one of a key ends when that is revoked, or when
 * somebody signs out, which the server keeps until the session would have ended. So a key signs in to a database that can
 * only be read.
 */
export class ConsoleSessions extends Context.Service<ConsoleSessions>()("parley/services/people/ConsoleSessions", {
  make: ({ lifetime }: ConsoleSessionsSettings) =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const storedKeys = yield* ApiKeyStorage.ApiKeys
      const rates = yield* RateLimiter
      const people = yield* PersonSessions
      const random = yield* SecureRandom.SecureRandom
      const secrets = yield* ServerSecrets
      const signIns = yield* SignIns
      const ofAddress = yield* rateCounters("", { quota: 1, seconds: HOUR }, REFUSALS_PER_HOUR)
      const ofAll = yield* rateCounters("", { quota: REFUSALS_PER_HOUR, seconds: HOUR })
      /** The keys of links by the hash of the link, so that the time of a lookup tells nothing of a link. */
      const links = new RecentMap<{ readonly key: Redacted.Redacted; readonly until: number }>(LINKS_MAX)

      const describe = (caller: Caller["Service"]) =>
        Effect.map(storedKeys.owner(caller), (owner): ConsoleSession => ({
          ...owner,
          roles: caller.session?.roles ?? [],
          scopes: rightsFor(caller, undefined, undefined).scopes,
          chatbot_scopes: scopesByChatbot(caller.session?.roles ?? []),
          chatbot_id: caller.person === undefined ? (onlyOne(caller.chatbots) ?? null) : null,
          is_operator: isOperator(caller),
        }))

      const hashOf = (link: string) => Buffer.from(hashKey(link)).toString("base64")

      /** Takes the key of a link, which no longer signs in then. */
      const takeKey = Effect.fnUntraced(function* (link: string) {
        const now = yield* currentMonotonicMillis
        const hash = hashOf(link)
        const found = links.find(hash)
        links.delete(hash)
        return found === undefined || found.until < now ? yield* wrongLink : found.key
      })

      /** Guessing keys fills no table: an address has one entry an hour, and all of them together have a few. */
      const recordRefusal = ClientAddress.use((address = "") => {
        const counter = ofAddress(networkOf(address))
        if (counter.refusal(1) !== undefined || ofAll("").take(1) !== undefined) return Effect.void
        counter.add(1)
        // That the database cannot be written is no reason to refuse in other words.
        return Effect.ignore(storedKeys.recordRefusedSignIn)
      })

      /** Counts a refused attempt to sign in, ten times, and records it. */
      const countRefusal = Effect.andThen(rates.unkeyed.charge(REFUSED_COST), recordRefusal)

      /**
       * Sessions of keys that nobody has signed out, by the hash of what is in their cookies: a cookie can be written in
       * several ways.
       */
      const openSessions = yield* recentLookups(
        (hash) =>
          Effect.map(
            atBorder(signIns.find(Buffer.from(hash, "base64"), SIGNED_OUT), { span: "session lookup" }),
            (signedOut) => (signedOut === undefined ? true : undefined),
          ),
        () => null,
      )

      const cookieOf = Effect.fnUntraced(function* (content: { readonly key: string } | { readonly session: string }) {
        const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(lifetime)
        return yield* Effect.flatMap(Effect.orDie(encodeContent({ ...content, until })), (text) =>
          secrets.seal(PURPOSE, text),
        )
      })

      /** What is in a cookie; undefined when the session is over or the cookie is not one of ours. */
      const contentOf = Effect.fnUntraced(function* (cookie: string) {
        if (cookie.length > COOKIE_MAX_LENGTH) return undefined
        const text = yield* secrets.open(PURPOSE, cookie)
        if (text === undefined) return undefined
        const content = yield* Effect.orDie(decodeContent(text))
        if (content.until <= (yield* Clock.currentTimeMillis)) return undefined
        const isOver = content.key !== undefined && (yield* openSessions.find(hashOf(text))) === undefined
        return isOver ? undefined : { ...content, hash: hashKey(text) }
      })

      return {
        /**
         * Begins a session. Every attempt counts for the client's address, and a wrong one ten times; as everywhere, a
         * key that this process has found valid before is not refused for its address. A valid key counts for itself as
         * well.
         */
        signIn: Effect.fn("ConsoleSessions.signIn")(function* ({ key, link }: SignIn) {
          const presented =
            link === undefined
              ? Effect.succeed(Redacted.make(key ?? ""))
              : Effect.andThen(rates.unkeyed.ensureFree, takeKey(link))
          const [redacted, caller] = yield* Effect.flatMap(presented, (found) =>
            Effect.map(
              Effect.catchTag(keys.authenticate(found, rates.unkeyed.ensureFree), "Unauthorized", (failure) =>
                // That a publishable key is none to sign in with is said as everywhere else.
                isPublishableKey(Redacted.value(found)) ? failure : wrongKey,
              ),
              (caller) => [found, caller] as const,
            ),
          ).pipe(Effect.tapErrorTag("Unauthorized", () => countRefusal))
          yield* rates.unkeyed.charge(UNKEYED_COST)
          // Each session is an entry of the audit log, and a key that is known to be valid is not refused for its address.
          if (rates.isOn) {
            const { refusal } = yield* rates.decide(caller, requestCosts.plain)
            if (refusal !== undefined) return yield* refusal
          }
          const cookie = yield* cookieOf({ key: Redacted.value(redacted) })
          yield* storedKeys.recordSignIn(caller)
          const session = yield* Effect.catchTag(describe(caller), "NotFound", () => wrongKey)
          return { session, cookie, lifetime }
        }),

        /** Counts an attempt to sign in by anything but a key for the client's address; a wrong one ten times. */
        attempt: <A, E, R>(work: Effect.Effect<A, E | Unauthorized, R>) =>
          Effect.andThen(
            // Before the work, which may wait for somebody else's server.
            Effect.andThen(rates.unkeyed.ensureFree, rates.unkeyed.charge(UNKEYED_COST)),
            Effect.tapErrorTag(work, "Unauthorized", () => countRefusal),
          ),

        /** Begins a session of a person who has proven who they are: always a new one, also where the browser had one. */
        begin: Effect.fn("ConsoleSessions.begin")(function* (of: SessionOf) {
          const secret = yield* people.begin(of, lifetime)
          const caller = yield* people.authenticate(secret)
          const session = yield* Effect.catchTag(describe(caller), "NotFound", () => nobody)
          return { session, cookie: yield* cookieOf({ session: secret }), lifetime }
        }),

        contentOf,

        /** Ends the session in a cookie. Returns that of a person; undefined where there is none. */
        end: Effect.fn("ConsoleSessions.end")(function* (cookie: string) {
          const content = yield* contentOf(cookie)
          if (content?.session !== undefined) return yield* people.end(content.session)
          if (content !== undefined) yield* signIns.begin(content.hash, SIGNED_OUT, {}, lifetime)
          return undefined
        }),

        /** Describes the session of the caller. */
        current: Caller.use((caller) => Effect.catchTag(describe(caller), "NotFound", () => nobody)),

        /** Makes a link that signs in with a key, once and within an hour. Returns what follows `#sign-in=` in it. */
        makeLink: Effect.fnUntraced(function* (key: Redacted.Redacted) {
          const link = yield* unguessableText(random)
          links.set(hashOf(link), { key, until: (yield* currentMonotonicMillis) + Duration.toMillis(LINK_LIFETIME) })
          return link
        }),
      }
    }),
}) {
  static readonly layer = (settings: ConsoleSessionsSettings) => Layer.effect(this, this.make(settings))
}
