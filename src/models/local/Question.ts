import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { detectLanguage, isFunctionWord } from "../../languages/Detection.ts"
import { normalize } from "../../text/Normalization.ts"
import { wordsOf } from "../../text/UnicodeWords.ts"
import {
  itemsOf,
  type Phrase,
  phrases,
  QUESTION_WORDS,
  type Role,
  ROLES,
  spellings,
  UNSPACED,
} from "./questions/Phrases.ts"
import type { Kind } from "./questions/QuestionWords.ts"

/*
 * Reads a question: its language, the kind of its answer, and the words that the answer is about. Questions are short,
 * and hold more words that ask than other texts do. So the language is the one whose words explain most of the question.
 */

/** A question as it is read from its words. */
export interface Question {
  readonly text: string
  /** The code of its language in ISO 639; undefined when it has no words that ask in a language that is known here. */
  readonly language: string | undefined
  readonly kind: Kind
  /** Its words in lower case and in order, without those that only ask, and without articles and the like. */
  readonly words: ReadonlyArray<string>
  /** Those of `words` that are names, numbers or codes, for which texts rarely have another word. */
  readonly names: ReadonlySet<string>
  /** The words of the two things that the question compares; empty for other kinds. */
  readonly compared: ReadonlyArray<ReadonlyArray<string>>
}

/** A phrase in a question, from one word up to another one. */
interface Found extends Phrase {
  readonly from: number
  readonly to: number
}

/** Roles whose single words mean something of their own where they do not decide the kind, as in “list of steps”. */
const MEANINGFUL: ReadonlySet<Role> = new Set(["comparison", "how-to", "list", "number"])
/** The number of words after `what` among which a noun decides the kind. */
const NOUN_DISTANCE = 4
/** The same for the word that asks for a way. */
const WAY_DISTANCE = 2
/** A question for a definition names a thing of at most this many words. */
const DEFINED_WORDS_MAX = 4
/** A question is read up to this many words: further ones tell no more about it. */
const WORDS_MAX = 400

/** Reads a message in any language. Of several sentences, the last one that asks is the question. */
export const readQuestion = (message: BoundedText): Question => {
  const last = askedIn(message)
  const asked = last === undefined ? undefined : readOne(last)
  return asked !== undefined && asked.words.length >= ASKED_WORDS_MIN ? asked : readOne(message)
}

/** The last of several sentences that ends with a question mark. */
const askedIn = (message: BoundedText): BoundedText | undefined => {
  const sentences = message.match(/[^.!?？؟。！]+(?:[.!?？؟。！]+(?=\s|$)|[？。！]|$|[.!?؟])/gu) ?? []
  const asked = sentences.length < 2 ? undefined : sentences.findLast((sentence) => /[?？؟]$/u.test(sentence))
  return asked === undefined ? undefined : bounded(asked.trim())
}

/** A question of fewer words than these is about what was said before it. */
const ASKED_WORDS_MIN = 2

/** Languages in which a capital letter does not make a name. Numbers and codes are names all the same. */
const NOUNS_HAVE_CAPITALS: ReadonlySet<string> = new Set(["de", "lb"])

const readOne = (text: BoundedText): Question => {
  const words = wordsOf(text).slice(0, WORDS_MAX)
  const names = namesIn(text)
  if (UNSPACED.test(text)) return readUnspaced(text, names)
  for (const { phrases, spelling } of spellings) {
    const found = findPhrases(words.map(spelling), phrases())
    const language = languageOf(text, words, found)
    if (language !== undefined) return read(text, words, language, found.get(language) ?? [], names)
  }
  return { text, language: undefined, kind: "other", words: [...new Set(words)], names, compared: [] }
}

/** The phrases in a question by language, those of one language without overlaps. */
const findPhrases = (
  words: ReadonlyArray<string>,
  known: ReadonlyMap<string, ReadonlyArray<Phrase>>,
): ReadonlyMap<string, ReadonlyArray<Found>> => {
  const found = new Map<string, Array<Found>>()
  for (const [from, first] of words.entries()) {
    for (const phrase of known.get(first) ?? []) {
      if (!phrase.words.every((word, index) => matches(word, words[from + index]))) continue
      const ofLanguage = found.get(phrase.language) ?? []
      found.set(phrase.language, ofLanguage)
      if (from >= (ofLanguage.at(-1)?.to ?? 0)) {
        const length = phrase.words.filter((word) => !/^[*+]/.test(word)).length
        ofLanguage.push({ ...phrase, from, to: from + length })
      }
    }
  }
  return found
}

const matches = (pattern: string, word = ""): boolean =>
  pattern.startsWith("*")
    ? word.length > 3 && word.endsWith(pattern.slice(1))
    : word === (pattern.startsWith("+") ? pattern.slice(1) : pattern)

/** The language that explains the most words of a question. Undefined when none has a word that asks. */
const languageOf = (
  text: BoundedText,
  words: ReadonlyArray<string>,
  found: ReadonlyMap<string, ReadonlyArray<Found>>,
): string | undefined => {
  const detected = detectLanguage(text)
  const scored = Array.from(found)
    .filter(([, phrases]) => phrases.some(({ role }) => role !== "filler"))
    .map(([language, phrases]) => {
      const name = QUESTION_WORDS[language]?.name ?? "simple"
      const explained = words.filter((word, at) => isIn(phrases, at) || isFunctionWord(word, name)).length
      return { language, score: explained + (phrases[0]?.from === 0 ? 0.5 : 0) + (name === detected ? 0.25 : 0) }
    })
    .toSorted((a, b) => b.score - a.score)
  return scored[0]?.language
}

const isIn = (found: ReadonlyArray<Found>, at: number): boolean => found.some(({ from, to }) => at >= from && at < to)

const read = (
  text: string,
  words: ReadonlyArray<string>,
  language: string,
  found: ReadonlyArray<Found>,
  names: ReadonlySet<string>,
): Question => {
  const lists = QUESTION_WORDS[language]
  const asking = found.filter(({ role }) => role !== "filler")
  const start = words.findIndex(
    (_, at) => !found.some(({ from, role, to }) => role === "filler" && at >= from && at < to),
  )
  const deciding =
    asking.find(({ role }) => role === "comparison") ??
    asking.find(({ from, role }) => role !== "particle" && (role !== "yes-no" || from === start)) ??
    asking.find(({ role }) => role === "particle")
  const dropped = found.filter(
    (phrase) => phrase === deciding || phrase.words.length > 1 || !MEANINGFUL.has(phrase.role),
  )
  const isContent = (word: string, at: number) => !isIn(dropped, at) && !isFunctionWord(word, lists?.name ?? "simple")
  const content = words.filter(isContent)
  const kind = kindOf(deciding, words, content, lists?.nouns)
  const and = new Set(itemsOf(lists?.and))
  const from = deciding?.to ?? 0
  const middle = words.findIndex((word, at) => at > from && and.has(word))
  const compared =
    kind !== "comparison" || middle < 0
      ? []
      : [words.slice(0, middle), words.slice(middle)].map((half, side) =>
          half.filter((word, at) => isContent(word, side === 0 ? at : middle + at)),
        )
  return {
    text,
    language,
    kind,
    words: [...new Set(content)],
    names: NOUNS_HAVE_CAPITALS.has(language) ? new Set() : names,
    compared: compared.every(({ length }) => length > 0) ? compared : [],
  }
}

const kindOf = (
  deciding: Found | undefined,
  words: ReadonlyArray<string>,
  content: ReadonlyArray<string>,
  nouns: Partial<Readonly<Record<Kind, string>>> | undefined,
): Kind => {
  if (deciding === undefined) return "other"
  const { from, role, to } = deciding
  if (role === "particle") return "yes-no"
  if (role === "filler") return "other"
  if (role === "other" || role === "definition" || role === "list") {
    const near = [...words.slice(to, to + NOUN_DISTANCE), ...words.slice(Math.max(0, from - 1), from)]
    for (const word of near) {
      for (const kind of ROLES) {
        // “How … I …” asks for a way, and “in which … I …” does not.
        if (kind === "how-to" && (role !== "other" || !near.slice(0, WAY_DISTANCE).includes(word))) continue
        if (kind !== "particle" && kind !== "filler" && itemsOf(nouns?.[kind]).includes(word)) return kind
      }
    }
  }
  return role === "definition" && content.length > DEFINED_WORDS_MAX ? "other" : role
}

/** Reads a question of a script without spaces, where words are not told apart before its phrases are found. */
const readUnspaced = (text: string, names: ReadonlySet<string>): Question => {
  const plain = normalize(text, "NFKC").toLowerCase()
  const language = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(plain)
    ? "ja"
    : /\p{Script=Hangul}/u.test(plain)
      ? "ko"
      : "zh"
  const found: Array<Found> = []
  const ofLanguage = phrases
    .filter((phrase) => phrase.language === language)
    .map((phrase) => ({ ...phrase, spelt: phrase.words.join(" ") }))
    .toSorted((a, b) => b.spelt.length - a.spelt.length)
  for (const phrase of ofLanguage) {
    // A single character that only fills may be a part of any word.
    if (phrase.role === "filler" && phrase.spelt.length === 1) continue
    const from = plain.indexOf(phrase.spelt)
    const to = from + phrase.spelt.length
    if (from >= 0 && !found.some((other) => from < other.to && to > other.from)) found.push({ ...phrase, from, to })
  }
  const ordered = found.toSorted((a, b) => a.from - b.from)
  const asking = ordered.filter(({ role }) => role !== "filler")
  const deciding =
    asking.find(({ role }) => role === "comparison") ??
    asking.find(({ role }) => role !== "particle" && role !== "other") ??
    asking[0]
  const fillers = new Set(itemsOf(QUESTION_WORDS[language]?.filler))
  let rest = ""
  let at = 0
  for (const { from, to } of ordered) {
    rest += `${plain.slice(at, from)} `
    at = to
  }
  rest += plain.slice(at)
  const and = new Set(itemsOf(QUESTION_WORDS[language]?.and))
  const content = runsOf(
    rest,
    (word) => fillers.has(word),
    (word) => and.has(word),
  )
  const middle = content.findIndex((word) => and.has(word))
  const kind = kindOf(deciding, [], content, undefined)
  return {
    text,
    language,
    kind,
    words: [...new Set(content.filter((word) => !and.has(word)))],
    names,
    compared: kind === "comparison" && middle > 0 ? [content.slice(0, middle), content.slice(middle + 1)] : [],
  }
}

/**
 * The parts of a text between words that only ask. Words that follow one another without a space stay together, because
 * where one of them ends is a guess.
 */
const runsOf = (
  text: string,
  isFiller: (word: string) => boolean,
  isAlone: (word: string) => boolean,
): ReadonlyArray<string> => {
  const runs: Array<Array<string>> = []
  let end = -1
  let at = 0
  for (const word of wordsOf(bounded(text))) {
    const from = text.indexOf(word, at)
    at = from + word.length
    if (isFiller(word)) continue
    if (from === end && UNSPACED.test(word) && !isAlone(word)) runs.at(-1)?.push(word)
    else runs.push([word])
    end = isAlone(word) ? -1 : at
  }
  return runs.map((run) => run.join(""))
}

/** Words with a digit or a capital letter, unless it is that of the first word. */
const namesIn = (text: string): ReadonlySet<string> => {
  const names =
    normalize(text, "NFKC").match(/(?<![\p{L}\p{M}\p{N}])(?:\p{Lu}|(?=[\p{L}_]{0,40}\p{N}))[\p{L}\p{M}\p{N}_]*/gu) ?? []
  const first = /[\p{L}\p{N}]+/u.exec(text)?.[0]
  return new Set(
    names
      .filter((name) => name !== first || /\p{N}|\p{Lu}.*\p{Lu}/u.test(name))
      .flatMap((name) => wordsOf(bounded(name))),
  )
}
