import { describe, expect, test } from "bun:test"
import { fuse, weightFor } from "../../../src/knowledge/search/Fusion.ts"
import { chunkIdOf } from "../../lib/Lexemes.ts"

const matches = [10, 20, 30].map((score, place) => ({ chunkId: chunkIdOf(place), score, similarity: 0.5, place }))
const fusedBy = (weight: number, vectors: ReadonlyArray<number | null>) =>
  fuse(matches, ({ place }) => vectors[place] ?? null, weight).map(
    ({ match, fused }) => [match.place, Number(fused.toFixed(3))] as const,
  )

const word = { stems: [[1]], droppedShare: 0, commonness: 0.001, isPair: false }
const pair = { ...word, isPair: true }

test("vectors count less, the more of a question's words are pairs of characters", () => {
  expect(weightFor([], 0.4)).toBe(0.4)
  expect(weightFor([word, word, word], 0.4)).toBe(0.4)
  expect(weightFor([pair, word, pair, word], 0.4)).toBeCloseTo(0.4 * (1 - 0.85 / 2), 10)
  expect(weightFor([pair, pair, pair], 0.4)).toBeCloseTo(0.4 * 0.15, 10)
})

test("vectors count more for a question of one or two words, which many passages match equally well", () => {
  expect(weightFor([word], 0.4)).toBeCloseTo(0.6, 10)
  expect(weightFor([word, word], 0.4)).toBeCloseTo(0.6, 10)
})

describe("the fusion of scores", () => {
  test("returns the score of the vector unscaled, and null where there is no vector", () => {
    const vectors = [0.25, null, 0]
    const fused = fuse(matches, ({ place }) => vectors[place] ?? null, 0.5)
    expect(fused.map(({ match, vector }) => [match.place, vector])).toEqual([
      [0, 0.25],
      [2, 0],
      [1, null],
    ])
  })

  test("adds both scores by their weights, each scaled from 0 to 1", () => {
    expect(fusedBy(0.2, [1, 0.5, 0])).toEqual([
      [2, 0.8],
      [1, 0.5],
      [0, 0.2],
    ])
    expect(fusedBy(0.9, [1, 0.5, 0])).toEqual([
      [0, 0.9],
      [1, 0.5],
      [2, 0.1],
    ])
  })

  test("counts a missing vector as 0, and orders equal scores by id", () => {
    expect(fusedBy(0.5, [null, null, null])).toEqual([
      [2, 0.5],
      [1, 0.25],
      [0, 0],
    ])
    expect(fusedBy(1, [0.3, 0.3, null])).toEqual([
      [0, 1],
      [1, 1],
      [2, 0],
    ])
  })
})
