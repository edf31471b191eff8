import type { ReplyFacts } from "../services/conversations/ChatAnswer.ts"

/** The headers that `ReplyHeaders` of `api/conversations/Chat.ts` declares for a response with a reply. */
export const replyHeaders = ({ message_id, notices, session_id }: ReplyFacts) => ({
  "x-session-id": session_id,
  "x-message-id": message_id,
  ...(notices.length > 0 && { "x-parley-notice": notices.join(", ") }),
})
