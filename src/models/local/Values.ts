import { spokenLanguages } from "../../languages/Locales.ts"
import { normalize } from "../../text/Normalization.ts"
import type { Wanted } from "./Question.ts"

/*
 * Recognizes values by their shape: numbers, dates, days and names.
 */

/** Kind of content of a table's cell. */
export type Shape = "amount" | "time" | "name" | "mark" | "text"

const NAMES_OF_DATES: ReadonlyArray<Intl.DateTimeFormatOptions> = [
  { month: "long" },
  // In many languages the name of a month has another form beside a day.
  { month: "long", day: "numeric" },
  { weekday: "long" },
]
/** The least length of a name of a month or a day that is no other word, such as `mar`. */
const NAME_MIN_LENGTH = 4

let calendar: ReadonlySet<string> | undefined

/** The names of months and days in all languages, made when they are first used. */
const calendarNames = (): ReadonlySet<string> => {
  const dates = Array.from({ length: 12 }, (_, at) => [Date.UTC(2001, at, 15), Date.UTC(2001, 0, at + 1)]).flat()
  const names = spokenLanguages.flatMap((language) =>
    NAMES_OF_DATES.flatMap((options) => {
      const format = new Intl.DateTimeFormat(language, { timeZone: "UTC", ...options })
      return dates.flatMap((date) =>
        format.formatToParts(date).flatMap(({ type, value }) => (type === "literal" ? [] : [plainName(value)])),
      )
    }),
  )
  return new Set(names.filter((name) => name.length >= NAME_MIN_LENGTH))
}

const plainName = (name: string): string =>
  normalize(name.toLowerCase(), "NFD")
    .replaceAll(/[\u0300-\u036f.]/g, "")
    .replace(/-feira$/, "")

/** Matches years, times and dates in digits. */
const TIME =
  /(?<![\d.,])(?:1\d{3}|20\d{2})(?![\d%€$£]|[.,]\d)|\d{1,2}[:h]\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d\s?(?:am|pm|uhr)(?!\p{L})|[\d〇一二三四五六七八九]\s?[年月日時时点號号]/iu
const CJK_NUMBER = /[〇一二两三四五六七八九十百千万亿半]\s?[个人年次天元名座所种位%％度米分岁条张本]/u
const CASED = /\p{Ll}/u
const NAME = /(?<=[\p{L}\p{N},;:)’'-]\s(?:the\s)?)\p{Lu}\p{L}+/u
/** Several short things, separated by commas, the last perhaps by a short word such as `and`. */
const SEVERAL =
  /[,;、،]\s?[^,;.、،]{1,60}(?:[,;、،]|\s(?:\p{L}{1,5}|&)\s)|、[^、。]{1,20}(?:、|和|与|と)|[^,;、،。\s][和与]/u

const hasTime = (text: string): boolean =>
  TIME.test(text) ||
  (text.match(/[\p{L}\p{M}]+/gu) ?? []).some((word) => {
    const names = (calendar ??= calendarNames())
    const name = plainName(word)
    // A day in the plural, as in English and German, counts too.
    return names.has(name) || names.has(name.replace(/s$/, ""))
  })

/**
 * Whether a text holds what is wanted: 1 if it does, -1 if it does not, and 0 where nothing can be said about it.
 *
 * @param text a text from which the words of the question have been taken out, so that a year that the question names
 *   is not its answer
 */
export const holdsWanted = (wanted: Wanted | undefined, text: string): number => {
  switch (wanted) {
    case "amount":
      return /\p{N}/u.test(text) || CJK_NUMBER.test(text) ? 1 : -1
    case "time":
      return hasTime(text) ? 1 : -1
    case "name":
      return CASED.test(text) ? (NAME.test(text) ? 1 : -1) : 0
    case "several":
      return SEVERAL.test(text) ? 1 : 0
    case "way":
    case undefined:
      return 0
  }
}

/** Two to four capitalized words, perhaps with a title before them or a comma between them. */
const PERSON = /^(?:\p{L}{1,4}\.?\s)?\p{Lu}[\p{L}'’-]+,?(?:\s\p{Lu}[\p{L}.'’-]*){1,3}$/u
/** A number with a sign, a currency and a unit of at most two words. */
const AMOUNT =
  /^(?:[^\p{L}\d\s]{1,3}|\p{L}{1,4}\.?)?\s?\d[\d.,'’\s:/–-]*\s?[^\p{L}\d\s]{0,3}(?:\s?[\p{L}.²³]{1,14}){0,2}$/u
/** A number within a sentence does not make it a value. */
const VALUE_MAX_LENGTH = 40
const MARK_MAX_LENGTH = 12

/** Recognizes the kind of content of a table's cell. */
export const shapeOf = (cell: string): Shape => {
  const text = cell.trim()
  if (text.length > VALUE_MAX_LENGTH) return "text"
  if (/^[✓✔✗✘×x–—-]$/u.test(text)) return "mark"
  if (hasTime(text)) return "time"
  if (AMOUNT.test(text)) return "amount"
  if (/\d/.test(text)) return "text"
  if (PERSON.test(text)) return "name"
  return text.length <= MARK_MAX_LENGTH && !text.includes(" ") ? "mark" : "text"
}

/** The most shapes of the values of several things of one kind. */
const ALIKE_SHAPES_MAX = 2

/** Whether values are those of several things: one thing has a number, a date, a name and so on. */
export const areAlike = (values: ReadonlyArray<string>): boolean =>
  new Set(values.map(shapeOf)).size <= ALIKE_SHAPES_MAX
