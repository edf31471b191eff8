import type { AgentEvent } from "../../agent/AgentEvent.ts"
import type { HandoverReason } from "../../domain/inbox/Handover.ts"
import type { ChatbotRow } from "../../storage/chatbots/Chatbots.ts"
import type { HandoverCause } from "../../storage/conversations/ConversationWrites.ts"

/** Follows a reply, and returns what hands its conversation over to people once it is made. */
export const makeHandoverCause = ({ settings }: ChatbotRow) => {
  let reason: HandoverReason | undefined
  return {
    fold: (event: AgentEvent) => {
      if (event.type === "human-requested") reason = event.reason
    },
    of: (isUnanswered: boolean): HandoverCause | undefined => {
      const inRow = settings.handover?.unanswered
      if (reason !== undefined) return { reason }
      return isUnanswered && inRow !== undefined ? { reason: "unanswered", unansweredInRow: inRow } : undefined
    },
  }
}
