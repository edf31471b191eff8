import { languageShownIn } from "../../languages/Detection.ts"
import type { SpokenLanguage } from "../../languages/Locales.ts"
import { similarity } from "../../models/local/Terms.ts"
import { blocksOf } from "../../text/Blocks.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { plain as withoutMarks } from "../../text/Markup.ts"
import { plain } from "../../text/PhraseBook.ts"
import { SENTENCE_MAX_LENGTH, sentencesOf } from "../../text/Sentences.ts"
import { wordsOf } from "../../text/UnicodeWords.ts"
import { numbersIn } from "./Numbers.ts"

/*
 * An index of what a model was given for a reply: the sentences of passages and of results of tools by their words and
 * numbers.
 */

/** What is read of one text, in UTF-16 code units, and its most lines. */
const TEXT_MAX_LENGTH = 8_000
const LINES_MAX = 100
/** Beginning of a text that shows its language, in UTF-16 code units. */
const SAMPLE_LENGTH = 300
/** Most words that begin or end like a word of the reply, and are compared with it. */
const COMPARED_MAX = 1_000

/** A sentence, a heading or a row of a table. */
export interface Line {
  /** The number of its text. */
  readonly text: number
  readonly sentence: BoundedText
}

/** A line that holds a word, with the certainty that it does, 0–1. */
export type Holder = readonly [line: number, strength: number]

const HALF_HOUR =
  /half[ -](?:an )?hour|halbe[nr]? stunde|نصف ساعة|بنصف ساعة|半个?小时|半時間|demi-heure|media hora|meia hora|mezz['’]ora|half uur|полчаса|pół godziny|yarım saat/iu

const ARABIC = /^\p{Script=Arabic}/u
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** The words of a text as they are compared: in lower case, without accents, and in Arabic without particles. */
export const keysIn = (text: BoundedText): ReadonlyArray<string> =>
  wordsOf(text).flatMap((word) => {
    const key = plain(word.replace(/['’]s?$/, ""))
    return /\p{L}/u.test(key) ? [ARABIC.test(key) ? arabicStem(key) : key] : []
  })

const arabicStem = (word: string): string =>
  word
    .replace(/^[وف]?(?:ال|بال|كال|لل|[بلكس])?(?=.{3})/u, "")
    .replace(/(?<=.{3})(?:ها|هم|هن|كم|نا|ات|ون|ين|ان|يه|ه|ي|ا|ك)$/u, "")

/** The parts of words by which forms and parts of them are found. */
const partsOf = (word: string): ReadonlyArray<string> =>
  UNSPACED.test(word) && word.length > 1
    ? Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2))
    : word.length < 5
      ? [word.slice(0, 3)]
      : [word.slice(0, 3), `-${word.slice(-5)}`]

const FENCE = /^\s*(?:`{3,}|~{3,}).*$/gm
const LONG = new RegExp(`.{1,${SENTENCE_MAX_LENGTH}}(?=\\s|$)|.{1,${SENTENCE_MAX_LENGTH}}`, "gsu")

/** The sentences, headings and rows of a text, also of its code. What is longer than a sentence is cut. */
const sentencesIn = (text: BoundedText): ReadonlyArray<BoundedText> =>
  blocksOf(bounded(text.replaceAll(FENCE, "")))
    .flatMap(({ kind, text }) => (kind === "row" ? [text] : sentencesOf(withoutMarks(text))))
    .flatMap((sentence) => sentence.match(LONG) ?? [])
    .slice(0, LINES_MAX)
    .map((sentence) => bounded(sentence))

const push = <K>(lists: Map<K, Array<number>>, key: K, value: number): void => {
  const known = lists.get(key)
  if (known === undefined) lists.set(key, [value])
  else known.push(value)
}

export class Evidence {
  readonly lines: Array<Line> = []
  /** The words and numbers that the user and the chatbot's owner have said. */
  readonly said = new Set<string>()
  readonly numbersSaid = new Set<number>()
  /** Languages of the texts, as far as they show one. */
  readonly languages = new Set<SpokenLanguage>()
  texts = 0
  private all = ""
  private readonly holders = new Map<string, ReadonlyArray<Holder>>()
  private readonly linesByNumber = new Map<number, Array<number>>()
  private readonly linesByWord = new Map<string, Array<number>>()
  private readonly wordsByPart = new Map<string, Set<string>>()

  /** Adds a text that supports what it says. */
  add(content: string, spoken: ReadonlyArray<SpokenLanguage>): void {
    const text = bounded(content, TEXT_MAX_LENGTH)
    const language = languageShownIn(bounded(text.slice(0, SAMPLE_LENGTH)))
    if (language !== undefined) this.languages.add(language)
    const numerals = Array.from(new Set([...spoken, ...(language === undefined ? [] : [language])]))
    for (const sentence of sentencesIn(text)) {
      const numbers = new Set(numbersIn(sentence, numerals).flatMap(({ values }) => values))
      if (HALF_HOUR.test(sentence)) numbers.add(30)
      for (const number of numbers) push(this.linesByNumber, number, this.lines.length)
      for (const word of new Set(keysIn(sentence))) {
        this.index(word)
        push(this.linesByWord, word, this.lines.length)
      }
      this.lines.push({ text: this.texts, sentence })
    }
    this.all += `\n${text}`
    this.texts++
  }

  /** Adds a text whose words and numbers a reply may repeat. */
  addSaid(content: string, spoken: ReadonlyArray<SpokenLanguage>): void {
    const text = bounded(content, TEXT_MAX_LENGTH)
    this.all += `\n${text}`
    for (const word of keysIn(text)) {
      this.index(word)
      this.said.add(word)
    }
    for (const { values } of numbersIn(text, spoken)) for (const value of values) this.numbersSaid.add(value)
  }

  private index(word: string): void {
    if (this.linesByWord.has(word) || this.said.has(word)) return
    for (const part of partsOf(word)) {
      const known = this.wordsByPart.get(part)
      if (known === undefined) this.wordsByPart.set(part, new Set([word]))
      else if (known.size < COMPARED_MAX) known.add(word)
    }
  }

  /** The words of all texts that may be a form of a word. */
  private like(word: string): ReadonlySet<string> {
    return new Set([word, ...partsOf(word).flatMap((part) => Array.from(this.wordsByPart.get(part) ?? []))])
  }

  linesWith(number: number): ReadonlyArray<number> {
    return this.linesByNumber.get(number) ?? []
  }

  /** The lines that hold a word or a form of it. */
  holding(word: string): ReadonlyArray<Holder> {
    const known = this.holders.get(word)
    if (known !== undefined) return known
    const strengths = new Map<number, number>()
    for (const other of this.like(word)) {
      const strength = word === other ? 1 : similarity(word, other)
      if (strength === 0) continue
      for (const line of this.linesByWord.get(other) ?? [])
        if ((strengths.get(line) ?? 0) < strength) strengths.set(line, strength)
    }
    const made = Array.from(strengths)
    this.holders.set(word, made)
    return made
  }

  /** Whether a part of a word stands anywhere as it is. */
  says(part: string): boolean {
    return this.all.includes(part)
  }

  /** Whether a name, or a form of it, stands anywhere. */
  names(name: string): boolean {
    return (
      this.said.has(name) ||
      this.linesByWord.has(name) ||
      Array.from(this.like(name)).some((word) => word !== name && isSameName(name, word))
    )
  }
}

/** Most letters that an inflection adds to a name. */
const ENDING_MAX = 3
const NAME_MIN = 3
/** Fewest letters of a name that stay, where its ending is replaced by another. */
const NAME_STEM_MIN = 4

const isSameName = (one: string, other: string): boolean => {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one]
  if (UNSPACED.test(shorter)) return longer.includes(shorter)
  let shared = 0
  while (shared < shorter.length && shorter[shared] === longer[shared]) shared++
  if (shared === shorter.length) return shared >= NAME_MIN && longer.length - shared <= ENDING_MAX
  return shared >= NAME_STEM_MIN && longer.length - shared <= ENDING_MAX
}
