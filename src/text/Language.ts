import type { BoundedText } from "./BoundedText.ts"
import { TRAITS } from "./LanguageTraits.ts"

export const LANGUAGES = [
  "simple",
  "arabic",
  "armenian",
  "basque",
  "catalan",
  "danish",
  "dutch",
  "english",
  "finnish",
  "french",
  "german",
  "greek",
  "hindi",
  "hungarian",
  "indonesian",
  "irish",
  "italian",
  "lithuanian",
  "nepali",
  "norwegian",
  "portuguese",
  "romanian",
  "russian",
  "serbian",
  "spanish",
  "swedish",
  "tamil",
  "turkish",
  "yiddish",
] as const

/**
 * The language of a text, as far as stemming goes: the name of a text search configuration that every Postgres from 15
 * on has. `simple` stems nothing and has no stop words; it serves languages for which Postgres has no Snowball stemmer.
 */
export type Language = (typeof LANGUAGES)[number]

/** The number of texts of a collection that are in a language. */
export interface LanguageCount {
  readonly language: Language
  readonly texts: number
}

export const isLanguage = (name: string): name is Language => LANGUAGES.some((language) => language === name)

/** What tells a language from others of its script; see `LanguageTraits.ts`. */
interface LanguageTraits {
  readonly language: Language
  /** The function words of the language, with single spaces between them. */
  readonly words: string
  readonly spelling?: RegExp
}

const ALL_TRAITS: ReadonlyArray<LanguageTraits> = TRAITS

interface Script {
  readonly letters: RegExp
  /** The language of a text in this script that shows no other one. */
  readonly languageOf: (sample: string) => Language
  /** Whether function words and spelling tell several languages of this script apart. */
  readonly isShared: boolean
}

const LATIN: Script = { letters: /\p{Script=Latin}/gu, languageOf: () => "english", isShared: true }

/** The script with the most letters in a text decides. */
const SCRIPTS: ReadonlyArray<Script> = [
  LATIN,
  { letters: /\p{Script=Cyrillic}/gu, languageOf: () => "russian", isShared: true },
  { letters: /\p{Script=Devanagari}/gu, languageOf: () => "hindi", isShared: true },
  {
    letters: /\p{Script=Arabic}/gu,
    // Letters of Persian and Urdu that Arabic does not have.
    languageOf: (sample) => (matches(sample, /[پچژگکیےٹڈ]/gu) * 50 > sample.length ? "simple" : "arabic"),
    isShared: false,
  },
  {
    letters:
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu,
    // There is no stemmer for these scripts, so that of English serves the foreign words in such texts.
    languageOf: () => "english",
    isShared: false,
  },
  { letters: /\p{Script=Greek}/gu, languageOf: () => "greek", isShared: false },
  { letters: /\p{Script=Armenian}/gu, languageOf: () => "armenian", isShared: false },
  { letters: /\p{Script=Tamil}/gu, languageOf: () => "tamil", isShared: false },
  {
    letters: /\p{Script=Hebrew}/gu,
    // Digraphs and pointed letters of Yiddish.
    languageOf: (sample) => (matches(sample, /[װױײ]|א[\u05b7\u05b8]/gu) * 100 > sample.length ? "yiddish" : "simple"),
    isShared: false,
  },
]

/** How much of a text is looked at, which is enough to recognize its language. */
export const SAMPLE_CHARACTERS = 4_000

/** Matches a character beyond ASCII: in a text without one, no script but Latin can decide. */
const BEYOND_ASCII = /[^\0-\x7f]/

/*
 * Evidence is measured in function words of a language.
 */

/** The evidence of a word that is spelled as in a language. */
const SPELLING = 0.4
/** Less evidence than this is a coincidence: in code, tables and lists of names. */
const LEAST_EVIDENCE = 0.8
const LEAST_EVIDENCE_PER_WORD = 0.15
/** The evidence of a script for the language of texts that show no other. */
const SCRIPT_EVIDENCE = 1
/** How many times as many other texts in a language count as one function word. */
const TIMES_PER_WORD = 3
/** The most that other texts count. */
const OTHERS_MAX = 3

/**
 * The language whose stemmer suits a text best, by its script, its function words and its spelling. A text that shows
 * none of these, such as code, numbers or Chinese, counts as English, whose stemmer changes nothing but words of ASCII
 * letters.
 *
 * @param others the languages of other texts in the same collection: in case of doubt, the text is in one of these
 */
export const detectLanguage = (text: BoundedText, others: ReadonlyArray<LanguageCount> = []): Language => {
  const sample = sampleOf(text)
  const script = scriptOf(sample)
  const unseen = script.languageOf(sample)
  if (!script.isShared) return unseen
  const { evidence, words } = evidenceIn(sample, ALL_TRAITS)
  const most = Math.max(...evidence.values())
  const isSeen = most >= LEAST_EVIDENCE && most >= LEAST_EVIDENCE_PER_WORD * words
  return isSeen
    ? likeliest(evidence, others, evidence.keys())
    : likeliest(new Map([[unseen, SCRIPT_EVIDENCE]]), others, [unseen, ...languagesOf(others)])
}

/**
 * The language of a collection in which a text most likely is, which may be as short as a question.
 *
 * @param languages the languages of the collection
 */
export const languageAmong = (languages: ReadonlyArray<LanguageCount>, text: BoundedText): Language => {
  const names = languagesOf(languages)
  if (names[0] !== undefined && names.length === 1) return names[0]
  const sample = sampleOf(text)
  const script = scriptOf(sample)
  const traits = script.isShared ? ALL_TRAITS.filter(({ language }) => names.includes(language)) : []
  const { evidence } = evidenceIn(sample, traits)
  return likeliest(script.isShared ? evidence : new Map([[script.languageOf(sample), Infinity]]), languages, names)
}

const languagesOf = (counts: ReadonlyArray<LanguageCount>): ReadonlyArray<Language> =>
  counts.map(({ language }) => language)

const sampleOf = (text: BoundedText): string => text.slice(0, SAMPLE_CHARACTERS).toLowerCase()

const scriptOf = (sample: string): Script => {
  let found = LATIN
  if (!BEYOND_ASCII.test(sample)) return found
  let most = 0
  for (const script of SCRIPTS) {
    const count = matches(sample, script.letters)
    if (count <= most) continue
    most = count
    found = script
  }
  return found
}

const matches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** The traits that have a function word. */
const traitsOf: ReadonlyMap<string, ReadonlySet<LanguageTraits>> = (() => {
  const all = new Map<string, Set<LanguageTraits>>()
  for (const traits of ALL_TRAITS) {
    for (const word of traits.words.split(" ")) all.set(word, (all.get(word) ?? new Set()).add(traits))
  }
  return all
})()

/** Whether a word, in lower case, is a function word of a language. */
export const isFunctionWord = (word: string, language: Language): boolean =>
  traitsOf
    .get(word)
    ?.values()
    .some((traits) => traits.language === language) === true

/** The length of the longest words that are looked at, in UTF-16 code units. */
const WORD_MAX = 40

/** The evidence for the language of each of the traits, and the number of distinct words in the sample. */
const evidenceIn = (sample: string, all: ReadonlyArray<LanguageTraits>) => {
  // Single ASCII letters are left out: they are variables and initials more often than words.
  const words = Array.from(new Set(sample.match(WORD))).filter(
    (word) => word.length <= WORD_MAX && (word.length > 1 || word > "z"),
  )
  // Most words are function words of no language, so that each is looked up once and not for each language.
  const functionWords = new Map<LanguageTraits, number>()
  for (const word of words) {
    for (const traits of traitsOf.get(word) ?? []) functionWords.set(traits, (functionWords.get(traits) ?? 0) + 1)
  }
  const evidence = new Map<Language, number>()
  for (const traits of all) {
    let sum = functionWords.get(traits) ?? 0
    if (traits.spelling !== undefined) for (const word of words) if (traits.spelling.test(word)) sum += SPELLING
    evidence.set(traits.language, Math.max(evidence.get(traits.language) ?? 0, sum))
  }
  return { evidence, words: words.length }
}

const WORD = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu

const likeliest = (
  evidence: ReadonlyMap<Language, number>,
  others: ReadonlyArray<LanguageCount>,
  candidates: Iterable<Language>,
): Language => {
  const counts = new Map(others.map(({ language, texts }) => [language, texts]))
  const most = Math.max(0, ...counts.values())
  let [found, highest]: [Language, number] = ["english", -Infinity]
  for (const language of candidates) {
    const rarer = Math.log((1 + most) / (1 + (counts.get(language) ?? 0))) / Math.log(TIMES_PER_WORD)
    const sum = (evidence.get(language) ?? 0) - Math.min(rarer, OTHERS_MAX)
    if (sum > highest) [found, highest] = [language, sum]
  }
  return found
}
