import { describe, expect, test } from "bun:test"
import { fuse, meaningWeight, spellingWeight } from "../../../src/knowledge/search/Fusion.ts"
import { chunkIdOf } from "../../lib/Lexemes.ts"

const candidates = (vectors: ReadonlyArray<number | null>) =>
  [10, 20, 30].map((lexical, place) => ({
    chunkId: chunkIdOf(place),
    lexical,
    similarity: 0.5,
    vector: vectors[place] ?? null,
  }))
const fusedBy = (weight: number, vectors: ReadonlyArray<number | null>) =>
  fuse(candidates(vectors), weight).map(({ lexical, fused }) => [lexical / 10 - 1, Number(fused.toFixed(3))] as const)

const word = { stems: [[1]], droppedShare: 0, commonness: 0.001, isPair: false }
const pair = { ...word, isPair: true }

test("vectors count less, the more of a question's words are pairs of characters", () => {
  expect(spellingWeight([], 0.4)).toBe(0.4)
  expect(spellingWeight([word, word, word], 0.4)).toBe(0.4)
  expect(spellingWeight([pair, word, pair, word], 0.4)).toBeCloseTo(0.4 * (1 - 0.85 / 2), 10)
  expect(spellingWeight([pair, pair, pair], 0.4)).toBeCloseTo(0.4 * 0.15, 10)
})

test("vectors count more for a question of one or two words, which many passages match equally well", () => {
  expect(spellingWeight([word], 0.4)).toBeCloseTo(0.6, 10)
  expect(spellingWeight([word, word], 0.4)).toBeCloseTo(0.6, 10)
})

describe("the fusion of scores", () => {
  test("returns the score of the vector unscaled, and null where there is no vector", () => {
    const fused = fuse(candidates([0.25, null, 0]), 0.5)
    expect(fused.map(({ lexical, vector }) => [lexical, vector])).toEqual([
      [10, 0.25],
      [30, 0],
      [20, null],
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

describe("the weight of vectors that express meaning", () => {
  const found = (
    count: number,
    { similarity = 0.5, vector }: { similarity?: number; vector: (place: number) => number },
  ) =>
    Array.from({ length: count }, (_, place) => ({
      chunkId: chunkIdOf(place),
      lexical: count - place,
      similarity,
      vector: vector(place),
    }))

  test("is full where the cosines agree with the words, and small where they only vary by chance", () => {
    expect(meaningWeight(found(20, { vector: (place) => 0.5 - 0.01 * place }), 0.5)).toBeCloseTo(0.5, 10)
    expect(meaningWeight(found(20, { vector: (place) => 0.3 + 0.01 * ((7 * place) % 20) }), 0.5)).toBeLessThan(0.2)
    expect(meaningWeight(found(20, { vector: (place) => 0.3 + 0.01 * place }), 0.5)).toBeLessThan(0.02)
  })

  test("is higher where one chunk is much nearer than all others, whatever the words say of it", () => {
    const lead = (place: number) => (place === 19 ? 0.9 : 0.3 + 0.001 * place)
    expect(meaningWeight(found(20, { vector: lead }), 0.5)).toBeGreaterThan(0.65)
  })

  test("is nearly all where no chunk has more than a little in common with the words of the question", () => {
    expect(meaningWeight(found(4, { similarity: 0.001, vector: () => 0.5 }), 0.5)).toBeGreaterThan(0.9)
  })

  test("is that of the model where too few chunks show an agreement, or none has a vector", () => {
    expect(meaningWeight(found(4, { vector: (place) => 0.3 + 0.01 * place }), 0.5)).toBeCloseTo(0.5, 10)
    expect(meaningWeight(candidates([]), 0.5)).toBeCloseTo(0.5, 10)
    expect(meaningWeight([], 0.5)).toBeGreaterThan(0.9)
  })
})
