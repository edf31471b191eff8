import { bounded, type BoundedText } from "../text/BoundedText.ts"
import type { Language, LanguageCount } from "./Language.ts"
import { plain } from "./words/PhraseBook.ts"
import { locales, type SpokenLanguage, spokenLanguages } from "./Locales.ts"
import { NEIGHBOURS } from "./Neighbours.ts"

/*
 * Recognizes the language of a text by its script, its function words and its spelling.
 */

/** A language that texts may be in. */
interface Candidate {
  readonly stemmer: Language
  readonly code?: SpokenLanguage
  readonly spelling?: RegExp | undefined
}

interface Script {
  readonly letters: RegExp
  /** The language of a text in this script that shows no other one. */
  readonly languageOf: (sample: string) => Candidate
  /** Whether function words and spelling tell several languages of this script apart. */
  readonly isShared: boolean
}

const spoken = (code: SpokenLanguage) => ({
  code,
  stemmer: locales[code].stemmer,
  spelling: locales[code].spelling,
})

const matches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

const scriptOf = (letters: RegExp, languageOf: Script["languageOf"], isShared = false): Script => ({
  letters,
  languageOf,
  isShared,
})

const LATIN = scriptOf(/\p{Script=Latin}/gu, () => spoken("en"), true)

/** The script with the most letters in a text decides. */
const SCRIPTS: ReadonlyArray<Script> = [
  LATIN,
  scriptOf(/\p{Script=Cyrillic}/gu, () => spoken("ru"), true),
  scriptOf(/\p{Script=Devanagari}/gu, () => spoken("hi"), true),
  // Letters of Persian and Urdu that Arabic does not have.
  scriptOf(/\p{Script=Arabic}/gu, (sample) =>
    spoken(matches(sample, /[پچژگکیےٹڈ]/gu) * 50 > sample.length ? "fa" : "ar"),
  ),
  scriptOf(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, (sample) =>
    spoken(/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(sample) ? "ja" : "zh"),
  ),
  scriptOf(/\p{Script=Hangul}/gu, () => spoken("ko")),
  scriptOf(/\p{Script=Thai}/gu, () => spoken("th")),
  scriptOf(/[\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu, () => ({ stemmer: "english" })),
  scriptOf(/\p{Script=Greek}/gu, () => spoken("el")),
  scriptOf(/\p{Script=Armenian}/gu, () => ({ stemmer: "armenian" })),
  scriptOf(/\p{Script=Tamil}/gu, () => ({ stemmer: "tamil" })),
  // Digraphs and pointed letters of Yiddish.
  scriptOf(/\p{Script=Hebrew}/gu, (sample) =>
    matches(sample, /[װױײ]|א[\u05b7\u05b8]/gu) * 100 > sample.length ? { stemmer: "yiddish" } : spoken("he"),
  ),
]

/** The length of a text's beginning that is enough to recognize its language, in UTF-16 code units. */
export const SAMPLE_CHARACTERS = 4_000

/** Matches a character beyond ASCII: in a text without one, no script but Latin can decide. */
const BEYOND_ASCII = /[^\0-\x7f]/

/*
 * Evidence is measured in function words of a language.
 */

/** The evidence of a word of a greeting or of thanks, beside that of a function word. */
const TALK = 0.5
/** The evidence of a word that is spelled as in a language. */
const SPELLING = 0.4
/** Less evidence than this is a coincidence: in code, tables and lists of names. */
const LEAST_EVIDENCE = 0.8
const LEAST_EVIDENCE_PER_WORD = 0.15
/** The evidence of a script for the language of texts that show no other. */
const SCRIPT_EVIDENCE = 1
/** Ratio of the numbers of other texts in two languages that counts as one function word. */
const TIMES_PER_WORD = 3
/** The most that other texts count. */
const OTHERS_MAX = 3

/**
 * Returns the language whose stemmer suits a text best. A text that shows none, such as code, numbers or Chinese, counts
 * as English, whose stemmer changes nothing but words of ASCII letters.
 *
 * @param others the languages of other texts in the same collection: in case of doubt, the text is in one of these
 */
export const detectLanguage = (text: BoundedText, others: ReadonlyArray<LanguageCount> = []): Language => {
  const { sample, script } = sampleOf(text)
  const unseen = script.languageOf(sample).stemmer
  if (!script.isShared) return unseen
  const { evidence, words } = evidenceIn(sample)
  const stemmers = byStemmer(evidence)
  const most = Math.max(...stemmers.values())
  const isSeen = most >= LEAST_EVIDENCE && most >= LEAST_EVIDENCE_PER_WORD * words
  return isSeen
    ? likeliest(stemmers, others, stemmers.keys())
    : likeliest(new Map([[unseen, SCRIPT_EVIDENCE]]), others, [unseen, ...languagesOf(others)])
}

/**
 * Returns the language of a collection in which a text most likely is, which may be as short as a question.
 *
 * @param languages the languages of the collection
 */
export const languageAmong = (languages: ReadonlyArray<LanguageCount>, text: BoundedText): Language => {
  const names = languagesOf(languages)
  if (names[0] !== undefined && names.length === 1) return names[0]
  const { sample, script } = sampleOf(text)
  const evidence = script.isShared
    ? byStemmer(evidenceIn(sample).evidence)
    : new Map([[script.languageOf(sample).stemmer, Infinity]])
  return likeliest(evidence, languages, names)
}

/**
 * Whether a word in lower case is a function word of a language with this stemmer: also one that is no stop word of the
 * stemmer, as many question words are not (`wann`, `kim`, `什么`).
 */
export const isFunctionWord = (word: string, stemmer: Language): boolean => {
  for (const candidate of knownWords().functionWords.get(word) ?? []) if (candidate.stemmer === stemmer) return true
  return false
}

/** The length of all other texts together from which the language of a reply is taken, in UTF-16 code units. */
const OTHERS_MAX_LENGTH = 3_000
/** The length of a text's beginning that shows the language of a reply. */
const REPLY_SAMPLE_LENGTH = 1_000

/**
 * Returns the language in which a chatbot replies by itself: that of a message which shows one clearly. In doubt, as of a
 * few words without a function word, it is one of those that the other texts show, such as the passages that the message
 * may be about; where none does, it is `fallback`, unless the message shows that it is another one.
 *
 * @param fallback that of the widget, where it has one
 */
export const languageOfReply = (
  message: BoundedText,
  others: Iterable<BoundedText> = [],
  fallback: SpokenLanguage = "en",
): SpokenLanguage => {
  const own = spokenEvidence(message)
  const possible = likeliestIn(own, TALK)
  const [clear] = possible
  if (clear !== undefined && possible.length === 1) return clear
  const shown: Array<SpokenLanguage> = []
  let left = OTHERS_MAX_LENGTH
  for (const other of others) {
    shown.push(...likeliestIn(spokenEvidence(other)))
    left -= Math.min(REPLY_SAMPLE_LENGTH, other.length + 1)
    if (left <= 0) break
  }
  const shared = possible.length === 0 ? shown : shown.filter((code) => possible.includes(code))
  const evident = (code: SpokenLanguage): number => own.evidence.get(code) ?? 0
  if (shared.length > 0) return shared.reduce((best, code) => (evident(code) > evident(best) ? code : best))
  const likely = [fallback, "en" as const].find((code) => possible.includes(code))
  return likely ?? possible.toSorted((one, other) => evident(other) - evident(one))[0] ?? fallback
}

/** Returns the language that a message shows; undefined where it shows none, or several alike. */
export const languageShownIn = (message: BoundedText): SpokenLanguage | undefined => {
  const [found, ...others] = likeliestIn(spokenEvidence(message))
  return others.length === 0 ? found : undefined
}

/** What speaks for each spoken language that a text may be in. */
interface SpokenEvidence {
  readonly evidence: ReadonlyMap<SpokenLanguage, number>
  /** Whether the text is more than the few words of a search, of which one alone shows no language. */
  readonly isSentence: boolean
}

/** The spoken languages that a text is likely in, none when nothing shows it: of a few words, all that lack less than `lead`. */
const likeliestIn = ({ evidence, isSentence }: SpokenEvidence, lead = 0): ReadonlyArray<SpokenLanguage> => {
  const most = Math.max(...evidence.values())
  if (most < (isSentence ? SPELLING : TALK)) return []
  return Array.from(evidence.keys()).filter((code) => {
    const behind = most - (evidence.get(code) ?? 0)
    return behind === 0 || (!isSentence && behind < lead)
  })
}

const spokenEvidence = (text: BoundedText): SpokenEvidence => {
  const { sample, script } = sampleOf(bounded(text.slice(0, REPLY_SAMPLE_LENGTH)))
  const isSentence = /[.!?…؟]/u.test(sample) && /\S\s+\S+\s+\S/u.test(sample)
  const found = script.isShared ? evidenceIn(sample, !isSentence).evidence : new Map<Candidate, number>()
  const evidence = new Map<SpokenLanguage, number>()
  for (const [{ code }, sum] of found) if (code !== undefined) evidence.set(code, sum)
  const { code } = script.languageOf(sample)
  if (evidence.size === 0 && script !== LATIN && code !== undefined) evidence.set(code, SCRIPT_EVIDENCE)
  return { evidence, isSentence }
}

const languagesOf = (counts: ReadonlyArray<LanguageCount>): ReadonlyArray<Language> =>
  counts.map(({ language }) => language)

const sampleOf = (text: BoundedText): { readonly sample: string; readonly script: Script } => {
  const sample = text.slice(0, SAMPLE_CHARACTERS).toLowerCase()
  if (!BEYOND_ASCII.test(sample)) return { sample, script: LATIN }
  const counts = SCRIPTS.map(({ letters }) => matches(sample, letters))
  return { sample, script: SCRIPTS[counts.indexOf(Math.max(...counts))] ?? LATIN }
}

type Words = ReadonlyMap<string, ReadonlySet<Candidate>>

interface Known {
  readonly functionWords: Words
  /** Words of greetings and thanks. */
  readonly talk: Words
  readonly spelled: ReadonlyArray<Candidate>
  /** The letters of the spoken languages, as their words have them. */
  readonly alphabets: ReadonlyArray<readonly [Candidate, ReadonlySet<string>]>
}

let known: Known | undefined

/** Returns what languages are recognized by, from the first call on. */
const knownWords = (): Known => {
  if (known !== undefined) return known
  const functionWords = new Map<string, Set<Candidate>>()
  const talk = new Map<string, Set<Candidate>>()
  const learn = (words: Map<string, Set<Candidate>>, text: string, candidate: Candidate) => {
    for (const word of wordsOf(text)) words.set(word, (words.get(word) ?? new Set()).add(candidate))
  }
  const spokenCandidates = spokenLanguages.map((code) => {
    const { attributes: _, ...words } = locales[code].functionWords
    const { courtesy, goodbye, greeting, thanks } = locales[code].smallTalk
    const candidate = spoken(code)
    for (const list of Object.values(words)) learn(functionWords, list, candidate)
    for (const list of [courtesy, goodbye, greeting, thanks]) {
      // Accents are often left out in them, and capitals of Turkish lose the kind of their i.
      for (const text of [list, plain(list), list.toUpperCase().toLowerCase()]) learn(talk, text, candidate)
    }
    return candidate
  })
  for (const neighbour of NEIGHBOURS) learn(functionWords, neighbour.words, neighbour)
  const spelled = [...spokenCandidates, ...NEIGHBOURS].filter(({ spelling }) => spelling !== undefined)
  const alphabets = spokenCandidates.map(
    (candidate) => [candidate, new Set(JSON.stringify(locales[candidate.code]).toLowerCase())] as const,
  )
  return (known = { functionWords, talk, spelled, alphabets })
}

const WORD = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu
/** The length of the longest words that are looked at, in UTF-16 code units. */
const WORD_MAX = 40

/** The distinct words of a text. Single ASCII letters are left out: they are variables and initials more often than words. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  Array.from(new Set(text.match(WORD))).filter((word) => word.length <= WORD_MAX && (word.length > 1 || word > "z"))

/**
 * The evidence for each language that has any, and the number of distinct words in the sample. A few words have to decide
 * alone: there, letters beyond ASCII count, and a function word not also as one of a greeting, as `de` in `de nada`.
 */
const evidenceIn = (sample: string, isShort = false) => {
  const words = wordsOf(sample)
  const evidence = new Map<Candidate, number>()
  const add = (candidate: Candidate, weight: number) => evidence.set(candidate, (evidence.get(candidate) ?? 0) + weight)
  const { alphabets, functionWords, spelled, talk } = knownWords()
  for (const word of words) {
    // Most words are function words of no language, so that each is looked up once and not for each language.
    const found = functionWords.get(word)
    for (const candidate of found ?? []) add(candidate, 1)
    for (const candidate of talk.get(word) ?? []) if (!isShort || found?.has(candidate) !== true) add(candidate, TALK)
    for (const candidate of spelled) if (candidate.spelling?.test(word) === true) add(candidate, SPELLING)
    if (!isShort || !BEYOND_ASCII.test(word)) continue
    for (const [candidate, alphabet] of alphabets)
      if (Array.from(word).every((letter) => alphabet.has(letter))) add(candidate, SPELLING)
  }
  return { evidence, words: words.length }
}

const byStemmer = (evidence: ReadonlyMap<Candidate, number>): ReadonlyMap<Language, number> => {
  const stemmers = new Map<Language, number>()
  for (const [{ stemmer }, sum] of evidence) stemmers.set(stemmer, Math.max(stemmers.get(stemmer) ?? 0, sum))
  return stemmers
}

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
