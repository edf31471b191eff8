import { crc32, deflateRawSync } from "node:zlib"

/** A file of an archive. */
export interface ZipEntry {
  readonly name: string
  readonly content: Uint8Array | string
  /** Whether the directory has its sizes in 64 bits, as streaming programs write them. */
  readonly isLong?: boolean
  /** Whether it is not compressed, as the media type at the start of an archive must not be. */
  readonly isStored?: boolean
  /** False values for the fields of its headers. */
  readonly claims?: { readonly bytes?: number; readonly checksum?: number; readonly flags?: number }
}

/**
 * The fields that the file's header and the directory share: flags, method, time, checksum, both sizes, length of the
 * name.
 */
const sharedFields = (entry: ZipEntry, content: Uint8Array, packed: Uint8Array): Buffer => {
  const record = Buffer.alloc(26)
  record.writeUInt16LE(20, 0)
  record.writeUInt16LE(entry.claims?.flags ?? 0x800, 2)
  record.writeUInt16LE(entry.isStored === true ? 0 : 8, 4)
  record.writeUInt32LE(entry.claims?.checksum ?? crc32(content), 10)
  record.writeUInt32LE(packed.length, 14)
  record.writeUInt32LE(entry.claims?.bytes ?? content.length, 18)
  record.writeUInt16LE(Buffer.byteLength(entry.name), 22)
  return record
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** Moves the sizes of a record into an extra field, and returns the field. */
const longSizes = (record: Buffer): Buffer => {
  const extra = Buffer.alloc(20)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(16, 2)
  extra.writeBigUInt64LE(BigInt(record.readUInt32LE(18)), 4)
  extra.writeBigUInt64LE(BigInt(record.readUInt32LE(14)), 12)
  record.writeUInt32LE(0xffffffff, 14)
  record.writeUInt32LE(0xffffffff, 18)
  record.writeUInt16LE(extra.length, 24)
  return extra
}

const end = (entries: number, directoryBytes: number, at: number): Buffer => {
  const record = Buffer.alloc(18)
  record.writeUInt16LE(entries, 4)
  record.writeUInt16LE(entries, 6)
  record.writeUInt32LE(directoryBytes, 8)
  record.writeUInt32LE(at, 12)
  return Buffer.concat([uint32(0x06054b50), record])
}

/** Makes a zip archive. The directory lists each file `copies` more times, under further names. */
export const zipOf = (entries: ReadonlyArray<ZipEntry>, copies = 0): Uint8Array<ArrayBuffer> => {
  const files: Array<Buffer> = []
  const directory: Array<Buffer> = []
  let at = 0
  for (const entry of entries) {
    const content = typeof entry.content === "string" ? Buffer.from(entry.content) : entry.content
    const packed = entry.isStored === true ? content : deflateRawSync(content)
    const record = sharedFields(entry, content, packed)
    const file = Buffer.concat([uint32(0x04034b50), record, Buffer.from(entry.name), packed])
    for (let copy = 0; copy <= copies; copy++) {
      const name = Buffer.from(copy === 0 ? entry.name : `${copy}/${entry.name}`)
      const renamed = Buffer.from(record)
      renamed.writeUInt16LE(name.length, 22)
      const extra = entry.isLong === true ? longSizes(renamed) : Buffer.alloc(0)
      const rest = Buffer.alloc(10)
      directory.push(Buffer.concat([uint32(0x02014b50), Buffer.from([20, 0]), renamed, rest, uint32(at), name, extra]))
    }
    files.push(file)
    at += file.length
  }
  const listed = Buffer.concat(directory)
  return new Uint8Array(Buffer.concat([...files, listed, end(directory.length, listed.length, at)]))
}
