import type { MessageId, SessionId } from "../domain/Ids.ts"

/** The ids of a stored reply and of its session. */
export interface ReplyIds {
  readonly session_id: SessionId
  readonly message_id: MessageId
}

/** The headers that `ReplyHeaders` of `api/Chat.ts` declares for a response with a reply. */
export const replyHeaders = ({ message_id, session_id }: ReplyIds) => ({
  "x-session-id": session_id,
  "x-message-id": message_id,
})
