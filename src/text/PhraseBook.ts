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
 * The words of a text, and the single characters of scripts without spaces. An apostrophe ends a word, so that `what's`
 * is `what` and `s`.
 */
export const writtenTokensOf = (text: BoundedText): ReadonlyArray<string> => tokensIn(text)

/** The tokens of a text in lower case. */
export const tokensOf = (text: BoundedText): ReadonlyArray<string> => tokensIn(text).map(lowerCased)

const tokensIn = (text: string): ReadonlyArray<string> =>
  (BEYOND_ASCII.test(text) ? normalize(text, "NFKC").match(TOKEN) : text.match(ASCII_TOKEN)) ?? []

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

const PLAIN_MAX = 5_000
const plainTokens = new Map<string, string>()

/** A token as many people type it: without accents, and with the plainest of similar letters. */
const plain = (token: string): string => {
  if (!BEYOND_ASCII.test(token)) return token
  const known = plainTokens.get(token)
  if (known !== undefined) return known
  if (plainTokens.size === PLAIN_MAX) plainTokens.clear()
  const made = withoutAccents(token)
  plainTokens.set(token, made)
  return made
}

const withoutAccents = (token: string): string =>
  normalize(token, "NFD")
    .replaceAll(/[\u0300-\u036f\u064b-\u0652]/g, "")
    .replaceAll("ı", "i")
    .replaceAll("ß", "ss")
    .replaceAll(/[أإآ]/g, "ا")
    .replaceAll("ى", "ي")
    .replaceAll("ة", "ه")

const hasUnspaced = new RegExp(`[${UNSPACED}]`, "u")
const spacedTokensOf = (phrase: string): ReadonlyArray<string> => phrase.split(/[\s'’\u200c-]+/)

/** Phrases with what they mean. A phrase may have several meanings. It is built when it is used first. */
export class PhraseBook<A> {
  private lists: Iterable<readonly [phrases: string, meaning: A]>
  private readonly meanings = new Map<string, Array<A>>()
  /** The phrases without their accents. */
  private readonly plainMeanings = new Map<string, Array<A>>()
  /** The number of tokens of the longest phrase that begins with each token. */
  private readonly longest = new Map<string, number>()

  /** Takes lists of phrases that are separated by commas. A phrase without its accents counts too, unless it is another. */
  constructor(lists: Iterable<readonly [phrases: string, meaning: A]>) {
    this.lists = lists
  }

  /** The longest phrase that begins at a place among tokens: its number of tokens, and what it means. */
  at(
    tokens: ReadonlyArray<string>,
    place: number,
    /** Chooses among the meanings. */
    isWanted: (meaning: A) => boolean = () => true,
  ): { readonly length: number; readonly meanings: ReadonlyArray<A> } | undefined {
    this.build()
    const first = tokens[place] ?? ""
    const most = Math.max(this.longest.get(first) ?? 0, this.longest.get(plain(first)) ?? 0)
    let found: { readonly length: number; readonly meanings: ReadonlyArray<A> } | undefined
    let [phrase, folded] = ["", ""]
    for (let length = 1; length <= Math.min(most, tokens.length - place); length++) {
      const token = tokens[place + length - 1] ?? ""
      phrase = length === 1 ? token : `${phrase} ${token}`
      folded = length === 1 ? plain(token) : `${folded} ${plain(token)}`
      const meanings = this.meaningsOf(phrase, folded).filter(isWanted)
      if (meanings.length > 0) found = { length, meanings }
    }
    return found
  }

  private meaningsOf(phrase: string, folded: string): ReadonlyArray<A> {
    return this.meanings.get(phrase) ?? this.meanings.get(folded) ?? this.plainMeanings.get(folded) ?? []
  }

  private build(): void {
    const { lists } = this
    this.lists = []
    for (const [list, meaning] of lists) {
      // Taking the phrases of scripts with spaces apart by the classes of Unicode would take several times as long.
      const tokensOfPhrase = hasUnspaced.test(list) ? tokensIn : spacedTokensOf
      for (const phrase of lowerCased(normalize(list, "NFKC")).split(", ")) {
        const tokens = tokensOfPhrase(phrase)
        this.add(this.meanings, tokens, meaning)
        if (BEYOND_ASCII.test(phrase)) this.add(this.plainMeanings, tokens.map(plain), meaning)
      }
    }
  }

  private add(phrases: Map<string, Array<A>>, tokens: ReadonlyArray<string>, meaning: A): void {
    const [first] = tokens
    if (first === undefined) return
    const phrase = tokens.join(" ")
    const known = phrases.get(phrase)
    if (known === undefined) phrases.set(phrase, [meaning])
    else if (!known.includes(meaning)) known.push(meaning)
    if (tokens.length > (this.longest.get(first) ?? 0)) this.longest.set(first, tokens.length)
  }
}
