import { decodeText } from "../Decode.ts"
import { type Attachment, type Draft, type Reader, Unreadable } from "../Extraction.ts"
import { declaredEncoding } from "../html/Html.ts"
import { CompoundFile } from "../office/CompoundFile.ts"
import { namedAddress } from "./Address.ts"
import { contentOfCms } from "./Cms.ts"
import { mailDraft } from "./Mail.ts"

/** The property of a file's content. Properties have numbers (MS-OXPROPS), as the names of streams have them. */
const CONTENT = "3701"
/** Times at which a message was sent and received, with their type. */
const TIMES = new Set([0x00390040, 0x0e060040])

/** Messages within messages that are read. */
const MAX_DEPTH = 3
/** Properties of fixed size: each has 16 bytes, after a header of 32 bytes, or of 24 in a message within another. */
const PROPERTY_BYTES = 16
const HEADER_BYTES = { outer: 32, inner: 24 }
/** The milliseconds from 1601, from which times count, to 1970. */
const MILLISECONDS_TO_1970 = 11_644_473_600_000

class MessageReader {
  private readonly file: CompoundFile

  constructor(file: CompoundFile) {
    this.file = file
  }

  /** The first of these properties that is not empty, as Unicode, in an encoding of eight bits, or as bytes. */
  private text(storage: string, ...properties: ReadonlyArray<string>): string {
    for (const property of properties) {
      const read = (type: string) => this.file.read(`${storage}__substg1.0_${property}${type}`) ?? Buffer.alloc(0)
      const bytes = Buffer.concat([read("001E"), read("0102")])
      const text = read("001F").toString("utf16le") || decodeText(bytes, declaredEncoding(bytes))
      if (text !== "") return text.replace(/\0+$/, "")
    }
    return ""
  }

  private time(storage: string): Date | undefined {
    const properties = this.file.read(`${storage}__properties_version1.0`) ?? Buffer.alloc(0)
    const start = storage === "" ? HEADER_BYTES.outer : HEADER_BYTES.inner
    for (let at = start; at + PROPERTY_BYTES <= properties.length; at += PROPERTY_BYTES) {
      if (!TIMES.has(properties.readUInt32LE(at))) continue
      return new Date(Number(properties.readBigUInt64LE(at + 8)) / 10_000 - MILLISECONDS_TO_1970)
    }
    return undefined
  }

  /** Reads the message in a storage: `""` for the outermost one. */
  draft(storage: string, depth: number): Draft {
    const addresses = ["5D01", "0C1F"].map((property) => this.text(storage, property))
    return mailDraft({
      subject: this.text(storage, "0037"),
      // Within an organization, senders have addresses of another kind.
      from: namedAddress(this.text(storage, "0C1A"), addresses.find((address) => address.includes("@")) ?? ""),
      to: this.text(storage, "0E04"),
      cc: this.text(storage, "0E03"),
      date: this.time(storage),
      page: this.text(storage, "1013"),
      text: this.text(storage, "1000"),
      attachments: this.attachments(storage, depth),
    })
  }

  private attachments(storage: string, depth: number): ReadonlyArray<Attachment> {
    const folder = /^__attach_version1\.0_#[0-9A-Fa-f]{8}\//
    const inStorage = this.file.paths.filter((path) => path.startsWith(storage))
    const folders = new Set(inStorage.flatMap((path) => folder.exec(path.slice(storage.length))?.[0] ?? []))
    return [...folders].sort().flatMap((each): ReadonlyArray<Attachment> => {
      const path = storage + each
      const name = this.text(path, "3707", "3704", "3001") || "attachment"
      const content = this.file.read(`${path}__substg1.0_${CONTENT}0102`)
      const signed = content !== undefined && /\.p7m$/i.test(name) ? (contentOfCms(content) ?? content) : undefined
      if (signed instanceof Uint8Array) return [{ name: `${name}.eml`, content: signed }]
      if (content !== undefined) return [{ name, content }]
      const inner = `${path}__substg1.0_${CONTENT}000D/`
      if (depth >= MAX_DEPTH || !this.file.paths.includes(`${inner}__properties_version1.0`)) return []
      return [{ name, content: this.draft(inner, depth + 1) }]
    })
  }
}

/** Reads a message that Outlook has saved, with the files in it. */
export const msg: Reader = (bytes): Draft => {
  const file = new CompoundFile(bytes)
  if (!file.paths.includes("__properties_version1.0")) {
    throw new Unreadable("corrupt_document", "The file is a document of another kind than its name says.")
  }
  return new MessageReader(file).draft("", 0)
}
