import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Caller } from "../../domain/Caller.ts"
import { type NotFound, type RateLimited, Unauthorized, type Unavailable } from "../../domain/Errors.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { anonymousVisitorId, verifiedVisitorId, VisitorId, type Visitor } from "../../domain/widget/Visitor.ts"
import type { VisitorSession } from "../../domain/widget/Widget.ts"
import { REFUSED_COST, VisitorLimiter } from "../rates/VisitorLimiter.ts"
import { ServerSecrets } from "../ServerSecrets.ts"
import { Embedding } from "./Embedding.ts"
import { IdentitySecrets } from "./IdentitySecrets.ts"
import { VisitorConversations } from "./VisitorConversations.ts"

export interface VisitorTokensSettings {
  /** How long a token is valid. */
  readonly sessionLifetime: Duration.Duration
}

/** By what somebody opens a session. */
export interface SessionRequest {
  /** A publishable key, or the id of a public chatbot. */
  readonly key: string
  readonly visitor_secret?: string
  /** An identity token, which the customer's own server has signed. */
  readonly identity?: string
}

/** The visitor behind a token, and on whose behalf it chats. */
export interface AdmittedVisitor {
  readonly visitor: Visitor["Service"]
  readonly caller: Caller["Service"]
}

const VERSION = "vst1"
/** Longest token that is looked at: far more than the longest address and name need. */
const TOKEN_MAX_LENGTH = 4_096
const SECRET_BYTES = 16

/** What a token says. The names are short, because a token travels with every request. */
const Claims = Schema.Struct({
  /** The name by which the widget is embedded. */
  k: Schema.String,
  c: ChatbotId,
  v: VisitorId,
  /** Whether the visitor is verified. */
  s: Schema.Boolean,
  /** When the token expires, in milliseconds since 1970. */
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

/**
 * Gives visitors of chat widgets signed tokens, of which nothing is stored. A token is worth something only as long as
 * its key is valid, or its chatbot public: every request looks that up.
 */
export class VisitorTokens extends Context.Service<
  VisitorTokens,
  {
    /**
     * Opens a session for a visitor: the one whom the identity token names, or else the one who knows the secret, or
     * else a new one who cannot come back. With both, the conversations of the one who knows the secret go over to the
     * one whom the identity token names. Fails with `Unauthorized` if the identity token is refused, so that nobody
     * who is to be verified silently becomes somebody else.
     */
    readonly open: (
      request: SessionRequest,
    ) => Effect.Effect<VisitorSession, NotFound | RateLimited | Unauthorized | Unavailable>
    /**
     * Returns the visitor to whom a token was given, and takes the cost of the request from the rate limits of its
     * address, of the visitor, of the key and of the organization.
     */
    readonly admit: (
      token: string,
      cost: number,
    ) => Effect.Effect<AdmittedVisitor, RateLimited | Unauthorized | Unavailable>
  }
>()("parley/services/widget/VisitorTokens") {
  static readonly layer = ({ sessionLifetime }: VisitorTokensSettings) =>
    Layer.effect(
      VisitorTokens,
      Effect.gen(function* () {
        const secrets = yield* ServerSecrets
        const embedding = yield* Embedding
        const identities = yield* IdentitySecrets
        const conversations = yield* VisitorConversations
        const limiter = yield* VisitorLimiter
        const random = yield* SecureRandom.SecureRandom

        const visitorOf = Effect.fnUntraced(function* (
          chatbotId: ChatbotId,
          { identity, visitor_secret }: SessionRequest,
        ): Effect.fn.Return<Visitor["Service"], Unauthorized | Unavailable, CurrentOrganization> {
          if (identity !== undefined) {
            const { sub, ...about } = yield* identities.verify(chatbotId, identity)
            return { id: verifiedVisitorId(chatbotId, sub), chatbotId, isVerified: true, ...about }
          }
          const secret = visitor_secret ?? Buffer.from(yield* random.randomBytes(SECRET_BYTES)).toString("base64url")
          return { id: anonymousVisitorId(chatbotId, secret), chatbotId, isVerified: false }
        })

        const open = Effect.fn("VisitorTokens.open")(function* (request: SessionRequest) {
          const { caller, config } = yield* embedding.visit(request.key)
          const visitor = yield* visitorOf(config.chatbot_id, request).pipe(
            Effect.tapErrorTag("Unauthorized", () => limiter.charge(REFUSED_COST)),
            Effect.provideService(CurrentOrganization, caller.organizationId),
          )
          yield* limiter.visitor(caller, visitor.id, 1)
          if (visitor.isVerified && request.visitor_secret !== undefined) {
            const before = anonymousVisitorId(config.chatbot_id, request.visitor_secret)
            yield* Effect.provideService(
              conversations.handOver(config.chatbot_id, before, visitor.id),
              CurrentOrganization,
              caller.organizationId,
            )
          }
          const { chatbotId, email, id, isVerified, name } = visitor
          const expiresAt = (yield* Clock.currentTimeMillis) + Duration.toMillis(sessionLifetime)
          const claims = yield* Effect.orDie(
            encodeClaims({
              k: config.key,
              c: chatbotId,
              v: id,
              s: isVerified,
              e: expiresAt,
              ...(email !== undefined && { m: email }),
              ...(name !== undefined && { n: name }),
            }),
          )
          const signed = `${VERSION}.${Buffer.from(claims).toString("base64url")}`
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
        })

        const read = Effect.fnUntraced(function* (token: string) {
          const [version, payload = "", signature = "", ...rest] =
            token.length > TOKEN_MAX_LENGTH ? [] : token.split(".")
          if (version !== VERSION || rest.length > 0) return yield* notValid
          if (!secrets.verify("visitor token", `${version}.${payload}`, signature)) return yield* notValid
          const claims = yield* Effect.mapError(
            decodeClaims(Buffer.from(payload, "base64url").toString()),
            () => notValid,
          )
          if (claims.e <= (yield* Clock.currentTimeMillis)) return yield* notValid
          const { caller, config } = yield* Effect.catchTag(embedding.find(claims.k), "NotFound", () => notValid)
          if (config.chatbot_id !== claims.c) return yield* notValid
          const { c: chatbotId, m: email, n: name, s: isVerified, v: id } = claims
          const about = { ...(email !== undefined && { email }), ...(name !== undefined && { name }) }
          return { caller, visitor: { id, chatbotId, isVerified, ...about } }
        })

        const admit = Effect.fnUntraced(function* (token: string, cost: number) {
          yield* limiter.address(cost)
          const admitted = yield* Effect.tapErrorTag(read(token), "Unauthorized", () => limiter.charge(REFUSED_COST))
          yield* limiter.visitor(admitted.caller, admitted.visitor.id, cost)
          return admitted
        })

        return { open, admit }
      }),
    )
}
