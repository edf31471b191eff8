import { Unreadable } from "../Extraction.ts"

export const damaged = () => new Unreadable("corrupt_document", "The workbook is damaged.")

/** A record of a workbook (MS-XLS 2.1.4). The records that continue it follow as pieces. */
export interface XlsRecord {
  readonly type: number
  readonly pieces: ReadonlyArray<Buffer>
}

export const BOF = 0x809
const EOF = 0x0a
const CONTINUE = 0x3c
const HEADER_BYTES = 4

/** The records of a stream from an offset on, until the end of the part that begins there. */
export function* recordsOf(stream: Buffer, from = 0): Generator<XlsRecord> {
  let at = from
  let depth = 0
  const next = (): Buffer => {
    const start = at + HEADER_BYTES
    at = start + stream.readUInt16LE(at + 2)
    return stream.subarray(start, at)
  }
  const hasNext = () => at + HEADER_BYTES <= stream.length
  while (hasNext()) {
    const type = stream.readUInt16LE(at)
    const pieces = [next()]
    while (hasNext() && stream.readUInt16LE(at) === CONTINUE) pieces.push(next())
    // Charts within a sheet are parts of their own.
    if (type === BOF) depth++
    yield { type, pieces }
    if (type === EOF && --depth <= 0) return
  }
}

/** Reads values one after the other from a record and the pieces that continue it. Throws `Unreadable` at its end. */
export class RecordReader {
  private readonly pieces: ReadonlyArray<Buffer>
  private piece = 0
  private at = 0

  constructor({ pieces }: XlsRecord) {
    this.pieces = pieces
  }

  private get here(): Buffer {
    return this.pieces[this.piece] ?? Buffer.alloc(0)
  }

  /** Whether the record has more bytes. */
  get hasMore(): boolean {
    return this.at < this.here.length || this.piece + 1 < this.pieces.length
  }

  /** Begins the next record that continues this one. */
  nextPiece(): void {
    this.piece++
    this.at = 0
  }

  byte(): number {
    while (this.at >= this.here.length) {
      if (!this.hasMore) throw damaged()
      this.nextPiece()
    }
    return this.here[this.at++] ?? 0
  }

  short(): number {
    return this.byte() + this.byte() * 256
  }

  long(): number {
    return this.short() + this.short() * 65_536
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.byte()))
  }

  skip(bytes: number): void {
    for (let left = bytes; left > 0 && this.hasMore; left--) this.byte()
  }

  /** Characters of one or two bytes. A record that continues them says again of how many bytes its characters are. */
  characters(length: number, wide: boolean): string {
    let text = ""
    let isWide = wide
    for (let left = length; left > 0;) {
      if (this.at >= this.here.length) {
        this.nextPiece()
        isWide = (this.byte() & 1) === 1
      }
      const size = isWide ? 2 : 1
      const count = Math.min(left, Math.floor((this.here.length - this.at) / size))
      if (count === 0) throw damaged()
      text += this.here.toString(isWide ? "utf16le" : "latin1", this.at, this.at + count * size)
      this.at += count * size
      left -= count
    }
    return text
  }

  /** A string with its formats and phonetic guides, which are skipped. Its length has one byte or two. */
  string(lengthBytes: 1 | 2 = 2): string {
    const length = lengthBytes === 1 ? this.byte() : this.short()
    if (length === 0 && !this.hasMore) return ""
    const flags = this.byte()
    const runs = (flags & 8) === 0 ? 0 : this.short()
    const phonetic = (flags & 4) === 0 ? 0 : this.long()
    const text = this.characters(length, (flags & 1) === 1)
    this.skip(runs * 4 + phonetic)
    return text
  }
}
