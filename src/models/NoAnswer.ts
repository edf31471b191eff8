/**
 * Mark in a model's text by which the model says that it gives no answer. The instructions ask for it, and nobody is
 * shown it. It holds one opening bracket, so that at most one place of a text can be the beginning of a mark.
 */
export const noAnswerMark = "[no-answer]"

const MARK = /\[no-answer\]/gi

/** Takes the mark out of a text that may arrive in pieces. */
export class NoAnswer {
  /** Whether the text had the mark. */
  isMarked = false
  /** The end of the text so far that may become the mark. */
  private held = ""
  private isBegun = false

  /** Returns what may be shown of the text up to now. */
  add(piece: string): string {
    const received = this.held + piece
    const text = received.replaceAll(MARK, "")
    this.isMarked ||= text.length < received.length
    const last = text.lastIndexOf("[")
    const whole = last !== -1 && noAnswerMark.startsWith(text.slice(last).toLowerCase()) ? last : text.length
    this.held = text.slice(whole)
    return this.begun(text.slice(0, whole))
  }

  /** Returns the rest of the text, which has ended. */
  end(): string {
    const rest = this.held
    this.held = ""
    return this.begun(rest)
  }

  /** Leaves out the spaces between a mark and the beginning of the text that is shown. */
  private begun(text: string): string {
    const shown = this.isMarked && !this.isBegun ? text.trimStart() : text
    this.isBegun ||= shown !== ""
    return shown
  }
}
