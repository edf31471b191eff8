/** A record of a workbook (MS-XLS 2.1.4), and its place in the stream. The records that continue it are pieces of it. */
interface XlsRecord {
  readonly type: number
  readonly at: number
  readonly pieces: Array<Buffer>
}

const CONTINUE = 0x3c
const HEADER_BYTES = 4

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

/** Reads values one after the other from the pieces of a record. Throws a `RangeError` at its end. */
export class RecordReader {
  private readonly content: Buffer
  private at = 0
  private readonly ends: ReadonlyArray<number>
  private piece = 0

  constructor(pieces: ReadonlyArray<Buffer>) {
    this.content = Buffer.concat(pieces)
    let end = 0
    this.ends = pieces.map(({ length }) => (end += length))
  }

  get hasMore(): boolean {
    return this.at < this.content.length
  }

  bytes(count: number): Buffer {
    this.at += count
    return this.content.subarray(this.at - count, this.at)
  }

  byte(): number {
    return this.bytes(1).readUInt8()
  }

  short(): number {
    return this.bytes(2).readUInt16LE()
  }

  long(): number {
    return this.bytes(4).readUInt32LE()
  }

  /** The end of the piece that is being read. */
  private get end(): number {
    while ((this.ends[this.piece] ?? Infinity) <= this.at) this.piece++
    return this.ends[this.piece] ?? this.content.length
  }

  skipPiece(): void {
    this.at = this.end
  }

  /** Characters of one or two bytes. A piece that continues them says again of how many bytes its characters are. */
  characters(length: number, wide = false): string {
    let text = ""
    let isWide = wide
    while (text.length < length) {
      const { end } = this
      if (this.ends[this.piece - 1] === this.at) isWide = (this.byte() & 1) === 1
      const size = isWide ? 2 : 1
      const count = Math.min(length - text.length, Math.floor((end - this.at) / size))
      if (count <= 0) throw new RangeError("The characters end too early.")
      text += this.bytes(count * size).toString(isWide ? "utf16le" : "latin1")
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
    this.at += runs * 4 + phonetic
    return text
  }
}
