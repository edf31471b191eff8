import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { embedLocally, LOCAL_DIMENSIONS } from "../../src/embeddings/LocalEmbedding.ts"
import { bounded } from "../../src/text/BoundedText.ts"

const cosine = (left: string, right: string): number => {
  const other = embedLocally(bounded(right))
  return embedLocally(bounded(left)).reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)
}

describe("a local embedding", () => {
  test("of any text is a vector of length 1", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const vector = embedLocally(bounded(text))
        expect(vector).toHaveLength(LOCAL_DIMENSIONS)
        expect(Math.hypot(...vector)).toBeCloseTo(1, 4)
      }),
    )
  })

  test.each([
    ["of words and pairs of characters", "How do I reset my password? 黑豹队 Überweisung", 0.5289],
    [
      "of words and forms that repeat",
      "Servers serve: the server serves what a server has, and readFile reads it. ".repeat(3),
      -0.6333,
    ],
    ["of a long text", `${"word ".repeat(400)}turbocharger server`, 0.0435],
    ["of no words", "", -1.3501],
  ])("%s never changes, because stored vectors were made by older servers", (_, text, expected) => {
    const digest = embedLocally(bounded(text)).reduce((sum, value, index) => sum + value * Math.sin(index), 0)
    expect(digest).toBeCloseTo(expected, 4)
  })

  test("is similar to that of inflected and misspelled words", () => {
    expect(cosine("configuring the servers", "server configuration")).toBeGreaterThan(0.3)
    expect(cosine("embeding", "embedding")).toBeGreaterThan(0.05)
    expect(Math.abs(cosine("configuring the servers", "goldfish in a pond"))).toBeLessThan(0.05)
  })

  test("depends most on rare words", () => {
    expect(cosine("what is the turbocharger", "a turbocharger")).toBeGreaterThan(
      cosine("what is the turbocharger", "what is the time"),
    )
  })
})
