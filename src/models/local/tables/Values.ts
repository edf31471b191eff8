/*
 * The values of cells: their kinds, and numbers by which they can be compared.
 */

/** What a cell holds. */
export type Kind =
  | "money"
  | "percent"
  | "date"
  | "day"
  | "time"
  | "duration"
  | "length"
  | "weight"
  | "temperature"
  | "measure"
  | "person"
  | "number"
  | "flag"
  | "email"
  | "text"
  | "empty"

const MONEY =
  /[$€£¥₹₽₩円元원]|\b(?:eur|euros?|usd|gbp|chf|dollars?|pounds?|cents?|yen|rubel|kronen|sek|nok|dkk|pln|czk|jpy)\b/iu
const FLAG =
  /^(?:yes|no|ja|nein|oui|non|s[ií]|no|true|false|wahr|falsch|included|not included|enthalten|nicht enthalten|inclus|incluido|optional|none|✓|✔|✗|✘|×|x|–|—|-)$/iu
const DAY =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabends?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo|luned[iì]|marted[iì]|mercoled[iì]|gioved[iì]|venerd[iì]|domenica)(?=$|[^\p{L}])/iu
const TIME =
  /\b\d{1,2}[:h]\d{2}\b|\b\d{1,2}(?:\.\d{2})?\s?(?:uhr|am|pm|a\.m\.|p\.m\.|h)(?![\p{L}])|^\d{1,2}\s?[-–]\s?\d{1,2}\s?(?:uhr|h)$/iu
const MONTH =
  "jan|feb|mar|mär|maer|apr|avr|abr|may|mai|jun|juin|jul|juil|aug|aoû|aou|ago|sep|set|oct|okt|out|ott|nov|dec|dez|déc|dic"
const NAMED_DATE = new RegExp(
  `\\b(?:(\\d{1,2})\\.?\\s+(?:de\\s+)?)?(${MONTH})\\p{L}*\\.?\\s+(?:de\\s+)?(?:(\\d{1,2}),\\s*)?(\\d{4})\\b`,
  "iu",
)
const ISO_DATE = /\b(\d{4})-(\d{2})(?:-(\d{2}))?\b/
const NUMERIC_DATE = /\b(\d{1,2})([./])(\d{1,2})\2(\d{4}|\d{2})\b/
/** Two to four capitalized words, perhaps with a title before them or a comma between them. */
const PERSON = /^(?:\p{L}{1,4}\.?\s)?\p{Lu}[\p{L}'’-]+,?(?:\s\p{Lu}[\p{L}.'’-]*){1,3}$/u
const YEAR = /^(?:1[0-9]|20)\d{2}$/
const NUMBER = /[-−+]?\d+(?:[.,'’ \u00a0\u202f]\d{3})*(?:[.,]\d+)?/u

/** The kind of a cell's value. */
export const kindOf = (cell: string): Kind => {
  const text = cell.trim()
  if (text === "") return "empty"
  if (FLAG.test(text)) return "flag"
  if (/^\S+@\S+\.\S+$/.test(text)) return "email"
  if (DAY.test(text)) return "day"
  if (!/\d/.test(text)) return PERSON.test(text) ? "person" : "text"
  // A number within a sentence does not make it a value.
  if (text.length > 40) return "text"
  if (MONEY.test(text)) return "money"
  if (/^[-−+~<>≤≥]?\s?[\d.,]+\s?%$/.test(text)) return "percent"
  if (dateOf(text) !== undefined) return "date"
  if (TIME.test(text)) return "time"
  if (/^[-−+~<>≤≥(]*\s?[\d.,'’\s]+\)?$/.test(text)) return "number"
  return measureOf(text)
}

/** The date of a cell as a number that grows with time; undefined where the cell holds none. */
export const dateOf = (cell: string): number | undefined => {
  const text = cell.trim()
  if (YEAR.test(text)) return Number(text) * 10_000
  const iso = ISO_DATE.exec(text)
  if (iso !== null) return serial(iso[1], iso[2], iso[3])
  const numeric = NUMERIC_DATE.exec(text)
  if (numeric !== null) {
    const [, first = "", mark, second = "", year = ""] = numeric
    const isMonthFirst = mark === "/" && Number(second) > 12
    return serial(year.length === 2 ? `20${year}` : year, isMonthFirst ? first : second, isMonthFirst ? second : first)
  }
  const named = NAMED_DATE.exec(text)
  if (named === null) return undefined
  return serial(named[4], String(monthOf(named[2] ?? "")), named[1] ?? named[3])
}

const serial = (year: string | undefined, month: string | undefined, day: string | undefined): number =>
  Number(year) * 10_000 + Number(month) * 100 + Number(day ?? 0)

const MONTHS = [
  /^jan/,
  /^f[eé]/,
  /^m(?:ar|är|aer)/,
  /^a[pvb]r/,
  /^ma[iy]/,
  /^jui?n/,
  /^jui?l/,
  /^a(?:ug|go|o)/,
  /^set?p?/,
  /^o[cku]?t/,
  /^nov/,
]
const monthOf = (name: string): number => {
  const found = MONTHS.findIndex((month) => month.test(name.toLowerCase()))
  return found < 0 ? 12 : found + 1
}

const MEASURE = /^[^\p{L}\d]{0,3}\d[\d.,'’\s–-]*\s?([\p{L}°µ²³/%"″′]{1,12})(?:\s[\p{L}\d]{1,10}){0,2}$/u
const MEASURES: ReadonlyArray<readonly [RegExp, Kind]> = [
  [
    /^(?:ms|s|sec|min|h|sekunden?|minut|std|stunden?|hours?|heures?|horas?|or[ae]$|days?|tage?|jours?|d[ií]as?|giorn|weeks?|wochen?|semain|semanas?|months?|monate?|mois|mes|years?|jahre?|ans?$|años?)/iu,
    "duration",
  ],
  [/^(?:mm|cm|m|km|ft|feet|in|inch|inches|miles?|met(?:er|re|ro)s?|″|"|′)$/iu, "length"],
  [/^(?:mg|g|kg|t|lbs?|oz|gramm|tonn)/iu, "weight"],
  [/^°/u, "temperature"],
]

/** The kind of what a unit measures; undefined where a word is no unit. */
export const unitOf = (word: string): Kind | undefined => MEASURES.find(([units]) => units.test(word))?.[1]

const measureOf = (text: string): Kind => {
  const unit = MEASURE.exec(text)?.[1]
  return unit === undefined ? "text" : (unitOf(unit) ?? "measure")
}

/** Factors of units, by which values of one column become comparable. */
const UNITS: Readonly<Record<string, number>> = {
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  pb: 1e15,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
  mg: 1e-3,
  g: 1,
  kg: 1e3,
  t: 1e6,
  mm: 1e-3,
  cm: 1e-2,
  m: 1,
  km: 1e3,
  ms: 1e-3,
  s: 1,
  sec: 1,
  seconds: 1,
  sekunden: 1,
  min: 60,
  minute: 60,
  minutes: 60,
  minuten: 60,
  h: 3600,
  hour: 3600,
  hours: 3600,
  stunde: 3600,
  stunden: 3600,
  heures: 3600,
  horas: 3600,
  day: 86_400,
  days: 86_400,
  tag: 86_400,
  tage: 86_400,
  jours: 86_400,
  días: 86_400,
  week: 604_800,
  weeks: 604_800,
  woche: 604_800,
  wochen: 604_800,
  semaines: 604_800,
  semanas: 604_800,
  month: 2_629_800,
  months: 2_629_800,
  monat: 2_629_800,
  monate: 2_629_800,
  mois: 2_629_800,
  meses: 2_629_800,
  year: 31_557_600,
  years: 31_557_600,
  jahr: 31_557_600,
  jahre: 31_557_600,
  ans: 31_557_600,
  años: 31_557_600,
  k: 1e3,
  thousand: 1e3,
  tsd: 1e3,
  million: 1e6,
  millions: 1e6,
  mio: 1e6,
  millionen: 1e6,
  billion: 1e9,
  mrd: 1e9,
}

/** How the numbers of a column are written. */
export type Decimal = "," | "." | undefined

/** The decimal mark of a column; undefined where no cell shows it. */
export const decimalOf = (cells: ReadonlyArray<string>): Decimal =>
  cells.some((cell) => /\d,(?:\d{1,2}|\d{4,})(?!\d)|\.\d{3},\d/.test(cell))
    ? ","
    : cells.some((cell) => /\d\.(?:\d{1,2}|\d{4,})(?![\d.])|,\d{3}\.\d/.test(cell))
      ? "."
      : undefined

/** The first number of a text with its unit's factor, by which the cells of a column compare. */
export const numberOf = (cell: string, decimal: Decimal = undefined): number | undefined => {
  const found = NUMBER.exec(cell)
  if (found === null) return undefined
  const value = parsed(found[0], decimal)
  if (!Number.isFinite(value)) return undefined
  const unit =
    /^\s?([\p{L}]{1,9})(?![\p{L}])/u.exec(cell.slice(found.index + found[0].length))?.[1]?.toLowerCase() ?? ""
  return value * (UNITS[unit] ?? 1)
}

const parsed = (text: string, decimal: Decimal): number => {
  const digits = text.replace(/[−]/, "-").replaceAll(/['’ \u00a0\u202f+]/g, "")
  const last = Math.max(digits.lastIndexOf(","), digits.lastIndexOf("."))
  if (last < 0) return Number(digits)
  const mark = digits[last]
  const hasBoth = digits.includes(",") && digits.includes(".")
  const isGroup = digits.length - last - 1 === 3 && !/^-?0/.test(digits)
  const isRepeated = digits.indexOf(mark ?? "") !== last
  const isDecimal = hasBoth || (!isRepeated && (decimal === undefined ? !isGroup : mark === decimal || !isGroup))
  const whole = isDecimal ? digits.slice(0, last) : digits
  return Number(whole.replaceAll(/[.,]/g, "") + (isDecimal ? `.${digits.slice(last + 1)}` : ""))
}

/** The bounds of a cell such as `10–17`, `up to 5` or `from 100`; undefined where the cell holds no range. */
export const rangeOf = (cell: string): readonly [number, number] | undefined => {
  if (cell.length > 60) return undefined
  const pair = /(\d[\d.,]*)\s*(?:-|–|—|\bto\b|\bbis\b|\bà\b|\ba\b|\bund\b|\.\.\.?|…)\s*(\d[\d.,]*)/iu.exec(cell)
  if (pair !== null) {
    const low = parsed(pair[1] ?? "", undefined)
    const high = parsed(pair[2] ?? "", undefined)
    return low < high ? [low, high] : undefined
  }
  const value = numberOf(cell.replaceAll(/\p{L}+/gu, " "))
  if (value === undefined) return undefined
  if (/(?:^|\s)(?:up to|until|bis(?: zu)?|max\.?|jusqu['’]à|hasta|fino a|até|at most|höchstens|[<≤])\s*\d/iu.test(cell))
    return [0, value]
  if (
    /(?:^|\s)(?:from|over|more than|ab|über|mehr als|à partir de|plus de|desde|más de|at least|mindestens|[>≥])\s*\d|^\d[\d.,]*\s*\+|and (?:more|over)$|und mehr$/iu.test(
      cell,
    )
  )
    return [value, Number.POSITIVE_INFINITY]
  return undefined
}

/** Whether a cell says yes. */
export const isYes = (cell: string): boolean => FLAG.test(cell.trim()) && !NO.test(cell.trim())

const NO = /^(?:no|nein|non|não|nao|false|falsch|none|not .*|nicht .*|✗|✘|×|x|–|—|-)$/iu
