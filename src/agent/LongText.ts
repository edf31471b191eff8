/** What there is room for at first. */
const ROOM_CHARS = 256

/**
 * A text that comes in thousands of small pieces. They are copied at once: strings that are kept until somebody reads the
 * whole take several times their length each, and with many answers on their way the collector would see each of them
 * grow old. As UTF-16, since a piece may end in the middle of a character.
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
