import { createHash } from "node:crypto"
import { Context, Schema } from "effect"
import type { ChatbotId } from "../Ids.ts"

/** Beginning of a visitor's token, before its first dot: the form of what the token says. */
export const VISITOR_TOKEN_VERSION = "vst2"

/** Names a visitor of a chatbot: the first 128 bits of a digest, in base64url. It says nothing about who that is. */
export const VisitorId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{22}$/u, { message: "Expected the id of a visitor" }),
).pipe(Schema.brand("VisitorId"))
export type VisitorId = typeof VisitorId.Type

const ID_BYTES = 16
const ID_CONTEXT = "parley: visitor"

const idOf = (chatbot: ChatbotId, kind: "secret" | "sub", value: string): VisitorId =>
  VisitorId.make(
    createHash("sha256")
      // Written as JSON, no two visitors have the same bytes.
      .update(JSON.stringify([ID_CONTEXT, chatbot, kind, value]))
      .digest()
      .subarray(0, ID_BYTES)
      .toString("base64url"),
  )

/** The id of a visitor who is known by the secret of a browser alone. */
export const anonymousVisitorId = (chatbot: ChatbotId, secret: string): VisitorId => idOf(chatbot, "secret", secret)

/** The id of a visitor whom the customer's own server calls `sub`. */
export const verifiedVisitorId = (chatbot: ChatbotId, sub: string): VisitorId => idOf(chatbot, "sub", sub)

/** Facts about a visitor that the customer's own server has signed. */
export interface Identity {
  readonly sub: string
  readonly email?: string
  readonly name?: string
}

/**
 * The visitor behind a request of the chat widget.
 *
 * @effect-leakable-service methods require it, because it differs from call to call
 */
export class Visitor extends Context.Service<
  Visitor,
  {
    readonly id: VisitorId
    readonly chatbotId: ChatbotId
    /** Whether the customer's own server has signed who it is. Only then are there an address and a name. */
    readonly isVerified: boolean
    readonly email?: string
    readonly name?: string
    /** The token of the request, whose end ends what the request has begun; absent while a session is opened. */
    readonly token?: string
  }
>()("parley/domain/widget/Visitor") {}
