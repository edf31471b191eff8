/** The capacity of a new text, in UTF-16 code units. */
const ROOM_CHARS = 256

/**
 * A text that is built from thousands of small pieces. Each piece is copied into a buffer at once: small strings take
 * several times their length, and with many answers under way the garbage collector would visit each of them. The
 * buffer is UTF-16, because a piece may end in the middle of a character.
 */
export class LongText {
  private units = Buffer.allocUnsafeSlow(2 * ROOM_CHARS)
  private bytes = 0

  add(piece: string): void {
    const bytes = this.bytes + 2 * piece.length
    if (bytes > this.units.length) {
      const units = Buffer.allocUnsafeSlow(2 * bytes)
      this.units.copy(units, 0, 0, this.bytes)
      this.units = units
    }
    this.units.write(piece, this.bytes, "utf16le")
    this.bytes = bytes
  }

  get text(): string {
    return this.units.toString("utf16le", 0, this.bytes)
  }
}
