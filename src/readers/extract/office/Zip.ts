import { crc32, inflateRawSync } from "node:zlib"
import { Unreadable } from "../Extraction.ts"

/** Most files in an archive. A presentation of 1,000 slides has about 5,000. */
const MAX_ENTRIES = 20_000
/** Most bytes of one inflated file. */
const MAX_FILE_BYTES = 128 * 1024 * 1024
/** Most bytes of all inflated XML files together, and of all files that are read. */
const MAX_TOTAL_BYTES = 256 * 1024 * 1024
/** The largest ratio of inflated to compressed size. XML has about 10, and tables of one value about 100. */
const MAX_RATIO = 250
/** Files of at most this many bytes may have any ratio. */
const ALWAYS_ALLOWED_BYTES = 1024 * 1024

/** The records of the format (APPNOTE.TXT 4.3): their signatures, and the sizes of their fixed parts. */
const END_OF_DIRECTORY = { signature: 0x06054b50, bytes: 22 }
const DIRECTORY_ENTRY = { signature: 0x02014b50, bytes: 46 }
const FILE_HEADER = { signature: 0x04034b50, bytes: 30 }
const MAX_COMMENT_BYTES = 0xffff
/** The placeholder in a 32-bit field for a number that is stored in 64 bits. */
const ZIP64 = 0xffffffff
/** The id of the extra field that stores the 64-bit numbers. */
const ZIP64_EXTRA = 1

const STORED = 0
const DEFLATED = 8
const ENCRYPTED_FLAG = 1
const UTF8_FLAG = 0x800

interface Entry {
  readonly flags: number
  readonly method: number
  readonly checksum: number
  readonly packedBytes: number
  readonly bytes: number
  /** The offset of the file's header. */
  readonly at: number
}

const damaged = () => new Unreadable("corrupt_document", "The file is damaged: it cannot be unpacked.")

const bomb = () =>
  new Unreadable("too_large_when_extracted", "The file unpacks to far more than a document of its size holds.")

const passwordProtected = () => new Unreadable("password_protected", "The file is protected by a password.")

/**
 * Reads a zip archive, and inflates its files on demand within limits. All methods throw `Unreadable`. Names of files
 * are only compared, and never used as paths.
 */
export class Zip {
  private readonly content: Uint8Array
  private readonly view: DataView
  private readonly entries = new Map<string, Entry>()
  private inflatedBytes = 0

  constructor(content: Uint8Array) {
    this.content = content
    this.view = new DataView(content.buffer, content.byteOffset, content.byteLength)
    try {
      this.readDirectory()
    } catch (cause) {
      // An offset in the directory lies outside of the file.
      throw cause instanceof RangeError ? damaged() : cause
    }
  }

  get names(): Iterable<string> {
    return this.entries.keys()
  }

  /** Inflates a file. Returns `undefined` when there is none of that name. */
  read(name: string): Uint8Array | undefined {
    const entry = this.entries.get(name)
    if (entry === undefined) return undefined
    if ((entry.flags & ENCRYPTED_FLAG) !== 0) throw passwordProtected()
    this.inflatedBytes += entry.bytes
    const isLarge = entry.bytes > ALWAYS_ALLOWED_BYTES
    if (isLarge && (entry.bytes > MAX_FILE_BYTES || entry.bytes > entry.packedBytes * MAX_RATIO)) throw bomb()
    if (this.inflatedBytes > MAX_TOTAL_BYTES) throw bomb()
    return this.inflate(entry)
  }

  private inflate({ at, method, packedBytes, bytes, checksum }: Entry): Uint8Array {
    try {
      if (this.view.getUint32(at, true) !== FILE_HEADER.signature) throw damaged()
      const start = at + FILE_HEADER.bytes + this.view.getUint16(at + 26, true) + this.view.getUint16(at + 28, true)
      const packed = this.content.subarray(start, start + packedBytes)
      if (method !== STORED && method !== DEFLATED) throw damaged()
      // No more is inflated than the size in the directory, which has been checked against the limits.
      const inflated = method === STORED ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(bytes, 1) })
      if (inflated.length !== bytes || crc32(inflated) !== checksum) throw damaged()
      return inflated
    } catch {
      throw damaged()
    }
  }

  private readDirectory(): void {
    const end = this.findEnd()
    const count = this.view.getUint16(end + 10, true)
    if (count > MAX_ENTRIES) throw bomb()
    let at = this.view.getUint32(end + 16, true)
    // Documents are far smaller than 4 GiB, so a directory beyond that is damaged.
    if (at === ZIP64) throw damaged()
    for (let number = 0; number < count; number++) at = this.readEntry(at)
    // Checked before anything is inflated, because inflating up to the limit takes seconds.
    const xml = this.entries.entries().filter(([name]) => /\.(?:xml|rels)$/i.test(name))
    if (xml.reduce((sum, [, { bytes }]) => sum + bytes, 0) > MAX_TOTAL_BYTES) throw bomb()
  }

  /** Finds the end-of-directory record, which is the last one and may be followed by a comment. */
  private findEnd(): number {
    const last = this.content.length - END_OF_DIRECTORY.bytes
    for (let at = last; at >= Math.max(last - MAX_COMMENT_BYTES, 0); at--) {
      if (this.view.getUint32(at, true) === END_OF_DIRECTORY.signature) return at
    }
    throw damaged()
  }

  /** Reads an entry of the directory. Returns the offset of the next one. */
  private readEntry(at: number): number {
    const number = (offset: number) => this.view.getUint32(at + offset, true)
    const short = (offset: number) => this.view.getUint16(at + offset, true)
    if (number(0) !== DIRECTORY_ENTRY.signature) throw damaged()
    const flags = short(8)
    const nameStart = at + DIRECTORY_ENTRY.bytes
    const nameEnd = nameStart + short(28)
    const decoder = new TextDecoder((flags & UTF8_FLAG) === 0 ? "latin1" : "utf-8")
    const extraEnd = nameEnd + short(30)
    const long = this.longNumbers(nameEnd, extraEnd)
    const sized = (value: number) => (value === ZIP64 ? (long.shift() ?? ZIP64) : value)
    // The extra field has only the 64-bit numbers that are needed, in this order.
    const bytes = sized(number(24))
    const packedBytes = sized(number(20))
    this.entries.set(decoder.decode(this.content.subarray(nameStart, nameEnd)), {
      flags,
      method: short(10),
      checksum: number(16),
      packedBytes,
      bytes,
      at: sized(number(42)),
    })
    return extraEnd + short(32)
  }

  /** The 64-bit numbers of an entry, which some programs write for files of any size. */
  private longNumbers(from: number, end: number): Array<number> {
    for (let at = from; at + 4 <= end; at += 4 + this.view.getUint16(at + 2, true)) {
      if (this.view.getUint16(at, true) !== ZIP64_EXTRA) continue
      const count = Math.floor(Math.min(this.view.getUint16(at + 2, true), end - at - 4) / 8)
      return Array.from({ length: count }, (_, index) => Number(this.view.getBigUint64(at + 4 + index * 8, true)))
    }
    return []
  }
}
