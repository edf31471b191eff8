import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { Format } from "../../../src/domain/knowledge/Formats.ts"
import { readDocument } from "../../lib/Defaults.ts"
import { record, uint16, xlsFile, xlsString } from "../../lib/files/CompoundFile.ts"
import { rows, xlsxFile } from "../../lib/files/OfficeFile.ts"
import { openDocument } from "../../lib/files/OpenFiles.ts"

/*
 * Tables of spreadsheets and CSV: what a person sees who opens the file.
 */

const textOf = async (format: Format, content: string | Uint8Array) => {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
  return (await readDocument({ format, name: `a.${format}`, bytes })).text
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

type Cell = readonly [format: string | number, value: number | string, shown: string]

/** What a workbook shows of values with the codes of their formats, or the ids of built-in ones. */
const shown = async (cells: ReadonlyArray<Cell>) => {
  const ids = cells.map(([format], index) => (typeof format === "number" ? format : 200 + index))
  const codes = cells.map(
    ([format], index) => `<numFmt numFmtId="${200 + index}" formatCode="${escaped(`${format}`)}"/>`,
  )
  const styles = `<numFmts>${codes.join("")}</numFmts><cellXfs>${ids.map((id) => `<xf numFmtId="${id}"/>`).join("")}</cellXfs>`
  const lines = cells.map(
    ([, value], index) =>
      `<row><c t="str"><v>is</v></c><c s="${index}" t="${typeof value === "number" ? "n" : "str"}"><v>${value}</v></c></row>`,
  )
  const content = `<sheetData>${lines.join("")}</sheetData>`
  const text = await textOf("xlsx", xlsxFile([{ name: "S", content }], { styles }))
  return [...text.matchAll(/^\| is \| (.*) \|$/gm)].map(([, cell]) => cell)
}

describe("a cell shows", () => {
  test.each([
    [
      "codes with their zeros",
      [
        ["00000", 1067, "01067"],
        ["0000000", 4711, "0004711"],
        ["000\\-000", 12345, "012-345"],
        ["(000) 000-0000", 2025550143, "(202) 555-0143"],
        [`0000"/"00`, 12324, "0123/24"],
      ],
    ],
    [
      "hours of several days",
      [
        ["[h]:mm", 1.6875, "40:30"],
        ["[hh]:mm:ss", 4.177083333333333, "100:15:00"],
        ["[mm]:ss", 0.06631944444444444, "95:30"],
        [`[h] "hours"`, 1.25, "30 hours"],
        [46, 1.0625, "25:30:00"],
      ],
    ],
    [
      "sections by sign",
      [
        [`"yes";"no"`, 1, "yes"],
        [`"yes";"no"`, -1, "no"],
        [`0;-0;"none"`, 0, "none"],
        ["#,##0.00;(#,##0.00)", -1234.5, "(1,234.50)"],
        [`[>=100]"many";0`, 250, "many"],
        [`_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-`, 0, "- €"],
      ],
    ],
    [
      "units and literal characters",
      [
        [`0.0" kg"`, 2.5, "2.5 kg"],
        ["0.00 \\k\\g", 5, "5.00 kg"],
        ["0 Stk.", 5, "5 Stk."],
        ["CHF 0.00", 5, "CHF 5.00"],
        [`"Art. "@`, "Pen", "Art. Pen"],
        ["@", 12.5, "12.5"],
      ],
    ],
    [
      "currencies of languages",
      [
        ["#,##0.00 [$€-407]", 1249.5, "1.249,50 €"],
        ["[$$-409]#,##0.00", 1249.5, "$1,249.50"],
        ["[$£-809]#,##0", 1249.5, "£1,250"],
        [`[$EUR] 0.00`, 5, "EUR 5.00"],
        [`[Red]"$"#,##0`, -30, "-$30"],
      ],
    ],
    [
      "percentages, fractions, powers of ten and scaled numbers",
      [
        [9, 0.125, "13%"],
        ["0.0%", 0.125, "12.5%"],
        ["# ?/?", 1.25, "1 1/4"],
        ["0.00E+00", 12345, "1.23E+04"],
        [`0.0,,"M"`, 12345678, "12.3M"],
        ["#,##0,", 1234567, "1,235"],
      ],
    ],
    [
      "numbers without a format",
      [
        [0, 0.30000000000000004, "0.3"],
        [0, 1 / 3, "0.333333333"],
        [0, 1e20, "1E+20"],
        [0, -1234567.891234, "-1234567.891"],
        [0, 4915112345678, "4915112345678"],
        [0, 0.00001, "0.00001"],
      ],
    ],
    [
      "dates and times",
      [
        ["dd.mm.yyyy", 45962, "01.11.2025"],
        ["[$-407]dddd, d. mmmm yyyy", 45962, "Samstag, 1. November 2025"],
        ["yyyy-mm-dd", 60, "1900-02-29"],
        ["yyyy-mm-dd", 59, "1900-02-28"],
        ["h:mm AM/PM", 0.75, "6:00 PM"],
        ["d-mmm-yy", 45962, "1-Nov-25"],
        ["yyyy-mm-dd", -1, "-1"],
      ],
    ],
    [
      "dates that follow the system in one way",
      [
        [14, 45962, "2025-11-01"],
        [22, 45962.75, "2025-11-01 18:00"],
        ["[$-F800]dddd, mmmm dd, yyyy", 45962, "2025-11-01"],
        ["[$-F400]h:mm:ss AM/PM", 0.75, "18:00:00"],
        [31, 45962, "2025-11-01"],
        [44, 1249.5, "1,249.50"],
      ],
    ],
    [
      "something for codes that cannot be read",
      [
        ["0".repeat(100_000), 5, "5"],
        ["[", 5, "5"],
        [`0"unclosed`, 5, "5"],
        ["0;0;0;0;0;0", 5, "5"],
        ["constructor", 1e308, "constructor"],
      ],
    ],
  ] satisfies ReadonlyArray<readonly [string, ReadonlyArray<Cell>]>)("%s", async (_, cells) => {
    expect(await shown(cells)).toEqual(cells.map(([, , text]) => text))
  })

  test("dates of the calendar from 1904, and errors", async () => {
    const double = Buffer.alloc(8)
    double.writeDoubleLE(44_500.5)
    const error = (code: number) => Buffer.from([code, 1])
    const globals = [
      record(0x22, uint16(1)),
      record(0x41e, uint16(170), xlsString("dd.mm.yyyy")),
      record(0x41e, uint16(171), xlsString("[h]:mm")),
      ...[170, 171].map((format) => record(0xe0, uint16(0, format), Buffer.alloc(16))),
    ]
    const records = [
      record(0x203, uint16(0, 0, 0), double),
      record(0x203, uint16(0, 1, 1), double),
      record(0x205, uint16(0, 2, 0), error(0x07)),
      record(0x06, uint16(0, 3, 0), Buffer.from([2, 0, 0x2a, 0, 0, 0, 0xff, 0xff]), Buffer.alloc(6)),
    ]
    expect(await textOf("xls", xlsFile([{ name: "S", records }], globals))).toEndWith(
      "| 01.11.2025 | 1068012:00 | #DIV/0! | #N/A |",
    )
  })

  test("characters that are escaped in its text, and dates that are written as such", async () => {
    const strings = `<si><t>one_x000D_</t><t>\ntwo</t></si><si><t>_x005F_x000D_</t></si>`
    const cells = [
      `<c t="s"><v>0</v></c>`,
      `<c t="s"><v>1</v></c>`,
      `<c t="inlineStr"><is><t>a_x0009_b _x00e9_ _x12_</t></is></c>`,
      `<c t="d" s="1"><v>2025-11-01T18:00:00</v></c>`,
    ]
    const styles = `<cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs>`
    const content = `<sheetData><row>${cells.join("")}</row></sheetData>`
    expect(await textOf("xlsx", xlsxFile([{ name: "S", content }], { strings, styles }))).toEndWith(
      "| one two | _x000D_ | a b é _x12_ | 2025-11-01 18:00 |",
    )
  })

  test("in OpenDocument what it displays, or its value where nothing is displayed", async () => {
    const cells = [
      `office:value-type="float" office:value="1067"><text:p>01067</text:p>`,
      `office:value-type="time" office:time-value="PT40H30M"><text:p>40:30</text:p>`,
      `office:value-type="date" office:date-value="2025-11-01"><text:p>01.11.25</text:p>`,
      `office:value-type="float" office:value="5"><text:p/>`,
      `office:value-type="float" office:value="7">`,
      `office:value-type="string"><text:p>a<text:s/><text:s/>b<text:line-break/>c</text:p>`,
    ]
    const row = cells.map((cell) => `<table:table-cell ${cell}</table:table-cell>`).join("")
    const table = `<table:table table:name="S"><table:table-row>${row}</table:table-row></table:table>`
    expect(await textOf("ods", openDocument("ods", table))).toEndWith("| 01067 | 40:30 | 01.11.25 | 7 | a b c |")
  })
})

/** Cells of every kind, each with a word of its own. */
const cell = fc.constantFrom(
  "",
  "Tea",
  "12.50",
  "12,50",
  "Why?",
  "a;b",
  "x | y",
  'say "so"',
  "two\nlines",
  "long ".repeat(40),
)
const table = (minWidth = 0) =>
  fc.array(fc.array(cell, { minLength: minWidth, maxLength: 13 }), { minLength: 1, maxLength: 8 })
const marked = (lines: ReadonlyArray<ReadonlyArray<string>>) =>
  lines.map((line, row) => line.map((text, column) => (text === "" ? "" : `${text} r${row}c${column}`)))
const marksOf = (text: string) => new Set(text.match(/r\d+c\d+/g))

const quoted = (text: string, delimiter: string) =>
  text.includes(delimiter) || /["\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
const csvOf = (lines: ReadonlyArray<ReadonlyArray<string>>, delimiter: string) =>
  lines.map((line) => line.map((text) => quoted(text, delimiter)).join(delimiter)).join("\r\n")

const delimiter = fc.constantFrom(",", ";", "\t", "|")

describe("a table has all cells that were written", () => {
  test("in CSV", () =>
    fc.assert(
      fc.asyncProperty(table(), delimiter, async (drawn, sign) => {
        const lines = [...marked(drawn), ["End"]]
        expect(marksOf(await textOf("csv", csvOf(lines, sign)))).toEqual(marksOf(lines.join("\n")))
      }),
    ))

  test("in a workbook, with empty rows among them", () =>
    fc.assert(
      fc.asyncProperty(table(), async (drawn) => {
        const lines = [...marked(drawn), ["End"]].map((line) => line.map(escaped))
        expect(marksOf(await textOf("xlsx", xlsxFile([{ name: "S", content: rows(...lines) }])))).toEqual(
          marksOf(lines.join("\n")),
        )
      }),
    ))

  test("although those of its first row are equal", async () => {
    expect(await textOf("csv", "5,5\n1,2")).toBe("|  |  |\n| --- | --- |\n| 5 | 5 |\n| 1 | 2 |")
  })

  test("and the names of columns without a value", async () => {
    const names = Array.from({ length: 12 }, (_, column) => `Name ${column}`)
    const text = await textOf("csv", [names.join(","), `Tea${",".repeat(11)}`].join("\n"))
    expect(text).toStartWith("Name 0: Tea\n\nName 1; Name 2;")
  })
})

describe("CSV", () => {
  test("is cut where its header line is, whatever signs are in its cells", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 5 }).chain((width) =>
          fc.array(
            fc.array(fc.constantFrom("Tea", "a, b, c", "1,50", "x; y", "p | q"), {
              minLength: width,
              maxLength: width,
            }),
            { minLength: 1 },
          ),
        ),
        delimiter,
        async (body, sign) => {
          const header = (body[0] ?? []).map((_, column) => `Name ${column}`)
          const cellsOf = (line: ReadonlyArray<string>) => `| ${line.join(" | ").replaceAll("p | q", "p \\| q")} |`
          const text = await textOf("csv", csvOf([header, ...body], sign))
          expect(text.split("\n").toSpliced(1, 1)).toEqual([header, ...body].map(cellsOf))
        },
      ),
    ))

  const head = (...lines: ReadonlyArray<string>) => ["| A | B |", "| --- | --- |", ...lines].join("\n")
  test.each([
    ["a line that names its delimiter", "sep=;\nA;B\n1,2;3,4", head("| 1,2 | 3,4 |")],
    ["such a line in quotes, for a delimiter that is rare", `\ufeff"sep=^"\r\nA^B\r\n1^2\r\n`, head("| 1 | 2 |")],
    ["commas in all rows but the header", "A;B\nx, y, z;1\nu, v, w;2", head("| x, y, z | 1 |", "| u, v, w | 2 |")],
    [
      "commas and semicolons among tabs",
      "A\tB\nx, y, z; u\t1\nu, v, w; x\t2",
      head("| x, y, z; u | 1 |", "| u, v, w; x | 2 |"),
    ],
    ["decimal commas", "A;B\n12,50;x\n3,20;y", head("| 12,50 | x |", "| 3,20 | y |")],
    [
      "rows that lack cells, or have more",
      "A,B\n1\n2,3\n4,5,6\n7,8",
      "| A | B |  |\n| --- | --- | --- |\n| 1 |\n| 2 | 3 |\n| 4 | 5 | 6 |\n| 7 | 8 |",
    ],
    ["delimiters and line breaks in quotes", `A;B\n"x;\n,,,y";"said ""so"""`, head(`| x; ,,,y | said "so" |`)],
    [
      "one column with signs of delimiters",
      "Comment\nNice, really\nGood\nBad\nIt was so; so",
      "| Comment |\n| --- |\n| Nice, really |\n| Good |\n| Bad |\n| It was so; so |",
    ],
    [
      "titles with signs of delimiters",
      "Sales, by region\nin EUR\nA;B\n1;2\n3;4",
      "Sales, by region\n\nin EUR\n\n" + head("| 1 | 2 |", "| 3 | 4 |"),
    ],
    [
      "one wide row",
      Array.from({ length: 12 }, (_, column) => `Word ${column}`).join(";"),
      Array.from({ length: 12 }, (_, column) => `Word ${column}`).join("; "),
    ],
    ["no header but questions", "Open?,Yes\nHeated?,No", "|  |  |\n| --- | --- |\n| Open? | Yes |\n| Heated? | No |"],
  ])("has %s", async (_, content, expected) => {
    expect(await textOf("csv", content)).toBe(expected)
  })
})

describe("questions above their answers", () => {
  const long = "An answer that says much. ".repeat(6).trim()
  const blocks = `## May I?\n\nYes. ${long}\n\n## When?\n\nNow. ${long}`
  test.each([
    ["with a header", `Question;Answer\nMay I?;Yes. ${long}\nWhen?;Now. ${long}`, `Question; Answer\n\n${blocks}`],
    ["without a header", `May I?;Yes. ${long}\nWhen?;Now. ${long}`, blocks],
    [
      "in Chinese",
      `问题;回答\n可以吗？;${long}\n什么时候？;${long}`,
      `问题; 回答\n\n## 可以吗？\n\n${long}\n\n## 什么时候？\n\n${long}`,
    ],
    [
      "with more columns",
      `Topic;Question;Answer;Link\nA;May I?;Yes. ${long};\nB;When?;Now. ${long};`,
      `Question; Answer; Link\n\n${blocks.replace("\n\n## When", "\n\nTopic: A\n\n## When")}\n\nTopic: B`,
    ],
    [
      "with an answer that goes on in the next row",
      `Question;Answer\nMay I?;Yes. ${long}\n;More. ${long}\nWhen?;Now. ${long}\nWho?;We`,
      `Question; Answer\n\n${blocks.replace("\n\n## When", `\n\nMore. ${long}\n\n## When`)}\n\n## Who?\n\nWe`,
    ],
  ])("%s", async (_, content, expected) => {
    expect(await textOf("csv", content)).toBe(expected)
  })

  test("are not made of questions with several answers to choose from", async () => {
    const choice = "x".repeat(200)
    const text = await textOf("csv", `Question,A,B\nWhich one?,${choice},${choice}\nWhich other?,${choice},${choice}`)
    expect(text).toStartWith(`Question: Which one?\nA: ${choice}\nB: ${choice}\n\n`)
  })
})

describe("rows between empty rows", () => {
  const sheetText = async (...lines: ReadonlyArray<ReadonlyArray<string>>) =>
    (await textOf("xlsx", xlsxFile([{ name: "S", content: rows(...lines) }]))).replace("# S\n\n", "")

  test.each([
    [
      "are one table",
      [["A", "B"], [], ["Tea", "x"], [], [], ["Milk", "y"]],
      "| A | B |\n| --- | --- |\n| Tea | x |\n| Milk | y |",
    ],
    [
      "are one table below a title",
      [["Menu"], [], ["A", "B"], [], ["Tea", "1"], [], ["Milk", "2"]],
      "Menu\n\n| A | B |\n| --- | --- |\n| Tea | 1 |\n| Milk | 2 |",
    ],
    [
      "continue a table, as its sum does",
      [["A", "B"], ["Tea", "1"], ["Milk", "2"], [], ["Sum", "3"]],
      "| A | B |\n| --- | --- |\n| Tea | 1 |\n| Milk | 2 |\n| Sum | 3 |",
    ],
    [
      "are one table although cells are empty",
      [["A", "B", "C"], [], ["Tea", "", "x"], [], ["Milk", "y", ""]],
      "| A | B | C |\n| --- | --- | --- |\n| Tea |  | x |\n| Milk | y |  |",
    ],
    [
      "are a table of their own beside another one",
      [["A", "B"], ["Tea", "1"], [], ["C", "D"], ["Pen", "2"]],
      "| A | B |\n| --- | --- |\n| Tea | 1 |\n\n| C | D |\n| --- | --- |\n| Pen | 2 |",
    ],
    [
      "do not continue a table of other cells",
      [["A", "B"], ["Tea", "1"], [], ["Contact", "Ann"]],
      "| A | B |\n| --- | --- |\n| Tea | 1 |\n\n|  |  |\n| --- | --- |\n| Contact | Ann |",
    ],
  ])("%s", async (_, lines, expected) => {
    expect(await sheetText(...lines)).toBe(expected)
  })
})
