import { type Draft, Omitted, type Reader, Unreadable } from "../Extraction.ts"
import { CompoundFile } from "./CompoundFile.ts"
import { Budget, Cells } from "./Sheet.ts"
import { type NumberFormat, NumberFormats, numberText } from "./XlsxCells.ts"
import { RecordReader, recordsOf } from "./XlsRecords.ts"

/** Types of records (MS-XLS 2.3). */
const FORMULA = 0x06
const DATE_1904 = 0x22
const FILE_PASSWORD = 0x2f
const SHEET = 0x85
const NUMBERS = 0xbd
const CELL_FORMAT = 0xe0
const MERGED = 0xe5
const STRINGS = 0xfc
const SHARED_STRING = 0xfd
const TEXT_OBJECT = 0x1b6
const NUMBER = 0x203
const LABEL = 0x204
const BOOLEAN = 0x205
const STRING = 0x207
const SHORT_NUMBER = 0x27e
const NUMBER_FORMAT = 0x41e
const BEGINNING = 0x809
const END = 0x0a

const VERSION_OF_1997 = 0x600
/** What begins with a `BEGINNING`. */
const CHART = 0x20

interface Sheet {
  readonly name: string
  readonly isHidden: boolean
  readonly cells: Cells
  /** The texts of boxes and comments. */
  readonly boxes: Array<string>
}

/** A number that is stored in 30 bits: an integer or the upper half of a float, perhaps divided by a hundred. */
const shortNumber = (bits: number): number => {
  const double = Buffer.alloc(8)
  double.writeUInt32LE((bits & ~3) >>> 0, 4)
  const value = (bits & 2) === 0 ? double.readDoubleLE() : (bits | 0) >> 2
  return (bits & 1) === 0 ? value : value / 100
}

/** Reads the records of a workbook, in which the sheets follow what they share. */
class WorkbookReader {
  /** The sheets by the places of their first records. */
  readonly sheets = new Map<number, Sheet>()
  readonly omitted = new Omitted()
  private sheet: Sheet | undefined
  private isInChart = false
  private readonly budget: Budget
  private readonly strings: Array<string> = []
  private readonly known = new NumberFormats()
  private readonly formats: Array<NumberFormat> = []
  private is1904 = false
  row = 0
  column = 0

  constructor(budget: Budget) {
    this.budget = budget
  }

  read(stream: Buffer): void {
    for (const { at, pieces, type } of recordsOf(stream)) {
      const reader = new RecordReader(pieces)
      if (type === FILE_PASSWORD) throw passwordProtected()
      if (type === BEGINNING) {
        if (reader.short() !== VERSION_OF_1997) {
          throw new Unreadable("unsupported_format", "The workbook was written by Excel before 1997; save it as .xlsx.")
        }
        const isChart = reader.short() === CHART
        if (isChart && this.sheet?.isHidden !== true) this.omitted.add("charts")
        // A chart within a sheet has cells of its own.
        this.isInChart = this.sheet !== undefined && !this.sheets.has(at)
        this.sheet = this.sheets.get(at) ?? this.sheet
      } else if (type === END) this.isInChart = false
      else if (this.sheet === undefined) this.shared(type, reader)
      else if (!this.sheet.isHidden && !this.isInChart) this.content(type, reader, this.sheet)
    }
  }

  /** Reads a record of what the sheets share. */
  private shared(type: number, reader: RecordReader): void {
    if (type === DATE_1904) this.is1904 = reader.short() === 1
    else if (type === SHEET) {
      const at = reader.long()
      const [isHidden, isSheet] = [(reader.byte() & 3) !== 0, reader.byte() === 0]
      const name = reader.string(1)
      if (isHidden && isSheet) this.omitted.add("hidden_sheets", name)
      const sheet = { name, isHidden: isHidden || !isSheet, cells: new Cells(this.budget), boxes: [] }
      this.sheets.set(at, sheet)
    } else if (type === NUMBER_FORMAT) this.known.declare(reader.short(), reader.string())
    else if (type === CELL_FORMAT) {
      reader.bytes(2)
      this.formats.push(this.known.of(reader.short()))
    } else if (type === STRINGS) {
      reader.bytes(4)
      for (let left = reader.long(); left > 0 && reader.hasMore; left--) this.strings.push(reader.string())
    }
  }

  private content(type: number, reader: RecordReader, { boxes, cells }: Sheet): void {
    if (type === TEXT_OBJECT) {
      reader.bytes(10)
      const length = reader.short()
      reader.skipPiece()
      if (reader.hasMore) boxes.push(reader.characters(length))
    } else if (type === MERGED) {
      for (let left = reader.short(); left > 0 && reader.hasMore; left--) {
        const [row, lastRow, column, lastColumn] = [reader.short(), reader.short(), reader.short(), reader.short()]
        cells.merge({ row, column }, { row: lastRow, column: lastColumn })
      }
      // The text of a formula follows its cell.
    } else if (type === STRING) this.put(reader.string())
    else if (cellTypes.has(type)) this.cell(type, reader)
  }

  private put(text: string): void {
    this.sheet?.cells.put(this, text.trim())
  }

  private text(value: string, format: number): void {
    this.put(this.formats[format]?.text(value) ?? value)
  }

  private number(value: number, format: number): void {
    this.put(numberText(String(value), this.formats[format], this.is1904))
  }

  private cell(type: number, reader: RecordReader): void {
    this.row = reader.short()
    this.column = reader.short()
    const format = reader.short()
    if (type === SHARED_STRING) this.text(this.strings[reader.long()] ?? "", format)
    else if (type === LABEL) this.text(reader.string(), format)
    else if (type === NUMBER) this.number(reader.bytes(8).readDoubleLE(), format)
    else if (type === SHORT_NUMBER) this.number(shortNumber(reader.long()), format)
    else if (type === BOOLEAN) {
      const value = reader.byte()
      this.put(reader.byte() === 0 ? booleanText(value) : errorText(value))
    } else if (type === FORMULA) {
      const bytes = reader.bytes(8)
      // A result that is no number is a text, a boolean or an error, as the first byte says.
      if (bytes.readUInt16LE(6) !== 0xffff) this.number(bytes.readDoubleLE(), format)
      else if (bytes[0] === 1) this.put(booleanText(bytes[2]))
      else if (bytes[0] === 2) this.put(errorText(bytes[2]))
    } else {
      // Numbers of neighbours, each after its format. The number of the last column ends the record.
      for (let next = format; reader.hasMore; this.column++) {
        this.number(shortNumber(reader.long()), next)
        next = reader.short()
      }
    }
  }
}

const cellTypes = new Set([SHARED_STRING, LABEL, NUMBER, SHORT_NUMBER, BOOLEAN, FORMULA, NUMBERS])

const booleanText = (value: number | undefined): string => (value === 1 ? "TRUE" : "FALSE")

/** The errors of cells (MS-XLS 2.5.10), by their numbers. */
const errors: Readonly<Record<number, string>> = {
  0x00: "#NULL!",
  0x07: "#DIV/0!",
  0x0f: "#VALUE!",
  0x17: "#REF!",
  0x1d: "#NAME?",
  0x24: "#NUM!",
  0x2a: "#N/A",
}

const errorText = (value = -1): string => errors[value] ?? ""

const damaged = () => new Unreadable("corrupt_document", "The workbook is damaged.")

const passwordProtected = () => new Unreadable("password_protected", "The workbook is protected by a password.")

/**
 * Reads a workbook of Excel 97 to 2003 (BIFF8) into Markdown, with one page per sheet below its name. Formulas become
 * their values, and hidden sheets are left out.
 */
export const xls: Reader = (bytes, textLimit): Draft => {
  const file = new CompoundFile(bytes)
  if (file.paths.includes("EncryptedPackage")) throw passwordProtected()
  const stream = file.read("Workbook") ?? file.read("Book")
  if (stream === undefined) {
    throw new Unreadable("corrupt_document", "The file is a document of another kind than its name says.")
  }
  const workbook = new WorkbookReader(new Budget(textLimit))
  try {
    workbook.read(stream)
  } catch (cause) {
    // A record ends too early.
    throw cause instanceof RangeError ? damaged() : cause
  }
  if (workbook.sheets.size === 0) throw damaged()
  return {
    title: undefined,
    text: [...workbook.sheets.values()].map(({ boxes, cells, name }) => cells.write(name, boxes)),
    omitted: workbook.omitted,
  }
}
