import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { TopScores } from "../../../src/knowledge/search/TopScores.ts"

test("the top scores are the first of all when sorted", () => {
  const scores = fc.uniqueArray(fc.integer({ min: 0, max: 1_000_000 }), { maxLength: 200 })
  fc.assert(
    fc.property(scores, fc.integer({ min: 0, max: 50 }), (all, capacity) => {
      const top = new TopScores(capacity)
      for (const [index, score] of all.entries()) top.offer(index, score)
      expect(top.descending().map(({ score }) => score)).toEqual(all.toSorted((a, b) => b - a).slice(0, capacity))
      for (const { index, score } of top.descending()) expect(all[index]).toBe(score)
    }),
  )
})
