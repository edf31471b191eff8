import type { AttachmentId } from "./Attachment.ts"
import type { ChatTurn } from "./Chat.ts"

/** A turn as a client sends it, with the id that the client gave it. */
export interface SentTurn extends ChatTurn {
  readonly id?: string | undefined
  /** The ids of the files that go with it. */
  readonly attachments?: ReadonlyArray<AttachmentId> | undefined
}

/** A turn as it is stored in a session. */
export interface StoredTurn extends ChatTurn {
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
  readonly stored: ReadonlyArray<StoredTurn>
  readonly sent: ReadonlyArray<SentTurn>
  private readonly storedTexts: ReadonlyArray<number>
  private readonly sentTexts: ReadonlyArray<number>

  constructor(stored: ReadonlyArray<StoredTurn>, sent: ReadonlyArray<SentTurn>) {
    const numbers = new Map<string, number>()
    const numberOf = ({ content }: ChatTurn): number => {
      const number = numbers.get(content) ?? numbers.size
      numbers.set(content, number)
      return number
    }
    this.stored = stored
    this.sent = sent
    this.storedTexts = stored.map(numberOf)
    this.sentTexts = sent.map(numberOf)
  }

  /**
   * Whether a stored turn and a sent turn are the same. A client may send a reply back in another form than the stored
   * one, with the texts of earlier steps before it, and is then recognized by the id of the stored message; ids that
   * clients make prove nothing, because some give the same id to every message. Clients of OpenAI know no ids, and
   * received the texts of earlier steps as paragraphs before the reply.
   */
  isSame(storedIndex: number, sentIndex: number): boolean {
    const [stored, sent] = [this.stored[storedIndex], this.sent[sentIndex]]
    if (stored === undefined || sent === undefined || stored.role !== sent.role) return false
    if (this.storedTexts[storedIndex] === this.sentTexts[sentIndex]) return true
    return stored.role === "assistant" && isSameReply(stored, sent)
  }

  /**
   * Whether the session ends with the first `length` sent turns. With `passReplies`, stored replies between them are
   * skipped.
   */
  endsWith(length: number, passReplies: boolean): boolean {
    let last = this.stored.length
    for (let turn = length - 1; turn >= 0; turn--) {
      last--
      while (passReplies && this.stored[last]?.role === "assistant" && !this.isSame(last, turn)) last--
      if (!this.isSame(last, turn)) return false
    }
    return true
  }

  /** The length of the longest beginning of the sent turns with which the session ends. */
  longestStored(passReplies: boolean): number {
    let length = Math.min(this.stored.length, this.sent.length)
    while (length > 0 && !this.endsWith(length, passReplies)) length--
    return length
  }

  /**
   * Whether the session holds all sent turns but the last in their order, with any other turns between and after them.
   */
  holdsAllButTheLast(): boolean {
    let length = 0
    for (let turn = 0; turn < this.stored.length && length < this.sent.length - 1; turn++) {
      if (this.isSame(turn, length)) length++
    }
    return length === this.sent.length - 1
  }
}

/** Whether one text begins with the other. */
const isBeginning = (one: string, other: string): boolean =>
  one !== "" && other !== "" && (one.startsWith(other) || other.startsWith(one))

const isSameReply = (stored: StoredTurn, sent: SentTurn): boolean => {
  if (stored.id !== undefined && stored.id === sent.id) return true
  if (stored.isCutOff === true && isBeginning(stored.content, sent.content)) return true
  const place = sent.content.length - stored.content.length
  return (
    stored.content !== "" &&
    place >= 2 &&
    sent.content.startsWith("\n\n", place - 2) &&
    sent.content.endsWith(stored.content)
  )
}

/**
 * The messages of a request that are not stored yet.
 *
 * - A client that sends one message sends a new one, unless it asks for another reply to the last message (`again`).
 * - A client that sends several sends the conversation as it knows it, so the longest beginning with which the session
 *   ends is stored already.
 * - Where there is no such beginning, the session may hold replies that the client does not know, because they were cut
 *   off or are to be made again. These are skipped.
 * - A client that went back in the conversation, to ask something else or to get another answer, does not send what
 *   came after that point; what it sends before the new message is stored nevertheless.
 */
export const newTurns = <A extends SentTurn>(
  stored: ReadonlyArray<StoredTurn>,
  sent: ReadonlyArray<A>,
  again = false,
): ReadonlyArray<A> => {
  if (sent.length <= 1 && !again) return sent
  const turns = new Comparison(stored, sent)
  const atTheEnd = turns.longestStored(false) || turns.longestStored(true)
  return sent.slice(atTheEnd === 0 && turns.holdsAllButTheLast() ? -1 : atTheEnd)
}
