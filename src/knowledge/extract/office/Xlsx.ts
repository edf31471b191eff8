import { type Draft, type Reader, tooLarge } from "../Extraction.ts"
import { cellsOnLine, writeRows } from "../Rows.ts"
import { MAX_REPEATED_CHARACTERS } from "../Table.ts"
import { chartsIn } from "./Drawing.ts"
import { OfficePackage } from "./OfficePackage.ts"
import { type NumberFormat, numberFormats, numberText, placeOf } from "./XlsxCells.ts"
import { allOf, childOf, childrenOf, readXml, textOf, type XmlElement } from "./Xml.ts"

/** Most cells of a workbook that are not empty. */
const MAX_CELLS = 2_000_000

/** Most merged cells of a sheet that are filled with the text of the first. */
const MAX_MERGED_CELLS = 10_000

/** The texts of cells, by row and column, both from 0. */
type Cells = Map<number, Map<number, string>>

/** The parts of a workbook that its sheets share. */
interface Workbook {
  readonly strings: ReadonlyArray<string>
  /** Number format of each cell format, by its index. */
  readonly formats: ReadonlyArray<NumberFormat>
  /** Whether dates count from 1904 rather than 1900. */
  readonly is1904: boolean
}

/** Counts the cells and characters that are read of a workbook, and throws when they exceed the limits. */
class Budget {
  private cells = 0
  private characters = 0
  readonly textLimit: number

  constructor(textLimit: number) {
    this.textLimit = textLimit
  }

  take(text: string): void {
    this.cells++
    this.characters += text.length
    if (this.cells > MAX_CELLS || this.characters > this.textLimit) throw tooLarge(this.textLimit)
  }
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
      if (name === "x:si") strings.push(text)
      if (name === "x:rPh") inPhonetic = false
      inText = false
    },
  })
  return strings
}

/** Reads the cells of one sheet from XML events, because a sheet may be too large for a tree. */
class SheetReader {
  readonly cells: Cells = new Map()
  readonly merged: Array<string> = []
  readonly drawings: Array<string> = []
  private readonly workbook: Workbook
  private readonly budget: Budget
  private row = -1
  private column = -1
  private type = ""
  private style = 0
  private value = ""
  private inValue = false

  constructor(workbook: Workbook, budget: Budget) {
    this.workbook = workbook
    this.budget = budget
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
    } else if (name === "x:v" || name === "x:t") this.inValue = true
    else if (name === "x:rPh" || name === "x:f") this.inValue = false
    else if (name === "x:mergeCell") this.merged.push(attributes["ref"] ?? "")
    else if (name === "x:drawing") this.drawings.push(attributes["r:id"] ?? "")
  }

  private close(name: string): void {
    this.inValue = false
    if (name !== "x:c") return
    const text = this.textOfCell().trim()
    if (text === "") return
    this.budget.take(text)
    const cells = this.cells.get(this.row) ?? new Map<number, string>()
    this.cells.set(this.row, cells.set(this.column, text))
  }

  private textOfCell(): string {
    const { strings, formats, is1904 } = this.workbook
    if (this.type === "s") return strings[Number(this.value)] ?? ""
    if (this.type === "b") return this.value === "1" ? "TRUE" : "FALSE"
    if (this.type === "n") return numberText(this.value, formats[this.style], is1904)
    return this.value
  }
}

/** Repeats the text of the first of merged cells in all of them, in the rows that exist. */
const fillMerged = (cells: Cells, merged: ReadonlyArray<string>): void => {
  let budget = MAX_MERGED_CELLS
  for (const range of merged) {
    const [first, last] = range.split(":").map(placeOf)
    const text = first === undefined ? undefined : cells.get(first.row)?.get(first.column)
    if (first === undefined || last === undefined || text === undefined || text.length > MAX_REPEATED_CHARACTERS)
      continue
    const area = (last.row - first.row + 1) * (last.column - first.column + 1)
    if (area > budget) continue
    budget -= area
    for (let row = first.row; row <= last.row; row++) {
      const line = cells.get(row)
      for (let column = first.column; line !== undefined && column <= last.column; column++) line.set(column, text)
    }
  }
}

/** A group of rows is written as a table when it has at most this many places per cell that is not empty. */
const MAX_PLACES_PER_CELL = 50
/** A group of rows with at most this many places is always written as a table. */
const ALWAYS_ALLOWED_PLACES = 100_000

/** Writes rows as a table without the columns that are empty in all of them, or scattered cells as one line per row. */
const writeGroup = (rows: ReadonlyArray<ReadonlyMap<number, string>>, textLimit: number): string => {
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].sort((a, b) => a - b)
  const places = rows.length * columns.length
  const cells = rows.reduce((sum, row) => sum + row.size, 0)
  if (places > Math.max(cells * MAX_PLACES_PER_CELL, ALWAYS_ALLOWED_PLACES)) {
    return rows.map((row) => cellsOnLine([...row.values()])).join("\n")
  }
  return writeRows(
    rows.map((row) => columns.map((column) => row.get(column) ?? "")),
    textLimit,
  )
}

/** The groups of rows that empty rows separate. */
const groupsOf = (cells: Cells): ReadonlyArray<ReadonlyArray<ReadonlyMap<number, string>>> => {
  const groups: Array<Array<ReadonlyMap<number, string>>> = []
  let before: number | undefined
  for (const [number, row] of [...cells].sort(([a], [b]) => a - b)) {
    if (before === undefined || number > before + 1) groups.push([])
    groups.at(-1)?.push(row)
    before = number
  }
  return groups
}

/** The text boxes and charts of a sheet, as Markdown blocks. */
const drawingBlocks = (office: OfficePackage, sheetPath: string): ReadonlyArray<string> =>
  office.targets(sheetPath, "drawing").flatMap((path) => {
    const drawing = office.part(path)
    if (drawing === undefined) return []
    const boxes = allOf(drawing, "a:p").map((paragraph) => allOf(paragraph, "a:t").map(textOf).join("").trim())
    return [...boxes.filter((text) => text !== ""), ...chartsIn(office, path, drawing)]
  })

const sheetText = (office: OfficePackage, path: string, name: string, workbook: Workbook, budget: Budget): string => {
  const bytes = office.bytes(path)
  if (bytes === undefined) return ""
  const sheet = new SheetReader(workbook, budget)
  sheet.read(bytes)
  fillMerged(sheet.cells, sheet.merged)
  const tables = groupsOf(sheet.cells).map((rows) => writeGroup(rows, budget.textLimit))
  const blocks = [...tables, ...drawingBlocks(office, path)]
  return blocks.length === 0 ? "" : [`# ${name}`, ...blocks].join("\n\n")
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
  }
  const budget = new Budget(textLimit)
  const sheets = childrenOf(childOf(root, "x:sheets"), "x:sheet").map((sheet) => {
    const target = isHidden(sheet) ? undefined : office.target(path, sheet.attributes["r:id"])
    return target === undefined ? "" : sheetText(office, target, sheet.attributes["name"] ?? "", workbook, budget)
  })
  return { title: office.title(), text: sheets }
}
