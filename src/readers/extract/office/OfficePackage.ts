import { compoundFileHeader } from "../../../domain/knowledge/Formats.ts"
import type { OmissionKind } from "../../../domain/knowledge/Omission.ts"
import { Omitted, Unreadable } from "../Extraction.ts"
import { childrenOf, parseXml, type XmlElement } from "./Xml.ts"
import { Zip } from "./Zip.ts"

/** A reference from one part of a package to another, or to an external address, which is never opened. */
export interface Relationship {
  readonly type: string
  /** The path of a part, or an address if `isExternal`. */
  readonly target: string
  readonly isExternal: boolean
}

/** The name of the stream that an encrypted document has, in the encoding of compound files. */
const encryptedStream = Buffer.from("EncryptedPackage", "utf16le")

const refuseCompoundFile = (bytes: Uint8Array): void => {
  if (!compoundFileHeader.every((byte, index) => bytes[index] === byte)) return
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(encryptedStream)) {
    throw new Unreadable("password_protected", "The document is protected by a password.")
  }
  throw new Unreadable(
    "unsupported_format",
    "The document was written by an old version of Office; save it in the format of 2007 or later.",
  )
}

/** Resolves a path relative to a part: `../media/a.xml` in `ppt/slides/slide1.xml` is `ppt/media/a.xml`. */
const resolve = (from: string, target: string): string => {
  const parts = target.startsWith("/") ? [] : from.split("/").slice(0, -1)
  for (const part of target.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return parts.join("/")
}

const relationshipsPath = (part: string): string => {
  const slash = part.lastIndexOf("/") + 1
  return `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`
}

const nameOf = (part: string): string => part.slice(part.lastIndexOf("/") + 1)

/** An Office document (ECMA-376): a zip of XML parts that refer to each other. All methods throw `Unreadable`. */
export class OfficePackage {
  readonly omitted = new Omitted()
  private readonly zip: Zip
  /** The names in the archive, by their lower-case form, because the names of parts are not case-sensitive. */
  private readonly names = new Map<string, string>()
  private readonly relationshipsOf = new Map<string, ReadonlyMap<string, Relationship>>()

  constructor(bytes: Uint8Array) {
    refuseCompoundFile(bytes)
    this.zip = new Zip(bytes)
    for (const name of this.zip.names) this.names.set(name.replaceAll("\\", "/").toLowerCase(), name)
  }

  /** The content of a part; `undefined` when there is none of that name. */
  bytes(part: string): Uint8Array | undefined {
    const name = this.names.get(part.toLowerCase())
    return name === undefined ? undefined : this.zip.read(name)
  }

  /** A part as XML; `undefined` when there is none of that name, and for one that cannot be read. */
  part(part: string, kind: OmissionKind = "parts", where: string | number = nameOf(part)): XmlElement | undefined {
    return this.omitted.attempt(kind, where, () => this.xml(part))
  }

  private xml(part: string): XmlElement | undefined {
    const bytes = this.bytes(part)
    return bytes === undefined ? undefined : parseXml(bytes)
  }

  /** Notes the documents of other programs that are shown in a part, and are not read. */
  omitObjects(part: string): void {
    for (const type of ["oleObject", "package"])
      for (const path of this.targets(part, type)) this.omitted.add("files", nameOf(path))
  }

  relationships(part: string): ReadonlyMap<string, Relationship> {
    const known = this.relationshipsOf.get(part)
    if (known !== undefined) return known
    const found = new Map(
      childrenOf(this.part(relationshipsPath(part)), "Relationship").map(({ attributes }) => {
        const isExternal = attributes["TargetMode"] === "External"
        const target = attributes["Target"] ?? ""
        return [
          attributes["Id"] ?? "",
          { type: attributes["Type"] ?? "", target: isExternal ? target : resolve(part, target), isExternal },
        ]
      }),
    )
    this.relationshipsOf.set(part, found)
    return found
  }

  /** The part to which a relationship refers; `undefined` for an unknown id and for an external address. */
  target(from: string, id: string | undefined): string | undefined {
    const relationship = this.relationships(from).get(id ?? "")
    return relationship === undefined || relationship.isExternal ? undefined : relationship.target
  }

  /** The parts to which the relationships of one type refer. `type` is the last segment of the type's URI. */
  targets(from: string, type: string): ReadonlyArray<string> {
    const ofType = [...this.relationships(from).values()].filter((each) => each.type.endsWith(`/${type}`))
    return ofType.filter(({ isExternal }) => !isExternal).map(({ target }) => target)
  }

  /** The main part. Throws when the archive has none, or its root element has another name. */
  main(rootName: string): { readonly path: string; readonly root: XmlElement } {
    const [path] = this.targets("", "officeDocument")
    const root = path === undefined ? undefined : this.xml(path)
    if (path === undefined || root === undefined) {
      throw new Unreadable("corrupt_document", "The file is not a document of Office, or is damaged.")
    }
    if (root.name !== rootName) {
      throw new Unreadable("corrupt_document", "The file is a document of another kind than its name says.")
    }
    return { path, root }
  }

  /** The title in the document's properties. */
  title(): string | undefined {
    const [path] = this.targets("", "core-properties")
    const title = path === undefined ? undefined : childrenOf(this.part(path), "dc:title")[0]
    const [text] = title?.children ?? []
    return typeof text === "string" && text.trim() !== "" ? text : undefined
  }
}
