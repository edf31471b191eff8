import { MessageId, SessionId } from "../../domain/Ids.ts"

/**
 * An attempt at a chat whose request has an idempotency key. All attempts use the same ids, so that all that an earlier
 * one has stored before it was cut off is found, and stored once.
 */
export interface ChatAttempt {
  /** The id of the session if the chat opens one. */
  readonly session: SessionId
  /** The id of the user's message. */
  readonly message: MessageId
  readonly reply: MessageId
  /** Whether there was an earlier attempt. */
  readonly isResumed: boolean
}

/** Makes the ids of a chat from that of its operation, a UUID: it, and the one that differs in the last bit. */
export const chatAttempt = (operation: string, isResumed: boolean): ChatAttempt => {
  const [most, last] = [operation.slice(0, -1), Number.parseInt(operation.slice(-1), 16)]
  // The reply sorts after the message, as if it were made later.
  return {
    session: SessionId.make(operation),
    message: MessageId.make(most + (last & 0xe).toString(16)),
    reply: MessageId.make(most + (last | 1).toString(16)),
    isResumed,
  }
}
