import type { WrittenBy } from "../domain/chat/WrittenBy.ts"
import type { ReplyFacts } from "../services/conversations/ChatAnswer.ts"

/** The headers that `ReplyHeaders` of `api/conversations/Chat.ts` declares for a response with a reply. */
export const replyHeaders = ({
  message_id,
  notices,
  session_id,
  written_by,
}: ReplyFacts & { readonly written_by?: WrittenBy | undefined }) => ({
  "x-session-id": session_id,
  "x-message-id": message_id,
  ...(written_by !== undefined && { "x-written-by": written_by }),
  ...(notices.length > 0 && { "x-parley-notice": notices.join(", ") }),
})
