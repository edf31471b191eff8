import { createHash } from "node:crypto"
import { MessageId, SessionId } from "../Ids.ts"

/** The ids of a chat that a visitor sends. */
export interface ReplyIds {
  /** The id of the conversation if the chat opens one. */
  readonly session: SessionId
  /** The id of the visitor's message. */
  readonly message: MessageId
  readonly reply: MessageId
}

const HASH_BYTES = 16

/** A UUID of version 8, whose other 122 bits are those of a hash. */
const uuidOf = (text: string): string => {
  const hex = createHash("sha256").update(text).digest().subarray(0, HASH_BYTES).toString("hex")
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0b11) | 0b1000).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}

/**
 * The ids of the chat with the message to which the browser of a visitor, or the client of an API key, gave this id. They
 * are the same each time the message is sent, so that it is stored and answered once; and since they are hashes, no sender
 * can choose an id that something else has.
 */
export const replyIds = (sender: string, clientId: string): ReplyIds => {
  const idOf = (what: string) => uuidOf(`${what}\n${sender}\n${clientId.toLowerCase()}`)
  return {
    session: SessionId.make(idOf("conversation")),
    message: MessageId.make(idOf("message")),
    reply: MessageId.make(idOf("reply")),
  }
}
