import type { QueryWord } from "./LexicalQuery.ts"

/**
 * `similarity` says whether a passage answers a question at all; the ranking scores cannot, since they are relative to
 * the question. It rests on coverage: the share of the question's information (Σ idf of its words) that the passage
 * holds. A question on something else also meets a few words by chance, and more of them the more passages there are;
 * `similarity` is stretched so that what chance reaches nine times in ten stays below `THRESHOLD`.
 *
 * Measured with the questions of each of four public sets asked of the passages of the others, and in six languages with
 * those of one half of a set asked of the passages of the other half.
 */

/** The default threshold. */
export const THRESHOLD = 0.2

/** Evidence that the best passage reaches by chance, with many passages. */
const CHANCE = 0.25
/** With more passages than these it no longer grows. */
const MANY_PASSAGES = 200
/** What a word counts that stands in the passage, but not beside a neighbour that it has in the question. */
const SCATTERED = 0.6
/** What a pair of characters counts that is nowhere: most such pairs span the border between two words. */
const UNSEEN_PAIR = 0.25

/** How a passage holds a word of the question. */
export type Presence = "beside a neighbour" | "scattered" | "absent"

/**
 * The similarity of passages of a knowledge base to a question.
 *
 * @param passages in the knowledge base
 */
export const similarityIn = (passages: number) => {
  const chance = CHANCE * Math.min(1, Math.log1p(passages) / Math.log1p(MANY_PASSAGES))
  const stretch = Math.log(THRESHOLD) / Math.log(chance)
  /**
   * @param informationOfWord of the distinct words of the question, see `informationOf`
   * @param presenceOfWord in the passage, of the same words
   * @returns 0–1
   */
  return (informationOfWord: ReadonlyArray<number>, presenceOfWord: (word: number) => Presence): number => {
    let asked = 0
    let covered = 0
    let found = 0
    for (let word = 0; word < informationOfWord.length; word++) {
      const information = informationOfWord[word] ?? 0
      asked += information
      const presence = presenceOfWord(word)
      if (presence === "absent") continue
      found += 1
      covered += presence === "scattered" ? SCATTERED * information : information
    }
    if (found === 0) return 0
    // One word is weak evidence, however rare it is.
    const evidence = (covered / asked) * (1 - 0.5 ** found)
    return evidence ** stretch
  }
}

/** Texts in general count as much as this many passages of the knowledge base, which may hold but a few itself. */
const BACKGROUND_PASSAGES = 200

/**
 * The information in a word of a question: what is rare in the knowledge base and in general tells much.
 *
 * @param holding passages of the knowledge base that hold the word
 */
export const informationOf = (word: QueryWord, holding: number, passages: number): number => {
  const expected = holding + BACKGROUND_PASSAGES * word.commonness
  const information = inverseDocumentFrequency(expected, passages + BACKGROUND_PASSAGES)
  return word.isPair && holding === 0 ? UNSEEN_PAIR * information : information
}

/** As in BM25: never negative. */
export const inverseDocumentFrequency = (holding: number, passages: number): number =>
  Math.log1p((passages - holding + 0.5) / (holding + 0.5))
