import type { BoundedText } from "../../text/BoundedText.ts"
import { normalize } from "../../text/Normalization.ts"
import { UNSPACED } from "./Words.ts"

/*
 * Finds known words and phrases in messages of people, who leave out accents and punctuation marks.
 */

const TOKEN = new RegExp(`[${UNSPACED}][\\p{M}ー]*|[[\\p{L}\\p{M}\\p{N}]--[${UNSPACED}]]+`, "gv")
const ASCII_TOKEN = /[a-zA-Z0-9]+/g
/** Matches a character beyond ASCII, which most texts in English do without. */
const BEYOND_ASCII = /[^\0-\x7f]/
const isUnspaced = new RegExp(`^[${UNSPACED}]`, "u")
const isThai = /^\p{Script=Thai}/u

/**
 * The words of a text in lower case, and the single characters of scripts without spaces. An apostrophe ends a word, so
 * that `what's` is `what` and `s`.
 */
export const tokensOf = (text: BoundedText): ReadonlyArray<string> => tokensIn(lowerCased(compatible(text)))

/** The tokens of a text as they are written. */
export const writtenTokensOf = (text: string): ReadonlyArray<string> => tokensIn(compatible(text))

const compatible = (text: string): string => (BEYOND_ASCII.test(text) ? normalize(text, "NFKC") : text)

const tokensIn = (text: string): ReadonlyArray<string> =>
  text.match(BEYOND_ASCII.test(text) ? TOKEN : ASCII_TOKEN) ?? []

/** A token or a text in lower case, without the dot that a capital i of Turkish would keep. */
export const lowerCased = (token: string): string => {
  const lower = token.toLowerCase()
  return lower.includes("\u0307") ? lower.replaceAll("i\u0307", "i") : lower
}

/** About how many words some tokens are: several characters of a script without spaces make one. */
export const wordCount = (tokens: ReadonlyArray<string>): number =>
  tokens.reduce((sum, token) => sum + (isThai.test(token) ? 0.25 : isUnspaced.test(token) ? 0.5 : 1), 0)

/** Writes tokens as a text again. */
export const joined = (tokens: ReadonlyArray<string>): string => {
  let text = ""
  let wasUnspaced = true
  for (const token of tokens) {
    const isContinued = isUnspaced.test(token)
    text += isContinued && wasUnspaced ? token : ` ${token}`
    wasUnspaced = isContinued
  }
  return text.trim()
}

/**
 * The words of runs of tokens: characters of a script without spaces belong together with those of the run before.
 *
 * @param runs undefined where something stands between two runs that is no word
 */
export const joinedRuns = (runs: ReadonlyArray<ReadonlyArray<string> | undefined>): ReadonlyArray<string> => {
  const words: Array<string> = []
  for (const [at, run] of runs.entries()) {
    if (run === undefined) continue
    const isContinued = wordCount(run) < 1 && runs[at - 1] !== undefined
    words.push(isContinued ? `${words.pop() ?? ""}${joined(run)}` : joined(run))
  }
  return words
}

/** Matches a phrase that has no accents, because its scripts know none. */
const isUnaccented = /^[\0-\x7f\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]*$/u

/** A phrase as many people type it: without accents, and with the plainest of similar letters. */
export const plain = (phrase: string): string =>
  !isUnaccented.test(phrase)
    ? normalize(phrase, "NFD")
        .replaceAll(/[\u0300-\u036f\u064b-\u065f\u0640]/g, "")
        .replaceAll("ı", "i")
        .replaceAll("ß", "ss")
        .replaceAll("ى", "ي")
        .replaceAll("ة", "ه")
    : phrase

/** A phrase that was found among tokens. */
export interface Found<A> {
  /** The number of its tokens. */
  readonly length: number
  readonly meanings: ReadonlyArray<A>
}

/** Phrases with their meanings. A phrase may have several meanings. They are indexed when one is first looked for. */
export class PhraseBook<A> {
  private readonly lists: () => Iterable<readonly [phrases: string, meaning: A]>
  private made: Index<A> | undefined

  /** Takes lists of phrases between commas. A phrase without its accents counts too, unless it is another one. */
  constructor(lists: () => Iterable<readonly [phrases: string, meaning: A]>) {
    this.lists = lists
  }

  /** Finds the longest phrase that begins at a place among tokens, and has one of the wanted meanings. */
  at(
    tokens: ReadonlyArray<string>,
    place: number,
    isWanted: (meaning: A) => boolean = () => true,
  ): Found<A> | undefined {
    const index = (this.made ??= indexOf(this.lists()))
    const most = Math.min(index.longest.get(plain(tokens[place] ?? "")) ?? 0, tokens.length - place)
    for (let length = most; length > 0; length--) {
      const text = tokens.slice(place, place + length).join(" ")
      const meanings = (index.meanings.get(text) ?? index.plainMeanings.get(plain(text)))?.filter(isWanted) ?? []
      if (meanings.length > 0) return { length, meanings }
    }
    return undefined
  }
}

interface Index<A> {
  readonly meanings: Map<string, Array<A>>
  /** The phrases without their accents. */
  readonly plainMeanings: Map<string, Array<A>>
  /** The number of tokens of the longest phrase that begins with each token, without accents. */
  readonly longest: Map<string, number>
}

const indexOf = <A>(lists: Iterable<readonly [phrases: string, meaning: A]>): Index<A> => {
  const index: Index<A> = { meanings: new Map(), plainMeanings: new Map(), longest: new Map() }
  for (const [list, meaning] of lists) {
    for (const phrase of list.split(", ")) {
      const tokens = writtenTokensOf(phrase).map(lowerCased)
      const text = tokens.join(" ")
      add(index.meanings, text, meaning)
      add(index.plainMeanings, plain(text), meaning)
      const first = plain(tokens[0] ?? "")
      index.longest.set(first, Math.max(index.longest.get(first) ?? 0, tokens.length))
    }
  }
  return index
}

const add = <A>(phrases: Map<string, Array<A>>, text: string, meaning: A): void => {
  const known = phrases.get(text)
  if (known === undefined) phrases.set(text, [meaning])
  else if (!known.includes(meaning)) known.push(meaning)
}
