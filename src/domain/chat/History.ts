import type { ChatTurn } from "./Chat.ts"

/** A turn as a client sends it, with the id that the client gave it. */
export interface SentTurn extends ChatTurn {
  readonly id?: string | undefined
}

/** A turn as it is stored in a session. */
export interface HeldTurn extends ChatTurn {
  /** The id of the stored message, which a client learns from the stream of the reply. */
  readonly id?: string | undefined
  /** Whether the reply was cut off: the client may have received more of it than is stored, or less. */
  readonly isCutOff?: boolean
}

/**
 * Compares the stored turns with those that a client sent. Texts are compared by number, because thousands of turns may
 * be compared with thousands, most of them alike.
 */
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
   * Whether a stored turn and a sent turn are the same. A client may send a reply back in another form than the stored
   * one, with the texts of earlier steps before it, and is then recognized by the id of the stored message; ids that
   * clients make prove nothing, because some give the same id to every message. Clients of OpenAI know no ids, and
   * received the texts of earlier steps as paragraphs before the reply.
   */
  isSame(heldIndex: number, sentIndex: number): boolean {
    const [held, sent] = [this.held[heldIndex], this.sent[sentIndex]]
    if (held === undefined || sent === undefined || held.role !== sent.role) return false
    if (this.heldTexts[heldIndex] === this.sentTexts[sentIndex]) return true
    return held.role === "assistant" && isSameReply(held, sent)
  }

  /**
   * Whether the session ends with the first `length` sent turns. With `passReplies`, stored replies between them are
   * skipped.
   */
  endsWith(length: number, passReplies: boolean): boolean {
    let last = this.held.length
    for (let turn = length - 1; turn >= 0; turn--) {
      last--
      while (passReplies && this.held[last]?.role === "assistant" && !this.isSame(last, turn)) last--
      if (!this.isSame(last, turn)) return false
    }
    return true
  }

  /** The length of the longest beginning of the sent turns with which the session ends. */
  longestHeld(passReplies: boolean): number {
    let length = Math.min(this.held.length, this.sent.length)
    while (length > 0 && !this.endsWith(length, passReplies)) length--
    return length
  }

  /**
   * Whether the session holds all sent turns but the last in their order, with any other turns between and after them.
   */
  holdsAllButTheLast(): boolean {
    let length = 0
    for (let turn = 0; turn < this.held.length && length < this.sent.length - 1; turn++) {
      if (this.isSame(turn, length)) length++
    }
    return length === this.sent.length - 1
  }
}

/** Whether one text begins with the other. */
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
 * The messages of a request that the session does not hold yet.
 *
 * - A client that sends one message sends a new one, unless it asks for another reply to the last message (`again`).
 * - A client that sends several sends the conversation as it knows it, so the longest beginning with which the session
 *   ends is stored already.
 * - Where there is no such beginning, the session may hold replies that the client does not know, because they were cut
 *   off or are to be made again. These are skipped.
 * - A client that went back in the conversation, to ask something else or to get another answer, does not send what
 *   came after that point; what it sends before the new message is stored nevertheless.
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
