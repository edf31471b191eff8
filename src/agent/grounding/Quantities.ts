import { locales, type SpokenLanguage } from "../../language/Locales.ts"
import type { BoundedText } from "../../text/BoundedText.ts"
import { normalize } from "../../text/Normalization.ts"
import { lowerCased } from "../../language/words/PhraseBook.ts"

/*
 * Reads the numbers, dates, times and units of a text in every form in which they are written: `1,000` and `1.000`, `٣` and
 * `3`, `five` and `5`, `3 May 2024` and `2024-05-03`, `2 pm` and `14:00`, `5 km` and `5 kilometres`.
 */

export interface Quantity {
  /** As it is written, and its place in the text: without its unit, and with it. */
  readonly text: string
  readonly start: number
  readonly end: number
  readonly unitEnd: number
  /** All values that the form may mean; dates and times as text. */
  readonly values: ReadonlyArray<number | string>
  /** What else a date says: its parts. */
  readonly parts: ReadonlyArray<number | string>
  /** What it measures or counts: quantities of one kind may be taken for each other. */
  readonly kind: string | undefined
  readonly unit: Unit | undefined
  /** Whether it is written in letters. */
  readonly isWord: boolean
}

interface Unit {
  readonly name: string
  readonly kind: string
  /** Its size in the least unit of its kind. */
  readonly size: number
}

/** Names of CLDR, which has their forms in all languages, with kinds, sizes and symbols. It has none for money and power. */
const UNITS =
  `second time 1 s sec|minute time 60 min 分間|hour time 3600 h std|day time 86400|week time 604800 星期|month time 2629800
year time 31557600 г году|millimeter length 1 mm|centimeter length 10 cm سم|meter length 1000 m|kilometer length 1000000 km 千米 公里 كم
inch length 25.4|foot length 304.8 ft|mile length 1609344 mi|gram mass 1 g|kilogram mass 1000 kg 千克 公斤 كغ|milliliter volume 1 ml
liter volume 1000 l|megabyte data 1 mb mo|gigabyte data 1000 gb go غيغابايت|terabyte data 1000000 tb to|percent share 1 %
celsius temperature 1 °c|watt power 1 w 瓦 ワット ватт واط|kilowatt power 1000 kw 千瓦 キロワット квт كيلوواط
euro money 1 € eur euro евро يورو 欧元 ユーロ 유로 ευρώ|dollar money 1 $ usd dollar dólar доллар دولار 美元 ドル 달러|yen money 1 円 jpy yen 日元
pound money 1 £ gbp pound pfund 英镑 ポンド|yuan money 1 元 人民币 yuan cny rmb|franc money 1 chf franken|rouble money 1 ₽ руб рубл rubel rouble
riyal money 1 ريال riyal|dirham money 1 درهم dirham`
    .split(/[|\n]/)
    .map((line) => {
      const [name = "", kind = "", size = "1", ...symbols] = line.split(" ")
      return { unit: { name, kind, size: Number(size) }, symbols }
    })
const SANCTIONED = new Set(Intl.supportedValuesOf("unit"))
const MONEY_BEFORE = /(?<!\d\s?)([€$£₽]|eur|usd|gbp|chf)[):\s]{0,3}$/iu
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Numerals from 0 to 20, then these, as `claims.numerals` of a language lists them. */
const NUMERALS = [...Array(21).keys(), 30, 40, 50, 60, 70, 80, 90, 100, 1000, 200, 300, 400, 500, 700, 900]

const formOf = (word: string): string => lowerCased(word).replaceAll(".", "")
const anyOf = (forms: Iterable<string>): string =>
  `(?:${
    Array.from(forms)
      .sort((one, other) => other.length - one.length)
      .map((form) => form.replaceAll("$", "[$]"))
      .join("|") || "(?!)"
  })`

/** The names of the months or of the days of the week in a language. */
const calendarOf = (language: SpokenLanguage, part: "month" | "weekday", style: "long" | "short") => {
  const format = new Intl.DateTimeFormat(language, { day: "numeric", [part]: style, timeZone: "UTC" })
  return Array.from({ length: part === "month" ? 12 : 7 }, (_, at) =>
    formOf(
      format
        .formatToParts(Date.UTC(2001, part === "month" ? at : 0, 15 + (part === "month" ? 0 : at)))
        .find(({ type }) => type === part)?.value ?? "",
    ),
  )
}

/** The words of a language beside numbers, and patterns of them. */
const lexiconOf = (language: SpokenLanguage) => {
  const units = new Map<string, Unit>()
  for (const { symbols, unit } of UNITS) {
    for (const unitDisplay of SANCTIONED.has(unit.name) ? (["long", "short"] as const) : []) {
      const format = new Intl.NumberFormat(language, { style: "unit", unit: unit.name, unitDisplay })
      for (const count of [1, 2, 3, 5, 11, 100]) {
        const form = formOf(format.formatToParts(count).find(({ type }) => type === "unit")?.value ?? "")
        // Short forms of Latin letters may be other words: `in`, `d`. Longer ones have endings.
        if (!/^[\0-\x7f]{0,3}$/.test(form))
          units.set(form.length > 4 ? form.slice(0, form.length > 8 ? -2 : -1) : form, unit)
      }
    }
    for (const symbol of [...symbols, unit.name]) units.set(symbol, unit)
  }
  const months = new Map(
    (["long", "short"] as const).flatMap((style) =>
      calendarOf(language, "month", style).map((name, at) => [name, at + 1] as const),
    ),
  )
  const numerals = new Map(
    (locales[language].claims?.numerals.split(", ") ?? []).flatMap((forms, at) =>
      forms
        .split("/")
        .filter(Boolean)
        .map((form) => [form, NUMERALS[at] ?? 0] as const),
    ),
  )
  const forms = Array.from(units.keys())
  const stems = anyOf(forms.filter((form) => form.length > 3 && !UNSPACED.test(form)))
  const whole = anyOf(forms.filter((form) => form.length < 4 && !UNSPACED.test(form)))
  const numeral = anyOf(numerals.keys())
  return {
    units,
    months,
    numerals,
    numeral: new RegExp(numeral, "giu"),
    weekdays: new Set(calendarOf(language, "weekday", "long")),
    /** A unit, which another word may stand before: `five working days`. */
    unit: new RegExp(
      `^[\\s-]?(?:\\p{L}{5,}\\s)??(?:(?<one>${stems})\\p{L}{0,3}(?!\\p{L})|(?<two>${whole})(?![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Arabic}])|(?<three>${anyOf(forms.filter((form) => UNSPACED.test(form)))}))`,
      "iu",
    ),
    /** A month with the day or the year beside it. */
    date: new RegExp(
      `(?:(?<!\\d)(\\d{1,2})(?:\\.|st|nd|rd|th|er|º)?\\s(?:de\\s|of\\s)?)?(?<!\\p{L})(${anyOf(months.keys())})(?!\\p{L})\\.?(?:\\s(\\d{1,2})(?:st|nd|rd|th)?(?!\\d|[.,:]\\d))?(?:,?\\s(?:del?\\s)?(\\d{4})(?!\\d))?`,
      "giu",
    ),
    /** Numerals in a row. */
    number: new RegExp(
      `(?<!\\p{L})(?:وال|[وبل]|ال)?${numeral}(?:(?:und|[\\s-](?:(?:and|y|et|e|en)\\s)?و?)?${numeral})*(?!\\p{L})`,
      "giu",
    ),
  }
}

const lexicons = new Map<SpokenLanguage, ReturnType<typeof lexiconOf>>()

const lexicon = (language: SpokenLanguage): ReturnType<typeof lexiconOf> => {
  const known = lexicons.get(language) ?? lexiconOf(language)
  lexicons.set(language, known)
  return known
}

/** The units, days and months of a language, which are no names of anybody. */
export const isMeasure = (word: string, language: SpokenLanguage): boolean => {
  const { months, unit, weekdays } = lexicon(language)
  const form = formOf(word)
  return months.has(form) || weekdays.has(form) || weekdays.has(form.replace(/s$/, "")) || unit.exec(form)?.[0] === form
}

/** Matches a character beyond ASCII, without which a text has no other digits. */
const BEYOND_ASCII = /[^\0-\x7f]/
/** Words for percent that stand before the number, or hold one for a hundred. */
const PERCENT = /百分之|(?:في |ب)الم(?:ئ|ائ)ة|pour cent|por cien(?:to)?|per cento|por cento|yüzde/giu

/** A text as quantities are read from it, with the digits of all scripts as those of ASCII. */
export const readable = (text: BoundedText): string =>
  (BEYOND_ASCII.test(text)
    ? normalize(text, "NFKC")
        .replace(/\p{Nd}/gu, digitOf)
        .replaceAll("٫", ".")
        .replaceAll("٬", ",")
    : text
  ).replaceAll(PERCENT, "%")

/** The digits of a script follow each other, and nothing before them is a digit. */
const digitOf = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
  return code < 0x80 ? digit : String(value)
}

const DATE = /(?<!\d)(?:(\d{4})[-/.年]\s?)?(?<!\d)(\d{1,2})([-/.月])\s?(\d{1,2})(?!\d|[.,]\d)日?/gu
const DATE_BACKWARDS = /(?<![\d.])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)/gu
const TIME = /(?<![\d.,])([01]?\d|2[0-4])(?::|\s?h\s?(?=\d)|[点點時时]|\.(?=\d\d\s(?:Uhr|uur)))([0-5]\d|半)(?!\d)/gu
const HALF_HOUR =
  /half[ -](?:an )?hour|halbe[nr]? stunde|نصف ساعة|半个?小时|半時間|demi-heure|media hora|mezz['’]ora|half uur|полчаса|pół godziny|yarım saat/giu
/** Digits behind a letter are a part of a code: `E4`, `AX-200`. */
const NUMBER =
  /(?<![\p{Script=Latin}\p{Script=Cyrillic}]-?|\d)(?:\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?)/gu
const HAN = /(?:[零〇一二两三四五六七八九十百万亿]|千(?![米克瓦赫卡]))+/gu
/** Single signs are numbers before what they count alone: `三个`, and not `三明治`. */
const COUNTED = /^[个位名人天周月年小分秒元块次条种份件岁倍つ階回日時週か円枚個度歳]/u
const SCALES: ReadonlyArray<readonly [RegExp, number]> = [
  [/^\s?(?:mi(?:llion(?:s|en)?|ll?ones|lh(?:ões|ão)?|lion[ei]?|o\b\.?)|mln|مليون|млн|миллион(?:а|ов)?|百万)/iu, 1e6],
  [/^\s?(?:milli?ar|mrd|billion|مليار|млрд)/iu, 1e9],
  [/^\s?(?:thousand|tausend|mille?\b|ألف|آلاف|тыс|千(?![米克瓦赫卡]))/iu, 1e3],
  [/^\s?[万萬]/u, 1e4],
  [/^\s?[亿億]/u, 1e8],
]

/** The quantities of a readable text in their order. Months, units and numerals count in the languages given. */
export const quantitiesIn = (source: string, languages: ReadonlyArray<SpokenLanguage>): ReadonlyArray<Quantity> => {
  const lexica = languages.map(lexicon)
  const found: Array<Quantity> = []
  let text = source
  const read = (pattern: RegExp, make: (match: RegExpExecArray, end: number) => Partial<Quantity> | undefined) => {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = [match.index, match.index + match[0].length]
      const made = make(match, end)
      if (made === undefined) continue
      text = `${text.slice(0, start)}${" ".repeat(end - start)}${text.slice(end)}`
      found.push({
        text: match[0],
        start,
        end,
        unitEnd: end,
        values: [],
        parts: [],
        kind: undefined,
        unit: undefined,
        isWord: false,
        ...made,
      })
    }
  }
  const counted = (start: number, end: number, values: ReadonlyArray<number>): Partial<Quantity> => {
    const after = source.slice(end, end + 40)
    const before =
      MONEY_BEFORE.exec(source.slice(0, start).slice(-8))?.[1] ?? (/%\s?$/.test(source.slice(0, start)) ? "%" : "")
    for (const { unit, units } of lexica) {
      const match = unit.exec(after)
      const form = match?.groups?.["one"] ?? match?.groups?.["two"] ?? match?.groups?.["three"] ?? before
      const found = units.get(lowerCased(form))
      if (found !== undefined) return { values, unit: found, kind: found.kind, unitEnd: end + (match?.[0].length ?? 0) }
    }
    const noun = UNSPACED.test(after.trimStart().slice(0, 1))
      ? after.trimStart().slice(0, 1)
      : /^[\s-]?(\p{L}{1,5})/u.exec(after)?.[1]
    return { values, kind: noun === undefined ? undefined : `of ${formOf(noun)}` }
  }
  read(DATE_BACKWARDS, ([, day = "", sign, month = "", year = ""]) =>
    dateOf(
      year,
      sign === "."
        ? [[month, day]]
        : [
            [month, day],
            [day, month],
          ],
    ),
  )
  read(DATE, ([written, year = "", month = "", sign, day = ""]) =>
    year === "" && (sign !== "月" || !written.endsWith("日")) ? undefined : dateOf(year, [[month, day]]),
  )
  for (const { date, months } of lexica) {
    read(date, ([, before = "", name = "", after = "", year = ""]) => {
      const day = before === "" ? after : before
      return `${day}${year}` === "" ? undefined : dateOf(year, [[String(months.get(formOf(name))), day]])
    })
  }
  read(TIME, ([, hour = "", minute = ""]) => {
    const [hours, minutes] = [Number(hour), minute === "半" ? "30" : minute]
    const values = minutes === "00" ? [hours, hours > 12 ? hours - 12 : hours + 12] : [`${hours % 12}:${minutes}`]
    return { values, kind: "hour" }
  })
  read(HALF_HOUR, () => ({
    ...counted(0, 0, [30]),
    unit: lexicon("en").units.get("minute"),
    kind: "time",
    isWord: true,
  }))
  read(NUMBER, ({ 0: written, index }, end) => {
    const scale = SCALES.flatMap(([words, size]) => {
      const word = words.exec(source.slice(end, end + 12))?.[0]
      return word === undefined ? [] : [{ size, end: end + word.length }]
    })[0]
    const value = numberOf(written)
    const values = scale === undefined ? [value] : [value, value * scale.size]
    if (/^\s?p\.?m\b/i.test(source.slice(end, end + 5))) return { values: [value, value + 12], kind: "hour" }
    const made = counted(index, scale?.end ?? end, values)
    const counts = made.kind?.startsWith("of ") === true && made.kind.length > 6
    const isYear = /^(?:1\d|20)\d\d$/.test(written) && !counts && (made.unit === undefined || made.unit.name === "year")
    return isYear ? { values, kind: "date" } : made
  })
  for (const { number, numeral, numerals } of lexica) {
    read(number, ({ 0: written, index }, end) => {
      const parts = Array.from(written.matchAll(numeral), ([form]) => numerals.get(lowerCased(form)) ?? 0)
      const isOne = parts.every((part, at) => at === 0 || follows(parts[at - 1] ?? 0, part))
      return { ...counted(index, end, isOne ? [valueOf(parts, 100)] : parts), isWord: true }
    })
  }
  read(HAN, ({ 0: written, index }, end) => {
    const made = { ...counted(index, end, [hanValue(written)]), isWord: true }
    return written.length > 1 || COUNTED.test(source.slice(end)) || made.unit !== undefined ? made : undefined
  })
  return found.sort((one, other) => one.start - other.start)
}

const dateOf = (
  year: string,
  days: ReadonlyArray<readonly [month: string, day: string]>,
): Partial<Quantity> | undefined => {
  const valid = days.flatMap(([month, day]) =>
    Number(month) >= 1 && Number(month) <= 12 && Number(day) <= 31
      ? [{ month: Number(month), day: day === "" ? "" : Number(day) }]
      : [],
  )
  const keys = (of: string) => valid.map(({ day, month }) => `${of}-${month}-${day}`)
  const parts = [...keys(""), ...valid.map(({ month }) => `${year}-${month}-`), ...(year === "" ? [] : [Number(year)])]
  return valid.length === 0 ? undefined : { values: keys(year), parts, kind: "date" }
}

const numberOf = (written: string): number => {
  const [, whole, fraction = ""] = /^(\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+)(?:[.,](\d+))?$/u.exec(written) ?? []
  return whole === undefined ? Number(written.replace(",", ".")) : Number(`${whole.replaceAll(/\D/g, "")}.${fraction}0`)
}

/** Whether a numeral goes on with another: `two hundred`, `twenty five`, `fünfundzwanzig`, `quatre vingt`. */
const follows = (value: number, next: number): boolean =>
  (next >= 100 && next > value) || (value >= 20 && value % 10 === 0 && next < value) || (value < 10 && next >= 20)

/** The value of numerals in a row, of which those from `least` on multiply what stands before them. */
const valueOf = (parts: ReadonlyArray<number>, least: number): number => {
  const sums: Array<number> = []
  for (const part of parts) {
    let before = 0
    const multiplies = part >= least || (part === 20 && sums.at(-1) === 4)
    while (multiplies && sums.length > 0 && (sums.at(-1) ?? 0) < part) before += sums.pop() ?? 0
    sums.push(multiplies ? Math.max(1, before) * part : part)
  }
  return sums.reduce((total, each) => total + each, 0)
}

const HAN_DIGITS = "零一二三四五六七八九"
const HAN_SCALES: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000, 万: 10_000, 亿: 100_000_000 }

/** The value of a number such as 二十五, or of a row of digits such as 二〇二四. */
const hanValue = (written: string): number => {
  const signs = Array.from(written.replaceAll("〇", "零").replaceAll("两", "二"))
  const parts = signs.map((sign) => HAN_SCALES[sign] ?? HAN_DIGITS.indexOf(sign))
  return parts.length > 1 && parts.every((part) => part < 10) ? Number(parts.join("")) : valueOf(parts, 10)
}
