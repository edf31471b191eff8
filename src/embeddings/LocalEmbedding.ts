import type { BoundedText } from "../text/BoundedText.ts"
import { isPair, spacedWords } from "../language/words/Words.ts"
import { WordTable } from "../language/words/WordTable.ts"
import { levelOf, roughStem, SHARES } from "../language/words/Commonness.ts"
import { hash, scramble } from "../text/Hashing.ts"

/**
 * The name of the local model. Any change of this file or of the table of common words makes vectors that cannot be
 * compared with earlier ones, and needs another name.
 */
export const LOCAL_MODEL = "local/hashed-2"
/** The dimension of the local model's vectors. */
export const LOCAL_DIMENSIONS = 1_024

/** The parameters of BM25: saturation of repeated words, and normalization of length. */
const K1 = 1.2
const B = 0.75
/** The number of words of a text of average length. */
const NEUTRAL_WORDS = 150
/** The exponent that reduces how much rare words outweigh common ones. */
const RARITY_EXPONENT = 0.75
/** The length of the pieces of words, which match inflections and misspellings. */
const PIECE_CHARACTERS = 4
/** The weight of a word's pieces together, relative to that of the word, is this times the root of their number. */
const PIECE_WEIGHT = 0.4
/** The seeds of hashes, which differ so that a piece does not collide with an equal word. */
const WORD_SEED = 0x811c9dc5
const PIECE_SEED = 0x2f0b4c47
/** Derives a feature's second place from its hash. With two places, features that share one of them still differ. */
const SECOND_PLACE = 0x5bd1e995

/** The total length of cached words, with features of about 10 MB, beyond which the cache is cleared. */
const CACHE_CHARACTERS = 256 * 1_024

/**
 * Makes a vector of length 1 from the words and word pieces of a text, by feature hashing. It needs neither learned
 * weights nor a network, and is the same on every machine. It compares spelling and not meaning: synonyms are
 * unrelated.
 */
export const embedLocally = (text: BoundedText): Float32Array => {
  // Only between texts, because two words of a text that share a stem have to share its object.
  if (knownWords.characters > CACHE_CHARACTERS) clearCache()
  const spaced = knownWords.read(spacedWords(text), learn)
  const length = K1 * (1 - B + (B * spaced.length) / NEUTRAL_WORDS)
  current++
  const words: Array<Word> = []
  const stems: Array<Stem> = []
  for (const word of spaced) {
    const { stem } = word
    if (stem.seenIn !== current) {
      stem.seenIn = current
      stem.count = 0
      stems.push(stem)
    }
    stem.count++
    if (word.seenIn === current) continue
    word.seenIn = current
    words.push(word)
  }
  const vector = new Float32Array(LOCAL_DIMENSIONS)
  for (const stem of stems) {
    stem.weight = ((K1 + 1) * stem.count * stem.rarity) / (stem.count + length)
    add(vector, stem.places, stem.weight)
  }
  for (const { stem, pieces } of words) {
    // Each piece has two places.
    if (pieces.length > 0) add(vector, pieces, (PIECE_WEIGHT * stem.weight) / Math.sqrt(pieces.length / 2))
  }
  return normalize(vector)
}

/** The rough stem of words, and its count in the current text. */
interface Stem {
  readonly rarity: number
  readonly places: ReadonlyArray<Place>
  /** The number of the last text with the stem, to which `count` and `weight` belong. */
  seenIn: number
  count: number
  weight: number
}

interface Word {
  readonly stem: Stem
  readonly pieces: ReadonlyArray<Place>
  /** The number of the last text with the word. */
  seenIn: number
}

/** The index of the component to which a feature is added, or the complement of the index where it is subtracted. */
type Place = number

/** The number of the current text. */
let current = 0
let knownWords = new WordTable<Word>()
const knownStems = new Map<string, Stem>()

const clearCache = (): void => {
  knownWords = new WordTable()
  knownStems.clear()
}

const learn = (word: string): Word => ({ stem: stemOf(roughStem(word)), pieces: piecesOf(word), seenIn: 0 })

const stemOf = (name: string): Stem => {
  const known = knownStems.get(name)
  if (known !== undefined) return known
  const places = placesOf(hash(name, 0, name.length, WORD_SEED))
  const made = { rarity: RARITIES[levelOf(name)] ?? 1, places, seenIn: 0, count: 0, weight: 0 }
  knownStems.set(name, made)
  return made
}

/** The logarithm of the share of texts with an unknown word. */
const RAREST = Math.log(2 ** -14)
/** The rarity of words by level of commonness: 0 for a word in every text, 1 for an unknown one. */
const RARITIES = SHARES.map((share) => (Math.log(share) / RAREST) ** RARITY_EXPONENT)

const piecesOf = (word: string): ReadonlyArray<Place> => {
  if (word.length < PIECE_CHARACTERS || isPair(word)) return []
  const marked = `^${word}$`
  const places: Array<Place> = []
  for (let from = 0; from <= marked.length - PIECE_CHARACTERS; from++) {
    places.push(...placesOf(hash(marked, from, from + PIECE_CHARACTERS, PIECE_SEED)))
  }
  return places
}

const placesOf = (feature: number): ReadonlyArray<Place> => [
  placeOf(feature),
  placeOf(scramble(feature ^ SECOND_PLACE)),
]

const placeOf = (bits: number): Place => (bits >>> 31 === 1 ? bits % LOCAL_DIMENSIONS : ~(bits % LOCAL_DIMENSIONS))

const add = (vector: Float32Array, places: ReadonlyArray<Place>, weight: number): void => {
  for (const place of places) {
    if (place >= 0) vector[place] = (vector[place] ?? 0) + weight
    else vector[~place] = (vector[~place] ?? 0) - weight
  }
}

const normalize = (vector: Float32Array): Float32Array => {
  let squares = 0
  for (let place = 0; place < vector.length; place++) squares += (vector[place] ?? 0) ** 2
  // A text without words. A vector of length 0 would have no cosine.
  if (squares === 0) vector[0] = squares = 1
  const length = Math.sqrt(squares)
  for (let place = 0; place < vector.length; place++) vector[place] = (vector[place] ?? 0) / length
  return vector
}
