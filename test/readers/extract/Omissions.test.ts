import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import type { Format } from "../../../src/domain/knowledge/Formats.ts"
import { Omissions } from "../../../src/domain/knowledge/Omission.ts"
import { read as readWith } from "../../../src/readers/extract/Read.ts"
import { readDocument } from "../../lib/Defaults.ts"
import { compoundFileOf, msgFile, msgStreams, record, uint16, xlsFile, xlsLabel } from "../../lib/files/CompoundFile.ts"
import { epubFile, openDocument } from "../../lib/files/OpenFiles.ts"
import { docxFile, paragraph, pptxFile, rows, shape, xlsxFile } from "../../lib/files/OfficeFile.ts"
import { drawText, manyPages, onePage, pdfOf } from "../../lib/files/PdfFile.ts"
import { A4, imagePdf } from "../../lib/files/Scans.ts"
import { zipOf } from "../../lib/files/ZipFile.ts"

/* What a document has that its text has not. */

const omissionsOf = async (format: Format, bytes: string | Uint8Array) => {
  const file = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes
  const { omissions } = await readDocument({ format, name: `file.${format}`, bytes: file })
  Schema.decodeUnknownSync(Omissions)(omissions)
  return omissions
}

/** The omissions as `kind count: where`. */
const told = async (format: Format, bytes: string | Uint8Array) =>
  (await omissionsOf(format, bytes)).map(({ count, kind, where }) =>
    `${kind} ${count}: ${where.join(", ")}`.replace(/: $/, ""),
  )

/** Overwrites the packed bytes of a file in an archive whose content is this text, which is stored as it is. */
const damaged = (bytes: Uint8Array<ArrayBuffer>, name: string) => {
  const content = Buffer.from(bytes)
  const at = content.indexOf(name) + name.length
  content.fill(0xff, at, at + 8)
  return new Uint8Array(content)
}

const run = (text: string, properties = "") => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`
const inWord = (content: string) => docxFile(`${paragraph("Shown.")}<w:p>${content}</w:p>`)
const picture = (description = "", inside = "<pic:pic/>") =>
  `<w:r><w:drawing><wp:inline><wp:docPr id="1" descr="${description}">${inside.startsWith("<adec") ? inside : ""}</wp:docPr><pic:pic/></wp:inline></w:drawing></w:r>`

describe("a Word document", () => {
  test.each<[what: string, content: string, omissions: Array<string>]>([
    ["comments", run("a") + `<w:r><w:commentReference w:id="0"/></w:r>`, ["comments 1"]],
    ["deletions", `<w:del w:id="1"><w:r><w:delText>gone</w:delText></w:r></w:del>`, ["deletions 1"]],
    ["insertions and a moved paragraph mark", `<w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:ins>${run("new")}</w:ins>`, []],
    ["hidden text", run("a") + run("b", "<w:vanish/>") + run("c", "<w:vanish/>"), ["hidden_text 1"]],
    ["a hidden mark without text", `<w:r><w:rPr><w:vanish/></w:rPr><w:instrText>XE</w:instrText></w:r>`, []],
    ["a picture", picture() + picture("image1.png"), ["images 2"]],
    ["a picture with a description", picture("The harbour"), []],
    ["a picture that only decorates", picture("", `<adec:decorative val="1"/>`), []],
    ["an old picture", `<w:r><w:pict><v:shape><v:imagedata r:id="r9"/></v:shape></w:pict></w:r>`, ["images 1"]],
    [
      "a text box",
      `<w:r><w:drawing><wp:docPr/><w:txbxContent>${paragraph("Boxed.")}</w:txbxContent></w:drawing></w:r>`,
      [],
    ],
    ["a chart of a newer kind", `<w:r><w:drawing><wp:docPr descr="x y"/><cx:chart/></w:drawing></w:r>`, ["charts 1"]],
  ])("with %s", async (_, content, omissions) => {
    expect(await told("docx", inWord(content))).toEqual(omissions)
  })

  test("with documents of other programs, and with documents that cannot be read", async () => {
    const bytes = docxFile(
      `${paragraph("Shown.")}<w:altChunk r:id="r1"/><w:altChunk r:id="r2"/>`,
      {},
      [
        { type: "aFChunk", target: "broken.docx" },
        { type: "aFChunk", target: "fine.txt" },
        { type: "oleObject", target: "embeddings/plan.bin" },
        { type: "package", target: "embeddings/list.xlsx" },
      ],
      [
        { name: "word/broken.docx", content: "PK no archive" },
        { name: "word/fine.txt", content: "Fine." },
      ],
    )
    expect(await told("docx", bytes)).toEqual(["files 3: broken.docx, plan.bin, list.xlsx"])
  })

  test("with more documents than are read", async () => {
    const names = Array.from({ length: 103 }, (_, index) => `c${index}.txt`)
    const bytes = docxFile(
      names.map((_, index) => `<w:altChunk r:id="r${index + 1}"/>`).join(""),
      {},
      names.map((target) => ({ type: "aFChunk", target })),
      names.map((name) => ({ name: `word/${name}`, content: name })),
    )
    expect(await told("docx", bytes)).toEqual(["files 3: c100.txt, c101.txt, c102.txt"])
  })

  test("with a damaged part", async () => {
    const bytes = docxFile(paragraph("Shown."), { footnotes: "<w:footnote/>" })
    expect(await told("docx", damaged(bytes, "word/footnotes.xml"))).toEqual(["parts 1: footnotes.xml"])
  })
})

const chart = (points: number) =>
  `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart><c:plotArea><c:barChart><c:ser><c:val>${Array.from({ length: points }, (_, index) => `<c:pt idx="${index}"><c:v>${index}</c:v></c:pt>`).join("")}</c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`

describe("slides", () => {
  test("that are hidden, damaged, or have pictures without a description", async () => {
    const image = (text: string) => `<p:pic><p:nvPicPr><p:cNvPr descr="${text}"/></p:nvPicPr></p:pic>`
    const bytes = pptxFile([
      { shapes: shape("Shown") + image("") + image("A cat") },
      { shapes: shape("Hidden"), hidden: true },
      { shapes: shape("Damaged") },
      { shapes: shape("Hidden"), hidden: true },
    ])
    expect(await told("pptx", damaged(bytes, "ppt/slides/slide3.xml"))).toEqual([
      "images 1",
      "hidden_slides 2: 2, 4",
      "pages 1: 3",
    ])
    const nothing = damaged(pptxFile([{ shapes: shape("Damaged") }]), "ppt/slides/slide1.xml")
    const reading = readDocument({ format: "pptx", name: "a.pptx", bytes: nothing })
    expect(await reading.catch((cause: unknown) => cause)).toMatchObject({ code: "corrupt_document" })
  })

  test.each([
    [0, ["charts 1"]],
    [3, []],
    [201, ["charts 1"]],
  ])("with a chart of %d points", async (points, omissions) => {
    const frame = `<p:graphicFrame><a:graphic><c:chart r:id="r1"/></a:graphic></p:graphicFrame>`
    const bytes = docxFile(
      `${paragraph("Shown.")}<w:p><w:r><w:drawing>${frame}</w:drawing></w:r></w:p>`,
      {},
      [{ type: "chart", target: "chart.xml" }],
      [{ name: "word/chart.xml", content: chart(points) }],
    )
    expect(await told("docx", bytes)).toEqual(omissions)
  })

  test("of OpenDocument", async () => {
    const page = (content: string, style = "") => `<draw:page draw:style-name="${style}">${content}</draw:page>`
    const frame = (content: string) => `<draw:frame>${content}</draw:frame>`
    const bytes = openDocument(
      "odp",
      page(frame("<draw:text-box><text:p>Shown</text:p></draw:text-box>") + frame("<draw:image/>")) +
        page(frame("<draw:image/><svg:title>A cat</svg:title>")) +
        page(frame("<draw:text-box><text:p>Hidden</text:p></draw:text-box>"), "h"),
      {
        styles: `<style:style style:name="h"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>`,
      },
    )
    expect(await told("odp", bytes)).toEqual(["images 1", "hidden_slides 1: 3"])
  })
})

describe("a workbook", () => {
  const shown = { name: "Shown", content: rows(["a"]) }
  const hidden = (name: string) => ({ name, content: rows(["b"]), state: "hidden" }) as const

  test("with hidden sheets, of which it names five", async () => {
    expect(await told("xlsx", xlsxFile([shown, hidden("Prices 2019"), hidden("Draft")]))).toEqual([
      "hidden_sheets 2: Prices 2019, Draft",
    ])
    const many = Array.from({ length: 2_000 }, (_, index) => hidden(`${index} ${"x".repeat(300)}`))
    const [omission, ...others] = await omissionsOf("xlsx", xlsxFile([shown, ...many]))
    expect(others).toEqual([])
    expect(omission?.count).toBe(2_000)
    expect(omission?.where.map(({ length }) => length)).toEqual([100, 100, 100, 100, 100])
  })

  test("with formulas whose results no program has stored, however many", async () => {
    const cells = `<c r="B1"><f>1+1</f></c><c r="C1"><f>1+1</f><v>2</v></c><c r="D1" t="str"><f>A1</f><v></v></c><c r="E1"><v>1</v></c>`
    const content = `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c>${cells}</row></sheetData>`
    expect(await told("xlsx", xlsxFile([{ name: "S", content }]))).toEqual(["formulas 1: S B1"])
    const row = `<row>${"<c><f>1</f></c>".repeat(50)}</row>`
    const many = `<sheetData><row><c><v>1</v></c></row>${row.repeat(2_000)}</sheetData>`
    expect((await omissionsOf("xlsx", xlsxFile([{ name: "S", content: many }])))[0]?.count).toBe(100_000)
  })

  test("with hidden rows and columns, which are read", async () => {
    const content = `<cols><col min="1" max="1" hidden="1"/></cols><sheetData><row hidden="1"><c><v>1</v></c></row></sheetData>`
    expect(await told("xlsx", xlsxFile([{ name: "S", content }]))).toEqual([])
  })

  test("with a damaged sheet", async () => {
    const bytes = xlsxFile([shown, { name: "Costs", content: rows(["b"]) }])
    expect(await told("xlsx", damaged(bytes, "xl/worksheets/sheet2.xml"))).toEqual(["parts 1: Costs"])
  })

  test("of 1997, with a hidden sheet and a chart", async () => {
    const chart = [record(0x809, uint16(0x600, 0x20, 0, 0), Buffer.alloc(8)), record(0x0a)]
    const sheet = { name: "Shown", records: [xlsLabel(0, 0, "a"), ...chart] }
    expect(await told("xls", xlsFile([sheet, { name: "Draft", isHidden: true, records: [] }]))).toEqual([
      "hidden_sheets 1: Draft",
      "charts 1",
    ])
  })

  test("of OpenDocument, with a hidden sheet and a formula without its result", async () => {
    const table = (name: string, cells: string) =>
      `<table:table table:name="${name}" table:style-name="${name}"><table:table-row>${cells}</table:table-row></table:table>`
    const cells = `<table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:formula="of:=1"/><table:table-cell table:formula="of:=A1" office:value-type="string"/>`
    const bytes = openDocument("ods", table("Shown", cells) + table("Draft", cells), {
      styles: `<style:style style:name="Draft"><style:table-properties table:display="false"/></style:style>`,
    })
    expect(await told("ods", bytes)).toEqual(["formulas 1: Shown B1", "hidden_sheets 1: Draft"])
  })
})

test("a text of OpenDocument, with comments, deletions, pictures, charts and objects", async () => {
  const object = (href: string) => `<draw:frame><draw:object xlink:href="./${href}"/></draw:frame>`
  const bytes = openDocument(
    "odt",
    `<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>Shown.<office:annotation><text:p>Why?</text:p></office:annotation><draw:frame><draw:image/></draw:frame>${object("Object 1")}${object("Object 2")}</text:p>`,
    {
      entries: [
        {
          name: "Object 1/content.xml",
          content: `<office:document-content><office:body><office:chart><chart:chart/></office:chart></office:body></office:document-content>`,
        },
        {
          name: "Object 2/content.xml",
          content: `<office:document-content><office:body><office:spreadsheet/></office:body></office:document-content>`,
        },
      ],
    },
  )
  expect(await told("odt", bytes)).toEqual(["images 1", "charts 1", "files 1: Object 2", "comments 1", "deletions 1"])
})

test("an RTF, with a comment, a deletion, hidden text, and a picture that it has twice", async () => {
  const bytes = String.raw`{\rtf1{\fonttbl{\f0 Arial;}}Shown {\v secret}{\deleted gone}{\*\annotation why}{\*\shppict{\pict 00}}{\nonshppict{\pict 00}}{\header{\pict 00}}{\pict 00}.\par}`
  expect(await told("rtf", bytes)).toEqual(["hidden_text 1", "deletions 1", "comments 1", "images 2"])
})

test("an e-book with a damaged chapter", async () => {
  const bytes = epubFile(
    [
      { path: "one.xhtml", body: "<p>One.</p>" },
      { path: "two.xhtml", body: "<p>Two.</p>" },
    ],
    { contents: `<li><a href="two.xhtml">The second</a></li>` },
  )
  expect(await told("epub", damaged(bytes, "OEBPS/two.xhtml"))).toEqual(["parts 1: The second"])
})

describe("a mail", () => {
  const part = (type: string, name: string, content: Uint8Array | string) =>
    `--b\r\nContent-Type: ${type}\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString("base64")}\r\n`
  const mail = (...parts: ReadonlyArray<string>) =>
    `From: a@a.example\r\nSubject: Hello\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nShown.\r\n${parts.join("")}--b--\r\n`

  test("with files that are not read, and with what was left out of those that are", async () => {
    const workbook = xlsxFile([
      { name: "Shown", content: rows(["a"]) },
      { name: "Draft", content: rows(["b"]), state: "hidden" },
    ])
    const bytes = mail(
      part("application/zip", "old.zip", zipOf([])),
      part("image/png", "logo.png", new Uint8Array([0x89, 0x50])),
      part("application/pkcs7-signature", "smime.p7s", "x"),
      part(
        "text/calendar",
        "invite.ics",
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Talk\r\nEND:VEVENT\r\nEND:VCALENDAR",
      ),
      part("text/csv", "fees.csv", "Boat,Fee\nSloop,12"),
      part("application/x-any", "prices.xlsx", workbook),
    )
    expect(await told("eml", bytes)).toEqual(["files 1: old.zip", "images 1: logo.png", "hidden_sheets 1: prices.xlsx"])
  })

  test("with more files than are read", async () => {
    const files = Array.from({ length: 5_000 }, (_, index) => part("text/plain", `${index}.txt`, "a"))
    expect(await told("eml", mail(...files))).toEqual(["files 4900: 100.txt, 101.txt, 102.txt, 103.txt, 104.txt"])
  })

  test("of Outlook", async () => {
    const bytes = compoundFileOf(
      msgStreams({ "0037": "Hello", "1000": "Shown." }, [msgFile("tool.exe", new Uint8Array([77, 90]))]),
    )
    expect(await told("msg", bytes)).toEqual(["files 1: tool.exe"])
  })
})

describe("a PDF", () => {
  const image = {
    object: {
      value: "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 >>",
      stream: "x",
    },
    place: `${A4.width} 0 0 ${A4.height} 0 0`,
  }
  const small = { ...image, place: "100 0 0 50 72 72" }
  const text = "A page of words. ".repeat(10)

  test("with pages that are images", async () => {
    const pages = [
      { images: [], text },
      { images: [image] },
      { images: [image], text },
      { images: [] },
      { images: [image], text: "Scanned" },
      { images: [small], text: "A title" },
      { images: [small] },
    ]
    expect(await told("pdf", imagePdf(pages))).toEqual(["scans 3: 2, 5, 7"])
    const bytes = imagePdf(pages)
    const { omissions } = await readWith({ format: "pdf", name: "a.pdf", bytes }, 1_000_000, (_, { page }) =>
      Promise.resolve(page === 1 ? "Recognized." : ""),
    )
    expect(omissions).toEqual([{ kind: "scans", count: 2, where: ["5", "7"] }])
  })

  test("with a page that cannot be read", async () => {
    const content = Buffer.from(manyPages(3, "Words")).toString("latin1")
    const broken = content.replace("/Kids [5 0 R 6 0 R 7 0 R]", "/Kids [5 0 R 9 0 R 7 0 R]")
    expect(await told("pdf", new Uint8Array(Buffer.from(broken, "latin1")))).toEqual(["pages 1: 2"])
    const none = new Uint8Array(Buffer.from(broken.replace("[5 0 R 9 0 R 7 0 R]", "[9 0 R 9 0 R 9 0 R]"), "latin1"))
    const reading = readDocument({ format: "pdf", name: "a.pdf", bytes: none })
    expect(await reading.catch((cause: unknown) => cause)).toMatchObject({ code: "corrupt_document" })
  })

  test("with comments, hidden notes and files", async () => {
    const annotations = [
      "/Subtype /Text /Contents (Why?)",
      "/Subtype /Highlight /Contents (True) /QuadPoints [0 0 9 0 0 9 9 9]",
      "/Subtype /Highlight /QuadPoints [0 0 9 0 0 9 9 9]",
      "/Subtype /FreeText /Contents (Shown) /DA (/F1 11 Tf)",
      "/Subtype /FreeText /Contents (Hidden) /F 2 /DA (/F1 11 Tf)",
      "/Subtype /FileAttachment /FS << /Type /Filespec /F (plan.doc) >>",
    ]
    const bytes = pdfOf([
      { value: "<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(a) 12 0 R] >> >> >>" },
      { value: "<< /Type /Pages /Kids [4 0 R] /Count 1 >>" },
      { value: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>" },
      {
        value: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> /Annots [${annotations.map((_, index) => `${index + 6} 0 R`).join(" ")}] >>`,
      },
      { value: "<< >>", stream: drawText("Words on a page.") },
      ...annotations.map((entries) => ({ value: `<< /Type /Annot /Rect [72 500 200 520] ${entries} >>` })),
      { value: "<< /Type /Filespec /F (invoice.xml) /EF << /F 13 0 R >> >>" },
      { value: "<< /Type /EmbeddedFile >>", stream: "<a/>" },
    ])
    expect(await told("pdf", bytes)).toEqual(["comments 2", "hidden_text 1", "files 2: plan.doc, invoice.xml"])
  })

  test("with nothing but words", async () => {
    expect(await told("pdf", onePage({ value: "<< >>", stream: drawText("Words.") }))).toEqual([])
  })
})

test.each<[Format, string]>([
  ["md", "# Title\n\nText.\n\n<!-- comment -->"],
  ["html", `<nav>Menu</nav><main><p>Text.</p><p hidden>No</p><!-- comment --></main>`],
  ["csv", "a,b\n1,2"],
  ["json", `{"a": 1}`],
])("a file of %s leaves out nothing that a person would miss", async (format, content) => {
  expect(await told(format, content)).toEqual([])
})

test("names are safe to show, and never a reason to fail", async () => {
  const sheets = [
    { name: "Shown", content: rows(["a"]) },
    { name: "a\u202eb\u200f c \ud83d", content: rows(["b"]), state: "hidden" },
  ] as const
  const [omission] = await omissionsOf("xlsx", xlsxFile(sheets))
  expect(omission?.where[0]?.isWellFormed()).toBe(true)
})
