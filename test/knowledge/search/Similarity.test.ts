import { LIKELY_SIMILARITY } from "../../../src/domain/knowledge/Passage.ts"
import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import {
  informationOf,
  inverseDocumentFrequency,
  type WordPresence,
  similarityAmong,
  similarityIn,
  similarityOfScoreIn,
  similarityWithMeaning,
  similarityWithSpelling,
} from "../../../src/knowledge/search/Similarity.ts"

const presence = fc.constantFrom<WordPresence>("beside a neighbour", "scattered", "absent")
const words = fc.array(fc.tuple(fc.double({ min: 0.1, max: 9, noNaN: true }), presence), {
  minLength: 1,
  maxLength: 20,
})
const passages = fc.integer({ min: 1, max: 1_000_000 })

const similarity = (list: ReadonlyArray<readonly [number, WordPresence]>, count: number): number =>
  similarityIn(count)(
    list.map(([information]) => information),
    (word) => list[word]?.[1] ?? "absent",
  )

describe("the similarity of a score", () => {
  const word = { information: 5, rarity: 5, termsPerWord: 1 }
  const of = (words: number, termsPerWord: number, share: number, passages = 200): number =>
    similarityOfScoreIn(
      Array.from({ length: words }, () => ({ ...word, termsPerWord })),
      passages,
    )(share * 5 * words)

  test("is the likely one where chance reaches the score, and grows with the score", () => {
    expect(of(3, 1, 0.42)).toBeCloseTo(LIKELY_SIMILARITY, 5)
    expect(of(3, 1, 0.6)).toBeGreaterThan(of(3, 1, 0.5))
    expect(of(3, 1, 0)).toBe(0)
    expect(similarityOfScoreIn([], 10)(3)).toBe(0)
  })

  test("takes many terms for the words that they make, in a long question only", () => {
    expect(of(16, 8, 0.4)).toBeCloseTo(of(2, 1, 0.4), 10)
    expect(of(16, 1, 0.4)).toBeGreaterThan(of(2, 1, 0.4))
  })
})

describe("similarity", () => {
  test("is between 0 and 1, and 0 only when the passage contains no word of the question", () => {
    fc.assert(
      fc.property(words, passages, (list, count) => {
        const value = similarity(list, count)
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThan(1)
        expect(value === 0).toBe(list.every(([, where]) => where === "absent"))
      }),
    )
  })

  test("grows with each word that the passage contains, and with each that stands beside its neighbour", () => {
    const better = { absent: "similar", similar: "scattered", scattered: "beside a neighbour" } as const
    fc.assert(
      fc.property(words, passages, (list, count) => {
        const before = similarity(list, count)
        for (const [index, [information, where]] of list.entries()) {
          if (where === "beside a neighbour") continue
          expect(similarity(list.with(index, [information, better[where]]), count)).toBeGreaterThan(before)
        }
      }),
    )
  })

  test("grows with the number of words in the question when the passage contains all of them", () => {
    const found = (count: number) =>
      similarity(
        Array.from({ length: count }, () => [3, "beside a neighbour"] as const),
        50,
      )
    expect(found(2)).toBeGreaterThan(found(1))
    expect(found(3)).toBeGreaterThan(found(2))
  })

  test("is lower in a larger knowledge base, where more passages contain words of the question by chance", () => {
    const partly = [
      [3, "scattered"],
      [3, "absent"],
    ] as const
    expect(similarity(partly, 5)).toBeGreaterThan(similarity(partly, 50))
    expect(similarity(partly, 5)).toBeGreaterThan(LIKELY_SIMILARITY)
    expect(similarity(partly, 2_000)).toBeLessThan(LIKELY_SIMILARITY)
  })

  test("is higher for a long question than for a short one with the same share of its words in the passage", () => {
    const words = (count: number) =>
      Array.from({ length: count }, (_, index) => [6, index % 4 === 0 ? "beside a neighbour" : "absent"] as const)
    expect(similarity(words(12), 300)).toBeGreaterThan(similarity(words(8), 300))
    expect(similarity(words(24), 300)).toBeGreaterThan(1.05 * similarity(words(12), 300))
  })

  test("of one of many passages lies between its own and the highest one, so that none exceeds the best", () => {
    const share = fc.double({ min: 0.001, max: 1, noNaN: true })
    fc.assert(
      fc.property(share, share, (one, other) => {
        const [own, highest] = one < other ? [one, other] : [other, one]
        expect(similarityAmong(own, highest)).toBeWithin(own - 1e-9, highest + 1e-9)
        expect(similarityAmong(highest, highest)).toBeCloseTo(highest, 10)
      }),
    )
    expect(similarityAmong(0.05, 0.8)).toBeGreaterThanOrEqual(LIKELY_SIMILARITY)
    expect(similarityAmong(0.05, LIKELY_SIMILARITY)).toBeLessThan(LIKELY_SIMILARITY)
  })

  test("exceeds the threshold when the question is a single word that the passage contains", () => {
    expect(similarity([[0.5, "beside a neighbour"]], 100_000)).toBeGreaterThan(LIKELY_SIMILARITY)
  })
})

describe("similarity by words and by vectors of spelling", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  const cosine = fc.double({ min: -1, max: 1, noNaN: true })

  test("is between 0 and 1, grows with both, and is 0 for a passage without a word of the question", () => {
    fc.assert(
      fc.property(share, share, cosine, cosine, passages, (less, more, far, near, count) => {
        const low = similarityWithSpelling(Math.min(less, more), Math.min(far, near), count)
        const high = similarityWithSpelling(Math.max(less, more), Math.max(far, near), count)
        expect(low).toBeGreaterThanOrEqual(0)
        expect(high).toBeLessThanOrEqual(1)
        expect(high).toBeGreaterThanOrEqual(low)
        expect(similarityWithSpelling(0, near, count)).toBe(0)
      }),
    )
  })

  test("lets a vector raise passages that words nearly reach, and lower none", () => {
    expect(similarityWithSpelling(0.15, 0.25, 200)).toBeGreaterThan(LIKELY_SIMILARITY)
    expect(similarityWithSpelling(0.25, 0.02, 200)).toBe(0.25)
    expect(similarityWithSpelling(0.05, 1, 200)).toBeLessThan(LIKELY_SIMILARITY)
  })
})

describe("similarity by words and by vectors of meaning", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  const cosine = fc.double({ min: -1, max: 1, noNaN: true })

  test("is between that of the words and 1, and grows with both", () => {
    fc.assert(
      fc.property(share, share, cosine, cosine, (less, more, far, near) => {
        const low = similarityWithMeaning(Math.min(less, more), Math.min(far, near), 0.2)
        const high = similarityWithMeaning(Math.max(less, more), Math.max(far, near), 0.2)
        expect(low).toBeGreaterThanOrEqual(Math.min(less, more) - 1e-9)
        expect(high).toBeLessThanOrEqual(1)
        expect(high).toBeGreaterThanOrEqual(low)
      }),
    )
  })

  test("is the higher one of words and of meaning, where chance shows no meaning", () => {
    expect(similarityWithMeaning(0.15, 0.25, 0.2)).toBe(0.15)
    expect(similarityWithMeaning(0, 0.5, 0.2)).toBeCloseTo(0.375, 10)
    expect(similarityWithMeaning(0.4, 0.1, 0.2)).toBe(0.4)
  })
})

describe("the information in a word of a question", () => {
  const word = { stems: [[1]], droppedShare: 0, commonness: 0.001, isPair: false }

  test("falls with the number of passages that contain the word, and with its commonness in general", () => {
    expect(informationOf(word, 1, 100)).toBeGreaterThan(informationOf(word, 50, 100))
    expect(informationOf(word, 1, 3)).toBeGreaterThan(informationOf({ ...word, commonness: 0.5 }, 1, 3))
  })

  test("counts texts in general as two hundred more passages", () => {
    expect(informationOf({ ...word, commonness: 0 }, 3, 100)).toBe(inverseDocumentFrequency(3, 300))
    expect(informationOf({ ...word, commonness: 0.25 }, 3, 100)).toBe(inverseDocumentFrequency(53, 300))
  })

  test("is close to 0 for a word that every passage contains, but never negative", () => {
    expect(inverseDocumentFrequency(100, 100)).toBeWithin(0, 0.01)
    expect(inverseDocumentFrequency(50, 100)).toBeCloseTo(Math.log(2), 10)
    expect(inverseDocumentFrequency(0, 100)).toBeCloseTo(Math.log(202), 10)
  })

  test("is low for a pair of characters that no passage contains", () => {
    expect(informationOf({ ...word, isPair: true }, 0, 100)).toBeLessThan(informationOf(word, 0, 100) / 2)
    expect(informationOf({ ...word, isPair: true }, 1, 100)).toBe(informationOf(word, 1, 100))
  })
})
