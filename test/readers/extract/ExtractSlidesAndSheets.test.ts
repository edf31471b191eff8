import { describe, expect, test } from "bun:test"
import { readDocument as read } from "../../lib/Defaults.ts"
import {
  pptxFile,
  rows,
  shape,
  type Sheet,
  type Slide,
  type WorkbookParts,
  xlsxFile,
} from "../../lib/files/OfficeFile.ts"

const readSlides = (...slides: ReadonlyArray<Slide>) =>
  read({ format: "pptx", name: "talk.pptx", bytes: pptxFile(slides) })

const readSheets = (sheets: ReadonlyArray<Sheet>, parts?: WorkbookParts) =>
  read({ format: "xlsx", name: "book.xlsx", bytes: xlsxFile(sheets, parts) })

const sheetText = async (content: string, parts?: WorkbookParts) =>
  (await readSheets([{ name: "S", content }], parts)).text.replace(/^# S\n\n/, "")

describe("a presentation", () => {
  test("has a page per slide, with its title first and the speaker's notes last", async () => {
    const { title, text, pages } = await readSlides(
      { shapes: shape("Body text") + shape("Welcome", "title"), notes: "Greet everybody." },
      { shapes: shape("Second", "ctrTitle") + shape("one\ntwo", "body") },
    )
    const first = "# Welcome\n\nBody text\n\nSpeaker notes: Greet everybody."
    expect(title).toBe("Welcome")
    expect(text).toBe(`${first}\n\n# Second\n\n- one\n- two`)
    expect(pages).toEqual([
      { page: 1, start: 0 },
      { page: 2, start: first.length + 2 },
    ])
  })

  test("has no hidden slides, and no numbers, dates and footers", async () => {
    const { text, pages } = await readSlides(
      { shapes: shape("Secret"), hidden: true },
      { shapes: shape("Shown") + shape("7", "sldNum") + shape("Company", "ftr") + shape("2026", "dt") },
    )
    expect(text).toBe("Shown")
    expect(pages).toEqual([{ page: 2, start: 0 }])
  })

  test("has the text of tables and groups", async () => {
    const cell = (text: string, merge = "") =>
      `<a:tc ${merge}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`
    const table = `<p:graphicFrame><a:tbl><a:tr>${cell("A", `gridSpan="2"`)}${cell("", `hMerge="1"`)}</a:tr><a:tr>${cell("1")}${cell("2")}</a:tr></a:tbl></p:graphicFrame>`
    const { text } = await readSlides({ shapes: `<p:grpSp>${shape("grouped")}</p:grpSp>${table}` })
    expect(text).toBe("grouped\n\nA\n\n|  |  |\n| --- | --- |\n| 1 | 2 |")
  })

  test("numbers its lists by level", async () => {
    const line = (text: string, level: number, bullet: string) =>
      `<a:p><a:pPr lvl="${level}">${bullet}</a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`
    const auto = `<a:buAutoNum type="arabicPeriod"/>`
    const lines = [
      line("a", 0, auto),
      line("b", 1, `<a:buChar char="-"/>`),
      line("c", 0, auto),
      line("d", 0, "<a:buNone/>"),
    ]
    const { text } = await readSlides({ shapes: `<p:sp><p:nvSpPr/><p:txBody>${lines.join("")}</p:txBody></p:sp>` })
    expect(text).toBe("1. a\n  - b\n2. c\n\nd")
  })

  test("has the comments of its slides, older and newer ones, with their authors and replies", async () => {
    const older = `<p:cmLst><p:cm authorId="1"><p:text>Shorter, please.</p:text></p:cm></p:cmLst>`
    const newer = `<n:cmLst xmlns:n="urn:newer"><n:cm authorId="{2}"><n:replyLst><n:reply authorId="1"><n:txBody><a:p><a:r><a:t>Done.</a:t></a:r></a:p></n:txBody></n:reply></n:replyLst><n:txBody><a:p><a:r><a:t>Is this </a:t></a:r><a:r><a:t>right?</a:t></a:r></a:p></n:txBody></n:cm></n:cmLst>`
    const people = `<p:cmAuthorLst><p:cmAuthor id="1" name="Ann"/><p:cmAuthor id="{2}" name="Bo"/></p:cmAuthorLst>`
    const { text } = await readSlides({ shapes: shape("Body"), comments: [older, newer], people })
    expect(text).toBe(
      "Body\n\nComment by Ann: Shorter, please.\n\nComment by Bo: Is this right?\n\nComment by Ann: Done.",
    )
  })
})

describe("a workbook", () => {
  test("has the comments of its cells, with their places and authors, and each thread once", async () => {
    const comments = `<authors><author>Ann</author><author>tc={1}</author></authors><commentList><comment ref="A1" authorId="0"><text><r><t>Check </t></r><r><t>this.</t></r></text></comment><comment ref="B2" authorId="1"><text><t>[Threaded comment]</t></text></comment></commentList>`
    const threads = `<threadedComment ref="B2" personId="{p}"><text>Too high?</text></threadedComment>`
    const { text } = await readSheets([{ name: "S", content: rows(["a", "b"], ["1", "2"]), comments, threads }], {
      people: `<person id="{p}" displayName="Bo"/>`,
    })
    expect(text).toEndWith("| 1 | 2 |\n\nComment on A1 by Ann: Check this.\n\nComment on B2 by Bo: Too high?")
  })

  test("has a page per visible sheet, headed by the sheet's name", async () => {
    const { text, pages = [] } = await readSheets([
      { name: "Prices", content: rows(["Item", "Price"], ["Pen", "1"]) },
      { name: "Lookup", content: rows(["secret"]), state: "hidden" },
      { name: "Notes", content: rows(["Closed on Mondays."]) },
    ])
    expect(text).toStartWith("# Prices\n\n| Item | Price |\n| --- | --- |\n| Pen | 1 |\n\n# Notes\n\n")
    expect(text).not.toContain("secret")
    expect(pages.map(({ page }) => page)).toEqual([1, 3])
  })

  test("has numbers, dates, percentages, amounts and units as their formats show them", async () => {
    const styles = `<numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd hh:mm"/><numFmt numFmtId="171" formatCode="&quot;day&quot; 0.0"/><numFmt numFmtId="172" formatCode="_-* #,##0.00\\ [$€-407]_-;-#,##0"/><numFmt numFmtId="173" formatCode="[Red]&quot;$&quot;#,##0"/><numFmt numFmtId="174" formatCode="# ?/?"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="20"/><xf numFmtId="172"/><xf numFmtId="173"/><xf numFmtId="174"/></cellXfs>`
    const values = [
      [0, "0.30000000000000004"],
      [1, "45962"],
      [2, "0.125"],
      [3, "45962.75"],
      [4, "2.5"],
      [5, "0.5"],
      [6, "1249.5"],
      [7, "-30"],
      [8, "0.5"],
    ]
    const cells = values.map(([style, value]) => `<c s="${style}"><v>${value}</v></c>`).join("")
    expect(await sheetText(`<sheetData><row>${cells}</row></sheetData>`, { styles })).toContain(
      "| 0.3 | 2025-11-01 | 13% | 2025-11-01 18:00 | day 2.5 | 12:00 | 1.249,50 € | -$30 | 1/2 |",
    )
  })

  test("has shared strings without phonetic guides, booleans, and the results of formulas", async () => {
    const strings = `<si><r><t>東</t></r><r><t>京</t></r><rPh><t>トウキョウ</t></rPh></si>`
    const cells = `<c t="s"><v>0</v></c><c t="b"><v>1</v></c><c t="str"><f>A1&amp;"x"</f><v>result</v></c><c t="e"><v>#REF!</v></c>`
    expect(await sheetText(`<sheetData><row>${cells}</row></sheetData>`, { strings })).toContain(
      "| 東京 | TRUE | result | #REF! |",
    )
  })

  test("has separate tables between empty rows, without empty columns, and repeats merged cells", async () => {
    const content = `<sheetData><row r="1"><c r="B1" t="str"><v>Both</v></c><c r="C1"/></row><row r="2"><c r="B2"><v>1</v></c><c r="C2"><v>2</v></c></row><row r="5"><c r="F5" t="str"><v>Apart</v></c></row></sheetData><mergeCells><mergeCell ref="B1:C1"/></mergeCells>`
    expect(await sheetText(content)).toBe("Both\n\n|  |  |\n| --- | --- |\n| 1 | 2 |\n\nApart")
  })

  test("becomes a paragraph per row, with the header's names, when its rows are wide", async () => {
    const header = Array.from({ length: 12 }, (_, index) => `Field ${String.fromCharCode(65 + index)}`)
    const values = header.map((_, index) => (index === 3 ? "" : `v${index}`))
    expect(await sheetText(rows(header, values))).toStartWith("Field A: v0\nField B: v1\nField C: v2\nField E: v4\n")
  })
})
