import { termsPerWord } from "../../language/words/Words.ts"
import type { Term } from "../segments/Lexemes.ts"
import { postingCount, postingOf, rankOf, type Segment, timesAdjacent } from "../segments/Segment.ts"
import { type LexicalQuery, passagesWith, type QueryWord } from "./LexicalQuery.ts"
import { corrected } from "./Spelling.ts"
import { informationOf, inverseDocumentFrequency, seenShare } from "./Similarity.ts"
import type { LexicalWeights } from "./Weights.ts"

/** A term of the question that at least one chunk contains. */
interface PlannedTerm {
  /** The rank of the term in each segment, or -1 where the segment does not contain it. */
  readonly ranks: Int32Array
  /** The rarity of the term's word in the knowledge base, combined with that in texts in general. */
  readonly idf: number
  /** Number of times that the term occurs in the question. */
  readonly times: number
  /** Whether the term is a pair of characters rather than a word. */
  readonly isPair: boolean
}

/** Two terms of one language that stand side by side in the question. */
interface PlannedPhrase {
  /** The number of the first term in the plan. */
  readonly left: number
  /** The number of the second term in the plan. */
  readonly right: number
  /** The inverse document frequency of the rarer term. */
  readonly idf: number
  /** Number of times that the phrase occurs in the question. */
  readonly times: number
  /** Whether both terms are pairs of characters. Such pairs overlap, so that their nearness says nothing more. */
  readonly isOfPairs: boolean
}

/** A distinct word of the question whose absence from a chunk is evidence. */
export interface PlannedWord {
  /** The numbers of its terms in the plan; none when no chunk contains the word. */
  readonly terms: ReadonlyArray<number>
  /** See `informationOf`. */
  readonly information: number
  /** The rarity by which its terms score, reduced as `information` where no passage has it. */
  readonly rarity: number
  /** The number of terms that one word has in the script. */
  readonly termsPerWord: number
  /** Whether the terms are those of a similar word. */
  readonly isCorrected: boolean
  /** Alternatives that stand in for it in chunks that do not contain it. */
  readonly substitutes: Substitutes | undefined
  /** The number of the sentence in which the question has it first. */
  readonly sentence: number
}

/** The chunks that contain an alternative of a word and not the word itself. */
export interface Substitutes {
  /** The number of times that each chunk of each segment contains an alternative. */
  readonly times: ReadonlyArray<ReadonlyMap<number, number>>
  /** That of the word, reduced. */
  idf: number
}

/** A question resolved against the segments of an index. */
export interface QueryPlan {
  readonly terms: ReadonlyArray<PlannedTerm>
  readonly phrases: ReadonlyArray<PlannedPhrase>
  readonly words: ReadonlyArray<PlannedWord>
  readonly substitutes: ReadonlyArray<Substitutes>
}

/** The statistics of the whole collection, of which the segments may contain only a part. */
export interface Collection {
  readonly chunks: number
  /** The number of chunks that contain a term of a word. Where it is undefined, they are counted in the segments. */
  readonly chunkFrequency?: (word: QueryWord) => number | undefined
  /** The average of `Segment.lengths`. Defaults to the average of the segments. */
  readonly averageLength?: number
}

/** A word that passages with at least this share drop as a stop word is not missed where it is absent. */
const MISSED_BELOW = 0.5

/** The score of a word that passages hold in another spelling, as a share of that of the word itself. */
const CORRECTED_SHARE = 0.6
/** The score of a synonym, as a share of that of the word itself. */
const SYNONYM_SHARE = 0.8

/** Resolves a question against the segments of an index. */
export const planQuery = (
  asked: LexicalQuery,
  segments: ReadonlyArray<Segment>,
  { chunks, chunkFrequency }: Collection,
  weights: LexicalWeights,
): QueryPlan => {
  const found = new Map<Term, { readonly ranks: Int32Array; readonly count: number }>()
  const look = (words: LexicalQuery): void => {
    for (const term of new Set(words.flatMap(({ stems }) => stems.flat()))) {
      const ranks = Int32Array.from(segments, (segment) => rankOf(segment, term))
      const count = segments.reduce((sum, segment, number) => sum + postingCount(segment, ranks[number] ?? -1), 0)
      if (count > 0) found.set(term, { ranks, count })
    }
  }
  look(asked)
  const substitutesOf = substitutesIn(segments)
  const isMissing = (word: QueryWord): boolean =>
    !word.stems.some((terms) => terms.some((term) => found.has(term))) && substitutesOf(word) === undefined
  // A part of the passages does not show that none of them holds a word.
  const isCorrectable = chunkFrequency === undefined && asked.some(isMissing)
  const query = isCorrectable ? corrected(asked, isMissing, segments) : asked
  if (isCorrectable) look(query.filter(({ isCorrected }) => isCorrected))
  // The rarity of a word is judged over all passages: a passage holds the term of its own language only.
  const frequencyOf = (word: QueryWord): number => {
    const counts = word.stems.map((terms) => Math.max(0, ...terms.map((term) => found.get(term)?.count ?? 0)))
    const substituted = substitutesOf(word)?.reduce((sum, { size }) => sum + size, 0) ?? 0
    const counted = counts.reduce((sum, count) => sum + count, substituted)
    // Segments still count their outdated documents, so that the sum may exceed the number of chunks.
    return passagesWith(word, counted === 0 ? 0 : (chunkFrequency?.(word) ?? counted), chunks)
  }
  const numbers = new Map<Term, number>()
  const terms: Array<{ ranks: Int32Array; idf: number; times: number; isPair: boolean }> = []
  const words = new Map<string, PlannedWord>()
  const substitutes = new Map<string, Substitutes>()
  for (const word of query) {
    const frequency = frequencyOf(word)
    const rarity = rarityOf(word, frequency, chunks, weights)
    const idf = (word.isCorrected ? CORRECTED_SHARE : 1) * rarity
    for (const term of new Set(word.stems.flat())) {
      const known = terms[numbers.get(term) ?? -1]
      const ranks = found.get(term)?.ranks
      if (known !== undefined && word.isCorrected) continue
      if (known !== undefined) {
        known.times += 1
        known.idf = Math.min(known.idf, idf)
      } else if (ranks !== undefined) {
        numbers.set(term, terms.push({ ranks, idf, times: 1, isPair: word.isPair }) - 1)
      }
    }
    const key = word.stems.join(";")
    const times = substitutesOf(word)
    if (times !== undefined && !substitutes.has(key)) substitutes.set(key, { times, idf: SYNONYM_SHARE * idf })
    if (word.droppedShare >= MISSED_BELOW) continue
    const present = word.stems.flat().flatMap((term) => numbers.get(term) ?? [])
    if (word.isCorrected && words.has(key)) continue
    const information = informationOf(word, frequency, chunks)
    const sentence = words.get(key)?.sentence ?? word.sentence ?? 0
    const isCorrected = word.isCorrected === true
    const planned = {
      information,
      rarity: rarity * seenShare(word, frequency),
      termsPerWord: termsPerWord(word.spelling?.word ?? ""),
      isCorrected,
      sentence,
    }
    words.set(key, { ...planned, terms: present, substitutes: substitutes.get(key) })
  }
  return {
    terms,
    phrases: phrasesOf(query, terms, numbers),
    words: Array.from(words.values()),
    substitutes: Array.from(substitutes.values()),
  }
}

/** The most postings that the alternatives of a question may have. More frequent ones say too little to be worth it. */
const SUBSTITUTED_MAX = 50_000

/** Returns a function that finds the substitutes of a word in each segment; undefined where it has none. */
const substitutesIn = (segments: ReadonlyArray<Segment>) => {
  let room = SUBSTITUTED_MAX
  const known = new Map<string, Substitutes["times"] | undefined>()
  const find = (word: QueryWord): Substitutes["times"] | undefined => {
    const times = segments.map((segment) => {
      const found = new Map<number, number>()
      for (const { words } of word.alternatives ?? []) {
        // The chunk has to contain the words of a phrase side by side.
        const [first = [], ...others] = words.map(({ terms }) =>
          terms.map((term) => rankOf(segment, term)).filter((rank) => rank >= 0),
        )
        for (const rank of first) {
          const end = segment.offsets[rank + 1] ?? 0
          const from = segment.offsets[rank] ?? 0
          if (end - from > room) continue
          room -= end - from
          for (let posting = from; posting < end; posting++) {
            const chunk = segment.chunks[posting] ?? 0
            const count = others.length === 0 ? (segment.frequencies[posting] ?? 0) : timesOf(segment, posting, others)
            if (count > 0) found.set(chunk, (found.get(chunk) ?? 0) + count)
          }
        }
      }
      const own = found.size === 0 ? [] : word.stems.flat().map((term) => rankOf(segment, term))
      for (const chunk of found.keys()) {
        if (own.some((rank) => postingOf(segment, rank, chunk) >= 0)) found.delete(chunk)
      }
      return found
    })
    return times.some(({ size }) => size > 0) ? times : undefined
  }
  return (word: QueryWord): Substitutes["times"] | undefined => {
    if (word.alternatives === undefined) return undefined
    const key = word.stems.join(";")
    if (!known.has(key)) known.set(key, find(word))
    return known.get(key)
  }
}

/** The number of times that further words, each by its ranks, follow the word of a posting, one after the other. */
const timesOf = (segment: Segment, posting: number, others: ReadonlyArray<ReadonlyArray<number>>): number => {
  const chunk = segment.chunks[posting] ?? 0
  let before = posting
  let least = Number.POSITIVE_INFINITY
  for (const ranks of others) {
    let most = 0
    let next = -1
    for (const rank of ranks) {
      const each = postingOf(segment, rank, chunk)
      const times = each < 0 ? 0 : timesAdjacent(segment, before, each)
      if (times > most) [most, next] = [times, each]
    }
    if (most === 0) return 0
    least = Math.min(least, most)
    before = next
  }
  return least
}

/** Rarity of a word; that of a pair of characters in general is not known well enough to be used. */
const rarityOf = (word: QueryWord, chunkFrequency: number, chunks: number, { background }: LexicalWeights): number => {
  const here = inverseDocumentFrequency(chunkFrequency, chunks)
  return word.isPair ? here : (1 - background) * here + background * informationOf(word, chunkFrequency, chunks)
}

const phrasesOf = (
  query: LexicalQuery,
  terms: ReadonlyArray<PlannedTerm>,
  numbers: ReadonlyMap<Term, number>,
): ReadonlyArray<PlannedPhrase> => {
  const phrases = new Map<string, PlannedPhrase>()
  const numbersOf = (stem: ReadonlyArray<Term> | undefined) => (stem ?? []).flatMap((term) => numbers.get(term) ?? [])
  for (const [index, word] of query.entries()) {
    const next = query[index + 1]
    for (const [language, stem] of word.stems.entries()) {
      for (const left of numbersOf(stem)) {
        for (const right of numbersOf(next?.stems[language])) {
          const times = (phrases.get(`${left} ${right}`)?.times ?? 0) + 1
          const idf = Math.max(terms[left]?.idf ?? 0, terms[right]?.idf ?? 0)
          phrases.set(`${left} ${right}`, { left, right, idf, times, isOfPairs: word.isPair && next?.isPair === true })
        }
      }
    }
  }
  return Array.from(phrases.values())
}
