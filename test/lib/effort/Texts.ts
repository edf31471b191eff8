/*
 * Texts that make programs work hard: every character that Unicode's normalization or case folding makes longer, every
 * script, every class of punctuation, alone, in words and mixed. A unit is repeated to make a text of any length.
 */

/**
 * The blocks of Unicode from which characters are taken, by their first and last code point. Of the blocks between,
 * whose thousands of characters are all of one kind, a few are: Han, Hangul, Tangut. The last two are compatibility forms.
 */
const BLOCKS = [
  [0x20, 0x33_ff],
  [0x4e_00, 0x4e_3f],
  [0xa0_00, 0xac_3f],
  [0xd7_b0, 0xd7_ff],
  [0xf9_00, 0xff_ff],
  [0x1_00_00, 0x1_70_3f],
  [0x1_b0_00, 0x1_fb_ff],
  [0x2_f8_00, 0x2_fa_1f],
] as const

/** Scripts of which a text is analysed in a way of its own, by their names in Unicode. */
const SCRIPTS = [
  ..."Latin Greek Cyrillic Armenian Georgian Hebrew Arabic Syriac Thaana Nko Devanagari Bengali Gurmukhi".split(" "),
  ..."Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Khmer Myanmar Tibetan Mongolian".split(" "),
  ..."Ethiopic Cherokee Han Hiragana Katakana Bopomofo Hangul Yi Javanese Balinese Tai_Tham New_Tai_Lue".split(" "),
  ..."Adlam Deseret Gothic Tangut Egyptian_Hieroglyphs Cuneiform".split(" "),
]

/** The general categories of what stands between words, and of marks and numbers. */
const CATEGORIES = "Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cf Mn Mc Me Nd Nl No".split(" ")

/** What grammar, tables, lists, names and numbers are made of. */
const SHAPES = [
  ..."and for students? |why? |what is it? |Ä |it |a |A. |a: b\n|| a | b |\n|- a\n|1. a\n|# a\n|\n\n|\t|ha ha |hello! ".split(
    "|",
  ),
  ..."aB|a_b |1.1.|a.b@|https://a.b/c |![a](b)|👩‍👩‍👧 |e\u0301\u0323|\u0f71\u0f72\u0f73|ㅎ한|ภาษา".split("|"),
]

/** The characters of these blocks that have a meaning. */
const characters: ReadonlyArray<string> = BLOCKS.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
).filter((character) => /[^\p{gc=Cn}\p{gc=Co}\p{gc=Cs}]/u.test(character))

/** The longest form of a character in normalization and case folding. */
const longestForm = (character: string): string => {
  // oxlint-disable-next-line no-restricted-properties
  const forms = [character.normalize("NFKC"), character.normalize("NFKD"), character.toUpperCase().toLowerCase()]
  return forms.reduce((longest, form) => (form.length > longest.length ? form : longest), character)
}

/** Every character that becomes longer, with what it becomes. */
const expanding = (): ReadonlyMap<string, string> => {
  const forms = characters.map((character) => [character, longestForm(character)] as const)
  return new Map(forms.filter(([character, form]) => form.length > character.length))
}

const firstOf = (pattern: RegExp, count: number): ReadonlyArray<string> =>
  characters.filter((character) => pattern.test(character)).slice(0, count)

const wordsOfScripts = (): ReadonlyArray<string> =>
  SCRIPTS.map((script) => firstOf(new RegExp(String.raw`^(?=\p{L})\p{Script=${script}}`, "u"), 6).join(""))

const inCategories = (count: number): ReadonlyArray<string> =>
  CATEGORIES.flatMap((category) => firstOf(new RegExp(String.raw`^\p{gc=${category}}`, "u"), count))

/** What a form begins with, as far as it matters for how a text is analysed. */
const kindOf = (form: string): string =>
  SCRIPTS.find((script) => new RegExp(String.raw`^\p{Script=${script}}`, "u").test(form)) ?? "other"

/** One character of each kind, that which becomes longest. */
const strongest = (all: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const best = new Map<string, readonly [character: string, growth: number]>()
  for (const [character, form] of all) {
    const [kind, growth] = [kindOf(form), form.length / character.length]
    if (growth > (best.get(kind)?.[1] ?? 0)) best.set(kind, [character, growth])
  }
  return Array.from(best.values(), ([character]) => character)
}

const unique = (units: ReadonlyArray<string>) => [...new Set(units)].filter((unit) => unit !== "")

/** One unit of each kind. */
export const fewUnits = (): ReadonlyArray<string> => {
  const strong = strongest(expanding())
  const words = wordsOfScripts()
  return unique([
    ...strong,
    ...words,
    ...inCategories(1).map((character) => `a${character}`),
    ...SHAPES,
    words.join(""),
    [...strong, ...inCategories(1), ...SHAPES].join(" "),
  ])
}

/** Plain English, whose sentences differ, as a unit. */
export const ENGLISH =
  "The mill beside the river was built long ago. Students may visit it in the morning, when its doors are open. How much does the guide ask for a tour of an hour? Nobody has to pay for the garden, which lies behind the house. "

/** A text of this many UTF-16 code units that consists of a unit. */
export const textOf = (unit: string, length: number): string =>
  unit
    .repeat(Math.ceil(length / unit.length))
    .slice(0, length)
    .toWellFormed()

/** Plain English of this many characters. */
export const english = (length: number): string => textOf(ENGLISH, length)
