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

/** Turns with numbers in place of their texts: thousands of them are compared with thousands, and most may be alike. */
class Comparison {
  readonly held: ReadonlyArray<HeldTurn>
  readonly sent: ReadonlyArray<SentTurn>
  private readonly heldTexts: ReadonlyArray<number>
  private readonly sentTexts: ReadonlyArray<number>

  constructor(held: ReadonlyArray<HeldTurn>, sent: ReadonlyArray<SentTurn>) {
    const numbers = new Map<string, number>()
    const numberOf = ({ content }: ChatTurn): number => {
      const number = numbers.get(content) ?? numbers.size
      numbers.set(content, number)
      return number
    }
    this.held = held
    this.sent = sent
    this.heldTexts = held.map(numberOf)
    this.sentTexts = sent.map(numberOf)
  }

  /**
   * A client may show a reply in another form than it is stored in, with all that was said on the way to it, but knows it
   * by our id. Ids that clients make are no proof, for some give every message the same. Clients of OpenAI know no ids:
   * to them, what was said on the way came as paragraphs before the reply.
   */
  isSame(heldIndex: number, sentIndex: number): boolean {
    const [held, sent] = [this.held[heldIndex], this.sent[sentIndex]]
    if (held === undefined || sent === undefined || held.role !== sent.role) return false
    if (this.heldTexts[heldIndex] === this.sentTexts[sentIndex]) return true
    return held.role === "assistant" && isSameReply(held, sent)
  }

  /** Whether the session ends with so many of the first turns, if need be with replies in between that are not among them. */
  endsWith(length: number, passReplies: boolean): boolean {
    let last = this.held.length
    for (let turn = length - 1; turn >= 0; turn--) {
      last--
      while (passReplies && this.held[last]?.role === "assistant" && !this.isSame(last, turn)) last--
      if (!this.isSame(last, turn)) return false
    }
    return true
  }

  longestHeld(passReplies: boolean): number {
    let length = Math.min(this.held.length, this.sent.length)
    while (length > 0 && !this.endsWith(length, passReplies)) length--
    return length
  }

  /** Whether the session holds all turns but the last in this order, whatever else was said between and after. */
  holdsAllButTheLast(): boolean {
    let length = 0
    for (let turn = 0; turn < this.held.length && length < this.sent.length - 1; turn++) {
      if (this.isSame(turn, length)) length++
    }
    return length === this.sent.length - 1
  }
}

/** Whether one of them is how the other begins. */
const isBeginning = (one: string, other: string): boolean =>
  one !== "" && other !== "" && (one.startsWith(other) || other.startsWith(one))

const isSameReply = (held: HeldTurn, sent: SentTurn): boolean => {
  if (held.id !== undefined && held.id === sent.id) return true
  if (held.isCutOff === true && isBeginning(held.content, sent.content)) return true
  const place = sent.content.length - held.content.length
  return (
    held.content !== "" &&
    place >= 2 &&
    sent.content.startsWith("\n\n", place - 2) &&
    sent.content.endsWith(held.content)
  )
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
  const turns = new Comparison(held, sent)
  const atTheEnd = turns.longestHeld(false) || turns.longestHeld(true)
  return sent.slice(atTheEnd === 0 && turns.holdsAllButTheLast() ? -1 : atTheEnd)
}
