import { describe, expect, test } from "bun:test"
import { commonness, makeTable, roughStem } from "../../src/text/Commonness.ts"

describe("how common a word is", () => {
  test("ranks function words before technical terms, and these before unknown words", () => {
    for (const [commoner, rarer] of [
      ["the", "model"],
      ["model", "turbulence"],
      ["turbulence", "xyzzyqq"],
      ["der", "panthers"],
      ["что", "warszawa"],
    ] as const) {
      expect(commonness(commoner)).toBeGreaterThan(commonness(rarer))
    }
  })

  test("is the same for inflections of long words", () => {
    expect(roughStem("embeddings")).toBe(roughStem("embedded"))
    expect(commonness("modelling")).toBe(commonness("modelled"))
    expect(roughStem("2026-11-20")).toBe("2026-11-20")
  })

  test("is stored in a table with room for nearly all words, the commonest first", () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `w${index}`)
    const kept = makeTable(new Map(words.map((word, index) => [word, index < 1_000 ? 0.5 : 0.001])))
    const levels = kept.reduce((counts, byte) => counts.set(byte & 15, (counts.get(byte & 15) ?? 0) + 1), new Map())
    const [common, rare] = Array.from(levels.keys()).sort((left, right) => right - left)
    expect(levels.get(common)).toBeGreaterThan(990)
    expect(levels.get(rare)).toBeGreaterThan(17_000)
  })
})
