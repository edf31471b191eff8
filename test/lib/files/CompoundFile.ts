/*
 * Makes compound files, as old programs of Office stored documents, and the workbooks and messages within them.
 */

const SECTOR = 512
const MINI_SECTOR = 64
const MINI_MAX = 4096
const END = 0xfffffffe
const NONE = 0xffffffff

export const uint32 = (...values: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => bytes.writeUInt32LE(value >>> 0, index * 4))
  return bytes
}

export const uint16 = (...values: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.alloc(values.length * 2)
  values.forEach((value, index) => bytes.writeUInt16LE(value, index * 2))
  return bytes
}

const padded = (bytes: Uint8Array, size: number) =>
  Buffer.concat([bytes, Buffer.alloc((size - (bytes.length % size)) % size)])

/** Space that is given out in sectors, with the table of which sector follows which. */
class Space {
  readonly next: Array<number> = []
  readonly parts: Array<Buffer> = []
  private readonly size: number

  constructor(size: number) {
    this.size = size
  }

  add(bytes: Uint8Array): number {
    if (bytes.length === 0) return END
    const start = this.next.length
    const content = padded(bytes, this.size)
    const count = content.length / this.size
    for (let index = 1; index <= count; index++) this.next.push(index === count ? END : start + index)
    this.parts.push(content)
    return start
  }
}

interface Node {
  readonly name: string
  readonly type: number
  readonly start: number
  readonly bytes: number
  child: number
  right: number
}

/** Makes a compound file of streams, by their paths. `change` may damage the table of sectors and the directory. */
export const compoundFileOf = (
  streams: Readonly<Record<string, Uint8Array>>,
  change: (table: Array<number>, directory: Buffer) => void = () => {},
): Uint8Array<ArrayBuffer> => {
  const [space, mini] = [new Space(SECTOR), new Space(MINI_SECTOR)]
  const nodes: Array<Node> = [{ name: "Root Entry", type: 5, start: 0, bytes: 0, child: NONE, right: NONE }]
  const storages = new Map([["", 0]])
  const add = (path: string, type: number, start: number, bytes: number): number => {
    const slash = path.lastIndexOf("/")
    const parent = nodes[storageOf(path.slice(0, Math.max(slash, 0)))]
    const index = nodes.push({
      name: path.slice(slash + 1),
      type,
      start,
      bytes,
      child: NONE,
      right: parent?.child ?? NONE,
    })
    if (parent !== undefined) parent.child = index - 1
    return index - 1
  }
  const storageOf = (path: string): number => {
    const known = storages.get(path)
    if (known !== undefined) return known
    const index = add(path, 1, 0, 0)
    storages.set(path, index)
    return index
  }
  for (const [path, bytes] of Object.entries(streams)) {
    add(path, 2, (bytes.length < MINI_MAX ? mini : space).add(bytes), bytes.length)
  }
  const miniContent = Buffer.concat(mini.parts)
  const miniStart = space.add(miniContent)
  const directory = Buffer.concat(
    nodes.map(({ bytes, child, name, right, start, type }, index) => {
      const entry = Buffer.alloc(128)
      entry.write(name, "utf16le")
      entry.writeUInt16LE(name.length * 2 + 2, 64)
      entry[66] = type
      uint32(NONE, right, child).copy(entry, 68)
      uint32(index === 0 ? miniStart : start, index === 0 ? miniContent.length : bytes).copy(entry, 116)
      return entry
    }),
  )
  const table = space.next
  const directoryStart = space.add(directory)
  const miniTableStart = space.add(uint32(...mini.next))
  const tableSectors = Math.ceil((table.length + 8) / (SECTOR / 4))
  const tableStart = table.length
  for (let sector = 0; sector < tableSectors; sector++) table.push(0xfffffffd)
  while (table.length < tableSectors * (SECTOR / 4)) table.push(NONE)
  change(table, directory)
  const header = Buffer.alloc(SECTOR)
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]).copy(header)
  uint16(0x3e, 3, 0xfffe, 9, 6).copy(header, 24)
  uint32(tableSectors, directoryStart, 0, MINI_MAX, miniTableStart, 1, END, 0).copy(header, 44)
  const numbers = Array.from({ length: 109 }, (_, index) => (index < tableSectors ? tableStart + index : NONE))
  uint32(...numbers).copy(header, 76)
  const content = Buffer.concat([header, ...space.parts, padded(uint32(...table), SECTOR)])
  padded(directory, SECTOR).copy(content, (directoryStart + 1) * SECTOR)
  return new Uint8Array(content)
}

/** A record of a workbook. */
export const record = (type: number, ...content: ReadonlyArray<Uint8Array>): Buffer => {
  const bytes = Buffer.concat(content)
  return Buffer.concat([uint16(type, bytes.length), bytes])
}

/** A string of a workbook: one byte for each character, or two where it needs them. */
export const xlsString = (text: string, lengthBytes = 2): Buffer => {
  // oxlint-disable-next-line no-control-regex
  const isWide = /[^\0-\xff]/.test(text)
  const length = lengthBytes === 1 ? Buffer.from([text.length]) : uint16(text.length)
  return Buffer.concat([length, Buffer.from([isWide ? 1 : 0]), Buffer.from(text, isWide ? "utf16le" : "latin1")])
}

const beginning = (kind: number) => record(0x809, uint16(0x600, kind, 0, 0), Buffer.alloc(8))
const ending = record(0x0a)

export interface XlsSheet {
  readonly name: string
  readonly isHidden?: boolean
  readonly records: ReadonlyArray<Buffer>
}

/** Makes the stream of a workbook. */
export const xlsStream = (sheets: ReadonlyArray<XlsSheet>, globals: ReadonlyArray<Buffer> = []): Buffer => {
  const bodies = sheets.map(({ records }) => Buffer.concat([beginning(0x10), ...records, ending]))
  const list = (starts: ReadonlyArray<number>) =>
    sheets.map(({ isHidden, name }, index) =>
      record(0x85, uint32(starts[index] ?? 0), Buffer.from([isHidden === true ? 1 : 0, 0]), xlsString(name, 1)),
    )
  const head = (starts: ReadonlyArray<number>) => Buffer.concat([beginning(5), ...globals, ...list(starts), ending])
  let at = head([]).length
  const starts = bodies.map((body) => {
    const start = at
    at += body.length
    return start
  })
  return Buffer.concat([head(starts), ...bodies])
}

export const xlsFile = (sheets: ReadonlyArray<XlsSheet>, globals?: ReadonlyArray<Buffer>): Uint8Array<ArrayBuffer> =>
  compoundFileOf({ Workbook: xlsStream(sheets, globals) })

/** A cell with a text of its own. */
export const xlsLabel = (row: number, column: number, text: string): Buffer =>
  record(0x204, uint16(row, column, 0), xlsString(text))

/** The streams of a message, by the ids of its properties in Unicode, and of its files. */
export const msgStreams = (
  properties: Readonly<Record<string, string>>,
  files: ReadonlyArray<Readonly<Record<string, Uint8Array>>> = [],
  isInner = false,
): Record<string, Uint8Array> => {
  const time = Buffer.alloc(16)
  uint32(0x00390040).copy(time)
  time.writeBigUInt64LE((BigInt(Date.UTC(2026, 0, 2, 10, 30)) + 11_644_473_600_000n) * 10_000n, 8)
  const streams: Record<string, Uint8Array> = {
    "__properties_version1.0": Buffer.concat([Buffer.alloc(isInner ? 24 : 32), time]),
  }
  for (const [id, text] of Object.entries(properties)) streams[`__substg1.0_${id}001F`] = Buffer.from(text, "utf16le")
  files.forEach((file, index) => {
    const folder = `__attach_version1.0_#${String(index).padStart(8, "0")}`
    for (const [path, bytes] of Object.entries(file)) streams[`${folder}/${path}`] = bytes
  })
  return streams
}

/** A file of a message. */
export const msgFile = (name: string, content: Uint8Array): Readonly<Record<string, Uint8Array>> => ({
  "__substg1.0_3707001F": Buffer.from(name, "utf16le"),
  "__substg1.0_37010102": content,
})

/** A message as a file of a message. */
export const msgInner = (
  name: string,
  inner: Readonly<Record<string, Uint8Array>>,
): Readonly<Record<string, Uint8Array>> => ({
  "__substg1.0_3707001F": Buffer.from(name, "utf16le"),
  ...Object.fromEntries(Object.entries(inner).map(([path, bytes]) => [`__substg1.0_3701000D/${path}`, bytes])),
})
