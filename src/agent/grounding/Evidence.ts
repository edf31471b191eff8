import { languageShownIn } from "../../languages/Detection.ts"
import type { SpokenLanguage } from "../../languages/Locales.ts"
import { similarity } from "../../models/local/Terms.ts"
import { blocksOf } from "../../text/Blocks.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { sentencesIn } from "../../text/Lines.ts"
import { plain } from "../../text/PhraseBook.ts"
import { wordsOf } from "../../text/UnicodeWords.ts"
import { numbersIn } from "./Numbers.ts"

/*
 * An index of what a model was given for a reply: the sentences of passages and of results of tools by their words and
 * numbers.
 */

/** What is read of one text, in UTF-16 code units. */
const TEXT_MAX_LENGTH = 8_000
/** Beginning of a text that shows its language, in UTF-16 code units. */
const SAMPLE_LENGTH = 300
/** Most distinct words of all texts that words of the reply are compared with. */
const WORDS_MAX = 30_000

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

/** Whether a word of a reply may be a form of a word of a text. */
const strengthOf = (word: string, other: string): number => {
  if (word === other) return 1
  if (!UNSPACED.test(word)) return similarity(word, other)
  const [shorter, longer] = word.length < other.length ? [word, other] : [other, word]
  return shorter.length > 1 && longer.includes(shorter) ? 0.9 : 0
}

export class Evidence {
  readonly lines: Array<Line> = []
  /** The words and numbers that the user and the chatbot's owner have said. */
  readonly said = new Set<string>()
  readonly numbersSaid = new Set<number>()
  /** Languages of the texts, as far as they show one. */
  readonly languages = new Set<SpokenLanguage>()
  private texts = 0
  private saidText = ""
  private readonly holders = new Map<string, ReadonlyArray<Holder>>()
  private readonly linesByNumber = new Map<number, Array<number>>()
  private readonly linesByWord = new Map<string, Array<number>>()

  /** Adds a text that supports what it says. */
  add(content: string, spoken: ReadonlyArray<SpokenLanguage>): void {
    const text = bounded(content, TEXT_MAX_LENGTH)
    const language = languageShownIn(bounded(text.slice(0, SAMPLE_LENGTH)))
    if (language !== undefined) this.languages.add(language)
    const numerals = Array.from(new Set([...spoken, ...(language === undefined ? [] : [language])]))
    for (const block of blocksOf(text)) {
      for (const sentence of block.kind === "row" ? [block.text] : sentencesIn(block.text)) {
        const words = new Set(keysIn(sentence))
        const numbers = new Set(numbersIn(sentence, numerals).flatMap(({ values }) => values))
        if (HALF_HOUR.test(sentence)) numbers.add(30)
        for (const number of numbers) {
          const known = this.linesByNumber.get(number)
          if (known === undefined) this.linesByNumber.set(number, [this.lines.length])
          else known.push(this.lines.length)
        }
        for (const word of words) {
          const known = this.linesByWord.get(word)
          if (known !== undefined) known.push(this.lines.length)
          else if (this.linesByWord.size < WORDS_MAX) this.linesByWord.set(word, [this.lines.length])
        }
        this.lines.push({ text: this.texts, sentence })
      }
    }
    this.texts++
  }

  /** Adds a text whose words and numbers a reply may repeat. */
  addSaid(content: string, spoken: ReadonlyArray<SpokenLanguage>): void {
    const text = bounded(content, TEXT_MAX_LENGTH)
    this.saidText += `\n${text}`
    for (const word of keysIn(text)) this.said.add(word)
    for (const { values } of numbersIn(text, spoken)) for (const value of values) this.numbersSaid.add(value)
  }

  linesWith(number: number): ReadonlyArray<number> {
    return this.linesByNumber.get(number) ?? []
  }

  /** The lines that hold a word or a form of it. */
  holding(word: string): ReadonlyArray<Holder> {
    const known = this.holders.get(word)
    if (known !== undefined) return known
    const strengths = new Map<number, number>()
    for (const [other, lines] of this.linesByWord) {
      const strength = strengthOf(word, other)
      if (strength > 0)
        for (const line of lines) if ((strengths.get(line) ?? 0) < strength) strengths.set(line, strength)
    }
    const made = Array.from(strengths)
    this.holders.set(word, made)
    return made
  }

  /** Whether a word is a form of another one. */
  areSame(word: string, other: string): boolean {
    return strengthOf(word, other) > 0
  }

  /** Whether a part of a word stands anywhere as it is. */
  says(part: string): boolean {
    return this.lines.some(({ sentence }) => sentence.includes(part)) || this.saidText.includes(part)
  }

  /** Whether a name, or a form of it, stands anywhere. */
  names(name: string): boolean {
    if (this.said.has(name) || this.linesByWord.has(name)) return true
    for (const word of this.linesByWord.keys()) if (isSameName(name, word)) return true
    for (const word of this.said) if (isSameName(name, word)) return true
    return false
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
