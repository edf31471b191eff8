import { isPair, spacedWords } from "../text/Words.ts"
import { WordTable } from "../text/WordTable.ts"
import { levelOf, roughStem, SHARES } from "../text/Commonness.ts"
import { hash, scramble } from "../text/Hashing.ts"

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

/** Words remembered with their features are forgotten once they are longer than this together: some 10 MB. */
const MAX_CHARACTERS = 256 * 1_024

/**
 * A vector of length 1 from the words and word pieces of a text, by feature hashing: no learned weights, no network, the
 * same on every machine. It knows spelling, not meaning: synonyms are strangers to it.
 */
export const embedLocally = (text: string): Float32Array => {
  // Not while a text is read: two of its words that share a stem must share its count.
  if (knownWords.characters > MAX_CHARACTERS) forgetAll()
  const spaced = knownWords.read(spacedWords(text), learn)
  const length = K1 * (1 - B + (B * spaced.length) / NEUTRAL_WORDS)
  embedded++
  const words: Array<Word> = []
  const stems: Array<Stem> = []
  for (const word of spaced) {
    const { stem } = word
    if (stem.seenIn !== embedded) {
      stem.seenIn = embedded
      stem.count = 0
      stems.push(stem)
    }
    stem.count++
    if (word.seenIn === embedded) continue
    word.seenIn = embedded
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

/** Words that are taken for inflections of one. */
interface Stem {
  readonly rarity: number
  readonly places: ReadonlyArray<Place>
  /** The text, by its number, that `count` and `weight` are about. */
  seenIn: number
  count: number
  weight: number
}

interface Word {
  readonly stem: Stem
  readonly pieces: ReadonlyArray<Place>
  seenIn: number
}

/** Where a feature is added to a vector, or, as the complement of that, where it is taken away. */
type Place = number

let embedded = 0
let knownWords = new WordTable<Word>()
const knownStems = new Map<string, Stem>()

const forgetAll = (): void => {
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

/** Of each level of commonness: 0 for a word in every text, 1 for one that is unknown. */
const RAREST = Math.log(2 ** -14)
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
  // Text without words: a vector of length 0 would have no cosine.
  if (squares === 0) vector[0] = squares = 1
  const length = Math.sqrt(squares)
  for (let place = 0; place < vector.length; place++) vector[place] = (vector[place] ?? 0) / length
  return vector
}
