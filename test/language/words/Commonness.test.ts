import { describe, expect, test } from "bun:test"
import { commonness, levelOf, makeTable, roughStem } from "../../../src/language/words/Commonness.ts"

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

  test("is known of function words in many languages, which are commoner than subjects", () => {
    for (const [common, rarer] of [
      ["που", "εγγύηση"],
      ["में", "वारंटी"],
      ["của", "chuột"],
      ["pentru", "garanția"],
      ["että", "takuu"],
      ["hogy", "garancia"],
      ["untuk", "garansi"],
      ["این", "گارانتی"],
      ["אני", "אחריות"],
      ["jest", "gwarancja"],
      ["jsem", "záruka"],
    ] as const) {
      expect(commonness(common)).toBeGreaterThan(0.2)
      expect(commonness(common)).toBeGreaterThan(commonness(rarer))
    }
  })

  test("is stored in a table with room for nearly all words, the commonest first, that takes few others for them", () => {
    const count = 80_000
    const shareOf = (index: number): number => (index < 1_000 ? 0.5 : 0.001)
    const kept = makeTable(new Map(Array.from({ length: count }, (_, index) => [`w${index}`, shareOf(index)])))
    const levels = Array.from({ length: count }, (_, index) => levelOf(`w${index}`, kept))
    const wrong = levels.filter((level, index) => level !== levelOf(`w${index < 1_000 ? 0 : count - 1}`, kept))
    expect(levelOf("w0", kept)).toBeGreaterThan(levelOf(`w${count - 1}`, kept))
    expect(wrong.length).toBeLessThan(0.02 * count)
    const mistaken = Array.from({ length: count }, (_, index) => levelOf(`unknown ${index}`, kept))
    expect(mistaken.filter((level) => level > 0).length).toBeLessThan(0.005 * count)
  })
})
