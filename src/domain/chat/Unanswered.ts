/** Facts that decide whether a reply is an answer. */
export interface ReplyFacts {
  /** The text of the reply. */
  readonly output: string
  readonly finishReason: string
  /** Whether the model has said that it gives no answer. */
  readonly saysNoAnswer: boolean
  /** The side that searched the knowledge base for the reply: the model itself, or the server for every message. */
  readonly searchedBy: "model" | "server" | undefined
  /** The number of passages that the searches found. Failed searches find none. */
  readonly passages: number
  /** The number of quotes of documents on which the reply rests. */
  readonly sources: number
  /** The number of HTTP tools that have answered the model. */
  readonly toolAnswers: number
}

/** Finish reasons of replies that their model did not finish of its own accord, or that its provider withheld. */
const FAILURES: ReadonlySet<string> = new Set(["error", "content-filter"])

/**
 * Returns whether a reply is no answer. It is none when it failed, was withheld or is empty, and when its model says so.
 * A model that says nothing of the kind is judged by what its reply rests on: a model that found it necessary to search,
 * and rests its reply neither on a passage nor on the answer of an HTTP tool, has not answered. Where the server searches
 * for every message, also for a greeting, a reply is no answer only if nothing was found. What there is of a reply that
 * its user has stopped counts as an answer.
 */
export const isUnanswered = (reply: ReplyFacts): boolean => {
  if (reply.finishReason === "aborted") return false
  if (FAILURES.has(reply.finishReason) || reply.output.trim() === "" || reply.saysNoAnswer) return true
  if (reply.searchedBy === undefined || reply.sources > 0 || reply.toolAnswers > 0) return false
  return reply.searchedBy === "model" || reply.passages === 0
}
