import { isPair, spacedWords } from "../domain/Words.ts"
import { levelOf, roughStem, SHARES } from "./Commonness.ts"
import { hash, scramble } from "./Hashing.ts"

/** Vectors of another version cannot be compared with these: change the name with anything below or the table. */
export const LOCAL_MODEL = "local/hashed-1"
export const LOCAL_DIMENSIONS = 1_024

/** BM25's saturation of repeated words; a length of this many words is neutral. */
const K1 = 1.2
const B = 0.75
const NEUTRAL_WORDS = 150
/** Damps how much rarer words outweigh commoner ones. */
const RARITY_EXPONENT = 0.75
/** Pieces of words catch inflections and misspellings. Together they weigh this much times √pieces of their word. */
const PIECE_CHARACTERS = 4
const PIECE_WEIGHT = 0.4
/** Seeds that keep words and their pieces apart. */
const WORD_SEED = 0x811c9dc5
const PIECE_SEED = 0x2f0b4c47
/** Each feature is added to two places, so that two features that share one place still differ. */
const SECOND_PLACE = 0x5bd1e995

/**
 * A vector of length 1 from the words and word pieces of a text, by feature hashing: no learned weights, no network, the
 * same on every machine. It knows spelling, not meaning: synonyms are strangers to it.
 */
export const embedLocally = (text: string): Float32Array => {
  const words = spacedWords(text).split(" ")
  const length = K1 * (1 - B + (B * words.length) / NEUTRAL_WORDS)
  const stems = new Map<string, Stem>()
  const stemOf = new Map<string, Stem>()
  for (const word of words) {
    let stem = stemOf.get(word)
    if (stem === undefined) {
      const name = roughStem(word)
      stem = stems.get(name) ?? { count: 0, weight: 0 }
      stems.set(name, stem)
      stemOf.set(word, stem)
    }
    stem.count++
  }
  const vector = new Float32Array(LOCAL_DIMENSIONS)
  for (const [name, stem] of stems) {
    stem.weight = ((K1 + 1) * stem.count * (RARITIES[levelOf(name)] ?? 1)) / (stem.count + length)
    add(vector, hash(name, 0, name.length, WORD_SEED), stem.weight)
  }
  for (const [word, { weight }] of stemOf) addPieces(vector, word, weight)
  return normalize(vector)
}

/** Words that are taken for inflections of one. */
interface Stem {
  count: number
  weight: number
}

/** Of each level of commonness: 0 for a word in every text, 1 for one that is unknown. */
const RAREST = Math.log(2 ** -14)
const RARITIES = SHARES.map((share) => (Math.log(share) / RAREST) ** RARITY_EXPONENT)

const addPieces = (vector: Float32Array, word: string, weight: number): void => {
  if (word.length < PIECE_CHARACTERS || weight === 0 || isPair(word)) return
  const marked = `^${word}$`
  const pieces = marked.length - PIECE_CHARACTERS + 1
  const each = (PIECE_WEIGHT * weight) / Math.sqrt(pieces)
  for (let from = 0; from < pieces; from++) add(vector, hash(marked, from, from + PIECE_CHARACTERS, PIECE_SEED), each)
}

const add = (vector: Float32Array, feature: number, weight: number): void => {
  addAt(vector, feature, weight)
  addAt(vector, scramble(feature ^ SECOND_PLACE), weight)
}

const addAt = (vector: Float32Array, bits: number, weight: number): void => {
  const place = bits % LOCAL_DIMENSIONS
  vector[place] = (vector[place] ?? 0) + (bits >>> 31 === 1 ? weight : -weight)
}

const normalize = (vector: Float32Array): Float32Array => {
  let squares = 0
  for (let place = 0; place < vector.length; place++) squares += (vector[place] ?? 0) ** 2
  // Text without words: a vector of length 0 would have no cosine.
  if (squares === 0) vector[0] = squares = 1
  const length = Math.sqrt(squares)
  for (let place = 0; place < vector.length; place++) vector[place] = (vector[place] ?? 0) / length
  return vector
}
