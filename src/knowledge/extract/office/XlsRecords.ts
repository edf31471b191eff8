import { Unreadable } from "../Extraction.ts"

export const damaged = () => new Unreadable("corrupt_document", "The workbook is damaged.")

/** A record of a workbook (MS-XLS 2.1.4), and its place in the stream. The records that continue it are pieces of it. */
interface XlsRecord {
  readonly type: number
  readonly at: number
  readonly pieces: Array<Buffer>
}

const CONTINUE = 0x3c
const HEADER_BYTES = 4

/** The records of a stream. */
export function* recordsOf(stream: Buffer): Generator<XlsRecord> {
  let record: XlsRecord | undefined
  for (let at = 0; at + HEADER_BYTES <= stream.length;) {
    const type = stream.readUInt16LE(at)
    const end = at + HEADER_BYTES + stream.readUInt16LE(at + 2)
    const content = stream.subarray(at + HEADER_BYTES, end)
    if (type === CONTINUE && record !== undefined) record.pieces.push(content)
    else {
      if (record !== undefined) yield record
      record = { type, at, pieces: [content] }
    }
    at = end
  }
  if (record !== undefined) yield record
}

/** Reads values one after the other from a record and the pieces that continue it. Throws `Unreadable` at its end. */
export class RecordReader {
  private readonly pieces: ReadonlyArray<Buffer>
  private piece = 0
  private at = 0

  constructor(pieces: ReadonlyArray<Buffer>) {
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
