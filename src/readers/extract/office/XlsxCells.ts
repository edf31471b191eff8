import { format, getFormatDateInfo, getFormatFromId, isValidFormat } from "numfmt"
import type { Place } from "./Sheet.ts"
import { childrenOf, type XmlElement } from "./Xml.ts"

/** The longest code of a format that spreadsheet programs write, in UTF-16 code units. */
const CODE_MAX_LENGTH = 255
/** Days between the calendars of workbooks, from 1900 and from 1904. */
const DAYS_TO_1904 = 1462

/** A number format, such as `0.00 "kg"`, which shows the values of cells. */
export class NumberFormat {
  private readonly declared: string
  private read: { readonly code: string; readonly isDate: boolean; readonly hasText: boolean } | undefined

  constructor(code: string) {
    this.declared = code
  }

  /** Formats are read when a cell first needs them, because workbooks declare many that none has. */
  private get known() {
    return (this.read ??= readCode(this.declared))
  }

  text(value: string): string {
    const { code, hasText } = this.known
    return hasText ? format(code, value) : value
  }

  number(value: number, is1904 = false): string {
    const { code, isDate } = this.known
    const plain = String(value)
    // Long numbers, such as those of articles, stay whole, although Excel shows their powers of ten.
    if (code === GENERAL && !plain.includes("e") && (plain.length < 11 || Number.isSafeInteger(value))) return plain
    return format(code, isDate && is1904 ? value + DAYS_TO_1904 : value, { dateSpanLarge: false })
  }
}

const GENERAL = "General"
/** What a reader's system may write otherwise is written so that nobody takes a day for a month. */
const [DATE, TIME] = ["yyyy-mm-dd", "h:mm:ss"]

const readCode = (declared: string) => {
  const isDateOfSystem = /^\[\$-(?:F800|x-sysdate)\]/i.test(declared)
  const isTimeOfSystem = /^\[\$-(?:F400|x-systime)\]/i.test(declared)
  // Some programs do not quote units.
  const quoted = declared.replaceAll(/\p{L}[\p{L}.]*/gu, '"$&"')
  const codes = isDateOfSystem ? [DATE] : isTimeOfSystem ? [TIME] : [declared, quoted]
  const code = codes.find((each) => each.length <= CODE_MAX_LENGTH && isValidFormat(each)) ?? GENERAL
  const { day, month, year } = getFormatDateInfo(code)
  return { code: code === "@" ? GENERAL : code, isDate: year || month || day, hasText: /@.|.@|;.*;.*;/su.test(code) }
}

const general = new NumberFormat(GENERAL)

/** The built-in formats that show dates as the reader's system does (ECMA-376 part 1, 18.8.30), by their ids. */
const systemFormats: ReadonlyMap<number, string> = new Map([
  ...[14, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58].map((id) => [id, DATE] as const),
  [22, `${DATE} hh:mm`],
])
const LAST_BUILT_IN = 58

/** The code of a built-in format, without a currency, which would be that of the reader's system. */
const builtIn = (id: number): string =>
  systemFormats.get(id) ?? getFormatFromId(id <= LAST_BUILT_IN ? id : 0).replaceAll("$", "")

/** The formats of a workbook by their ids: those that it declares, and the built-in ones. */
export class NumberFormats {
  private readonly byId = new Map<number, NumberFormat>()

  declare(id: number, code: string): void {
    // No declaration changes how a system writes dates.
    if (!systemFormats.has(id)) this.byId.set(id, new NumberFormat(code))
  }

  of(id: number): NumberFormat {
    const known = this.byId.get(id) ?? new NumberFormat(builtIn(id))
    this.byId.set(id, known)
    return known
  }
}

/** The number format of each cell format, by the index that cells refer to. */
export const numberFormats = (styles: XmlElement | undefined): ReadonlyArray<NumberFormat> => {
  const list = (name: string, child: string) =>
    childrenOf(styles, name).flatMap((element) => childrenOf(element, child).map(({ attributes }) => attributes))
  const formats = new NumberFormats()
  for (const each of list("x:numFmts", "x:numFmt")) formats.declare(Number(each["numFmtId"]), each["formatCode"] ?? "")
  return list("x:cellXfs", "x:xf").map((each) => formats.of(Number(each["numFmtId"] ?? 0)))
}

/** The number of a cell as its format shows it. A value that is no number stays as it is. */
export const numberText = (raw: string, shown = general, is1904 = false): string => {
  const value = Number(raw)
  return raw.trim() === "" || !Number.isFinite(value) ? raw : shown.number(value, is1904)
}

/** The column and row, from 0, of a reference such as `B12`; `undefined` for other text. */
export const placeOf = (reference: string): Place | undefined => {
  const [, letters, digits] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i.exec(reference) ?? []
  if (letters === undefined || digits === undefined) return undefined
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return { column: column - 1, row: Number(digits) - 1 }
}

const MILLISECONDS_PER_DAY = 86_400_000
/** Days from the start of the calendar from 1900 to 1970. */
const DAYS_TO_1970 = 25_569

/** The days since 1900 of a date in the order of ISO 8601; any other text as it is. */
export const isoDays = (text: string): string => {
  const days = Date.parse(/T[^Z+]*$/.test(text) ? `${text}Z` : text) / MILLISECONDS_PER_DAY + DAYS_TO_1970
  return Number.isFinite(days) ? String(days) : text
}

/** A text of a workbook without its escapes of characters, such as `_x000D_` (ECMA-376 part 1, 22.9.2.19). */
export const unescaped = (text: string): string =>
  text.replaceAll(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
