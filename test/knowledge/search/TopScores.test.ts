import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { TopScores } from "../../../src/knowledge/search/TopScores.ts"

/** Integers, which 32-bit floating point numbers represent exactly. */
const scoresUpTo = (max: number) => fc.array(fc.integer({ min: 0, max }), { maxLength: 200, size: "max" })
const capacities = fc.integer({ min: 0, max: 50 })

test("the top scores are the first of all scores in descending order", () => {
  fc.assert(
    fc.property(fc.oneof(scoresUpTo(1_000_000), scoresUpTo(5)), capacities, (all, capacity) => {
      const top = new TopScores(capacity)
      for (const [index, score] of all.entries()) top.offer(index, score)
      expect(top.descending().map(({ score }) => score)).toEqual(all.toSorted((a, b) => b - a).slice(0, capacity))
      for (const { index, score } of top.descending()) expect(all[index]).toBe(score)
    }),
    { numRuns: 500 },
  )
})

test("among equal top scores the lower index comes first", () => {
  fc.assert(
    fc.property(scoresUpTo(5), (all) => {
      const top = new TopScores(all.length)
      for (const [index, score] of all.entries()) top.offer(index, score)
      const sorted = all.map((score, index) => ({ index, score })).toSorted((a, b) => b.score - a.score)
      expect(top.descending()).toEqual(sorted)
    }),
  )
})

test("the least top score is the score to exceed: -Infinity until the capacity is reached", () => {
  fc.assert(
    fc.property(scoresUpTo(1_000), fc.integer({ min: 1, max: 50 }), (all, capacity) => {
      const top = new TopScores(capacity)
      for (const [index, score] of all.entries()) {
        top.offer(index, score)
        const sorted = all.slice(0, index + 1).toSorted((a, b) => b - a)
        expect(top.least).toBe(sorted[capacity - 1] ?? -Infinity)
      }
    }),
  )
})
