import type { BoundedText } from "./BoundedText.ts"
import { normalize } from "./Normalization.ts"

/*
 * Finds known words and phrases in messages of people, who leave out accents and punctuation marks.
 */

/** Scripts written without spaces, whose characters are tokens of their own. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
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
export const tokensOf = (text: BoundedText): ReadonlyArray<string> => writtenTokensOf(text).map(lowerCased)

/** The tokens of a text as they are written. */
export const writtenTokensOf = (text: string): ReadonlyArray<string> =>
  (BEYOND_ASCII.test(text) ? normalize(text, "NFKC").match(TOKEN) : text.match(ASCII_TOKEN)) ?? []

/** A token in lower case, without the dot that a capital i of Turkish would keep. */
export const lowerCased = (token: string): string => token.toLowerCase().replaceAll("i\u0307", "i")

/** About how many words some tokens are: several characters of a script without spaces make one. */
export const wordCount = (tokens: ReadonlyArray<string>): number =>
  tokens.reduce((sum, token) => sum + (isThai.test(token) ? 0.25 : isUnspaced.test(token) ? 0.5 : 1), 0)

/** Writes tokens as a text again. */
export const joined = (tokens: ReadonlyArray<string>): string =>
  tokens
    .reduce(
      (text, token) => (isUnspaced.test(token) && endsUnspaced.test(text) ? text + token : `${text} ${token}`),
      "",
    )
    .trim()

const endsUnspaced = new RegExp(`[${UNSPACED}][\\p{M}ー]*$`, "u")

/** A phrase as many people type it: without accents, and with the plainest of similar letters. */
export const plain = (phrase: string): string =>
  BEYOND_ASCII.test(phrase)
    ? normalize(phrase, "NFD")
        .replaceAll(/[\u0300-\u036f\u064b-\u0652]/g, "")
        .replaceAll("ı", "i")
        .replaceAll("ß", "ss")
        .replaceAll(/[أإآ]/g, "ا")
        .replaceAll("ى", "ي")
        .replaceAll("ة", "ه")
    : phrase

/** A phrase that was found among tokens. */
export interface Found<A> {
  /** The number of its tokens. */
  readonly length: number
  readonly meanings: ReadonlyArray<A>
}

/** Phrases with their meanings. A phrase may have several meanings. */
export class PhraseBook<A> {
  private readonly meanings = new Map<string, Array<A>>()
  /** The phrases without their accents. */
  private readonly plainMeanings = new Map<string, Array<A>>()
  /** The number of tokens of the longest phrase that begins with each token, without accents. */
  private readonly longest = new Map<string, number>()

  /** Takes lists of phrases between commas. A phrase without its accents counts too, unless it is another one. */
  constructor(lists: Iterable<readonly [phrases: string, meaning: A]>) {
    for (const [list, meaning] of lists) {
      for (const phrase of list.split(", ")) {
        const tokens = writtenTokensOf(phrase).map(lowerCased)
        const text = tokens.join(" ")
        add(this.meanings, text, meaning)
        add(this.plainMeanings, plain(text), meaning)
        const first = plain(tokens[0] ?? "")
        this.longest.set(first, Math.max(this.longest.get(first) ?? 0, tokens.length))
      }
    }
  }

  /** Finds the longest phrase that begins at a place among tokens, and has one of the wanted meanings. */
  at(
    tokens: ReadonlyArray<string>,
    place: number,
    isWanted: (meaning: A) => boolean = () => true,
  ): Found<A> | undefined {
    const most = Math.min(this.longest.get(plain(tokens[place] ?? "")) ?? 0, tokens.length - place)
    for (let length = most; length > 0; length--) {
      const text = tokens.slice(place, place + length).join(" ")
      const meanings = (this.meanings.get(text) ?? this.plainMeanings.get(plain(text)) ?? []).filter(isWanted)
      if (meanings.length > 0) return { length, meanings }
    }
    return undefined
  }
}

const add = <A>(phrases: Map<string, Array<A>>, text: string, meaning: A): void => {
  const known = phrases.get(text)
  if (known === undefined) phrases.set(text, [meaning])
  else if (!known.includes(meaning)) known.push(meaning)
}
