import { normalize } from "./Normalization.ts"

/*
 * Finds known words and phrases in messages of people, who leave out accents and punctuation marks.
 */

/** Scripts written without spaces, whose characters are tokens of their own. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
const TOKEN = new RegExp(`[${UNSPACED}][\\p{M}ー]*|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, "gu")
const isUnspaced = new RegExp(`^[${UNSPACED}]`, "u")
const isThai = /^\p{Script=Thai}/u

/**
 * The words of a text, and the single characters of scripts without spaces. An apostrophe ends a word, so that `what's`
 * is `what` and `s`.
 */
export const writtenTokensOf = (text: string): ReadonlyArray<string> => normalize(text, "NFKC").match(TOKEN) ?? []

/** The tokens of a text in lower case. */
export const tokensOf = (text: string): ReadonlyArray<string> => writtenTokensOf(text).map(lowerCased)

/** A token in lower case. The dot that a capital i of Turkish would keep is left out. */
export const lowerCased = (token: string): string => token.toLowerCase().replaceAll("i\u0307", "i")

/** About how many words some tokens are: several characters of a script without spaces make one. */
export const wordCount = (tokens: ReadonlyArray<string>): number =>
  tokens.reduce((sum, token) => sum + (isThai.test(token) ? 0.25 : isUnspaced.test(token) ? 0.5 : 1), 0)

/** Writes tokens as a text again. */
export const joined = (tokens: ReadonlyArray<string>): string => {
  let text = ""
  for (const token of tokens)
    text += text === "" || (isUnspaced.test(token) && endsUnspaced.test(text)) ? token : ` ${token}`
  return text
}

const endsUnspaced = new RegExp(`[${UNSPACED}][\\p{M}ー]*$`, "u")

/** A token as many people type it: without accents, and with the plainest of similar letters. */
const plain = (token: string): string =>
  normalize(token, "NFD")
    .replaceAll(/[\u0300-\u036f\u064b-\u0652]/g, "")
    .replaceAll("ı", "i")
    .replaceAll("ß", "ss")
    .replaceAll(/[أإآ]/g, "ا")
    .replaceAll("ى", "ي")
    .replaceAll("ة", "ه")

/** Phrases with what they mean. A phrase may have several meanings. */
export class PhraseBook<A> {
  private readonly meanings = new Map<string, Array<A>>()
  /** The number of tokens of the longest phrase that begins with each token. */
  private readonly longest = new Map<string, number>()

  /** Takes lists of phrases that are separated by commas. A phrase without its accents counts too, unless it is another. */
  constructor(lists: Iterable<readonly [phrases: string, meaning: A]>) {
    const phrases = Array.from(lists).flatMap(([list, meaning]) =>
      list.split(", ").map((phrase) => ({ tokens: tokensOf(phrase), meaning })),
    )
    for (const { meaning, tokens } of phrases) this.add(tokens, meaning)
    const exact = new Set(this.meanings.keys())
    for (const { meaning, tokens } of phrases) {
      const folded = tokens.map(plain)
      if (!exact.has(folded.join(" "))) this.add(folded, meaning)
    }
  }

  /** The longest phrase that begins at a place among tokens: its number of tokens, and what it means. */
  at(
    tokens: ReadonlyArray<string>,
    place: number,
  ): { readonly length: number; readonly meanings: ReadonlyArray<A> } | undefined {
    const first = tokens[place] ?? ""
    const most = Math.max(this.longest.get(first) ?? 0, this.longest.get(plain(first)) ?? 0)
    for (let length = Math.min(most, tokens.length - place); length > 0; length--) {
      const phrase = tokens.slice(place, place + length)
      const meanings = this.meanings.get(phrase.join(" ")) ?? this.meanings.get(phrase.map(plain).join(" "))
      if (meanings !== undefined) return { length, meanings }
    }
    return undefined
  }

  private add(tokens: ReadonlyArray<string>, meaning: A): void {
    const [first] = tokens
    if (first === undefined) return
    const phrase = tokens.join(" ")
    const known = this.meanings.get(phrase) ?? []
    if (!known.includes(meaning)) this.meanings.set(phrase, [...known, meaning])
    this.longest.set(first, Math.max(this.longest.get(first) ?? 0, tokens.length))
  }
}
