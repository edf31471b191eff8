import { describe, expect, test } from "bun:test"
import { readDocument } from "../../lib/Defaults.ts"
import { onePage, pageOf, pdfOf, type PdfObject } from "../../lib/files/PdfFile.ts"

const read = (bytes: Uint8Array) => readDocument({ format: "pdf", name: "file.pdf", bytes })

const at = (x: number, y: number, text: string, size = 11) => `BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET`
const turned = (x: number, y: number, text: string, matrix: string) =>
  `BT /F1 11 Tf ${matrix} ${x} ${y} Tm (${text}) Tj ET`
const drawn = async (...operators: ReadonlyArray<string>) =>
  (await read(onePage({ value: "<< >>", stream: operators.join("\n") }))).text

/** Makes a form of one page with this content and these annotations, each with its place. */
const form = (
  content: ReadonlyArray<string>,
  annotations: ReadonlyArray<readonly [rect: string, entries: string]>,
  catalog = "",
) => {
  const first = 6
  const numbers = annotations.map((_, index) => `${first + index} 0 R`).join(" ")
  const objects: ReadonlyArray<PdfObject> = [
    { value: `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${numbers}] /DA (/F1 11 Tf 0 g) ${catalog} >> >>` },
    { value: "<< /Type /Pages /Kids [4 0 R] /Count 1 >>" },
    { value: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>" },
    { value: pageOf(5).value.replace(/>>$/, `/Annots [${numbers}] >>`) },
    { value: "<< >>", stream: content.join("\n") },
    ...annotations.map(([rect, entries]) => ({
      value: `<< /Type /Annot /F 4 /P 4 0 R /Rect [${rect}] ${entries.includes("/Subtype") ? "" : "/Subtype /Widget"} ${entries} >>`,
    })),
  ]
  return pdfOf(objects)
}

describe("a form", () => {
  const labels = [at(72, 700, "Name:"), at(72, 670, "Class:"), at(72, 640, "Pilot:"), at(72, 610, "Paid by:")]

  test("has what is filled in beside its labels", async () => {
    const { text } = await read(
      form(labels, [
        ["200 515 450 533", "/FT /Tx /T (later) /V (Below all.)"],
        ["200 665 450 683", "/FT /Ch /Ff 131072 /T (c) /V (b) /Opt [[(a) (Bulk)] [(b) (Fish)]]"],
        ["200 695 450 713", "/FT /Tx /T (n) /V (Jane Halloran)"],
        ["200 637 212 649", "/FT /Btn /T (p) /V /Yes /AS /Yes /AP << /N << /Yes 5 0 R /Off 5 0 R >> >>"],
        ["200 607 212 619", "/FT /Btn /T (q) /V /Off /AS /Off /AP << /N << /Yes 5 0 R /Off 5 0 R >> >>"],
      ]),
    )
    expect(text).toBe(
      "|  |  |\n| --- | --- |\n| Name: | Jane Halloran |\n| Class: | Fish |\n| Pilot: | ☒ |\n| Paid by: | ☐ |\n\nBelow all.",
    )
  })

  test.each([
    ["text on several lines", "200 650 450 713", "/FT /Tx /Ff 4096 /V (Quay 7\\rBerth East)", ["Quay 7", "Berth East"]],
    [
      "several choices",
      "200 695 450 713",
      "/FT /Ch /Ff 2097152 /V [(Fish) (Bulk)] /Opt [(Bulk) (Fish) (Oil)]",
      ["Fish, Bulk"],
    ],
    ["another script", "200 695 450 713", "/FT /Tx /V <FEFF51464EBA>", ["兆人"]],
    [
      "a note",
      "200 500 450 530",
      "/Subtype /FreeText /DA (/F1 12 Tf 0 g) /Contents (Approved on Monday)",
      ["Approved on Monday"],
    ],
  ])("has %s", async (_, rect, entries, expected) => {
    const { text } = await read(form(labels, [[rect, `/T (x) ${entries}`]]))
    for (const each of expected) expect(text).toContain(each)
    expect(text).toContain("Paid by:")
  })

  test.each([
    ["a hidden field", "/F 2 /FT /Tx /V (Secret)"],
    ["a password", "/FT /Tx /Ff 8192 /V (Secret)"],
    ["a button", "/FT /Btn /Ff 65536 /MK << /CA (Secret) >>"],
    ["a note that only opens by a click", "/Subtype /Text /Contents (Secret)"],
    ["an empty field", "/FT /Tx /TU (Secret)"],
  ])("has nothing of %s", async (_, entries) => {
    const { text } = await read(form(labels, [["200 695 450 713", `/T (Secret) ${entries}`]]))
    expect(text.replace(/\s+/g, " ")).toBe("Name: Class: Pilot: Paid by:")
  })

  test("has a box on the left of its label before it, and the chosen one of a group", async () => {
    const radio = "/FT /Btn /Ff 32768 /T (r) /V /Card /AP << /N << /STATE 5 0 R >> >> /AS"
    const { text } = await read(
      form(
        [at(90, 700, "Cash"), at(90, 670, "Card")],
        [
          ["72 697 84 709", `${radio} /Off`.replace("STATE", "Cash")],
          ["72 667 84 679", `${radio} /Card`.replace("STATE", "Card")],
        ],
      ),
    )
    expect(text).toMatch(/☐ Cash\s+☒ Card/)
  })

  test("has its text once where a program drew it on the page as well", async () => {
    const { text } = await read(
      form([...labels, at(202, 700, "Jane Halloran")], [["200 695 450 713", "/FT /Tx /T (n) /V (Jane Halloran)"]]),
    )
    expect(text.match(/Jane/g)).toHaveLength(1)
  })

  test("of XFA says that it cannot be read", async () => {
    const bytes = form([at(72, 700, "Please wait...")], [], "/XFA [(template) 5 0 R]")
    expect(await read(bytes).catch((cause: { code?: string }) => cause.code)).toBe("unsupported_format")
  })
})

describe("words that are drawn twice at one place", () => {
  test.each([
    ["at the same point", [at(72, 700, "Warranty terms"), at(72, 700, "Warranty terms")], "Warranty terms"],
    [
      "to make them bold",
      [at(72, 700, "Warranty terms"), at(72.4, 700, "Warranty terms"), at(72.2, 700.3, "Warranty terms")],
      "Warranty terms",
    ],
    [
      "as a shadow, after other text",
      [at(72, 700, "Terms", 20), at(72, 660, "The pump is covered.", 20), at(74, 698, "Terms", 20)],
      "Terms The pump is covered.",
    ],
    ["at the end of a text", [at(72, 700, "Total >60"), at(101.5, 700, ">60")], "Total >60"],
    [
      "letter by letter",
      [..."2047"].flatMap((digit, index) => [at(72 + index * 6.12, 700, digit), at(72.3 + index * 6.12, 700, digit)]),
      "2047",
    ],
    [
      "letter by letter, at the same points",
      [..."AB"].flatMap((letter, index) => [at(72 + index * 7.34, 700, letter), at(72 + index * 7.34, 700, letter)]),
      "AB",
    ],
  ])("are read once: %s", async (_, operators, expected) => {
    expect((await drawn(...operators)).replace(/^#+ /, "")).toBe(expected)
  })

  test.each([
    ["beside each other", [at(72, 700, "no no"), at(102, 700, "no")], "no no no"],
    ["one below the other", [at(72, 700, "Total"), at(72, 687, "Total")], "Total Total"],
    ["with doubled letters", [at(72, 700, "Aal"), at(87.9, 700, "l"), at(90.4, 700, "ee")], "Aallee"],
  ])("are read as often as they stand %s", async (_, operators, expected) => {
    expect(await drawn(...operators)).toBe(expected)
  })
})

describe("a page whose text is turned", () => {
  const table = [
    ["Item", "Weight", "Price"],
    ["Anchor", "12 kg", "40"],
    ["Rope", "7 kg", "15"],
  ]
  const expected = "| Item | Weight | Price |\n| --- | --- | --- |\n| Anchor | 12 kg | 40 |\n| Rope | 7 kg | 15 |"
  const cells = (place: (row: number, column: number) => readonly [number, number], matrix: string) =>
    table.flatMap((row, line) => row.map((cell, column) => turned(...place(line, column), cell, matrix)))

  test("upwards is read in order", async () => {
    expect(await drawn(...cells((row, column) => [100 + row * 20, 100 + column * 150], "0 1 -1 0"))).toBe(expected)
  })

  test("downwards is read in order", async () => {
    expect(await drawn(...cells((row, column) => [400 - row * 20, 700 - column * 150], "0 -1 1 0"))).toBe(expected)
  })

  test("is read in order beside an upright line", async () => {
    const upright = at(72, 760, "Annex")
    const text = await drawn(upright, ...cells((row, column) => [100 + row * 20, 100 + column * 150], "0 1 -1 0"))
    expect(text).toContain(expected)
    expect(text).toContain("Annex")
  })

  test("and is shown turned back is read in order", async () => {
    const stream = cells((row, column) => [100 + row * 20, 100 + column * 150], "0 1 -1 0").join("\n")
    const objects = onePage({ value: "<< >>", stream })
    const back = Buffer.from(objects).toString("latin1").replace("/Contents 5 0 R", "/Contents 5 0 R /Rotate 90")
    expect((await read(new Uint8Array(Buffer.from(back, "latin1")))).text).toBe(expected)
  })

  test("only in its margin keeps its other text", async () => {
    const margin = turned(30, 100, "arXiv 2101", "0 1 -1 0")
    expect(await drawn(margin, at(72, 700, "The pump is covered for thirty months."))).toContain("The pump is covered")
  })
})
