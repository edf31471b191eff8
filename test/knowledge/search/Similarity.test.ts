import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import {
  informationOf,
  inverseDocumentFrequency,
  type Presence,
  similarityIn,
  THRESHOLD,
} from "../../../src/knowledge/search/Similarity.ts"

const presence = fc.constantFrom<Presence>("beside a neighbour", "scattered", "absent")
const words = fc.array(fc.tuple(fc.double({ min: 0.1, max: 9, noNaN: true }), presence), {
  minLength: 1,
  maxLength: 20,
})
const passages = fc.integer({ min: 1, max: 1_000_000 })

const similarity = (list: ReadonlyArray<readonly [number, Presence]>, count: number): number =>
  similarityIn(count)(
    list.map(([information]) => information),
    (word) => list[word]?.[1] ?? "absent",
  )

describe("similarity", () => {
  test("is between 0 and 1, and 0 only when no word is there", () => {
    fc.assert(
      fc.property(words, passages, (list, count) => {
        const value = similarity(list, count)
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThan(1)
        expect(value === 0).toBe(list.every(([, where]) => where === "absent"))
      }),
    )
  })

  test("grows with each word that is found, and with each that is found beside its neighbour", () => {
    const better = { absent: "scattered", scattered: "beside a neighbour" } as const
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

  test("rests on more evidence with each word, also where all of them are found", () => {
    const found = (count: number) =>
      similarity(
        Array.from({ length: count }, () => [3, "beside a neighbour"] as const),
        50,
      )
    expect(found(2)).toBeGreaterThan(found(1))
    expect(found(3)).toBeGreaterThan(found(2))
  })

  test("asks for more where there are more passages to meet words in by chance", () => {
    const partly = [
      [3, "scattered"],
      [3, "absent"],
    ] as const
    expect(similarity(partly, 5)).toBeGreaterThan(similarity(partly, 50))
    expect(similarity(partly, 5)).toBeGreaterThan(THRESHOLD)
    expect(similarity(partly, 2_000)).toBeLessThan(THRESHOLD)
  })

  test("of one word, alone asked and found, is above the threshold", () => {
    expect(similarity([[0.5, "beside a neighbour"]], 100_000)).toBeGreaterThan(THRESHOLD)
  })
})

describe("the information in a word", () => {
  const word = { terms: [1], commonness: 0.001, isPair: false, isContent: true }

  test("falls with the passages that hold it, and with its commonness in general", () => {
    expect(informationOf(word, 1, 100)).toBeGreaterThan(informationOf(word, 50, 100))
    expect(informationOf(word, 1, 3)).toBeGreaterThan(informationOf({ ...word, commonness: 0.5 }, 1, 3))
  })

  test("counts texts in general as two hundred passages more", () => {
    expect(informationOf({ ...word, commonness: 0 }, 3, 100)).toBe(inverseDocumentFrequency(3, 300))
    expect(informationOf({ ...word, commonness: 0.25 }, 3, 100)).toBe(inverseDocumentFrequency(53, 300))
  })

  test("is next to nothing in a word that every passage holds, but never less", () => {
    expect(inverseDocumentFrequency(100, 100)).toBeWithin(0, 0.01)
    expect(inverseDocumentFrequency(50, 100)).toBeCloseTo(Math.log(2), 10)
    expect(inverseDocumentFrequency(0, 100)).toBeCloseTo(Math.log(202), 10)
  })

  test("is little in a pair of characters that is nowhere", () => {
    expect(informationOf({ ...word, isPair: true }, 0, 100)).toBeLessThan(informationOf(word, 0, 100) / 2)
    expect(informationOf({ ...word, isPair: true }, 1, 100)).toBe(informationOf(word, 1, 100))
  })
})
