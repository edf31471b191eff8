import { LIKELY_SIMILARITY } from "../../domain/Passage.ts"
import type { QueryWord } from "./LexicalQuery.ts"

/*
 * Similarity says whether a passage answers a question at all, which a ranking score cannot say because it is relative
 * to the question. It is based on coverage: the share of the question's information (Σ idf of its words) that the
 * passage contains. An unrelated question also has a few words in common with some passage by chance, and more of them
 * the more passages there are. Similarity is therefore stretched so that nine in ten unrelated questions stay below
 * `LIKELY_SIMILARITY`.
 *
 * It was measured on four public sets, with the questions of each set and the passages of the others, and in six
 * languages with the questions of one half of a set and the passages of the other half.
 */

/** The evidence that the best of many passages reaches for an unrelated question. */
const CHANCE = 0.25
/** The number of passages from which on `CHANCE` is constant. */
const MANY_PASSAGES = 200
/** The weight of a word that stands in the passage, but not beside a neighbour that it has in the question. */
const SCATTERED = 0.6
/** The weight of a word of which the passage holds only a similar one, which a typing error would explain. */
const SIMILAR = 0.4
/** The weight of a pair of characters that no passage contains. Most such pairs span the border between two words. */
const UNSEEN_PAIR = 0.25

/** How a word of the question occurs in a passage. */
export type Presence = "beside a neighbour" | "scattered" | "similar" | "absent"

const WEIGHTS: { readonly [How in Presence]: number } = {
  "beside a neighbour": 1,
  scattered: SCATTERED,
  similar: SIMILAR,
  absent: 0,
}

/**
 * Returns a function that computes the similarity of a passage to a question.
 *
 * @param passages the number of passages in the knowledge base
 */
export const similarityIn = (passages: number) => {
  const chance = CHANCE * Math.min(1, Math.log1p(passages) / Math.log1p(MANY_PASSAGES))
  const stretch = Math.log(LIKELY_SIMILARITY) / Math.log(chance)
  /**
   * @param informationOfWord the information in each distinct word of the question, see `informationOf`
   * @param presenceOfWord returns how a word, by its index, occurs in the passage
   * @returns the similarity, 0–1
   */
  return (informationOfWord: ReadonlyArray<number>, presenceOfWord: (word: number) => Presence): number => {
    let total = 0
    let covered = 0
    let found = 0
    for (let word = 0; word < informationOfWord.length; word++) {
      const information = informationOfWord[word] ?? 0
      total += information
      const presence = presenceOfWord(word)
      if (presence === "absent") continue
      found += 1
      covered += WEIGHTS[presence] * information
    }
    if (found === 0) return 0
    // A single word is weak evidence, however rare it is.
    const evidence = (covered / total) * (1 - 0.5 ** found)
    return evidence ** stretch
  }
}

/** Texts in general count as much as this many passages, since a knowledge base may have only a few of its own. */
const BACKGROUND_PASSAGES = 200

/**
 * The information in a word of a question: it is high for a word that is rare both in the knowledge base and in
 * general.
 *
 * @param frequency the number of passages that contain the word
 * @param passages the number of passages in the knowledge base
 */
export const informationOf = (word: QueryWord, frequency: number, passages: number): number => {
  const expected = frequency + BACKGROUND_PASSAGES * word.commonness
  const information = inverseDocumentFrequency(expected, passages + BACKGROUND_PASSAGES)
  return word.isPair && frequency === 0 ? UNSEEN_PAIR * information : information
}

/** The inverse document frequency of BM25 in the form that is never negative. */
export const inverseDocumentFrequency = (frequency: number, passages: number): number =>
  Math.log1p((passages - frequency + 0.5) / (frequency + 0.5))
