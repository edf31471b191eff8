import { compoundFileHeader } from "../../../domain/knowledge/Formats.ts"
import { Unreadable } from "../Extraction.ts"

const damaged = () => new Unreadable("corrupt_document", "The file is damaged: its parts cannot be found.")

/** The number that ends a chain; larger ones mark sectors without content. */
const END_OF_CHAIN = 0xfffffffa
const ENTRY_BYTES = 128
const MINI_SECTOR_BYTES = 64
/** Deeper storages, whose paths are longer, are not read. */
const MAX_PATH_CHARACTERS = 1_000

/** Types of entries of the directory. */
const STORAGE = 1
const STREAM = 2
const ROOT = 5

interface Stream {
  readonly start: number
  readonly bytes: number
}

/** Sectors of one size, and for each the number of the one that follows it. */
interface Sectors {
  readonly content: Buffer
  readonly bytes: number
  readonly next: Uint32Array
}

/**
 * A compound file (MS-CFB), a small file system in which Office stored documents before 2007, and Outlook stores
 * messages. All methods throw `Unreadable`. Streams are known by their paths, such as `Storage/Stream`.
 */
export class CompoundFile {
  private readonly sectors: Sectors
  private readonly miniSectors: Sectors
  private readonly miniStreamMaxBytes: number
  private readonly streams = new Map<string, Stream>()
  /** The bytes that may still be read. Streams do not overlap, so that they hold no more than the file. */
  private budget: number

  constructor(bytes: Uint8Array) {
    const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (file.length < 512 || !compoundFileHeader.every((byte, index) => file[index] === byte)) throw damaged()
    const shift = file.readUInt16LE(30)
    if (shift !== 9 && shift !== 12) throw damaged()
    this.budget = file.length * 2
    this.miniStreamMaxBytes = file.readUInt32LE(56)
    // The header has the place of the first sector.
    const content = file.subarray(2 ** shift)
    this.sectors = { content, bytes: 2 ** shift, next: allocationTable(file, content, 2 ** shift) }
    const directory = this.join(this.sectors, file.readUInt32LE(48))
    if (directory.length < ENTRY_BYTES || directory[66] !== ROOT) throw damaged()
    this.miniSectors = {
      content: this.join(this.sectors, directory.readUInt32LE(116)),
      bytes: MINI_SECTOR_BYTES,
      next: numbersOf(this.join(this.sectors, file.readUInt32LE(60))),
    }
    this.addStreams(directory)
  }

  get paths(): ReadonlyArray<string> {
    return [...this.streams.keys()]
  }

  /** The content of a stream; `undefined` when there is none of that path. */
  read(path: string): Buffer | undefined {
    const stream = this.streams.get(path)
    if (stream === undefined) return undefined
    const sectors = stream.bytes < this.miniStreamMaxBytes ? this.miniSectors : this.sectors
    const content = this.join(sectors, stream.start, stream.bytes)
    if (content.length < stream.bytes) throw damaged()
    return content.subarray(0, stream.bytes)
  }

  /** Joins the sectors from one on: as many as the bytes need, or all, which throws when they form a circle. */
  private join(sectors: Sectors, start: number, bytes?: number): Buffer {
    const most = Math.ceil(Math.min(bytes ?? Infinity, sectors.content.length) / sectors.bytes)
    const parts: Array<Buffer> = []
    let number = start
    for (; number < END_OF_CHAIN && parts.length < most; number = sectors.next[number] ?? END_OF_CHAIN) {
      parts.push(sectorAt(sectors.content, number, sectors.bytes))
    }
    this.budget -= parts.length * sectors.bytes
    if (this.budget < 0 || (bytes === undefined && number < END_OF_CHAIN)) throw damaged()
    return Buffer.concat(parts)
  }

  /** Finds the streams of all storages. Each entry is visited once, even if the file has circles. */
  private addStreams(directory: Buffer): void {
    const seen = new Set<number>()
    const open = [{ index: directory.readUInt32LE(76), storage: "" }]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { index, storage } = next
      const entry = directory.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES)
      if (entry.length < ENTRY_BYTES || seen.has(index)) continue
      seen.add(index)
      open.push({ index: entry.readUInt32LE(68), storage }, { index: entry.readUInt32LE(72), storage })
      const nameBytes = Math.min(Math.max(entry.readUInt16LE(64) - 2, 0), 62)
      const path = storage + entry.toString("utf16le", 0, nameBytes)
      if (entry[66] === STREAM)
        this.streams.set(path, { start: entry.readUInt32LE(116), bytes: entry.readUInt32LE(120) })
      if (entry[66] === STORAGE && path.length < MAX_PATH_CHARACTERS) {
        open.push({ index: entry.readUInt32LE(76), storage: `${path}/` })
      }
    }
  }
}

/** A sector, of which the last one of a file may be cut. */
const sectorAt = (content: Buffer, number: number, bytes: number): Buffer => {
  if (number * bytes >= content.length) throw damaged()
  return content.subarray(number * bytes, (number + 1) * bytes)
}

const numbersOf = (bytes: Buffer): Uint32Array =>
  Uint32Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(index * 4))

/** Joins the table of the sectors' followers, whose own sectors are listed in the header and in a chain of lists. */
const allocationTable = (file: Buffer, content: Buffer, bytes: number): Uint32Array => {
  const numbers = [...numbersOf(file.subarray(76, 512))]
  const most = Math.ceil(file.length / bytes)
  let next = file.readUInt32LE(68)
  for (let lists = 0; next < END_OF_CHAIN; lists++) {
    if (lists > most) throw damaged()
    const list = numbersOf(sectorAt(content, next, bytes))
    numbers.push(...list.subarray(0, -1))
    next = list.at(-1) ?? END_OF_CHAIN
  }
  const used = numbers.filter((number) => number < END_OF_CHAIN)
  if (used.length > most) throw damaged()
  return numbersOf(Buffer.concat(used.map((number) => sectorAt(content, number, bytes))))
}
