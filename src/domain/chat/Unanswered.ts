import type { BoundedText } from "../../text/BoundedText.ts"
import { smallTalkIn, type SmallTalkSetting } from "./SmallTalk.ts"

/** What decides whether a reply is an answer. */
interface ReplyFacts extends SmallTalkSetting {
  /** The user's message. */
  readonly question: BoundedText
  /** The text of the reply. */
  readonly output: string
  readonly finishReason: string
  /** How often the knowledge base was searched for the reply. */
  readonly searches: number
  /** The number of quotes of documents on which the reply rests. */
  readonly sources: number
  /** The number of HTTP tools that have answered the model. */
  readonly toolAnswers: number
}

/** Finish reasons of replies that their model did not finish of its own accord, or that its provider withheld. */
const FAILURES: ReadonlySet<string> = new Set(["error", "content-filter"])

/**
 * Whether a reply is no answer: it failed or was withheld, it is empty, or the knowledge base was searched for it and it
 * rests neither on a passage nor on the answer of an HTTP tool. What a chatbot says to small talk, and says without a
 * search, always counts as an answer, and so does what there is of a reply that its user has stopped.
 */
export const isUnanswered = (reply: ReplyFacts): boolean => {
  if (reply.finishReason === "aborted") return false
  if (FAILURES.has(reply.finishReason) || reply.output.trim() === "") return true
  if (reply.searches === 0 || reply.sources > 0 || reply.toolAnswers > 0) return false
  return smallTalkIn(reply.question, reply) === undefined
}
