import { compoundFileHeader } from "../../../domain/knowledge/Formats.ts"
import { Unreadable } from "../Extraction.ts"

const damaged = () => new Unreadable("corrupt_document", "The file is damaged: its parts cannot be found.")

/** The number of a sector that ends a chain, and larger numbers, which mark sectors without content. */
const END_OF_CHAIN = 0xfffffffa
const NO_ENTRY = 0xffffffff
const DIRECTORY_ENTRY_BYTES = 128
const MINI_SECTOR_BYTES = 64
/** The sectors of the allocation table whose numbers are in the header. */
const HEADER_TABLE_SECTORS = 109
/** Levels of storages within storages that are read. */
const MAX_DEPTH = 32

const STORAGE = 1
const STREAM = 2
const ROOT = 5

interface Entry {
  readonly name: string
  readonly type: number
  readonly left: number
  readonly right: number
  readonly child: number
  readonly start: number
  readonly bytes: number
}

/**
 * A compound file (MS-CFB), a small file system in which Office stored documents before 2007, and Outlook stores
 * messages. All methods throw `Unreadable`. Streams are known by their paths, such as `Storage/Stream`.
 */
export class CompoundFile {
  private readonly content: Uint8Array
  private readonly view: DataView
  private readonly sectorBytes: number
  private readonly table: Uint32Array
  private readonly miniTable: Uint32Array
  private readonly miniContent: Uint8Array
  private readonly miniStreamMaxBytes: number
  private readonly streams = new Map<string, Entry>()
  /** The bytes that may still be read. Streams do not overlap, so that they hold no more than the file. */
  private budget: number

  constructor(content: Uint8Array) {
    this.content = content
    this.view = new DataView(content.buffer, content.byteOffset, content.byteLength)
    this.budget = content.length * 2
    if (content.length < 512 || !compoundFileHeader.every((byte, index) => content[index] === byte)) throw damaged()
    const shift = this.view.getUint16(30, true)
    if (shift !== 9 && shift !== 12) throw damaged()
    this.sectorBytes = 2 ** shift
    this.miniStreamMaxBytes = this.view.getUint32(56, true)
    this.table = this.allocationTable()
    const directory = this.chain(this.view.getUint32(48, true))
    const entries = entriesOf(directory)
    const [root] = entries
    if (root?.type !== ROOT) throw damaged()
    this.miniTable = numbersOf(this.chain(this.view.getUint32(60, true)))
    this.miniContent = this.chain(root.start)
    this.addStreams(entries, root)
  }

  /** The paths of all streams. */
  get paths(): Iterable<string> {
    return this.streams.keys()
  }

  has(path: string): boolean {
    return this.streams.has(path)
  }

  /** The content of a stream; `undefined` when there is none of that path. */
  read(path: string): Uint8Array | undefined {
    const entry = this.streams.get(path)
    if (entry === undefined) return undefined
    const isMini = entry.bytes < this.miniStreamMaxBytes
    const bytes = isMini ? this.miniChain(entry) : this.chain(entry.start, entry.bytes)
    if (bytes.length < entry.bytes) throw damaged()
    return bytes.subarray(0, entry.bytes)
  }

  private sector(number: number): Uint8Array {
    const start = (number + 1) * this.sectorBytes
    if (start >= this.content.length) throw damaged()
    // The last sector of a file may be cut.
    return this.content.subarray(start, start + this.sectorBytes)
  }

  private allocationTable(): Uint32Array {
    const sectors: Array<number> = []
    for (let index = 0; index < HEADER_TABLE_SECTORS; index++) sectors.push(this.view.getUint32(76 + index * 4, true))
    const most = Math.ceil(this.content.length / this.sectorBytes)
    let next = this.view.getUint32(68, true)
    for (let count = 0; next < END_OF_CHAIN; count++) {
      if (count > most) throw damaged()
      const numbers = numbersOf(this.sector(next))
      sectors.push(...numbers.subarray(0, -1))
      next = numbers.at(-1) ?? NO_ENTRY
    }
    const used = sectors.filter((number) => number < END_OF_CHAIN)
    if (used.length > most) throw damaged()
    return numbersOf(Buffer.concat(used.map((number) => this.sector(number))))
  }

  /** The content of the sectors from one on. Throws when they are more than the file has, as in a circle. */
  private chain(start: number, bytes = this.content.length): Uint8Array {
    const sectors: Array<Uint8Array> = []
    const most = Math.ceil(Math.min(bytes, this.content.length) / this.sectorBytes)
    for (let number = start; number < END_OF_CHAIN && sectors.length <= most; number = this.table[number] ?? NO_ENTRY) {
      sectors.push(this.sector(number))
    }
    if (sectors.length * this.sectorBytes > this.content.length + this.sectorBytes) throw damaged()
    return this.joined(sectors)
  }

  private miniChain({ bytes, start }: Entry): Uint8Array {
    const sectors: Array<Uint8Array> = []
    const most = Math.ceil(bytes / MINI_SECTOR_BYTES)
    for (
      let number = start;
      number < END_OF_CHAIN && sectors.length < most;
      number = this.miniTable[number] ?? NO_ENTRY
    ) {
      sectors.push(this.miniContent.subarray(number * MINI_SECTOR_BYTES, (number + 1) * MINI_SECTOR_BYTES))
    }
    return this.joined(sectors)
  }

  private joined(sectors: ReadonlyArray<Uint8Array>): Uint8Array {
    this.budget -= sectors.reduce((sum, { length }) => sum + length, 0)
    if (this.budget < 0) throw damaged()
    return Buffer.concat(sectors)
  }

  /** Finds the streams of all storages. Each entry is visited once, whatever circles the file has. */
  private addStreams(entries: ReadonlyArray<Entry>, root: Entry): void {
    const seen = new Set<number>()
    const open = [{ index: root.child, storage: "", depth: 0 }]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { depth, index, storage } = next
      const entry = entries[index]
      if (entry === undefined || seen.has(index)) continue
      seen.add(index)
      open.push({ index: entry.left, storage, depth }, { index: entry.right, storage, depth })
      const path = storage + entry.name
      if (entry.type === STREAM) this.streams.set(path, entry)
      if (entry.type === STORAGE && depth < MAX_DEPTH)
        open.push({ index: entry.child, storage: `${path}/`, depth: depth + 1 })
    }
  }
}

const numbersOf = (bytes: Uint8Array): Uint32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Uint32Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => view.getUint32(index * 4, true))
}

const entriesOf = (directory: Uint8Array): ReadonlyArray<Entry> => {
  const view = new DataView(directory.buffer, directory.byteOffset, directory.byteLength)
  return Array.from({ length: Math.floor(directory.length / DIRECTORY_ENTRY_BYTES) }, (_, index) => {
    const at = index * DIRECTORY_ENTRY_BYTES
    const nameBytes = Math.min(Math.max(view.getUint16(at + 64, true) - 2, 0), 62)
    return {
      name: new TextDecoder("utf-16le").decode(directory.subarray(at, at + nameBytes)),
      type: directory[at + 66] ?? 0,
      left: view.getUint32(at + 68, true),
      right: view.getUint32(at + 72, true),
      child: view.getUint32(at + 76, true),
      start: view.getUint32(at + 116, true),
      bytes: view.getUint32(at + 120, true),
    }
  })
}
