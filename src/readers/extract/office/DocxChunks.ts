import { isOfPart } from "../Extraction.ts"
import type { OfficePackage } from "./OfficePackage.ts"
import { allOf, type XmlElement } from "./Xml.ts"

/*
 * Whole documents that programs put into a Word document in their own format, which Word converts as it opens it:
 * `w:altChunk`. They are HTML, HTML with its pictures as a mail (MHT), RTF, Word documents, and plain text.
 */

/** The most documents in a document that are read, counting those within them, and the most levels of them. */
const MAX_CHUNKS = 100
const MAX_DEPTH = 3

/** Counts the documents in a document. */
export class ChunkBudget {
  private left = MAX_CHUNKS
  private depth = 0

  /** Reads a document; `undefined` when too many were read, or they are within each other too deep. */
  async within(read: () => Promise<string>): Promise<string | undefined> {
    if (this.depth >= MAX_DEPTH || this.left <= 0) return undefined
    this.left--
    this.depth++
    try {
      return await read()
    } finally {
      this.depth--
    }
  }
}

/** Reads a document: one of Word, or in any other format that Word converts. */
type ReadChunk = (bytes: Uint8Array) => Promise<string>

/** The texts of the documents in a document, by the ids of their relationships. One that cannot be read has none. */
export const chunkTexts = async (
  office: OfficePackage,
  path: string,
  root: XmlElement,
  readChunk: ReadChunk,
  budget: ChunkBudget,
): Promise<ReadonlyMap<string, string>> => {
  const texts = new Map<string, string>()
  for (const { attributes } of allOf(root, "w:altChunk")) {
    const id = attributes["r:id"] ?? ""
    const target = office.target(path, id)
    if (target === undefined || texts.has(id)) continue
    const name = target.slice(target.lastIndexOf("/") + 1)
    const bytes = office.omitted.attempt("files", name, () => office.bytes(target))
    if (bytes === undefined) continue
    const text = await budget
      .within(() => readChunk(bytes))
      .catch((cause: unknown) => {
        if (!isOfPart(cause)) throw cause
        return undefined
      })
    if (text === undefined) office.omitted.add("files", name)
    texts.set(id, text ?? "")
  }
  return texts
}
