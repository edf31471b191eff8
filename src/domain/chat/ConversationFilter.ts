import type { SessionState } from "./Conversation.ts"
import type { Reach } from "../Caller.ts"
import type { PersonId } from "../Ids.ts"

/** Conditions for the conversations that a reader wants; one that is undefined holds for all. */
export interface ConversationFilter {
  /** The chatbots whose conversations are wanted. */
  readonly chatbots: Reach
  /** A text that a message, the visitor's e-mail address or name contains, in either case. */
  readonly search: string | undefined
  /** The visitor's whole e-mail address, in either case. */
  readonly email: string | undefined
  /** A rating that one of the replies has. */
  readonly rating: "up" | "down" | undefined
  /** Whether a reply is no answer. */
  readonly isUnanswered: boolean
  readonly platform: string | undefined
  readonly state: SessionState | undefined
  /** Who answers. */
  readonly owner: "bot" | "people" | undefined
  /** The person who looks after it; null for nobody, in a conversation of people. */
  readonly assignee: PersonId | null | undefined
  /** Whether the visitor waits for people. */
  readonly isWaiting: boolean
  readonly tag: string | undefined
  /** The first moment of the latest activity, inclusive. */
  readonly from: Date | undefined
  /** The moment before which the latest activity was, exclusive. */
  readonly to: Date | undefined
}
