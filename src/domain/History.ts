import type { ChatTurn } from "./Chat.ts"

/** A turn as a client sends it, with the id that it has there. */
export interface SentTurn extends ChatTurn {
  readonly id?: string | undefined
}

/** A turn as a session holds it. */
export interface HeldTurn extends ChatTurn {
  /** Ours, which streams tell. */
  readonly id?: string | undefined
  /** A reply that was not finished: a client may have more of it, or less. */
  readonly isCutOff?: boolean
}

/**
 * A client may show a reply in another form than it is stored in, with all that was said on the way to it, but knows it
 * by our id. Ids that clients make are no proof, for some give every message the same. Clients of OpenAI know no ids:
 * to them, what was said on the way came as paragraphs before the reply.
 */
const isSame = (held: HeldTurn, sent: SentTurn) =>
  held.role === sent.role && (held.content === sent.content || (held.role === "assistant" && isSameReply(held, sent)))

const isSameReply = (held: HeldTurn, sent: SentTurn) =>
  (held.id !== undefined && held.id === sent.id) ||
  (held.content !== "" && sent.content.endsWith(`\n\n${held.content}`)) ||
  (held.isCutOff === true && isBeginning(held.content, sent.content))

/** Whether one of them is how the other begins. */
const isBeginning = (one: string, other: string): boolean =>
  one !== "" && other !== "" && (one.startsWith(other) || other.startsWith(one))

/** Whether the session ends with these turns, if need be with replies in between that are not among them. */
const endsWith = (held: ReadonlyArray<HeldTurn>, turns: ReadonlyArray<SentTurn>, passReplies: boolean): boolean => {
  let end = held.length
  for (const turn of turns.toReversed()) {
    let last = held[--end]
    while (passReplies && last?.role === "assistant" && !isSame(last, turn)) last = held[--end]
    if (last === undefined || !isSame(last, turn)) return false
  }
  return true
}

const longestHeld = (held: ReadonlyArray<HeldTurn>, sent: ReadonlyArray<SentTurn>, passReplies: boolean): number => {
  let length = Math.min(held.length, sent.length)
  while (length > 0 && !endsWith(held, sent.slice(0, length), passReplies)) length--
  return length
}

/** Whether the session holds all of these turns in this order, whatever else was said between and after. */
const holds = (held: ReadonlyArray<HeldTurn>, turns: ReadonlyArray<SentTurn>): boolean => {
  let length = 0
  for (const one of held) {
    const next = turns[length]
    if (next !== undefined && isSame(one, next)) length++
  }
  return length === turns.length
}

/**
 * Of the messages that a client sent, those that the session does not hold yet. A client that sends one message sends
 * what is new, unless it asks for the reply to what was said last `again`. One that sends several shows the
 * conversation as it knows it, so the longest beginning of it with which the session ends is held already. Where there
 * is none, the session may hold replies that the client does not know: cut off on their way, or to be made again. Then
 * these are passed over. One that went back, to ask something else or to hear another answer, does not show what was
 * said after that place; what it shows before is held nevertheless.
 */
export const notHeld = <A extends SentTurn>(
  held: ReadonlyArray<HeldTurn>,
  sent: ReadonlyArray<A>,
  again = false,
): ReadonlyArray<A> => {
  if (sent.length <= 1 && !again) return sent
  const atTheEnd = longestHeld(held, sent, false) || longestHeld(held, sent, true)
  return sent.slice(atTheEnd === 0 && holds(held, sent.slice(0, -1)) ? -1 : atTheEnd)
}
