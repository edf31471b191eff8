import { decodeText } from "../Decode.ts"
import { type Attachment, type Draft, type Reader, Unreadable } from "../Extraction.ts"
import { CompoundFile } from "../office/CompoundFile.ts"
import { mailDraft } from "./Mail.ts"

/** Properties of a message and its files (MS-OXPROPS), as the names of streams have them. */
const SUBJECT = "0037"
const SENDER_NAME = "0C1A"
const SENDER_ADDRESSES = ["5D01", "0C1F"]
const TO = "0E04"
const CC = "0E03"
const BODY = "1000"
const PAGE = "1013"
const FILE_CONTENT = "3701"
const FILE_NAMES = ["3707", "3704", "3001"]
/** Times at which a message was sent and received. */
const TIMES = [0x00390040, 0x0e060040]

const UNICODE = "001F"
const EIGHT_BIT = "001E"
const BINARY = "0102"
const OBJECT = "000D"

/** Messages within messages that are read. */
const MAX_DEPTH = 3
/** Properties of fixed size: each has 16 bytes, after a header of 32 bytes, or of 24 in a message within another. */
const PROPERTY_BYTES = 16
const HEADER_BYTES = { outer: 32, inner: 24 }
/** The units of 100 nanoseconds from 1601, from which times count, to 1970. */
const UNITS_TO_1970 = 116_444_736_000_000_000n

class MessageReader {
  private readonly file: CompoundFile
  private readonly paths: ReadonlyArray<string>

  constructor(file: CompoundFile) {
    this.file = file
    this.paths = [...file.paths]
  }

  private bytes(storage: string, property: string, type: string): Uint8Array | undefined {
    return this.file.read(`${storage}__substg1.0_${property}${type}`)
  }

  private text(storage: string, property: string): string {
    const unicode = this.bytes(storage, property, UNICODE)
    if (unicode !== undefined) return new TextDecoder("utf-16le").decode(unicode).replace(/\0+$/, "")
    const bytes = this.bytes(storage, property, EIGHT_BIT)
    return bytes === undefined ? "" : decodeText(bytes).replace(/\0+$/, "")
  }

  private time(storage: string): Date | undefined {
    const properties = this.file.read(`${storage}__properties_version1.0`)
    if (properties === undefined) return undefined
    const view = new DataView(properties.buffer, properties.byteOffset, properties.byteLength)
    const start = storage === "" ? HEADER_BYTES.outer : HEADER_BYTES.inner
    for (const time of TIMES) {
      for (let at = start; at + PROPERTY_BYTES <= properties.length; at += PROPERTY_BYTES) {
        if (view.getUint32(at, true) !== time) continue
        return new Date(Number((view.getBigUint64(at + 8, true) - UNITS_TO_1970) / 10_000n))
      }
    }
    return undefined
  }

  /** Reads the message in a storage: `""` for the outermost one. */
  draft(storage: string, depth: number): Draft {
    const name = this.text(storage, SENDER_NAME)
    const address = SENDER_ADDRESSES.map((property) => this.text(storage, property)).find((text) => text.includes("@"))
    const page = this.bytes(storage, PAGE, BINARY) ?? this.pageText(storage)
    return mailDraft({
      subject: this.text(storage, SUBJECT),
      from: address === undefined || name === address ? name || (address ?? "") : `${name} <${address}>`,
      to: this.text(storage, TO),
      cc: this.text(storage, CC),
      date: this.time(storage),
      page: page?.length === 0 ? undefined : page,
      text: this.text(storage, BODY),
      attachments: this.attachments(storage, depth),
    })
  }

  private pageText(storage: string): Uint8Array | undefined {
    const page = this.text(storage, PAGE)
    return page === "" ? undefined : new TextEncoder().encode(page)
  }

  private attachments(storage: string, depth: number): ReadonlyArray<Attachment> {
    const folder = /^__attach_version1\.0_#[0-9A-Fa-f]{8}\//
    const folders = new Set(
      this.paths.flatMap((path) =>
        path.startsWith(storage) ? (folder.exec(path.slice(storage.length))?.[0] ?? []) : [],
      ),
    )
    return [...folders].sort().flatMap((each): ReadonlyArray<Attachment> => {
      const path = storage + each
      const name = FILE_NAMES.map((property) => this.text(path, property)).find((text) => text !== "") ?? "attachment"
      const content = this.bytes(path, FILE_CONTENT, BINARY)
      if (content !== undefined) return [{ name, content }]
      const inner = `${path}__substg1.0_${FILE_CONTENT}${OBJECT}/`
      if (depth >= MAX_DEPTH || !this.file.has(`${inner}__properties_version1.0`)) return []
      return [{ name, content: this.draft(inner, depth + 1) }]
    })
  }
}

/** Reads a message that Outlook has saved, with the files in it. */
export const msg: Reader = (bytes): Draft => {
  const file = new CompoundFile(bytes)
  if (!file.has("__properties_version1.0")) {
    throw new Unreadable("corrupt_document", "The file is a document of another kind than its name says.")
  }
  return new MessageReader(file).draft("", 0)
}
