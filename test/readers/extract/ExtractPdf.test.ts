import { describe, expect, test } from "bun:test"
import {
  markdownOf,
  type Page,
  resumption,
  styleOf,
  titleOn,
  withoutRunningHeads,
} from "../../../src/readers/extract/pdf/PdfLayout.ts"
import { fixedPitchFonts, linesOf } from "../../../src/readers/extract/pdf/PdfLines.ts"
import type { Run } from "../../../src/readers/extract/pdf/PdfRun.ts"
import { chunk } from "../../../src/readers/chunk/Chunker.ts"
import { readDocument as read } from "../../lib/Defaults.ts"
import { drawText, pageOf, pdfOf } from "../../lib/files/PdfFile.ts"

const run = (text: string, place: Partial<Run> = {}): Run => ({
  text,
  x: 50,
  y: 100,
  width: text.length * 5,
  size: 10,
  font: "body",
  monospaced: false,
  rightToLeft: false,
  rotated: false,
  ...place,
})

/** The lines of one paragraph, one below the other. */
const paragraph = (y: number, texts: ReadonlyArray<string>, place: Partial<Run> = {}) =>
  texts.map((text, index) => run(text, { y: y + index * 12, width: 200, ...place }))

const page = (...runs: ReadonlyArray<Run>): Page => ({ height: 800, lines: linesOf(runs) })

const textOf = (pages: ReadonlyArray<Page>, knows: (word: string) => boolean = () => false) =>
  pages.map((each) => markdownOf(each, styleOf(pages), knows))

describe("the lines of a page", () => {
  const texts = (...runs: ReadonlyArray<Run>) => linesOf(runs).map(({ text }) => text)

  test("join the runs on a base line, with a space for a gap and a tab for a wide gap", () => {
    expect(texts(run("Sub", { width: 15 }), run("script", { x: 65, y: 103, size: 6 }))).toEqual(["Subscript"])
    expect(texts(run("two", { width: 15 }), run("words", { x: 68 }))).toEqual(["two words"])
    expect(texts(run("Name", { width: 20 }), run("Value", { x: 120 }))).toEqual(["Name\tValue"])
    expect(texts(run("one"), run("two", { y: 112 }))).toEqual(["one", "two"])
  })

  test("have no dots before a page number, and are dropped when they have no letter, digit or symbol", () => {
    expect(texts(run("Preface . . . . . . . . xi"))).toEqual(["Preface\txi"])
    expect(texts(run("----"), run("text", { y: 112 }))).toEqual(["text"])
  })

  test("have their bullets, also bullets that are drawn after all text", () => {
    const late = linesOf([run("first"), run("second", { y: 112 }), run("•", { x: 40, y: 112 })])
    expect(late.map(({ text, bullet }) => [text, bullet])).toEqual([
      ["first", false],
      ["second", true],
    ])
    for (const glyph of ["•", "\u0084", "\uf0b7"]) {
      expect(linesOf([run(`${glyph} item`)])[0]).toMatchObject({ text: "item", bullet: true })
    }
  })

  test("have spaces and ligatures in the right order when they are written from right to left", () => {
    const rtl = (text: string, x: number, width: number) => run(text, { x, width, rightToLeft: true })
    expect(texts(rtl("لغة", 100, 30), run("R", { x: 92, width: 8 }), rtl("و", 87, 5))).toEqual(["لغة R و"])
    expect(texts(rtl("اإلنتاج", 100, 40))).toEqual(["الإنتاج"])
  })

  test("show a fixed-pitch font by the widths of its words", () => {
    const words = ["bun", "install", "start", "lockfile"]
    const fixed = words.map((text) => run(text, { font: "mono", width: text.length * 6 }))
    const other = words.map((text, index) => run(text, { font: "text", width: text.length * (5 + index / 10) }))
    expect([...fixedPitchFonts([...fixed, ...other])]).toEqual(["mono"])
  })
})

describe("the text of a page", () => {
  test("follows each column to its end, wherever a table stands in the file", () => {
    const left = paragraph(100, ["Left column begins", "and ends."])
    const table = paragraph(200, ["Table."])
    const below = paragraph(300, ["Below the table."])
    const right = paragraph(100, ["Right column."], { x: 300 })
    expect(textOf([page(...left, ...below, ...right, ...table)])).toEqual([
      "Left column begins and ends.\n\nRight column.\n\nTable.\n\nBelow the table.",
    ])
  })

  test("continues a sentence in the next column", () => {
    const left = paragraph(100, ["The wing type", "that is the"])
    const right = paragraph(100, ["most common one."], { x: 300 })
    expect(textOf([page(...left, ...right)])).toEqual(["The wing type that is the most common one."])
  })

  test("has the heads of a statement's columns above each group of its rows", () => {
    const cells = (y: number, label: string, ...values: ReadonlyArray<string>) => [
      ...(label === "" ? [] : [run(label, { y })]),
      ...values.map((text, index) => run(text, { y, x: 350 + index * 80 - text.length * 5 })),
    ]
    const statement = [
      ...cells(100, "", "June 30,", "June 30,"),
      ...cells(112, "", "2024", "2023"),
      ...cells(124, "Net sales:"),
      ...cells(136, "Products", "$ 294,866", "$ 298,085"),
      ...cells(148, "Services", "96,169", "85,200"),
      ...cells(160, "Cost of sales:"),
      ...cells(172, "1. Products", "(185,233)", "(189,282)"),
      ...cells(184, "2. Licences", "", "12").filter(({ text }) => text !== ""),
    ]
    const [text = ""] = textOf([page(...statement)])
    const head = "|  | June 30, 2024 | June 30, 2023 |\n| --- | --- | --- |\n"
    expect(text).toContain(
      `Net sales:\n\n${head}| Products | $ 294,866 | $ 298,085 |\n| Services | 96,169 | 85,200 |\n\n`,
    )
    expect(text).toContain(`Cost of sales:\n\n${head}| 1. Products | (185,233) | (189,282) |`)
  })

  test("has the heads of a statement whose cells a program draws one by one above each group, also below bold names of groups", () => {
    const cells = (y: number, ...texts: ReadonlyArray<string>) =>
      texts.map((text, index) => run(text, { y, x: [72, 300, 400, 500][index] ?? 0, width: text.length * 5 }))
    const stacked = (x: number, ...texts: ReadonlyArray<string>) =>
      texts.map((text, index) => run(text, { y: 100 + index * 12, x, width: text.length * 5 }))
    const [text = ""] = textOf([
      page(
        run("Note", { y: 124, x: 300, width: 20 }),
        ...stacked(400, "31 March", "2024", "£m"),
        ...stacked(500, "31 March", "2023", "£m"),
        run("Current assets", { y: 150, font: "bold" }),
        ...cells(162, "Inventories", "15", "612", "640"),
        ...cells(174, "Receivables", "16", "1,029", "977"),
        run("Current liabilities", { y: 190, font: "bold" }),
        ...cells(202, "Borrowings", "18", "(214)", "(377)"),
        ...cells(214, "Payables", "19", "(1,411)", "(1,302)"),
        ...paragraph(
          240,
          Array.from({ length: 12 }, () => "The notes are a part of these statements, which were approved."),
        ),
      ),
    ])
    const head = "|  | Note | 31 March 2024 £m | 31 March 2023 £m |\n| --- | --- | --- | --- |\n"
    expect(text).toContain(`Current assets\n\n${head}| Inventories | 15 | 612 | 640 |`)
    expect(text).toContain(`Current liabilities\n\n${head}| Borrowings | 18 | (214) | (377) |`)
  })

  test("has short columns of text with years one after the other", () => {
    const left = paragraph(100, ["In 2001 it opened", "a new plant"])
    const right = paragraph(100, ["and in 2002", "another one."], { x: 300 })
    expect(textOf([page(...left, ...right)])).toEqual(["In 2001 it opened a new plant and in 2002 another one."])
  })

  test("has a name above several columns of a statement in the head of each", () => {
    const row = (y: number, ...cells: ReadonlyArray<readonly [text: string, x: number, width: number]>) =>
      cells.map(([text, x, width]) => run(text, { y, x, width }))
    const [text = ""] = textOf([
      page(
        ...row(100, ["Year ended", 300, 150], ["Change", 500, 40]),
        ...row(112, ["2024", 300, 25], ["2023", 420, 25], ["2024 vs. 2023", 490, 60]),
        ...row(124, ["Cloud", 72, 30], ["45,120", 295, 30], ["38,007", 415, 30], ["19 %", 510, 20]),
        ...row(136, ["Licences", 72, 40], ["8,114", 300, 25], ["8,901", 420, 25]),
      ),
    ])
    expect(text).toContain("|  | Year ended 2024 | Year ended 2023 | Change 2024 vs. 2023 |")
    expect(text).toContain("| Cloud | 45,120 | 38,007 | 19 % |\n| Licences | 8,114 | 8,901 |  |")
  })

  test("has a statement's rows of different lengths in the columns above them, and the head in each passage", async () => {
    const rows = Array.from({ length: 60 }, (_, index) => [
      run(`${index + 1}. Position of this name`, { y: 130 + index * 10 }),
      ...(index % 2 === 0 ? [run("(7)", { y: 130 + index * 10, x: 250, width: 15 })] : []),
      run("1.234", { y: 130 + index * 10, x: 325, width: 25 }),
      run("999", { y: 130 + index * 10, x: 415, width: 15 }),
    ])
    const head = [run("Note", { y: 100, x: 250 }), run("2024", { y: 100, x: 330 }), run("2023", { y: 100, x: 410 })]
    const units = [run("TEUR", { y: 110, x: 330 }), run("TEUR", { y: 110, x: 410 })]
    const [text = ""] = textOf([page(...head, ...units, ...rows.flat())])
    expect(text).toContain(
      "| 1. Position of this name | (7) | 1.234 | 999 |\n| 2. Position of this name |  | 1.234 | 999 |",
    )
    const passages = chunk({ title: "Report", text })
    expect(passages.length).toBeGreaterThan(1)
    for (const passage of passages) expect(passage.text).toStartWith("|  | Note | 2024 TEUR | 2023 TEUR |")
  })

  test("has no hyphens of line ends, except in compounds that occur elsewhere in the document", () => {
    const lines = page(...paragraph(100, ["Docu-", "ments are self-", "hosted."]))
    expect(textOf([lines], (word) => word === "self-hosted")).toEqual(["Documents are self-hosted."])
  })

  test("has numbered steps with their numbers, each on a line, and no item where an ordinal begins a line", () => {
    const steps = ["1. Open the lid.", "2. Take out the", "filter.", "2.1. Rinse it.", "(3) Close the lid."]
    expect(textOf([page(...paragraph(100, steps))])).toEqual([
      "1. Open the lid.\n2. Take out the filter.\n2.1. Rinse it.\n(3) Close the lid.",
    ])
    const apart = [run("1.", { width: 8 }), run("Open the lid.", { x: 80 })]
    expect(textOf([page(...apart)])).toEqual(["1. Open the lid."])
    const prose = ["Die Stadt wurde im", "18. Jahrhundert gegründet, wie Absatz", "(2) sagt."]
    expect(textOf([page(...paragraph(100, prose))])).toEqual([
      "Die Stadt wurde im 18. Jahrhundert gegründet, wie Absatz (2) sagt.",
    ])
  })

  test("has headings in larger type, of which the largest on the first page is the title", () => {
    const runs = [
      run("Cover note", { y: 60, size: 12 }),
      run("Annual Report", { y: 100, size: 24, width: 300 }),
      ...paragraph(200, ["A text that is long enough to be the body of it all."]),
      run("Results", { y: 300, size: 16 }),
      ...paragraph(330, ["More of the text, which is long enough as well."]),
    ]
    const pages = [page(...runs)]
    const [first] = pages
    expect(
      textOf(pages)[0]
        ?.split("\n")
        .filter((line) => line.startsWith("#")),
    ).toEqual(["### Cover note", "# Annual Report", "## Results"])
    expect(first && titleOn(first, styleOf(pages))).toBe("Annual Report")
  })

  test("has no running heads and page numbers, but keeps text that is repeated within pages", () => {
    const sheet = (number: number) =>
      page(
        run(`Handbook ${number}`, { y: 20 }),
        ...paragraph(300, ["Repeated text.", `Own text of ${["one", "two", "three", "four"][number]}.`]),
        run(`${number}`, { y: 780 }),
      )
    const texts = withoutRunningHeads([0, 1, 2, 3].map(sheet)).flatMap(({ lines }) => lines.map(({ text }) => text))
    expect(texts.filter((text) => text === "Repeated text.")).toHaveLength(4)
    expect(texts.filter((text) => /Handbook|^\d/.test(text))).toEqual([])
  })

  test("keeps the head and the number of a single page", () => {
    const only = page(run("Invoice 7", { y: 20 }), run("7", { y: 780 }))
    expect(withoutRunningHeads([only])).toEqual([only])
  })
})

test("the letters of an Arabic ligature are in the right order when the PDF maps it to two letters", async () => {
  const letters = { a: "0644", b: "06440627", c: "062e", d: "0627", e: "0645" }
  const map = Object.entries(letters).map(([code, unicode]) => `<${Buffer.from(code).toString("hex")}> <${unicode}>`)
  const font =
    "<< /Type /Font /Subtype /Type1 /BaseFont /Arabic /FirstChar 97 /LastChar 101 /Widths [500 500 500 500 500] /ToUnicode 6 0 R >>"
  const pdf = pdfOf([
    { value: "<< /Type /Catalog /Pages 2 0 R >>" },
    { value: "<< /Type /Pages /Kids [4 0 R] /Count 1 >>" },
    { value: font },
    pageOf(5),
    // Drawn from left to right: خلال, then سلام without its first letter, then خال with alef and lam as separate
    // glyphs.
    { value: "<< >>", stream: drawText("eb abc adc") },
    {
      value: "<< >>",
      stream: `begincmap 1 begincodespacerange <00> <ff> endcodespacerange 5 beginbfchar ${map.join(" ")} endbfchar endcmap`,
    },
  ])
  expect((await read({ format: "pdf", name: "a.pdf", bytes: pdf })).text).toBe("خال خلال لام")
})

/** A PDF of lines with these words, as a reader sees them from left to right, each at its place, drawn in this order. */
const drawnPdf = (lines: ReadonlyArray<string>, inOrder: (words: ReadonlyArray<string>) => ReadonlyArray<string>) => {
  const characters = [...new Set(lines.join(""))]
  const hex = (number: number, length: number) => number.toString(16).padStart(length, "0")
  const code = (character: string) => hex(characters.indexOf(character) + 33, 2)
  const map = characters.map((each) => `<${code(each)}> <${hex(each.codePointAt(0) ?? 0, 4)}>`)
  const widths = characters.map(() => 500).join(" ")
  const drawn = lines.flatMap((line, index) => {
    let x = 72
    const words = line.split(" ").map((word) => {
      const at = x
      x += (word.length + 1) * 5
      return `BT /F1 10 Tf ${at} ${700 - index * 12} Td <${Array.from(word, code).join("")}> Tj ET`
    })
    return inOrder(words)
  })
  return pdfOf([
    { value: "<< /Type /Catalog /Pages 2 0 R >>" },
    { value: "<< /Type /Pages /Kids [4 0 R] /Count 1 >>" },
    {
      value: `<< /Type /Font /Subtype /Type1 /BaseFont /Own /FirstChar 33 /LastChar ${32 + characters.length} /Widths [${widths}] /ToUnicode 6 0 R >>`,
    },
    pageOf(5),
    { value: "<< >>", stream: drawn.join("\n") },
    {
      value: "<< >>",
      stream: `begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${map.length} beginbfchar ${map.join(" ")} endbfchar endcmap`,
    },
  ])
}

describe("a line from right to left", () => {
  const hebrew = "החברה נוסדה בעיר חיפה וצמחה מאוד"
  const reversed = Array.from(hebrew).toReversed().join("")
  const samples: ReadonlyArray<readonly [read: string, seen: string]> = [
    ["החברה (הגדולה) צמחה", "החמצ (הלודגה) הרבחה"],
    ["סכום (15%) מתוך 1,250.50 ש״ח", "ח״ש 1,250.50 ךותמ (15%) םוכס"],
    ["מחיר: 20-30 שקל, 050-1234567", "050-1234567 ,לקש 20-30 :ריחמ"],
    ["שנים 2024, 2023 ו-2022", "2022-ו 2023 ,2024 םינש"],
    ["[א] סעיף 3.2 מיום 12/03/2024", "12/03/2024 םוימ 3.2 ףיעס [א]"],
    ["גרסה Parley 2.0 של Python (חדש)", "(שדח) Python לש Parley 2.0 הסרג"],
    ["השנה (2024 - 2026) טובה", "הבוט (2026 - 2024) הנשה"],
  ]
  test.each(samples)("is read as %s, in whatever order it is drawn", async (logical, seen) => {
    for (const inOrder of [
      (words: ReadonlyArray<string>) => words,
      (words: ReadonlyArray<string>) => words.toReversed(),
    ]) {
      const bytes = drawnPdf([reversed, seen], inOrder)
      expect((await read({ format: "pdf", name: "a.pdf", bytes })).text).toBe(`${hebrew} ${logical}`)
    }
  })

  test("leaves a line in another language as it is", () => {
    expect(
      linesOf([
        run("See (the word "),
        run("שלום", { x: 120, width: 20, rightToLeft: true }),
        run(") 2024", { x: 140 }),
      ]).map(({ text }) => text),
    ).toEqual(["See (the word שלום) 2024"])
  })
})

test("texts of two columns or pages are joined only in the middle of a sentence", () => {
  expect(resumption("on the com‐", "mand line")).toEqual({ drop: 1, joint: "" })
  expect(resumption("on the", "command line")).toEqual({ drop: 0, joint: " " })
  expect(resumption("It ends.", "and begins")).toBeUndefined()
  expect(resumption("on the", "Command Line")).toBeUndefined()
})

/** A PDF of one page with these lines in Courier, as programs print plain text, and this title in its metadata. */
const printed = (lines: ReadonlyArray<string>, title: string) => {
  const drawn = lines.map((line) => `(${line.replace(/[\\()]/g, "\\$&")}) Tj T*`).join("\n")
  const objects = [
    { value: "<< /Type /Catalog /Pages 2 0 R >>" },
    { value: "<< /Type /Pages /Kids [4 0 R] /Count 1 >>" },
    { value: "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>" },
    pageOf(5),
    { value: "<< >>", stream: `BT /F1 10 Tf 12 TL 50 740 Td ${drawn} ET` },
    { value: `<< /Title (${title}) >>` },
  ]
  return read({ format: "pdf", name: "harbour-rules.pdf", bytes: pdfOf(objects, "/Info 6 0 R") })
}

describe("a document in a fixed-pitch font", () => {
  const rules = [
    "HARBOUR RULES",
    "",
    "The fee for a berth is twelve crowns a night.  Boats that are",
    "shorter than six metres pay half of it.  Whoever leaves in the eve-",
    "ning pays nothing:",
    "",
    "   (a)  for a stay of up to six hours;",
    "   (b)  for a boat in distress;",
    "",
    "Length             Night",
    "up to 6 m          6",
    "6 to 12 m          12",
  ]

  test("is text with paragraphs and tables, not code", async () => {
    const { text } = await printed(rules, "Harbour rules")
    expect(text).toContain("Boats that are shorter than six metres pay half of it. Whoever leaves in the evening pays")
    expect(text).toContain("| 6 to 12 m | 12 |")
    expect(text).not.toContain("```")
  })

  test("keeps the lines of a program", async () => {
    const { text } = await printed(["int main(void) {", "    int i = 0;", "    return i; }"], "Program")
    expect(text).toBe("```\nint main(void) {\n    int i = 0;\n    return i; }\n```")
  })

  test("marks code in a document whose text is in another font", () => {
    const code = paragraph(200, ["make install", "make check"], { font: "mono", monospaced: true })
    const [text] = textOf([page(...paragraph(100, ["This is how it is installed on any", "machine."]), ...code)])
    expect(text).toBe("This is how it is installed on any machine.\n\n```\nmake install\nmake check\n```")
  })

  test.each(["Enscript Output", "Microsoft Word - rules.doc", "untitled", "Slide 1", "Präsentation1", "scan0042.tif"])(
    "has the name of its file and not the title %s, which a program wrote",
    async (title) => expect((await printed(rules, title)).title).toBe("harbour-rules"),
  )

  test("has the title of its metadata when its words occur in the document", async () => {
    expect((await printed(rules, "Harbour Rules 1987")).title).toBe("Harbour Rules 1987")
  })
})
