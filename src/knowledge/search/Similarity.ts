import { LIKELY_SIMILARITY } from "../../domain/knowledge/Passage.ts"
import type { QueryWord } from "./LexicalQuery.ts"

/*
 * Similarity says whether a passage answers a question at all, which a ranking score cannot say because it is relative
 * to the question. It is based on coverage: the share of the question's information (Σ idf of its words) that the
 * passage contains. An unrelated question also has a few words in common with some passage by chance: more of them the
 * more passages there are, and a smaller share of them the longer the question is. Coverage is therefore stretched so
 * that chance reaches `LIKELY_SIMILARITY`.
 *
 * The constants were varied over sets of many kinds of questions in six languages, with one language or subject left out
 * at a time: no change served the sets that were left out better. With the constants of spelling, two answerable
 * questions in a hundred find nothing (mostly whole sentences in German and Arabic), and a third of those that the
 * knowledge base does not answer find something. A lower `chance` trades one for the other.
 */

const CALIBRATION = {
  /** The evidence that chance reaches for about one unrelated question in seven, in 200 passages. */
  chance: 0.155,
  /** The information of a long question, in words that no text contains. Chance covers less of longer ones. */
  longQuestion: 5,
  /** The weight of a word that stands in the passage, but not beside a neighbour that it has in the question. */
  scattered: 0.6,
  /** The weight of a word of which the passage holds only a similar one, which a typing error would explain. */
  similar: 0.4,
  /** The cosine of vectors of spelling that chance reaches. */
  chanceCosine: 0.04,
  /** The share of the cosine in the similarity of words and spelling. */
  cosineShare: 0.5,
  /** The most by which that cosine multiplies the similarity of words. */
  mostLift: 2,
  /** The score that chance reaches, as a share of the rarity of the question's words together. */
  chanceScore: 0.42,
}

/** The number of passages to which `CALIBRATION.chance` refers. */
const SOME_PASSAGES = 200
/** Exponent with which chance grows with the logarithm of the number of passages. */
const CHANCE_GROWTH = 0.7
/** The weight of a pair of characters that no passage contains. Most such pairs span the border between two words. */
const UNSEEN_PAIR = 0.25

/** Occurrence of a word of the question in a passage. */
export type WordPresence = "beside a neighbour" | "scattered" | "similar" | "absent"

/**
 * Returns a function that computes the similarity of a passage to a question by itself.
 *
 * @param passages the number of passages in the knowledge base
 */
export const similarityIn = (passages: number) => {
  const { chance, longQuestion, scattered, similar } = CALIBRATION
  const weights: { readonly [How in WordPresence]: number } = { "beside a neighbour": 1, scattered, similar, absent: 0 }
  const chanceOfMany = chance * growthOfChance(passages)
  const long = longQuestion * inverseDocumentFrequency(0, passages + BACKGROUND_PASSAGES)
  /**
   * @param informationOfWord the information in each distinct word of the question, see `informationOf`
   * @param presenceOfWord returns how a word, by its index, occurs in the passage
   * @returns the similarity, 0–1
   */
  return (informationOfWord: ReadonlyArray<number>, presenceOfWord: (word: number) => WordPresence): number => {
    let total = 0
    let covered = 0
    let found = 0
    for (let word = 0; word < informationOfWord.length; word++) {
      const information = informationOfWord[word] ?? 0
      total += information
      const presence = presenceOfWord(word)
      if (presence === "absent") continue
      found += 1
      covered += weights[presence] * information
    }
    if (found === 0) return 0
    // A single word is weak evidence, however rare it is.
    const evidence = (covered / total) * (1 - 0.5 ** found)
    // The share that chance covers varies less the more words there are, as the mean of any sample does.
    const chanceHere = chanceOfMany * Math.sqrt(Math.min(1, long / total))
    return stretched(evidence, chanceHere)
  }
}

/** The factor by which chance covers more than in `SOME_PASSAGES`. */
const growthOfChance = (passages: number): number => (Math.log1p(passages) / Math.log1p(SOME_PASSAGES)) ** CHANCE_GROWTH

/** Stretches evidence, so that what chance reaches is `LIKELY_SIMILARITY`. */
const stretched = (evidence: number, chance: number): number =>
  evidence ** (Math.log(LIKELY_SIMILARITY) / Math.log(chance))

/**
 * The similarity of a passage by its words and by the cosine of vectors that express spelling, which are independent
 * evidence: pieces of words also match their inflections and compounds, and repeated words count. It is a weighted
 * geometric mean, in which neither makes up for the other's absence, or the similarity of the words where that is higher:
 * words with typing errors, and the core of a long question, have low cosines.
 *
 * @param similarity that of the words
 * @param passages the number of passages in the knowledge base
 */
export const similarityWithSpelling = (similarity: number, cosine: number, passages: number): number => {
  const { chanceCosine, cosineShare, mostLift } = CALIBRATION
  // Among few passages, words have to cover less, and a single one of them also lifts the cosine.
  const chance = chanceCosine / Math.min(1, growthOfChance(passages))
  const ofSpelling = stretched(Math.max(0, Math.min(1, cosine)), chance)
  const both = similarity ** (1 - cosineShare) * ofSpelling ** cosineShare
  return Math.max(similarity, Math.min(mostLift * similarity, both))
}

/** The information of a long question, in words that no text contains. Chance scores less in longer ones. */
const LONG_QUESTION = 3
/** Exponent of the growth of chance for scores, which also grow with the rarity of words in a larger knowledge base. */
const SCORE_GROWTH = 0.6
/** Exponent with which chance scores less than that in longer ones. */
const CHANCE_SHRINKAGE = 0.7

/**
 * Returns a function that computes the similarity of a passage by its score, which also counts how often words occur, in
 * how long a passage. As a share of the rarity of all words, chance scores about the same in every script, also where a word
 * is many terms, of which every passage contains some: these are common, and count little.
 *
 * @param words those of the question
 * @param passages the number of passages in the knowledge base
 */
export const similarityOfScoreIn = (
  words: ReadonlyArray<{ readonly information: number; readonly rarity: number; readonly termsPerWord: number }>,
  passages: number,
): ((score: number) => number) => {
  const total = words.reduce((sum, { rarity }) => sum + rarity, 0)
  const length = words.reduce((sum, { information, termsPerWord }) => sum + information / termsPerWord, 0)
  const long = LONG_QUESTION * inverseDocumentFrequency(0, passages + BACKGROUND_PASSAGES)
  const chance =
    CALIBRATION.chanceScore * growthOfChance(passages) ** SCORE_GROWTH * Math.min(1, long / length) ** CHANCE_SHRINKAGE
  return (score) => (total === 0 ? 0 : stretched(saturated(score / total), saturated(chance)))
}

const saturated = (score: number): number => score / (score + 1)

/**
 * The similarity of a passage by its words and by the cosine of vectors that express meaning: the higher of both, because
 * a passage may say the same in other words.
 *
 * @param similarity that of the words
 * @param unrelated the cosine that unrelated texts reach
 */
export const similarityWithMeaning = (similarity: number, cosine: number, unrelated: number): number =>
  Math.max(similarity, Math.min(1, (cosine - unrelated) / (1 - unrelated)))

/**
 * The similarity of a passage among others: the geometric mean of its own and the highest one. Where one passage shows
 * that the knowledge base deals with the subject of the question, the others probably bear on it too; where none does,
 * none is lifted above the best.
 */
export const similarityAmong = (own: number, highest: number): number => Math.sqrt(own * highest)

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
  return seenShare(word, frequency) * information
}

/** The share of a word's rarity that counts, given the number of passages that contain it. */
export const seenShare = ({ isPair }: QueryWord, frequency: number): number =>
  isPair && frequency === 0 ? UNSEEN_PAIR : 1

/** The inverse document frequency of BM25 in the form that is never negative. */
export const inverseDocumentFrequency = (frequency: number, passages: number): number =>
  Math.log1p((passages - frequency + 0.5) / (frequency + 0.5))
