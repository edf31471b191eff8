import { describe, expect, test } from "bun:test"
import { readDocument as read } from "../../lib/Defaults.ts"
import { type DocxParts, docxFile, docxWith, paragraph } from "../../lib/files/OfficeFile.ts"

const readDocx = (bytes: Uint8Array) => read({ format: "docx", name: "file.docx", bytes })
const textOf = async (body: string, parts?: DocxParts) => (await readDocx(docxFile(body, parts))).text

const run = (content: string) => `<w:p><w:r>${content}</w:r></w:p>`

const styles = [
  `<w:style w:type="paragraph" w:styleId="Kop1"><w:name w:val="heading 1"/></w:style>`,
  `<w:style w:type="paragraph" w:styleId="Kop2"><w:name w:val="heading 2"/></w:style>`,
  `<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Our heading"/><w:basedOn w:val="Kop2"/></w:style>`,
  `<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>`,
  `<w:style w:type="paragraph" w:styleId="Src"><w:name w:val="Source Code"/></w:style>`,
  `<w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Quote"/></w:style>`,
].join("")

const styled = (style: string, text: string) => paragraph(text, `<w:pStyle w:val="${style}"/>`)

const numbering = [
  `<w:abstractNum w:abstractNumId="1">`,
  `<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>`,
  `<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>`,
  `</w:abstractNum>`,
  `<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl></w:abstractNum>`,
  `<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`,
  `<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>`,
  `<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>`,
].join("")

const item = (text: string, list: number, level = 0) =>
  paragraph(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`)

const cell = (text: string, properties = "") => `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`
const row = (...cells: ReadonlyArray<string>) => `<w:tr>${cells.join("")}</w:tr>`
const table = (...lines: ReadonlyArray<string>) => `<w:tbl>${lines.join("")}</w:tbl>`

describe("a Word document", () => {
  test("has headings by their styles, whatever the styles' ids, and by styles based on them", async () => {
    const body = [styled("T", "Handbook"), styled("Kop1", "One"), styled("Own", "Two"), paragraph("Text.")].join("")
    expect(await textOf(body, { styles })).toBe("# Handbook\n\n# One\n\n## Two\n\nText.")
    expect((await readDocx(docxFile(body, { styles }))).title).toBe("Handbook")
  })

  test("has numbered lists that continue after other paragraphs, and restart where a list says so", async () => {
    const body = [item("a", 1), item("b", 1), item("c", 1, 1), item("x", 2), item("d", 1), item("e", 3)].join("")
    expect(await textOf(body, { numbering })).toBe("1. a\n2. b\n  2.1. c\n- x\n3. d\n1. e")
  })

  test("keeps the numbers of numbered headings", async () => {
    const heading = paragraph(
      "Scope",
      `<w:pStyle w:val="Kop1"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>`,
    )
    expect(await textOf(heading, { styles, numbering })).toBe("# 1 Scope")
  })

  test("has consecutive code in one fence, and quotations as Markdown quotations", async () => {
    const body = [styled("Src", "def f():"), styled("Src", "  return 1"), styled("Q", "Said so.")].join("")
    expect(await textOf(body, { styles })).toBe("```\ndef f():\n  return 1\n```\n\n> Said so.")
  })

  test("has tables with one header, in which names of merged cells are repeated", async () => {
    const rows = [
      row(cell("Region", `<w:vMerge w:val="restart"/>`), cell("Sales", `<w:gridSpan w:val="2"/>`)),
      row(cell("", "<w:vMerge/>"), cell("2025"), cell("2026")),
      row(cell("North | South"), cell("1"), cell("2")),
    ]
    expect(await textOf(table(...rows))).toBe(
      "| Region | Sales 2025 | Sales 2026 |\n| --- | --- | --- |\n| North \\| South | 1 | 2 |",
    )
  })

  test("has a table of one cell as text, and the text of a nested table within its cell", async () => {
    const inner = table(row(cell("a"), cell("b")), row(cell("c"), cell("d")))
    const outer = table(row(`<w:tc>${inner}</w:tc>`, cell("e")))
    expect(await textOf(table(row(cell("framed"))))).toBe("framed")
    expect(await textOf(outer)).toBe("| a b; c d | e |\n| --- | --- |")
  })

  test("has notes after the paragraph that refers to them", async () => {
    const body = `${run(`<w:t>Claim</w:t><w:footnoteReference w:id="2"/><w:t>.</w:t>`)}${paragraph("Next.")}`
    const footnotes = `<w:footnote w:id="2">${run(`<w:footnoteRef/><w:t>Proof.</w:t>`)}</w:footnote>`
    expect(await textOf(body, { footnotes })).toBe("Claim[^2].\n\n[^2]: Proof.\n\nNext.")
  })

  test("has the addresses of hyperlinks and of hyperlink fields", async () => {
    const field = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK "https://b.example/"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>b</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
    const link = `<w:hyperlink r:id="r1"><w:r><w:t>a</w:t></w:r></w:hyperlink>`
    const bytes = docxFile(`<w:p>${link}<w:r><w:t> and </w:t></w:r>${field}</w:p>`, {}, [
      { type: "hyperlink", target: "https://a.example/(x)", external: true },
    ])
    expect((await readDocx(bytes)).text).toBe("[a](https://a.example/%28x%29) and [b](https://b.example/)")
  })

  test("has no deleted text, hidden text and field instructions", async () => {
    const body = `<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>`
    expect(await textOf(body)).toBe("new")
  })

  test("has formulas as LaTeX", async () => {
    const m = (name: string, content: string) => `<m:${name}>${content}</m:${name}>`
    const t = (text: string) => m("r", m("t", text))
    const half = m("f", m("num", t("x−1")) + m("den", t("2")))
    const formula = m(
      "oMath",
      t("y=") + m("sSup", m("e", half) + m("sup", t("n"))) + m("rad", m("deg", "") + m("e", t("π"))),
    )
    expect(await textOf(`<w:p><m:oMathPara>${formula}</m:oMathPara></w:p>`)).toBe("$$y={\\frac{x−1}{2}}^{n}\\sqrt{π}$$")
  })

  test("has the pages of Word's last rendering", async () => {
    const body = [
      paragraph("One."),
      run(`<w:br w:type="page"/>`),
      run(`<w:lastRenderedPageBreak/><w:t>Two.</w:t>`),
      run(`<w:t>Three </w:t><w:lastRenderedPageBreak/><w:t>begins before its page.</w:t>`),
      paragraph("On page three."),
    ]
    const { text, pages = [] } = await readDocx(docxFile(body.join("")))
    expect(pages.map(({ page }) => page)).toEqual([1, 2, 3])
    expect(pages.map(({ start }) => text.slice(start, start + 4))).toEqual(["One.", "Two.", "On p"])
  })

  test("has no pages when it has no page breaks", async () => {
    expect((await readDocx(docxFile(paragraph("Text.")))).pages).toBeUndefined()
  })

  test("may use any prefix for a namespace, and the namespaces of strict documents", async () => {
    const strict = `<d:document xmlns:d="http://purl.oclc.org/ooxml/wordprocessingml/main"><d:body><d:p><d:r><d:t>Strict.</d:t></d:r></d:p></d:body></d:document>`
    expect((await readDocx(docxWith(strict))).text).toBe("Strict.")
  })
})

describe("a document in a Word document", () => {
  const chunk = (id: number) => `<w:altChunk r:id="r${id}"/>`
  /** A document with these parts between two paragraphs. */
  const withChunks = (
    parts: ReadonlyArray<string | Uint8Array>,
    body = parts.map((_, index) => chunk(index + 1)).join(""),
  ) =>
    docxFile(
      `${paragraph("Before.")}${body}${paragraph("After.")}`,
      {},
      parts.map((_, index) => ({ type: "aFChunk", target: `chunk${index}.dat` })),
      parts.map((content, index) => ({ name: `word/chunk${index}.dat`, content })),
    )
  const inner = async (...parts: ReadonlyArray<string | Uint8Array>) =>
    (await readDocx(withChunks(parts))).text.replace(/^Before\.\n\n([^]*)\n\nAfter\.$/, "$1")
  const page = "<html><head><title>x</title></head><body><h1>Fees</h1><p>Nine &euro;.</p></body></html>"

  test.each([
    ["HTML", page, "# Fees\n\nNine €."],
    ["XHTML", `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n${page}`, "# Fees\n\nNine €."],
    ["a piece of HTML", "<p>Nine <b>euros</b></p>", "Nine euros"],
    [
      "MHT",
      `MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${page.replace("&euro;", "=E2=82=AC")}\r\n--b--\r\n`,
      "# Fees\n\nNine €.",
    ],
    [
      "MHT with a subject",
      `From: <Saved by Word>\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${page}`,
      "# Fees\n\nNine €.",
    ],
    ["RTF", "{\\rtf1\\ansi Nine \\b euros\\b0 .\\par}", "Nine euros."],
    ["plain text", "\ufeffNine € < 10 €.", "Nine € < 10 €."],
    ["Word", docxFile(paragraph("Nine euros.")), "Nine euros."],
  ])("is read at its place: %s", async (_, content, text) => {
    expect(await inner(content)).toBe(text)
  })

  test("is read in a paragraph, in a cell, and as often as it is used", async () => {
    const body = `<w:p><w:r><w:t>Own.</w:t></w:r>${chunk(1)}</w:p>${table(row(cell("A"), cell("B")), row(cell("C"), `<w:tc>${chunk(1)}</w:tc>`))}`
    const { text } = await readDocx(withChunks(["<p>Nine</p>"], body))
    expect(text).toBe("Before.\n\nOwn.\n\nNine\n\n| A | B |\n| --- | --- |\n| C | Nine |\n\nAfter.")
  })

  test("does not keep the others from being read when it is damaged", async () => {
    expect(await inner(docxFile(paragraph("x")).subarray(0, 300), "<p>Nine</p>")).toBe("Nine")
  })

  test("is read down to three levels", async () => {
    let bytes = withChunks([], paragraph("Level 5."))
    for (let level = 4; level > 0; level--) bytes = withChunks([bytes], `${paragraph(`Level ${level}.`)}${chunk(1)}`)
    expect((await readDocx(bytes)).text.match(/Level \d/g)).toEqual(["Level 1", "Level 2", "Level 3", "Level 4"])
  })

  test("is read up to a hundred of them", async () => {
    const parts = Array.from({ length: 120 }, (_, index) => `<p>Part ${index}.</p>`)
    expect((await inner(...parts)).match(/Part/g)).toHaveLength(100)
  })
})
