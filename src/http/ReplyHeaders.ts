import type { MessageId, SessionId } from "../domain/Ids.ts"

export interface ReplyIds {
  readonly session_id: SessionId
  readonly message_id: MessageId
}

/** What `ReplyHeaders` of the API promises beside a reply. */
export const replyHeaders = ({ message_id, session_id }: ReplyIds) => ({
  "x-session-id": session_id,
  "x-message-id": message_id,
})
