import { type Asked, type AskedWord, endsWithForm, foldedWords, isFormOf } from "./Asked.ts"
import { daysIn, daysOfWord } from "./Days.ts"
import { rangeOf } from "./Values.ts"

/** How well a cell holds words of a question. */
export interface CellMatch {
  /** The words of the question in the cell, each with how surely it is the word, 0–1. */
  readonly words: ReadonlyMap<AskedWord, number>
  /** The share of the cell's own words that the question holds, 0–1. */
  readonly share: number
}

const FORM = 0.95
/** The likeness of a word to a compound that ends with it. */
export const COMPOUND = 0.5
const RANGE = 0.5

/** Finds the words of a question in texts. It remembers the texts, since rows repeat them. */
export class Finder {
  private readonly words: ReadonlyArray<AskedWord>
  private readonly numbers: ReadonlyArray<readonly [AskedWord, number]>
  /** Words that name days of the week, with these days, from 0. */
  private readonly days: ReadonlyArray<readonly [AskedWord, ReadonlyArray<number>]>
  /** Neighbouring words, by their common spelling without the space: "fresh water" is in "freshwater". */
  private readonly pairs: ReadonlyMap<string, ReadonlyArray<AskedWord>>
  private readonly texts = new Map<string, CellMatch>()
  private readonly cache = new Map<string, ReadonlyArray<readonly [AskedWord, number]>>()

  constructor({ words }: Asked) {
    this.words = words.filter(({ text }) => text !== "")
    this.pairs = this.pairsOf()
    this.days = this.words.map((word) => [word, daysOfWord(word.text)] as const).filter(([, days]) => days.length > 0)
    this.numbers = this.words.flatMap((word) =>
      /^\d+(?:[.,]\d+)?$/.test(word.text) ? [[word, Number(word.text.replace(",", "."))]] : [],
    )
  }

  private pairsOf(): ReadonlyMap<string, ReadonlyArray<AskedWord>> {
    return new Map(
      this.words.flatMap((word) => {
        const next = this.words.find(({ place }) => place === word.place + 1)
        return next === undefined ? [] : [[word.text + next.text, [word, next]] as const]
      }),
    )
  }

  /** @param holdsRanges whether a number may stand in a range such as `10–17` */
  in(text: string, holdsRanges = false): CellMatch {
    const found = this.texts.get(text) ?? this.search(text)
    this.texts.set(text, found)
    if (found.words.size > 0 || !holdsRanges || this.numbers.length === 0) return found
    const range = rangeOf(text)
    const within = this.numbers.filter(([, number]) => range !== undefined && number >= range[0] && number <= range[1])
    return within.length === 0 ? found : { words: new Map(within.map(([word]) => [word, 1])), share: RANGE }
  }

  private search(text: string): CellMatch {
    const found = new Map<AskedWord, number>()
    const own = foldedWords(text)
    let matched = 0
    for (const each of own) {
      const words = this.find(each)
      matched += words[0]?.[1] ?? 0
      for (const [word, share] of words) found.set(word, Math.max(share, found.get(word) ?? 0))
    }
    const share = own.length === 0 ? 0 : matched / own.length
    if (this.days.length === 0) return { words: found, share }
    const days = daysIn(text)
    const named = this.days.filter(([word, each]) => !found.has(word) && each.some((day) => days.has(day)))
    for (const [word] of named) found.set(word, 1)
    return { words: found, share: named.length === 0 ? share : Math.max(share, RANGE) }
  }

  /** The words of the question that a word is, is a form of, or is a compound with. */
  private find(text: string): ReadonlyArray<readonly [AskedWord, number]> {
    const cached = this.cache.get(text)
    if (cached !== undefined) return cached
    const pair = this.pairs.get(text)?.map((word) => [word, 1] as const)
    if (pair !== undefined) return pair
    const found = this.words.flatMap((word) => {
      const share = likeness(text, word.text)
      return share === 0 || (share === COMPOUND && word.weight === 0) ? [] : [[word, share] as const]
    })
    const most = Math.max(...found.map(([, share]) => share))
    const best = found.filter(([, share]) => share === most || share === COMPOUND)
    this.cache.set(text, best)
    return best
  }
}

const PART_MIN = 5
/** Whether a word begins with a whole one, and is longer by a whole one. */
const beginsWith = (whole: string, part: string): boolean =>
  part.length >= PART_MIN && whole.length >= part.length + PART_MIN && whole.startsWith(part)

const likeness = (a: string, b: string): number => {
  if (a === b) return 1
  if (isFormOf(a, b)) return FORM
  return endsWithForm(a, b) || endsWithForm(b, a) || beginsWith(a, b) ? COMPOUND : 0
}
