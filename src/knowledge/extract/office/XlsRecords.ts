import { Unreadable } from "../Extraction.ts"

export const damaged = () => new Unreadable("corrupt_document", "The workbook is damaged.")

/** A record of a workbook (MS-XLS 2.1.4). The records that continue it follow as pieces. */
export interface XlsRecord {
  readonly type: number
  readonly pieces: ReadonlyArray<Uint8Array>
}

const CONTINUE = 0x3c
const HEADER_BYTES = 4

/** The records of a stream from an offset on, until the end of the part that begins there. */
export function* recordsOf(stream: Uint8Array, from = 0): Generator<XlsRecord> {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength)
  const header = (at: number) =>
    at + HEADER_BYTES > stream.length
      ? undefined
      : {
          type: view.getUint16(at, true),
          start: at + HEADER_BYTES,
          end: at + HEADER_BYTES + view.getUint16(at + 2, true),
        }
  for (let record = header(from), depth = 0; record !== undefined;) {
    const { end, start, type } = record
    const pieces = [stream.subarray(start, end)]
    record = header(end)
    for (; record?.type === CONTINUE; record = header(record.end))
      pieces.push(stream.subarray(record.start, record.end))
    // Charts within a sheet are parts of their own.
    if (type === BOF) depth++
    yield { type, pieces }
    if (type === EOF && --depth <= 0) return
  }
}

export const BOF = 0x809
const EOF = 0x0a

/** Reads values one after the other from a record and the pieces that continue it. Throws `Unreadable` at its end. */
export class RecordReader {
  private readonly pieces: ReadonlyArray<Uint8Array>
  private piece = 0
  private at = 0

  constructor({ pieces }: XlsRecord) {
    this.pieces = pieces
  }

  private get here(): Uint8Array {
    return this.pieces[this.piece] ?? new Uint8Array()
  }

  /** Whether the record has more bytes. */
  get hasMore(): boolean {
    return this.at < this.here.length || this.piece + 1 < this.pieces.length
  }

  byte(): number {
    while (this.at >= this.here.length) {
      if (++this.piece >= this.pieces.length) throw damaged()
      this.at = 0
    }
    return this.here[this.at++] ?? 0
  }

  short(): number {
    return this.byte() + this.byte() * 256
  }

  long(): number {
    return this.short() + this.short() * 65_536
  }

  bytes(count: number): DataView {
    return new DataView(Uint8Array.from({ length: count }, () => this.byte()).buffer)
  }

  skip(bytes: number): void {
    for (let left = bytes; left > 0 && this.hasMore; left--) this.byte()
  }

  /** Begins the next record that continues this one, if there is one. */
  nextPiece(): void {
    this.piece++
    this.at = 0
  }

  /** Characters of one or two bytes. A record that continues them says again of how many bytes its characters are. */
  characters(length: number, wide: boolean): string {
    let text = ""
    let isWide = wide
    for (let left = length; left > 0;) {
      if (this.at >= this.here.length) {
        if (this.piece + 1 >= this.pieces.length) throw damaged()
        this.nextPiece()
        isWide = (this.byte() & 1) === 1
        continue
      }
      const size = isWide ? 2 : 1
      const count = Math.min(left, Math.floor((this.here.length - this.at) / size))
      if (count === 0) throw damaged()
      const bytes = Buffer.from(this.here.buffer, this.here.byteOffset + this.at, count * size)
      text += bytes.toString(isWide ? "utf16le" : "latin1")
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
