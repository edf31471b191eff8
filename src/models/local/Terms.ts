import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { editsBetween } from "../../text/Edits.ts"
import { plain } from "../../language/words/PhraseBook.ts"
import { similarity, weightOf } from "../../language/words/WordForms.ts"
import { isPair, spacedWords } from "../../language/words/Words.ts"
import type { Question } from "./Question.ts"

/*
 * Finds the words of a question in texts of any language: in another form, as a part of a compound, and with a typing
 * error where no text has the word as it is written.
 */

/** A word of a question. */
export interface Term {
  readonly key: string
  /** Information in the word, 0–1: the rarer it is in its language, the more. */
  readonly weight: number
  /** Whether it is a name, a number or a code. */
  readonly isName: boolean
}

/** The words of a question in a text, by their index, with their certainty. */
export type Found = ReadonlyMap<number, number>

/** Certainty that a word of a text means a word of the question, 0–1, beside that of `similarity`. */
const SAME = 1
const MISTYPED = 0.8
/** The most that a word says which an answer can do without. */
const IMPLIED_WEIGHT = 0.2

/** The most words of a question that are looked for. */
const TERMS_MAX = 60
/** The least length of a word that is looked for with a typing error. */
const TYPED_MIN = 5
/** The most words of texts that are compared with a mistyped one. */
const COMPARED_MAX = 4_000

/** The words of a text as they are compared: in lower case and without accents. */
export const keysOf = (text: BoundedText): ReadonlyArray<string> => {
  const spaced = plain(spacedWords(text)).replaceAll(/\be mail\b/g, "email")
  return spaced === "" ? [] : spaced.split(" ")
}

/** Words of which each says what it is. */
export const plainTerms = (words: ReadonlyArray<string>): Terms =>
  new Terms({ words, implied: new Set(), names: new Set() })

/** The words of a question, which it finds in texts. */
export class Terms {
  readonly all: Array<Term>
  private readonly cache = new Map<string, ReadonlyArray<readonly [term: number, strength: number]>>()
  /** Whether each term has no other forms, as numbers and pairs of characters have none. */
  private readonly isFixed: ReadonlyArray<boolean>

  /**
   * @param texts the words of the texts in which the terms are looked for; a word that none of them has may be mistyped
   */
  constructor(
    { implied, names, words }: Pick<Question, "implied" | "names" | "words">,
    texts: ReadonlySet<string> = new Set(),
  ) {
    const terms = new Map<string, Term>()
    for (const word of new Set(words)) {
      if (terms.size === TERMS_MAX) break
      for (const part of new Set(spacedWords(bounded(word)).split(" "))) {
        const key = plain(part)
        if (part === "" || terms.has(key) || terms.size === TERMS_MAX) continue
        const weight = implied.has(word) ? Math.min(IMPLIED_WEIGHT, weightOf(part)) : weightOf(part)
        terms.set(key, { key, weight, isName: names.has(word) || /\p{N}/u.test(part) })
      }
    }
    this.all = Array.from(terms.values())
    this.isFixed = this.all.map(({ key }) => /\p{N}/u.test(key) || isPair(key))
    for (const [index, { key }] of this.all.entries()) this.cache.set(key, [[index, SAME]])
    this.learn(texts)
  }

  /** Certainty with which each term is meant by any of `words`, by the term's index. */
  in(words: Iterable<string>): Found {
    const found = new Map<number, number>()
    for (const word of words) {
      for (const [term, strength] of this.meant(word)) {
        if ((found.get(term) ?? 0) < strength) found.set(term, strength)
      }
    }
    return found
  }

  private meant(word: string): ReadonlyArray<readonly [term: number, strength: number]> {
    const known = this.cache.get(word)
    if (known !== undefined) return known
    const meant = this.all.flatMap(({ key }, term) => {
      const strength = this.isFixed[term] === true ? 0 : similarity(key, word)
      return strength > 0 ? [[term, strength] as const] : []
    })
    this.cache.set(word, meant)
    return meant
  }

  /** Finds out which words of the texts are terms, and which are what a mistyped term should be. */
  private learn(words: ReadonlySet<string>): void {
    const found = new Set<number>()
    for (const word of words) for (const [term] of this.meant(word)) found.add(term)
    for (const [index, term] of this.all.entries()) {
      const { key } = term
      if (found.has(index) || key.length < TYPED_MIN || this.isFixed[index] === true) continue
      let compared = 0
      for (const word of words) {
        // Few people mistype the first letter.
        if (word[0] !== key[0] || Math.abs(word.length - key.length) > 1 || ++compared > COMPARED_MAX) continue
        if (editsBetween(key, word, 1) > 1) continue
        this.cache.set(word, [...this.meant(word), [index, MISTYPED]])
        // A typing error is rare, what was meant may be common.
        this.all[index] = { ...term, weight: Math.min(this.all[index]?.weight ?? 1, weightOf(word)) }
      }
    }
  }
}

export const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, each) => total + each, 0)
