import { describe, expect, test } from "bun:test"
import { fuse } from "../../../src/knowledge/search/Fusion.ts"
import { chunkIdOf } from "../../lib/Lexemes.ts"

const matches = [10, 20, 30].map((score, place) => ({ chunkId: chunkIdOf(place), score, similarity: 0.5, place }))
const fusedBy = (weight: number, vectors: ReadonlyArray<number | null>) =>
  fuse(matches, ({ place }) => vectors[place] ?? null, weight).map(
    ({ match, fused }) => [match.place, Number(fused.toFixed(3))] as const,
  )

describe("fusion", () => {
  test("adds both scores, each stretched from 0 to 1, by their weights", () => {
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

  test("knows nothing of a chunk without a vector, and prefers none among equals but by id", () => {
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
