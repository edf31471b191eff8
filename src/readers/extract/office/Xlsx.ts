import type { Draft, Reader } from "../Extraction.ts"
import { type People, peopleOf, sheetComments } from "./Comments.ts"
import { chartsIn, isDecorative } from "./Drawing.ts"
import { OfficePackage } from "./OfficePackage.ts"
import { Budget, Cells, lettersOf } from "./Sheet.ts"
import { isoDays, type NumberFormat, numberFormats, numberText, placeOf, unescaped } from "./XlsxCells.ts"
import { allOf, childOf, childrenOf, readXml, textOf, type XmlElement } from "./Xml.ts"

/** The parts of a workbook that its sheets share. */
interface Workbook {
  readonly strings: ReadonlyArray<string>
  /** Number format of each cell format, by its index. */
  readonly formats: ReadonlyArray<NumberFormat>
  /** Whether dates count from 1904 rather than 1900. */
  readonly is1904: boolean
  readonly people: People
}

/** The shared strings of a workbook. The runs of a string are joined, and phonetic guides are left out. */
const sharedStrings = (bytes: Uint8Array | undefined): ReadonlyArray<string> => {
  const strings: Array<string> = []
  let text = ""
  let inText = false
  let inPhonetic = false
  if (bytes === undefined) return strings
  readXml(bytes, {
    open: (name) => {
      if (name === "x:si") text = ""
      if (name === "x:rPh") inPhonetic = true
      inText = name === "x:t" && !inPhonetic
    },
    text: (piece) => {
      if (inText) text += piece
    },
    close: (name) => {
      if (name === "x:si") strings.push(unescaped(text))
      if (name === "x:rPh") inPhonetic = false
      inText = false
    },
  })
  return strings
}

/** Reads the cells of one sheet from XML events, because a sheet may be too large for a tree. */
class SheetReader {
  readonly cells: Cells
  readonly drawings: Array<string> = []
  private readonly workbook: Workbook
  row = -1
  column = -1
  private type = ""
  private style = 0
  private value = ""
  private inValue = false
  /** Whether the cell has a formula whose result is not known yet. */
  private isUnsolved = false
  private readonly omitUnsolved: (cell: SheetReader) => void

  constructor(workbook: Workbook, budget: Budget, omitUnsolved: (cell: SheetReader) => void) {
    this.workbook = workbook
    this.omitUnsolved = omitUnsolved
    this.cells = new Cells(budget)
  }

  read(bytes: Uint8Array): void {
    readXml(bytes, {
      open: (name, attributes) => this.open(name, attributes),
      text: (text) => {
        if (this.inValue) this.value += text
      },
      close: (name) => this.close(name),
    })
  }

  private open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === "x:row") {
      this.row = attributes["r"] === undefined ? this.row + 1 : Number(attributes["r"]) - 1
      this.column = -1
    } else if (name === "x:c") {
      // A row or cell without a reference follows the one before.
      const place = placeOf(attributes["r"] ?? "")
      this.column = place?.column ?? this.column + 1
      this.row = place?.row ?? this.row
      this.type = attributes["t"] ?? "n"
      this.style = Number(attributes["s"] ?? 0)
      this.value = ""
      this.isUnsolved = false
    } else if (name === "x:v" || name === "x:t") {
      this.inValue = true
      this.isUnsolved = false
    } else if (name === "x:rPh" || name === "x:f") {
      this.inValue = false
      this.isUnsolved = name === "x:f"
    } else if (name === "x:mergeCell") {
      const [first, last] = (attributes["ref"] ?? "").split(":").map(placeOf)
      if (first !== undefined && last !== undefined) this.cells.merge(first, last)
    } else if (name === "x:drawing") this.drawings.push(attributes["r:id"] ?? "")
  }

  private close(name: string): void {
    this.inValue = false
    if (name !== "x:c") return
    if (this.isUnsolved) this.omitUnsolved(this)
    this.cells.put(this, this.textOfCell().trim())
  }

  private textOfCell(): string {
    const { strings, formats, is1904 } = this.workbook
    const format = formats[this.style]
    if (this.type === "n") return numberText(this.value, format, is1904)
    if (this.type === "d") return numberText(isoDays(this.value), format)
    if (this.type === "b") return this.value === "1" ? "TRUE" : "FALSE"
    if (this.type === "e") return this.value
    const text = this.type === "s" ? (strings[Number(this.value)] ?? "") : unescaped(this.value)
    return format?.text(text) ?? text
  }
}

/** The text boxes and charts of a sheet, as Markdown blocks. */
const drawingBlocks = (office: OfficePackage, sheetPath: string): ReadonlyArray<string> =>
  office.targets(sheetPath, "drawing").flatMap((path) => {
    const drawing = office.part(path)
    if (drawing === undefined) return []
    for (const picture of allOf(drawing, "xdr:pic")) {
      const properties = allOf(picture, "xdr:cNvPr")[0]
      if (!isDecorative(properties)) office.omitted.add("images")
    }
    const boxes = allOf(drawing, "a:p").map((paragraph) => allOf(paragraph, "a:t").map(textOf).join("").trim())
    return [...boxes.filter((text) => text !== ""), ...chartsIn(office, path, drawing)]
  })

const sheetText = (office: OfficePackage, path: string, name: string, workbook: Workbook, budget: Budget): string => {
  const { omitted } = office
  const sheet = new SheetReader(workbook, budget, ({ column, row }) =>
    omitted.add("formulas", `${name} ${lettersOf(column)}${row + 1}`),
  )
  omitted.attempt("parts", name, () => {
    const bytes = office.bytes(path)
    if (bytes !== undefined) sheet.read(bytes)
  })
  office.omitObjects(path)
  return sheet.cells.write(name, [...drawingBlocks(office, path), ...sheetComments(office, path, workbook.people)])
}

const isHidden = ({ attributes }: XmlElement) => (attributes["state"] ?? "visible") !== "visible"

/**
 * Reads a workbook into Markdown, with one page per sheet below its name. Formulas become their values, and hidden
 * sheets are left out.
 */
export const xlsx: Reader = (bytes, textLimit): Draft => {
  const office = new OfficePackage(bytes)
  const { path, root } = office.main("x:workbook")
  const related = (type: string) => office.targets(path, type)[0]
  const [strings, styles] = [related("sharedStrings"), related("styles")]
  const date1904 = childOf(root, "x:workbookPr")?.attributes["date1904"]
  const workbook: Workbook = {
    strings: strings === undefined ? [] : sharedStrings(office.bytes(strings)),
    formats: numberFormats(styles === undefined ? undefined : office.part(styles)),
    is1904: date1904 === "1" || date1904 === "true",
    people: peopleOf(office, path),
  }
  const budget = new Budget(textLimit)
  const sheets = childrenOf(childOf(root, "x:sheets"), "x:sheet").map((sheet) => {
    const name = sheet.attributes["name"] ?? ""
    if (isHidden(sheet)) {
      office.omitted.add("hidden_sheets", name)
      return ""
    }
    const target = office.target(path, sheet.attributes["r:id"])
    return target === undefined ? "" : sheetText(office, target, name, workbook, budget)
  })
  return { title: office.title(), text: sheets, omitted: office.omitted }
}
