import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import type { Language } from "../../language/Language.ts"
import type { Alternative, StemmedWord } from "./LexicalQuery.ts"

/*
 * A chatbot's own synonyms: each word or phrase of a group stands for the others. A question is expanded when it is
 * asked, so that no passage has to be read again when the synonyms change.
 */

/** Groups of words and phrases that stand for each other. */
export type SynonymGroups = ReadonlyArray<ReadonlyArray<string>>

/** One synonym as one language stems it. */
interface Phrase {
  /** The words, each by its terms, or by itself where it is a stop word. */
  readonly keys: ReadonlyArray<string>
  /** The phrase to look for in passages; undefined where too many of its words are stop words, which no index contains. */
  readonly alternative: Alternative | undefined
  readonly group: number
}

/** The most alternatives of all words of a question. Finding the passages of one reads the postings of its words. */
const ALTERNATIVES_MAX = 40
/** The approximate memory that a word of a synonym takes. */
const WORD_BYTES = 400

const keyOf = ({ stem: { terms }, word }: StemmedWord): string => (terms.length === 0 ? word : terms.join(","))

/** The synonyms of a chatbot in the languages of its passages. */
export class Synonyms {
  readonly source: SynonymGroups
  readonly bytes: number
  /** The phrases of each group, in all languages. */
  private readonly groups: ReadonlyArray<ReadonlyArray<Phrase>>
  /** The phrases of each language by their first word, the longest ones first. */
  private readonly starts: ReadonlyMap<Language, ReadonlyMap<string, ReadonlyArray<Phrase>>>

  private constructor(source: SynonymGroups, phrases: ReadonlyMap<Language, ReadonlyArray<Phrase>>) {
    this.source = source
    const all = Array.from(phrases.values()).flat()
    this.groups = source.map((_, group) => all.filter((phrase) => phrase.group === group))
    this.starts = new Map(
      Array.from(phrases, ([language, those]) => [
        language,
        Map.groupBy(
          those.toSorted((one, other) => other.keys.length - one.keys.length),
          ({ keys }) => keys[0] ?? "",
        ),
      ]),
    )
    this.bytes = WORD_BYTES * all.reduce((sum, { keys }) => sum + keys.length, 0)
  }

  /**
   * Makes the synonyms of groups; undefined when a text's stems are.
   *
   * @param stemmed returns the words of a text with their stems in a language
   */
  static of(
    source: SynonymGroups,
    languages: ReadonlyArray<{ readonly language: Language }>,
    stemmed: (language: Language, text: BoundedText) => ReadonlyArray<StemmedWord> | undefined,
  ): Synonyms | undefined {
    const phrases = new Map<Language, ReadonlyArray<Phrase>>()
    for (const { language } of languages) {
      const those: Array<Phrase> = []
      for (const [group, synonyms] of source.entries()) {
        for (const text of synonyms) {
          const words = stemmed(language, bounded(text))
          if (words === undefined) return undefined
          const telling = words.flatMap(({ stem }) => (stem.terms.length > 0 ? [stem] : []))
          // A question has no such word, or it is one as "it" that nearly every question has.
          if (telling.length === 0) continue
          // "Time" alone would not mean the same as "time off".
          const alternative = telling.length >= Math.min(2, words.length) ? { text, words: telling } : undefined
          those.push({ keys: words.map(keyOf), alternative, group })
        }
      }
      phrases.set(language, those)
    }
    return new Synonyms(source, phrases)
  }

  /**
   * The alternatives of each word of a question, in the same order; none for most words.
   *
   * @param words the words as the question's language stems them
   */
  alternativesOf(
    language: Language,
    words: ReadonlyArray<StemmedWord>,
  ): ReadonlyArray<ReadonlyArray<Alternative> | undefined> {
    const keys = words.map(keyOf)
    const found: Array<ReadonlyArray<Alternative> | undefined> = keys.map(() => undefined)
    const starts = this.starts.get(language)
    let room = ALTERNATIVES_MAX
    for (let at = 0; at < keys.length && room > 0;) {
      const fitting = (starts?.get(keys[at] ?? "") ?? []).filter((phrase) =>
        phrase.keys.every((key, index) => key === keys[at + index]),
      )
      const length = fitting[0]?.keys.length ?? 1
      const groups = new Set(fitting.flatMap(({ group, keys }) => (keys.length === length ? [group] : [])))
      const asked = keys.slice(at, at + length).join(" ")
      const alternatives = Array.from(groups)
        .flatMap((group) => this.groups[group] ?? [])
        .flatMap(({ alternative, keys }) => (keys.join(" ") === asked ? [] : (alternative ?? [])))
        .slice(0, room)
      room -= alternatives.length
      if (alternatives.length > 0) found.fill(alternatives, at, at + length)
      at += length
    }
    return found
  }
}
