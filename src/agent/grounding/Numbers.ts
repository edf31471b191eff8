import { locales, type SpokenLanguage } from "../../languages/Locales.ts"
import type { BoundedText } from "../../text/BoundedText.ts"
import { normalize } from "../../text/Normalization.ts"
import { lowerCased } from "../../text/PhraseBook.ts"

/*
 * Reads the numbers of a text in whatever form they are written: `1,000` and `1.000`, `٣` and `3`, `five` and `5`,
 * `3 May 2024` and `2024-05-03`, `2 pm` and `14:00`.
 */

/** A number as it is written, with all values that it may have. */
export interface WrittenNumber {
  readonly text: string
  readonly values: ReadonlyArray<number>
}

/** Matches dates, times, numbers with groups of three digits, and other numbers. */
const NUMBER =
  /(?<!\d)(?:(\d{4})[-/年](\d{1,2})[-/月](\d{1,2})|(\d{1,2})[./](\d{1,2})[./](\d{4}|\d{2})(?!\d)|(\d{1,2}):([0-5]\d)(?!\d)|([1-9]\d{0,2}(?:[.,'’\u00a0\u202f ]\d{3})+(?!\d)(?:[.,]\d+)?)|\d+(?:[.,]\d+)?)/gu

const SCALES: ReadonlyArray<readonly [RegExp, number]> = [
  [/^\s?(?:mi(?:llion|ll?ones|lh|lion|o\b)|mln|مليون|млн|миллион|百万)/iu, 1e6],
  [/^\s?(?:milli?ar|mrd|مليار|млрд)/iu, 1e9],
  [/^\s?billion/iu, 1e9],
  [/^\s?(?:thousand|tausend|mille?\b|ألف|آلاف|тыс|千)/iu, 1e3],
  [/^\s?[万萬]/u, 1e4],
  [/^\s?[亿億]/u, 1e8],
]
const AFTERNOON = /^\s?p\.?m\b/i

/** Matches a character beyond ASCII, without which a text has no other digits. */
const BEYOND_ASCII = /[^\0-\x7f]/

/** A text with the digits of all scripts as those of ASCII. */
const withPlainDigits = (text: string): string =>
  BEYOND_ASCII.test(text)
    ? normalize(text, "NFKC")
        .replace(/\p{Nd}/gu, digitOf)
        .replaceAll("٫", ".")
        .replaceAll("٬", ",")
    : text

/** The digits of a script follow each other, and nothing before them is a digit. */
const digitOf = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
  return code < 0x80 ? digit : String(value)
}

/** The numbers of a text. Numerals count in the languages given. */
export const numbersIn = (
  text: BoundedText,
  languages: ReadonlyArray<SpokenLanguage>,
): ReadonlyArray<WrittenNumber> => {
  const plain = withPlainDigits(text).replaceAll(PERCENT, "%")
  return [...digitsIn(plain), ...monthsIn(plain, languages), ...numeralsIn(plain, languages), ...hanIn(plain)]
}

const digitsIn = (text: string): ReadonlyArray<WrittenNumber> =>
  Array.from(text.matchAll(NUMBER)).flatMap((match) => {
    const [written, ...groups] = match
    const after = text.slice(match.index + written.length, match.index + written.length + 12)
    const [hour, minute, grouped] = groups.slice(6)
    const parts = groups.slice(0, 6).filter((part) => part !== undefined)
    if (parts.length > 0) return parts.map((part) => ({ text: written, values: [Number(part)] }))
    if (hour !== undefined && minute !== undefined) {
      const hours = { text: written, values: hoursOf(Number(hour)) }
      return minute === "00" ? [hours] : [hours, { text: written, values: [Number(minute)] }]
    }
    const value = grouped === undefined ? Number(written.replace(",", ".")) : groupedValue(grouped)
    const scaled = SCALES.flatMap(([scale, factor]) => (scale.test(after) ? [value * factor] : []))
    return [{ text: written, values: AFTERNOON.test(after) ? [value, value + 12] : [value, ...scaled] }]
  })

/** An hour, and the same on a clock of twelve hours. */
const hoursOf = (hour: number): ReadonlyArray<number> => (hour > 12 ? [hour, hour - 12] : [hour])

const groupedValue = (text: string): number => {
  const [, whole = text, fraction = ""] = /^(.*?\d{3})(?:[.,](\d{1,2}|\d{4,}))?$/u.exec(text) ?? []
  return Number(`${whole.replaceAll(/\D/g, "")}.${fraction}0`)
}

/** Words for percent that hold one for a hundred. */
const PERCENT = /百分之|(?:في |ب)الم(?:ئ|ائ)ة|pour cent|por cien(?:to)?|per cento|por cento|yüzde/giu

/* Months. */

const months = new Map<SpokenLanguage, ReadonlyMap<string, number>>()

/** The months of a language by their names, which are made when they are first used. */
const monthsOf = (language: SpokenLanguage): ReadonlyMap<string, number> => {
  const known = months.get(language)
  if (known !== undefined) return known
  const made = new Map(
    (["long", "short"] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, { month, day: "numeric", timeZone: "UTC" })
      return Array.from({ length: 12 }, (_, at) => {
        const parts = format.formatToParts(Date.UTC(2001, at, 15))
        return [nameOf(parts.find(({ type }) => type === "month")?.value ?? ""), at + 1] as const
      })
    }),
  )
  months.set(language, made)
  return made
}

const nameOf = (month: string): string => lowerCased(month).replaceAll(".", "")

/** Names of months that stand beside a number. */
const MONTH = /(?<=\d\.?\s(?:de\s)?)(\p{L}[\p{L}\p{M}]+)|(\p{L}[\p{L}\p{M}]+)(?=\.?\s(?:de\s)?\d)/gu

const monthsIn = (text: string, languages: ReadonlyArray<SpokenLanguage>): ReadonlyArray<WrittenNumber> =>
  Array.from(text.matchAll(MONTH)).flatMap(([written]) =>
    languages.flatMap((language) => {
      const value = monthsOf(language).get(nameOf(written))
      return value === undefined ? [] : [{ text: written, values: [value] }]
    }),
  )

/* Numbers that are written out. */

const VALUES = [...Array.from({ length: 21 }, (_, at) => at), 30, 40, 50, 60, 70, 80, 90, 100, 1000]

const numerals = new Map<SpokenLanguage, ReadonlyMap<string, number>>()

const numeralsOf = (language: SpokenLanguage): ReadonlyMap<string, number> => {
  const known = numerals.get(language)
  if (known !== undefined) return known
  const lists = locales[language].claims?.numerals.split(", ") ?? []
  const made = new Map(lists.flatMap((forms, at) => forms.split("/").map((form) => [form, VALUES[at] ?? 0] as const)))
  numerals.set(language, made)
  return made
}

const WORD = /[\p{L}\p{M}]+/gu

const numeralsIn = (text: string, languages: ReadonlyArray<SpokenLanguage>): ReadonlyArray<WrittenNumber> => {
  const words = text.match(WORD)?.map(lowerCased) ?? []
  const found: Array<WrittenNumber> = []
  for (const language of languages) {
    const known = numeralsOf(language)
    if (known.size === 0) continue
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? ""
      const pair = `${word} ${words[at + 1] ?? ""}`
      const both = known.get(pair)
      const value = both ?? known.get(word) ?? known.get(word.replace(/^(?:وال|ال|و|ب|ل)/u, ""))
      if (value === undefined) continue
      const unit = known.get(words[at + 1] ?? "") ?? 0
      const isSum = both === undefined && value >= 20 && value < 100 && unit > 0 && unit < 10
      found.push({ text: both === undefined && !isSum ? word : pair, values: [isSum ? value + unit : value] })
      if (both !== undefined || isSum) at++
    }
  }
  return found
}

const HAN_DIGITS = "零一二三四五六七八九"
const HAN = /[零〇一二两三四五六七八九十百千万]+/gu

const hanIn = (text: string): ReadonlyArray<WrittenNumber> =>
  /[一二两三四五六七八九十百千]/u.test(text)
    ? Array.from(text.matchAll(HAN), ([written]) => ({ text: written, values: [hanValue(written)] }))
    : []

/** The value of a number such as 二十五, or of a row of digits such as 二〇二四. */
const hanValue = (written: string): number => {
  let [sum, section, digit, row] = [0, 0, 0, ""]
  for (const sign of written.replaceAll("〇", "零").replaceAll("两", "二")) {
    const at = HAN_DIGITS.indexOf(sign)
    const unit = { 十: 10, 百: 100, 千: 1000 }[sign]
    if (at >= 0) {
      digit = at
      row += at
    } else if (unit !== undefined) {
      section += (digit === 0 ? 1 : digit) * unit
      digit = 0
    } else {
      sum = (sum + section + digit) * 10_000
      section = digit = 0
    }
  }
  return row.length === written.length && row.length > 1 ? Number(row) : sum + section + digit
}
