import { isPair, spacedWords } from "../domain/Words.ts"
import { commonness, roughStem } from "./Commonness.ts"
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
  const counts = new Map<string, number>()
  for (const word of words) counts.set(roughStem(word), (counts.get(roughStem(word)) ?? 0) + 1)
  const length = K1 * (1 - B + (B * words.length) / NEUTRAL_WORDS)
  const weights = new Map<string, number>()
  for (const [stem, count] of counts) weights.set(stem, ((K1 + 1) * count * rarity(stem)) / (count + length))

  const vector = new Float32Array(LOCAL_DIMENSIONS)
  for (const [stem, weight] of weights) add(vector, hash(stem, 0, stem.length, WORD_SEED), weight)
  for (const word of new Set(words)) addPieces(vector, word, weights.get(roughStem(word)) ?? 0)
  return normalize(vector)
}

/** 0 for a word in every text, 1 for one that is unknown. */
const rarity = (word: string): number => (Math.log(commonness(word)) / RAREST) ** RARITY_EXPONENT
const RAREST = Math.log(2 ** -14)

const addPieces = (vector: Float32Array, word: string, weight: number): void => {
  if (word.length < PIECE_CHARACTERS || weight === 0 || isPair(word)) return
  const marked = `^${word}$`
  const pieces = marked.length - PIECE_CHARACTERS + 1
  const each = (PIECE_WEIGHT * weight) / Math.sqrt(pieces)
  for (let from = 0; from < pieces; from++) add(vector, hash(marked, from, from + PIECE_CHARACTERS, PIECE_SEED), each)
}

const add = (vector: Float32Array, feature: number, weight: number): void => {
  for (const bits of [feature, scramble(feature ^ SECOND_PLACE)]) {
    const place = bits % LOCAL_DIMENSIONS
    vector[place] = (vector[place] ?? 0) + (bits >>> 31 === 1 ? weight : -weight)
  }
}

const normalize = (vector: Float32Array): Float32Array => {
  let squares = 0
  for (const value of vector) squares += value * value
  // Text without words: a vector of length 0 would have no cosine.
  if (squares === 0) vector[0] = squares = 1
  const length = Math.sqrt(squares)
  return vector.map((value) => value / length)
}
