import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Unauthorized, type Unavailable } from "../../domain/Errors.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { IdentitySecretId } from "../../domain/widget/IdentitySecret.ts"
import {
  anonymousVisitorId,
  verifiedVisitorId,
  VISITOR_TOKEN_VERSION,
  VisitorId,
  type Visitor,
} from "../../domain/widget/Visitor.ts"
import { RateLimiter, REFUSED_COST } from "../../admission/RateLimiter.ts"
import { ServerSecrets } from "../ServerSecrets.ts"
import { ensureOrigin, Placements } from "./Placements.ts"
import { IdentitySecrets, type VerifiedIdentity } from "./IdentitySecrets.ts"
import { VisitorConversations } from "./VisitorConversations.ts"
import { unguessableText } from "../../system/UnguessableId.ts"

/** Lifetime of a visitor's token, which the widget renews unasked. A key that is revoked ends it at once. */
const SESSION_LIFETIME = Duration.hours(1)

/** Credentials by which somebody opens a session. */
export interface SessionRequest {
  /** A publishable key, or the id of a public chatbot. */
  readonly key: string
  readonly visitor_secret?: string
  /** An identity token, which the customer's own server has signed. */
  readonly identity?: string
}

/** Longest token that is looked at: far more than the longest address and name need. */
const TOKEN_MAX_LENGTH = 4_096
const SECRET_BYTES = 16

/** Claims of a token. The names are short, because a token travels with every request. */
const Claims = Schema.Struct({
  /** The name by which the widget is placed. */
  k: Schema.String,
  c: ChatbotId,
  v: VisitorId,
  /** The identity secret that says who the visitor is, if one does. */
  i: Schema.optionalKey(IdentitySecretId),
  /** Time at which the token expires, in milliseconds since 1970. */
  e: Schema.Int,
  m: Schema.optionalKey(Schema.String),
  n: Schema.optionalKey(Schema.String),
})
const ClaimsJson = Schema.fromJsonString(Claims)
const encodeClaims = Schema.encodeEffect(ClaimsJson)
const decodeClaims = Schema.decodeEffect(ClaimsJson)

const notValid = new Unauthorized({
  detail: "The visitor token is missing, expired or not valid, or its widget is gone. Open a session anew.",
})

/** Visitor who opens a session. */
interface Newcomer {
  readonly visitor: Visitor["Service"]
  /** Identity that vouches for a verified visitor, whose session ends with it. */
  readonly voucher?: Pick<VerifiedIdentity, "secretId" | "until">
}

/**
 * Gives visitors of chat widgets signed tokens, of which nothing is stored. A token is worth something only as long as
 * its key is valid, or its chatbot public, and the token of a verified visitor only as long as the chatbot has the
 * identity secret: every request looks that up.
 */
export class VisitorTokens extends Context.Service<VisitorTokens>()("parley/services/widget/VisitorTokens", {
  make: (sessionLifetime = SESSION_LIFETIME) =>
    Effect.gen(function* () {
      const secrets = yield* ServerSecrets
      const placements = yield* Placements
      const identities = yield* IdentitySecrets
      const conversations = yield* VisitorConversations
      const rates = yield* RateLimiter
      const random = yield* SecureRandom.SecureRandom

      const visitorOf = Effect.fnUntraced(function* (
        chatbotId: ChatbotId,
        { identity, visitor_secret }: SessionRequest,
      ): Effect.fn.Return<Newcomer, Unauthorized | Unavailable, CurrentOrganization> {
        if (identity !== undefined) {
          const voucher = yield* identities.verify(chatbotId, identity)
          const { sub, ...about } = voucher.identity
          const visitor = { id: verifiedVisitorId(chatbotId, sub), chatbotId, isVerified: true, ...about }
          return { visitor, voucher }
        }
        const secret = visitor_secret ?? (yield* unguessableText(random, SECRET_BYTES))
        return { visitor: { id: anonymousVisitorId(chatbotId, secret), chatbotId, isVerified: false } }
      })

      const read = Effect.fnUntraced(function* (token: string) {
        const [version, payload = "", signature = "", ...rest] = token.length > TOKEN_MAX_LENGTH ? [] : token.split(".")
        if (version !== VISITOR_TOKEN_VERSION || rest.length > 0) return yield* notValid
        if (!secrets.verify("visitor token", `${version}.${payload}`, signature)) return yield* notValid
        const claims = yield* Effect.mapError(
          decodeClaims(Buffer.from(payload, "base64url").toString()),
          () => notValid,
        )
        if (claims.e <= (yield* Clock.currentTimeMillis)) return yield* notValid
        const placement = yield* Effect.catchTag(placements.find(claims.k), "NotFound", () => notValid)
        if (placement.config.chatbot_id !== claims.c) return yield* notValid
        const { c: chatbotId, i: secretId, m: email, n: name, v: id } = claims
        if (secretId !== undefined) {
          const isLive = Effect.provideService(
            identities.isLive(chatbotId, secretId),
            CurrentOrganization,
            placement.caller.organizationId,
          )
          if (!(yield* isLive)) return yield* notValid
        }
        const about = { ...(email !== undefined && { email }), ...(name !== undefined && { name }) }
        return { placement, visitor: { id, chatbotId, isVerified: secretId !== undefined, token, ...about } }
      })

      return {
        /** Whether a token that was admitted holds still. It does while the database cannot say. */
        isLive: (token: string) =>
          Effect.match(read(token), { onSuccess: () => true, onFailure: ({ _tag }) => _tag !== "Unauthorized" }),

        /**
         * Opens a session for a visitor: the one whom the identity token names, or else the one who knows the secret,
         * or else a new one who cannot come back. With both, the conversations of the one who knows the secret go over
         * to the one whom the identity token names. Fails with `Unauthorized` if the identity token is refused, so that
         * nobody who is to be verified silently becomes somebody else.
         *
         * @param origin the origin of the page that asks, unless it is one of this server; fails with `Forbidden` if
         *   the widget may not be used there
         */
        open: Effect.fn("VisitorTokens.open")(function* (request: SessionRequest, origin?: string) {
          const placement = yield* placements.visit(request.key)
          yield* ensureOrigin(placement, origin)
          const { caller, config } = placement
          const { visitor, voucher } = yield* visitorOf(config.chatbot_id, request).pipe(
            Effect.tapErrorTag("Unauthorized", () => rates.visitors.charge(REFUSED_COST)),
            Effect.provideService(CurrentOrganization, caller.organizationId),
          )
          yield* rates.takeOfVisitor(caller, visitor.id, 1)
          if (visitor.isVerified) {
            const { visitor_secret: secret } = request
            const before = secret === undefined ? undefined : anonymousVisitorId(config.chatbot_id, secret)
            yield* Effect.provideService(
              conversations.recognize(visitor, before),
              CurrentOrganization,
              caller.organizationId,
            )
          }
          const { chatbotId, email, id, isVerified, name } = visitor
          const latest = (yield* Clock.currentTimeMillis) + Duration.toMillis(sessionLifetime)
          const expiresAt = Math.floor(Math.min(latest, voucher?.until ?? latest))
          const claims = yield* Effect.orDie(
            encodeClaims({
              k: config.key,
              c: chatbotId,
              v: id,
              ...(voucher !== undefined && { i: voucher.secretId }),
              e: expiresAt,
              ...(email !== undefined && { m: email }),
              ...(name !== undefined && { n: name }),
            }),
          )
          const signed = `${VISITOR_TOKEN_VERSION}.${Buffer.from(claims).toString("base64url")}`
          return {
            token: `${signed}.${secrets.sign("visitor token", signed)}`,
            expires_at: timestamp(new Date(expiresAt)),
            visitor: {
              id,
              is_verified: isVerified,
              ...(email !== undefined && { email }),
              ...(name !== undefined && { name }),
            },
          }
        }),

        /**
         * Returns the visitor to whom a token was given, and takes the cost of the request from the rate limits of its
         * address, of the visitor, of the key and of the organization. The origin is that of `open`.
         */
        admit: Effect.fnUntraced(function* (token: string, cost: number, origin?: string) {
          yield* rates.visitors.take(cost)
          const { placement, visitor } = yield* Effect.tapErrorTag(read(token), "Unauthorized", () =>
            rates.visitors.charge(REFUSED_COST),
          )
          yield* ensureOrigin(placement, origin)
          yield* rates.takeOfVisitor(placement.caller, visitor.id, cost)
          return { caller: placement.caller, visitor }
        }),
      }
    }),
}) {
  static readonly layer = (sessionLifetime = SESSION_LIFETIME) => Layer.effect(this, this.make(sessionLifetime))
}
