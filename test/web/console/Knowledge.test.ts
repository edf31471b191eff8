import { describe, expect, test } from "bun:test"
import { compoundFileHeader, detect, Format } from "../../../src/domain/knowledge/Formats.ts"
import { afterEvent, type Document, withDocument } from "../../../src/web/console/screens/knowledge/Documents.ts"
import { omissionText } from "../../../src/web/console/screens/knowledge/Omissions.ts"
import { partsOf, piecesOf } from "../../../src/web/console/screens/knowledge/SearchTester.tsx"
import { EXTENSIONS, faultOf } from "../../../src/web/console/screens/knowledge/Uploads.ts"

const document = (id: string, status: Document["status"] = "ready"): Document => ({
  id,
  chatbot_id: "c",
  name: `${id}.md`,
  content_type: "text/markdown",
  size_bytes: 1,
  sha256: "",
  status,
  progress: 1,
  chunk_count: 1,
  error: null,
  source_id: null,
  url: null,
  omissions: [],
  duplicate: false,
  created_at: `2026-11-2${id}T00:00:00.000+00:00`,
  updated_at: `2026-11-2${id}T00:00:00.000+00:00`,
})

describe("the list of documents", () => {
  const list = { documents: [document("3"), document("1")], found: 2, total: 2, in_progress: 0, failed: 0 }

  test("has an uploaded document before the others, and counts it", () => {
    const next = withDocument(list, document("2", "queued"))
    expect(next.documents.map(({ id }) => id)).toEqual(["2", "3", "1"])
    expect([next.found, next.total]).toEqual([3, 3])
  })

  test("changes a document that it has where it stands", () => {
    const next = withDocument(list, document("1", "embedding"))
    expect(next.documents.map(({ status }) => status)).toEqual(["ready", "embedding"])
    expect(next.total).toBe(2)
  })

  test("keeps what it knows of a document where an answer that comes late is older", () => {
    const late = { ...document("1", "queued"), updated_at: "2026-11-20T23:59:59.999+00:00" }
    expect(withDocument(list, late).documents.map(({ status }) => status)).toEqual(["ready", "ready"])
  })

  test("follows events, and is read anew where an event does not say enough", () => {
    const left = afterEvent(list, { type: "document_deleted", chatbot_id: "c", document_id: "3" })
    expect(left?.documents.map(({ id }) => id)).toEqual(["1"])
    const changed = afterEvent(list, { type: "document", chatbot_id: "c", document: document("3", "failed") })
    expect(changed?.documents.map(({ status }) => status)).toEqual(["failed", "ready"])
    // It may be on another page: another list, which is asked for again.
    const other = afterEvent(list, { type: "document", chatbot_id: "c", document: document("4") })
    expect(other).toEqual(list)
    expect(other).not.toBe(list)
    expect(afterEvent(list, { type: "resync" })).toBeUndefined()
    expect(afterEvent(list, { type: "knowledge", chatbot_id: "c" })).toBeUndefined()
    expect(afterEvent(list, { type: "chatbot", chatbot_id: "c" })).toBe(list)
  })
})

test("what a document has that its text has not is said in plain words", () => {
  expect(omissionText({ kind: "hidden_sheets", count: 2, where: ["Prices 2019", "Draft"] })).toBe(
    "2 hidden sheets were left out: Prices 2019, Draft",
  )
  expect(omissionText({ kind: "images", count: 3, where: [] })).toBe("3 images have no text")
  expect(omissionText({ kind: "pages", count: 1, where: ["7"] })).toBe("1 page could not be read: 7")
  expect(omissionText({ kind: "formulas", count: 1_200, where: ["S B1"] })).toBe(
    "1,200 formulas have no stored results: S B1, …",
  )
})

describe("a file", () => {
  test("is sent when the server reads files of its ending, and only then", () => {
    const starts = ["%PDF-1.7", "PK\u0003\u0004", "text", "{\\rtf1", "A: header", "{}", "<a/>", "WEBVTT"]
    const images = ["\u0089PNG\r\n\u001a\n", "\u00ff\u00d8\u00ff", "II*\0", "RIFF    WEBP"]
    const contents = [
      ...starts.map((start) => new TextEncoder().encode(start)),
      ...images.map((start) => Buffer.from(start, "latin1")),
      Uint8Array.from(compoundFileHeader),
    ]
    const isRead = (extension: string) => contents.some((bytes) => detect(`a.${extension}`, bytes, bytes) !== undefined)
    expect(Format.literals.filter((format) => !EXTENSIONS.includes(format))).toEqual([])
    expect(EXTENSIONS.filter((extension) => !isRead(extension))).toEqual([])
    expect(faultOf({ name: "Report.PDF", size: 10 })).toBeUndefined()
    expect(faultOf({ name: "photo.heic", size: 10 })).toContain("not supported")
    expect(faultOf({ name: "README", size: 10 })).toContain("not supported")
  })

  test("is not sent when it is empty or too large", () => {
    expect(faultOf({ name: "a.md", size: 0 })).toBe("The file is empty.")
    expect(faultOf({ name: "a.md", size: 26_214_401 })).toBe("The file is larger than 25 MiB.")
    expect(faultOf({ name: "a.md", size: 26_214_400 })).toBeUndefined()
  })
})

describe("a result of a search", () => {
  test("has its title apart from its text", () => {
    expect(partsOf("Title: Handbook\nChunk: 3\n\nPasswords\n\nare reset.")).toEqual({
      title: "Handbook",
      text: "Passwords\n\nare reset.",
    })
    expect(partsOf("Something else")).toEqual({ title: "", text: "Something else" })
  })

  test("marks the words of the question in every form, and nothing is lost", () => {
    const text = "Refunds take five days. A refund is free."
    const pieces = piecesOf(text, ["refunds", "take"])
    expect(pieces.map((piece) => piece.text).join("")).toBe(text)
    expect(pieces.flatMap((piece) => (piece.isMatch ? [piece.text] : []))).toEqual(["Refunds", "take", "refund"])
  })
})
