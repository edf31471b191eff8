import type { Place } from "./Sheet.ts"
import { childrenOf, type XmlElement } from "./Xml.ts"

/** The meaning of a number, as the format of its cell shows it. */
export type NumberKind = "number" | "percent" | "date" | "time" | "date and time"

export interface NumberFormat {
  readonly kind: NumberKind
  /** The text before and after the number, such as a currency or a unit, and the number of decimals then shown. */
  readonly around?: { readonly before: string; readonly after: string; readonly decimals: number }
}

const plainFormat: NumberFormat = { kind: "number" }

/** The kinds of the built-in number formats (ECMA-376 part 1, 18.8.30), by their ids. */
const builtInKinds: ReadonlyMap<number, NumberKind> = new Map([
  [9, "percent"],
  [10, "percent"],
  ...[14, 15, 16, 17].map((id) => [id, "date"] as const),
  ...[18, 19, 20, 21, 45, 46, 47].map((id) => [id, "time"] as const),
  [22, "date and time"],
  ...[27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, "date"] as const),
])

const kindOfCode = (code: string): NumberKind => {
  // Quoted text, escaped characters, and colours, conditions and currencies in brackets do not affect the kind.
  const [plain = ""] = code
    .replace(/"[^"]*"|\\.|_.|\*./g, "")
    .replace(/\[(?!h+\]|m+\]|s+\])[^\][]*\]/gi, "")
    .split(";")
  if (plain.includes("%")) return "percent"
  const isDate = /[yd]/i.test(plain) || /(?=mmm)(?<![hs:\]][^a-z]*)m{3,}/i.test(plain)
  const isTime = /[hs]/i.test(plain)
  if (isDate) return isTime ? "date and time" : "date"
  return isTime ? "time" : "number"
}

/** Matches a piece of a format: quoted text, a character that stands for itself, a currency, a filler, or digits. */
const PIECE = /"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|[_*].|([#0?][#0?,.]*)|(.)/gu

/** The text that a format for numbers puts around them; undefined where it puts none. */
const aroundOf = (code: string): NumberFormat["around"] => {
  let [before, after, digits] = ["", "", ""]
  for (const [, quoted, escaped, currency, places, other] of (
    /^(?:"[^"]*"|\\.|[^;"\\])*/.exec(code)?.[0] ?? ""
  ).matchAll(PIECE)) {
    const text = quoted ?? escaped ?? currency ?? other ?? ""
    // Digits in several places are a fraction, an exponent or the groups of a code.
    if (places !== undefined && digits !== "") return undefined
    if (places !== undefined) digits = places
    else if (digits === "") before += text
    else after += text
  }
  // A comma behind the digits divides the number by a thousand.
  if (digits === "" || digits.endsWith(",") || !/[^\s()+-]/.test(before + after)) return undefined
  return { before: before.trimStart(), after: after.trimEnd(), decimals: /\.([#0?]*)$/.exec(digits)?.[1]?.length ?? 0 }
}

/** The longest code of a format that spreadsheet programs write, in UTF-16 code units. */
const CODE_MAX_LENGTH = 255

/** The format that a code, such as `0.00 "kg"`, describes. */
export const formatOfCode = (code: string): NumberFormat => {
  if (code.length > CODE_MAX_LENGTH) return plainFormat
  const kind = kindOfCode(code)
  const around = kind === "number" ? aroundOf(code) : undefined
  return around === undefined ? { kind } : { kind, around }
}

/** The format of the numbers of each cell format, by the index that cells refer to. */
export const numberFormats = (styles: XmlElement | undefined): ReadonlyArray<NumberFormat> => {
  const list = (name: string) => childrenOf(styles, name).flatMap(({ children }) => children)
  const codes = new Map<number, NumberFormat>()
  for (const format of list("x:numFmts")) {
    if (typeof format === "string") continue
    codes.set(Number(format.attributes["numFmtId"]), formatOfCode(format.attributes["formatCode"] ?? ""))
  }
  return list("x:cellXfs")
    .filter((format) => typeof format !== "string")
    .map((format) => {
      return formatOfId(Number(format.attributes["numFmtId"] ?? 0), codes)
    })
}

/** The format of an id: one of those that the workbook declares, or a built-in one. */
export const formatOfId = (id: number, declared: ReadonlyMap<number, NumberFormat>): NumberFormat =>
  declared.get(id) ?? { kind: builtInKinds.get(id) ?? "number" }

const MILLISECONDS_PER_DAY = 86_400_000
/** Days from the start of a workbook's calendar to 1970. The one from 1900 has a 29 February 1900, which never was. */
const DAYS_TO_1970 = { from1900: 25_569, from1904: 24_107 }
/** The last day of the year 9999. */
const MAX_DAYS = 2_958_466

const dateText = (days: number, kind: NumberKind, is1904: boolean): string => {
  const sinceUnix = days - (is1904 ? DAYS_TO_1970.from1904 : DAYS_TO_1970.from1900)
  const iso = new Date(Math.round((sinceUnix * MILLISECONDS_PER_DAY) / 1000) * 1000).toISOString()
  const [date, time] = [iso.slice(0, 10), iso.slice(11, 19).replace(/:00$/, "")]
  if (kind === "time") return time
  return kind === "date" ? date : `${date} ${time}`
}

/** Writes a number without the inexact digits of binary fractions. */
const plainNumber = (value: number): string => String(Number(value.toPrecision(15)))

/**
 * Writes the value of a cell as a number, a percentage, a date or a time, with its currency or unit. A value that is no
 * number stays as it is.
 */
export const numberText = (raw: string, { around, kind }: NumberFormat = plainFormat, is1904 = false): string => {
  const value = Number(raw)
  if (raw.trim() === "" || !Number.isFinite(value)) return raw
  if (kind === "percent") return `${plainNumber(value * 100)}%`
  if (around !== undefined) {
    const { after, before, decimals } = around
    return `${value < 0 ? "-" : ""}${before}${Math.abs(value).toFixed(Math.min(decimals, 20))}${after}`
  }
  if (kind === "number" || value < 0 || value > MAX_DAYS) return plainNumber(value)
  return dateText(value, kind, is1904)
}

/** The column and row, from 0, of a reference such as `B12`; `undefined` for other text. */
export const placeOf = (reference: string): Place | undefined => {
  const [, letters, digits] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i.exec(reference) ?? []
  if (letters === undefined || digits === undefined) return undefined
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return { column: column - 1, row: Number(digits) - 1 }
}
