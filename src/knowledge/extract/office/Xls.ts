import { type Draft, type Reader, Unreadable } from "../Extraction.ts"
import { CompoundFile } from "./CompoundFile.ts"
import { Budget, Cells } from "./Sheet.ts"
import { formatOfCode, formatOfId, type NumberFormat, numberText } from "./XlsxCells.ts"
import { BOF, damaged, RecordReader, recordsOf } from "./XlsRecords.ts"

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

const VERSION_OF_1997 = 0x600

interface Sheet {
  readonly name: string
  /** The first byte of its records in the stream. */
  readonly at: number
  readonly isHidden: boolean
}

/** The parts of a workbook that its sheets share. */
interface Workbook {
  readonly sheets: ReadonlyArray<Sheet>
  readonly strings: ReadonlyArray<string>
  readonly formats: ReadonlyArray<NumberFormat>
  readonly is1904: boolean
}

/** A number that is stored in 30 bits: an integer or the upper half of a float, perhaps divided by a hundred. */
const shortNumber = (bits: number): number => {
  const double = Buffer.alloc(8)
  double.writeUInt32LE((bits & ~3) >>> 0, 4)
  const value = (bits & 2) === 0 ? double.readDoubleLE() : (bits | 0) >> 2
  return (bits & 1) === 0 ? value : value / 100
}

const workbookOf = (stream: Buffer): Workbook => {
  const sheets: Array<Sheet> = []
  const strings: Array<string> = []
  const codes = new Map<number, NumberFormat>()
  const ids: Array<number> = []
  let is1904 = false
  for (const record of recordsOf(stream)) {
    const reader = new RecordReader(record)
    if (record.type === BOF && reader.short() !== VERSION_OF_1997) {
      throw new Unreadable("unsupported_format", "The workbook was written by Excel before 1997; save it as .xlsx.")
    } else if (record.type === FILE_PASSWORD) {
      throw new Unreadable("password_protected", "The workbook is protected by a password.")
    } else if (record.type === DATE_1904) is1904 = reader.short() === 1
    else if (record.type === SHEET) {
      const at = reader.long()
      const [isHidden, isSheet] = [(reader.byte() & 3) !== 0, reader.byte() === 0]
      sheets.push({ at, isHidden: isHidden || !isSheet, name: reader.string(1) })
    } else if (record.type === NUMBER_FORMAT) codes.set(reader.short(), formatOfCode(reader.string()))
    else if (record.type === CELL_FORMAT) {
      reader.skip(2)
      ids.push(reader.short())
    } else if (record.type === STRINGS) {
      reader.skip(4)
      for (let left = reader.long(); left > 0 && reader.hasMore; left--) strings.push(reader.string())
    }
  }
  if (sheets.length === 0) throw damaged()
  return { sheets, strings, is1904, formats: ids.map((id) => formatOfId(id, codes)) }
}

/** Reads the records of one sheet. */
class SheetReader {
  readonly cells: Cells
  /** The texts of boxes and comments. */
  readonly boxes: Array<string> = []
  private readonly workbook: Workbook
  row = 0
  column = 0

  constructor(workbook: Workbook, budget: Budget) {
    this.workbook = workbook
    this.cells = new Cells(budget)
  }

  private put(text: string): void {
    this.cells.put(this, text.trim())
  }

  private number(value: number, format: number): void {
    this.put(numberText(String(value), this.workbook.formats[format], this.workbook.is1904))
  }

  read(stream: Buffer, at: number): void {
    for (const record of recordsOf(stream, at)) {
      const { type } = record
      const reader = new RecordReader(record)
      if (type === TEXT_OBJECT) {
        reader.skip(10)
        const length = reader.short()
        reader.nextPiece()
        if (length > 0 && reader.hasMore) this.boxes.push(reader.characters(length, (reader.byte() & 1) === 1))
      } else if (type === MERGED) {
        for (let left = reader.short(); left > 0 && reader.hasMore; left--) {
          const [row, lastRow, column, lastColumn] = [reader.short(), reader.short(), reader.short(), reader.short()]
          this.cells.merge({ row, column }, { row: lastRow, column: lastColumn })
        }
        // The text of a formula follows its cell.
      } else if (type === STRING) this.put(reader.string())
      else if (cellTypes.has(type)) this.cell(type, reader)
    }
  }

  private cell(type: number, reader: RecordReader): void {
    this.row = reader.short()
    this.column = reader.short()
    const format = reader.short()
    if (type === SHARED_STRING) this.put(this.workbook.strings[reader.long()] ?? "")
    else if (type === LABEL) this.put(reader.string())
    else if (type === NUMBER) this.number(reader.bytes(8).readDoubleLE(), format)
    else if (type === SHORT_NUMBER) this.number(shortNumber(reader.long()), format)
    else if (type === BOOLEAN) {
      const value = reader.byte()
      // The next byte tells errors.
      if (reader.byte() === 0) this.put(booleanText(value))
    } else if (type === FORMULA) {
      const bytes = reader.bytes(8)
      // A result that is no number is a text, a boolean or an error, as the first byte says.
      if (bytes.readUInt16LE(6) !== 0xffff) this.number(bytes.readDoubleLE(), format)
      else if (bytes[0] === 1) this.put(booleanText(bytes[2]))
    } else this.numbers(format, reader)
  }

  /** Numbers of neighbours, each after its format. The number of the last column ends the record. */
  private numbers(first: number, reader: RecordReader): void {
    for (let format = first; reader.hasMore; this.column++) {
      this.number(shortNumber(reader.long()), format)
      format = reader.short()
    }
  }
}

const cellTypes = new Set([SHARED_STRING, LABEL, NUMBER, SHORT_NUMBER, BOOLEAN, FORMULA, NUMBERS])

const booleanText = (value: number | undefined): string => (value === 1 ? "TRUE" : "FALSE")

const sheetText = (stream: Buffer, { at, name }: Sheet, workbook: Workbook, budget: Budget): string => {
  const sheet = new SheetReader(workbook, budget)
  sheet.read(stream, at)
  return sheet.cells.write(name, sheet.boxes)
}

/**
 * Reads a workbook of Excel 97 to 2003 (BIFF8) into Markdown, with one page per sheet below its name. Formulas become
 * their values, and hidden sheets are left out.
 */
export const xls: Reader = (bytes, textLimit): Draft => {
  const file = new CompoundFile(bytes)
  if (file.has("EncryptedPackage")) {
    throw new Unreadable("password_protected", "The workbook is protected by a password.")
  }
  const stream = file.read("Workbook") ?? file.read("Book")
  if (stream === undefined) {
    throw new Unreadable("corrupt_document", "The file is a document of another kind than its name says.")
  }
  const workbook = workbookOf(stream)
  const budget = new Budget(textLimit)
  // The records of a sheet end where those of another begin, so that no record is read twice.
  const starts = [...new Set(workbook.sheets.map(({ at }) => at))].sort((a, b) => a - b)
  const ends = new Map(starts.map((at, index) => [at, starts[index + 1] ?? stream.length]))
  const texts = workbook.sheets.map((sheet) => {
    const end = ends.get(sheet.at)
    ends.delete(sheet.at)
    return sheet.isHidden || end === undefined ? "" : sheetText(stream.subarray(0, end), sheet, workbook, budget)
  })
  return { title: undefined, text: texts }
}
