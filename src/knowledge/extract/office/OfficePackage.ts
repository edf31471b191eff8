import { compoundFileHeader } from "../../../domain/Formats.ts"
import { Unreadable } from "../Extraction.ts"
import { childrenOf, parseXml, type XmlElement } from "./Xml.ts"
import { Zip } from "./Zip.ts"

/** Where a part points to: another part of the package, or an address outside of it, which is never opened. */
export interface Relationship {
  readonly type: string
  readonly target: string
  readonly isExternal: boolean
}

/** `EncryptedPackage`, as a compound file writes the names of its streams. */
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

/** `../media/a.xml` as seen from `ppt/slides/slide1.xml`: `ppt/media/a.xml`. */
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

/** A document of Office (ECMA-376): parts of XML in a zip archive, which point to each other. Throws `Unreadable`. */
export class OfficePackage {
  private readonly zip: Zip
  /** Names of parts are the same in any case. */
  private readonly names = new Map<string, string>()
  private readonly relationshipsOf = new Map<string, ReadonlyMap<string, Relationship>>()

  constructor(bytes: Uint8Array) {
    refuseCompoundFile(bytes)
    this.zip = new Zip(bytes)
    for (const name of this.zip.names) this.names.set(name.replaceAll("\\", "/").toLowerCase(), name)
  }

  bytes(part: string): Uint8Array | undefined {
    const name = this.names.get(part.toLowerCase())
    return name === undefined ? undefined : this.zip.read(name)
  }

  part(part: string): XmlElement | undefined {
    const bytes = this.bytes(part)
    return bytes === undefined ? undefined : parseXml(bytes)
  }

  /** What a part points to, by id. */
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

  /** The part that another one points to by such an id. */
  target(from: string, id: string | undefined): string | undefined {
    const relationship = this.relationships(from).get(id ?? "")
    return relationship === undefined || relationship.isExternal ? undefined : relationship.target
  }

  /** The parts that a part points to, of one type: the last word of the type's name. */
  targets(from: string, type: string): ReadonlyArray<string> {
    const ofType = [...this.relationships(from).values()].filter((each) => each.type.endsWith(`/${type}`))
    return ofType.filter(({ isExternal }) => !isExternal).map(({ target }) => target)
  }

  /** The document itself, whose outermost element has this name; what else the archive may be is refused. */
  main(rootName: string): { readonly path: string; readonly root: XmlElement } {
    const [path] = this.targets("", "officeDocument")
    const root = path === undefined ? undefined : this.part(path)
    if (path === undefined || root === undefined) {
      throw new Unreadable("corrupt_document", "The file is not a document of Office, or is damaged.")
    }
    if (root.name !== rootName) {
      throw new Unreadable("corrupt_document", "The file is a document of another kind than its name says.")
    }
    return { path, root }
  }

  /** The title that its author gave it. */
  title(): string | undefined {
    const [path] = this.targets("", "core-properties")
    const title = path === undefined ? undefined : childrenOf(this.part(path), "dc:title")[0]
    const [text] = title?.children ?? []
    return typeof text === "string" && text.trim() !== "" ? text : undefined
  }
}
