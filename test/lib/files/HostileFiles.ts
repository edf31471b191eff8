import { readFileSync } from "node:fs"
import { Format } from "../../../src/domain/knowledge/Formats.ts"
import { fixturePath } from "../Fixtures.ts"
import { allOf, failed, type HostileFile, ready, refused, text } from "./Fates.ts"
import { hostileFormats } from "./HostileFormats.ts"
import { hostileOffice } from "./HostileOffice.ts"
import { hostilePdfs } from "./HostilePdfs.ts"
import { hostileTexts } from "./HostileTexts.ts"
import { docxFile, paragraph, pptxFile, rows, shape, xlsxFile } from "./OfficeFile.ts"
import { zipOf } from "./ZipFile.ts"

const fixture = (name: string) => new Uint8Array(readFileSync(fixturePath(name)))

const word = () => docxFile(paragraph("A document like any other."))
const slides = () => pptxFile([{ shapes: shape("A slide like any other.") }])
const workbook = () => xlsxFile([{ name: "One", content: rows(["A", "B"], ["1", "2"]) }])
const portable = () => fixture("handbook.pdf")

const cut = (bytes: Uint8Array, share: number) => new Uint8Array(bytes.slice(0, Math.floor(bytes.length * share)))

const mislabelled: ReadonlyArray<HostileFile> = [
  ...allOf(refused, {
    "workbook.docx": workbook,
    "document.xlsx": word,
    "slides.docx": slides,
    "document.pptx": word,
    "document.pdf": word,
    "portable.docx": portable,
    "portable.txt": portable,
    "document.md": word,
    "program.pdf": () => text("MZ\u0090\u0000\u0003"),
    "picture.html": () => Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    "macros.docm": word,
    "macros.xlsm": workbook,
    "macros.pptm": slides,
  }),
  {
    name: "archive.docx",
    make: () => zipOf([{ name: "notes.txt", content: "No document." }]),
    fate: failed("corrupt_document"),
  },
  {
    name: "nested archive.docx",
    make: () => zipOf([{ name: "inner.zip", content: zipOf([{ name: "inner.zip", content: word() }]) }]),
    fate: failed("corrupt_document"),
  },
]

const empty: ReadonlyArray<HostileFile> = Format.literals.map((format) => ({
  name: `empty.${format}`,
  make: () => new Uint8Array(),
  fate: failed("empty_document"),
}))

const truncated: ReadonlyArray<HostileFile> = [
  ...[0.3, 0.6, 0.9, 0.99].flatMap((share): ReadonlyArray<HostileFile> => {
    const percent = Math.round(share * 100)
    const fate = failed("corrupt_document")
    return [
      { name: `cut at ${percent}.docx`, make: () => cut(word(), share), fate },
      { name: `cut at ${percent}.pptx`, make: () => cut(slides(), share), fate },
      { name: `cut at ${percent}.xlsx`, make: () => cut(workbook(), share), fate },
    ]
  }),
  { name: "cut at 2.pdf", make: () => cut(portable(), 0.02), fate: failed("corrupt_document", "no_text") },
  // The objects in the rest of the file are found without its cross-reference table.
  { name: "cut at 60.pdf", make: () => cut(portable(), 0.6), fate: failed("corrupt_document", "no_text") },
]

const names = [
  "../../../../etc/passwd.md",
  "..\\..\\windows\\system32\\config.txt",
  "/etc/shadow.txt",
  "invoice\u202Efdp.md",
  "line\nbreak\tand\u0007bell.txt",
  "nul\u0000byte.md",
  `${"long ".repeat(100)}.md`,
  "\u{1F4A9}.md",
  `quote"; drop table documents; --.md`,
  "%2e%2e%2fencoded.md",
]

/** Files whose names are paths, look like other names, or break logs and commands. */
export const hostileNames: ReadonlyArray<HostileFile> = names.map((name, index) => ({
  name,
  make: () => text(`# A harmless text\n\nIts number is ${index}.`),
  fate: ready,
}))

/** Files that would stop a server, fill its memory, or read its files. Each is made on demand. */
export const hostileFiles: ReadonlyArray<HostileFile> = [
  ...mislabelled,
  ...empty,
  ...truncated,
  ...hostileOffice,
  ...hostilePdfs,
  { name: "locked.pdf", make: () => fixture("locked.pdf"), fate: failed("password_protected") },
  { name: "scan.pdf", make: () => fixture("scan.pdf"), fate: failed("no_text") },
  ...hostileTexts,
  ...hostileFormats,
]
