/** A moment of a statement on its way: about to be sent, just sent, or done and answered without the answer delivered. */
export type Moment = "before" | "sent" | "done"

/** Called at each moment of each statement, with its text. Returns whether the bytes may go on. */
export type OnStatement = (moment: Moment, statement: string) => boolean

const HEADER_BYTES = 5
const SSL_REQUEST = 80_877_103

/** What the server still has to answer: a statement, or the end of a batch. */
type Pending = { readonly statement: string } | "sync"

/**
 * Reads both directions of a connection by Postgres's wire protocol, and reports the statements in it. A statement is
 * done when the batch that it belongs to has ended, and with it the transaction, unless one was begun explicitly.
 */
export class StatementWatch {
  private readonly onStatement: OnStatement
  private readonly texts = new Map<string, string>()
  private readonly pending: Array<Pending> = []
  private done: Array<string> = []
  private isStarted: boolean
  private isAskingForSsl = false
  private asked: Buffer = Buffer.alloc(0)
  private answered: Buffer = Buffer.alloc(0)
  /** The statement of the portal that was bound last, which the next Execute runs. */
  private bound = ""

  /** A connection that `isStarted` begins after its startup message. */
  constructor(onStatement: OnStatement, isStarted = false) {
    this.onStatement = onStatement
    this.isStarted = isStarted
  }

  /** Passes bytes of the client to `send`, unless they may not go on. */
  request(bytes: Uint8Array, send: () => void): void {
    const statements = this.statementsIn(bytes)
    if (!this.all("before", statements)) return
    send()
    this.all("sent", statements)
  }

  /** Passes bytes of the server to `deliver`, unless they may not go on. */
  answer(bytes: Uint8Array, deliver: () => void): void {
    if (this.all("done", this.doneIn(bytes))) deliver()
  }

  private all(moment: Moment, statements: ReadonlyArray<string>): boolean {
    return statements.every((statement) => this.onStatement(moment, statement))
  }

  private statementsIn(bytes: Uint8Array): ReadonlyArray<string> {
    this.asked = Buffer.concat([this.asked, bytes])
    const statements: Array<string> = []
    while (!this.isStarted && this.asked.length >= HEADER_BYTES + 3) {
      this.isAskingForSsl = this.asked.readInt32BE(4) === SSL_REQUEST
      this.isStarted = !this.isAskingForSsl
      this.asked = this.asked.subarray(this.asked.readInt32BE(0))
    }
    this.asked = eachMessage(this.asked, (type, body) => {
      switch (type) {
        case "P": {
          const [name, text] = strings(body, 0)
          this.texts.set(name, text)
          break
        }
        case "B":
          this.bound = this.texts.get(strings(body, 0)[1]) ?? ""
          break
        case "E":
          statements.push(this.bound)
          this.pending.push({ statement: this.bound })
          break
        case "Q": {
          const [statement] = strings(body, 0)
          statements.push(statement)
          this.pending.push({ statement }, "sync")
          break
        }
        case "S":
          this.pending.push("sync")
          break
      }
    })
    return statements
  }

  /** Returns the statements that these bytes end. */
  private doneIn(bytes: Uint8Array): ReadonlyArray<string> {
    const ended: Array<string> = []
    const answer = this.isAskingForSsl ? bytes.subarray(1) : bytes
    this.isAskingForSsl = false
    this.answered = eachMessage(Buffer.concat([this.answered, answer]), (type) => {
      const [first] = this.pending
      if (type === "C" || type === "I" || type === "s") {
        if (first === undefined || first === "sync") return
        this.done.push(first.statement)
        this.pending.shift()
      } else if (type === "E") {
        while (this.pending.length > 0 && this.pending[0] !== "sync") this.pending.shift()
      } else if (type === "Z") {
        if (first === "sync") this.pending.shift()
        ended.push(...this.done.splice(0))
      }
    })
    return ended
  }
}

/** Visits the whole messages in a buffer, and returns the rest. */
const eachMessage = (bytes: Buffer, visit: (type: string, body: Buffer) => void): Buffer => {
  let at = 0
  while (at + HEADER_BYTES <= bytes.length) {
    const next = at + 1 + bytes.readInt32BE(at + 1)
    if (next > bytes.length) break
    visit(String.fromCharCode(bytes[at] ?? 0), bytes.subarray(at + HEADER_BYTES, next))
    at = next
  }
  return bytes.subarray(at)
}

/** Reads two texts, each of which ends with a zero byte. */
const strings = (body: Buffer, from: number): readonly [string, string] => {
  const end = body.indexOf(0, from)
  const next = body.indexOf(0, end + 1)
  return [body.toString("utf8", from, end), next < 0 ? "" : body.toString("utf8", end + 1, next)]
}
