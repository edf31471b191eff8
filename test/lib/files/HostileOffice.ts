import { allOf, failed, type HostileFile, ready } from "./Fates.ts"
import {
  compoundFile,
  docxFile,
  docxWith,
  paragraph,
  pptxFile,
  relationships,
  rows,
  shape,
  xlsxFile,
} from "./OfficeFile.ts"
import { type ZipEntry, zipOf } from "./ZipFile.ts"

const MEGABYTE = 1024 * 1024

const bomb = failed("too_large_when_extracted")
const corrupt = failed("corrupt_document")

const spaces = (megabytes: number) => Buffer.alloc(megabytes * MEGABYTE, " ")

const documentXml = (content: string, before = "") =>
  `<?xml version="1.0"?>${before}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${content}</w:body></w:document>`

const main: ZipEntry = relationships("", [{ type: "officeDocument", target: "word/document.xml" }])

const archives: ReadonlyArray<HostileFile> = [
  ...allOf(bomb, {
    "bomb.docx": () => docxWith(spaces(200)),
    "bomb.pptx": () => pptxFile([{ shapes: shape(spaces(100).toString("latin1")) }]),
    "bomb.xlsx": () => xlsxFile([{ name: "One", content: rows([spaces(100).toString("latin1")]) }]),
    "many sheets of a megabyte.xlsx": () =>
      xlsxFile(
        Array.from({ length: 300 }, (_, index) => ({
          name: `Sheet ${index}`,
          content: `<sheetData/>${" ".repeat(MEGABYTE - 1000)}`,
        })),
      ),
    "one file under many names.docx": () =>
      zipOf([main, { name: "word/document.xml", content: documentXml(paragraph("a")) }], 15_000),
  }),
  {
    name: "lies about its size.docx",
    make: () => zipOf([main, { name: "word/document.xml", content: spaces(50), claims: { bytes: 1000 } }]),
    fate: corrupt,
  },
  {
    name: "wrong checksum.docx",
    make: () =>
      zipOf([main, { name: "word/document.xml", content: documentXml(paragraph("a")), claims: { checksum: 1 } }]),
    fate: corrupt,
  },
  {
    name: "locked archive.docx",
    make: () => zipOf([main, { name: "word/document.xml", content: documentXml(""), claims: { flags: 0x801 } }]),
    fate: failed("password_protected"),
  },
]

const protectedFiles: ReadonlyArray<HostileFile> = [
  ...["docx", "pptx", "xlsx"].map((extension) => ({
    name: `locked.${extension}`,
    make: () => compoundFile("EncryptedPackage"),
    fate: failed("password_protected"),
  })),
  { name: "of 1997.docx", make: () => compoundFile("WordDocument"), fate: failed("unsupported_format") },
  { name: "of 1997.xlsx", make: () => compoundFile("Workbook"), fate: failed("unsupported_format") },
]

const laughs = Array.from({ length: 10 }, (_, level) => {
  const below = level === 0 ? "lol" : `&l${level - 1};`.repeat(10)
  return `<!ENTITY l${level} "${below}">`
})

const entities: ReadonlyArray<HostileFile> = [
  ...allOf(corrupt, {
    "billion laughs.docx": () => docxWith(documentXml(paragraph("&l9;"), `<!DOCTYPE w [${laughs.join("")}]>`)),
    "quadratic entities.docx": () =>
      docxWith(documentXml(paragraph("&a;".repeat(50_000)), `<!DOCTYPE w [<!ENTITY a "${"a".repeat(50_000)}">]>`)),
    "external entity.docx": () =>
      docxWith(documentXml(paragraph("&x;"), `<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]>`)),
  }),
  {
    name: "unknown entities.docx",
    make: () => docxFile(paragraph("Some text with &nosuch; and &l9; in it.")),
    fate: ready,
  },
]

const depth = 50_000

const deep: ReadonlyArray<HostileFile> = [
  ...allOf(corrupt, {
    "deep.docx": () => docxFile("<w:sdt>".repeat(depth)),
    "deep.pptx": () => pptxFile([{ shapes: "<p:grpSp>".repeat(depth) }]),
    "deep.xlsx": () => xlsxFile([{ name: "One", content: "<x>".repeat(depth) }]),
  }),
  {
    name: "deep tables.docx",
    make: () =>
      docxFile(
        `${"<w:tbl><w:tr><w:tc>".repeat(100)}${paragraph("deep")}${"</w:tc></w:tr></w:tbl>".repeat(100)}${paragraph("The end.")}`,
      ),
    fate: ready,
  },
]

const wide: ReadonlyArray<HostileFile> = [
  {
    name: "millions of elements.docx",
    make: () => docxFile(Array.from({ length: 400_000 }, (_, index) => `<w:p w:a="${index * 7919}"/>`).join("")),
    // It takes ten of the twenty seconds that a document may take, and more on a busy machine.
    fate: failed("empty_document", "extraction_out_of_memory", "extraction_timed_out"),
  },
  ...allOf(ready, {
    "spans everything.docx": () =>
      docxFile(
        `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr>${paragraph("wide")}</w:tc><w:tc>${paragraph("b")}</w:tc></w:tr></w:tbl>`,
      ),
    "merges everything.xlsx": () =>
      xlsxFile([
        {
          name: "One",
          content: `${rows(["all"])}<mergeCells>${`<mergeCell ref="A1:XFD1048576"/>`.repeat(1000)}</mergeCells>`,
        },
      ]),
    "far corner.xlsx": () =>
      xlsxFile([
        {
          name: "One",
          content: `<dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData>`,
        },
      ]),
    "diagonal.xlsx": () => {
      const column = (index: number) => String.fromCharCode(65 + (index % 26))
      const letters = (index: number) =>
        `${column(Math.floor(index / 676))}${column(Math.floor(index / 26))}${column(index)}`
      const cells = Array.from(
        { length: 10_000 },
        (_, index) => `<row><c r="${letters(index)}${index + 1}"><v>${index}</v></c></row>`,
      )
      return xlsxFile([{ name: "One", content: `<sheetData>${cells.join("")}</sheetData>` }])
    },
    "odd numbers.xlsx": () =>
      xlsxFile(
        [
          {
            name: "One",
            content: `<sheetData><row r="x"><c r="??" s="0"><v>1e308</v></c><c s="0"><v>-5</v></c><c s="99"><v>nope</v></c><c t="s"><v>77</v></c></row></sheetData>`,
          },
        ],
        { styles: `<cellXfs><xf numFmtId="14"/></cellXfs>` },
      ),
  }),
  {
    name: "one string a thousand times.xlsx",
    make: () =>
      xlsxFile(
        [{ name: "One", content: `<sheetData>${`<row><c t="s"><v>0</v></c></row>`.repeat(1000)}</sheetData>` }],
        {
          strings: `<si><t>${"word ".repeat(6_000)}</t></si>`,
        },
      ),
    fate: bomb,
  },
]

const circles: ReadonlyArray<HostileFile> = [
  ...allOf(ready, {
    "styles in a circle.docx": () =>
      docxFile(paragraph("Round and round.", `<w:pStyle w:val="A"/>`), {
        styles: `<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>`,
      }),
    "note of itself.docx": () =>
      docxFile(`<w:p><w:r><w:t>Text</w:t><w:footnoteReference w:id="1"/></w:r></w:p>`, {
        footnotes: `<w:footnote w:id="1"><w:p><w:r>${`<w:footnoteReference w:id="1"/>`.repeat(50)}<w:t>Note</w:t></w:r></w:p></w:footnote>`,
      }),
    "files outside.docx": () =>
      docxFile(`<w:p><w:hyperlink r:id="r1"><w:r><w:t>Read me</w:t></w:r></w:hyperlink></w:p>`, {}, [
        { type: "hyperlink", target: "file:///etc/passwd", external: true },
        { type: "styles", target: "../../../../../../etc/passwd" },
      ]),
    "macros inside.docx": () =>
      docxFile(
        paragraph("The text is read, the macros are not."),
        {},
        [{ type: "vbaProject", target: "vbaProject.bin" }],
        [{ name: "word/vbaProject.bin", content: Buffer.alloc(1000, 0xff) }],
      ),
  }),
]

export const hostileOffice: ReadonlyArray<HostileFile> = [
  ...archives,
  ...protectedFiles,
  ...entities,
  ...deep,
  ...wide,
  ...circles,
]
