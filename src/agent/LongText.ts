/** Pieces that are kept apart for a while: so many are joined at once. */
const PIECES_AT_ONCE = 64

/**
 * A text that comes in thousands of small pieces. Strings that are added one by one stay apart until somebody reads the
 * whole, and each takes several times its length; with many answers on their way that would be most of the memory.
 */
export class LongText {
  private whole = ""
  private pieces: Array<string> = []

  add(piece: string): void {
    this.pieces.push(piece)
    if (this.pieces.length < PIECES_AT_ONCE) return
    this.whole += this.pieces.join("")
    this.pieces = []
  }

  get text(): string {
    return this.whole + this.pieces.join("")
  }
}
