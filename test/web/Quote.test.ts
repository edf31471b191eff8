import { describe, expect, test } from "bun:test"
import { findQuote } from "../../src/web/shared/Quote.ts"

/** The text from the first to the last letter of a quote. */
const found = (texts: ReadonlyArray<string>, quote: string): string | undefined => {
  const place = findQuote(texts, quote)
  if (place === undefined) return undefined
  const { first, last } = place
  return texts
    .map((text, index) =>
      text.slice(index === first.text ? first.start : 0, index === last.text ? last.end : undefined),
    )
    .slice(first.text, last.text + 1)
    .join("|")
}

describe("the quote in a passage", () => {
  test("is found whatever white space and case it is written in", () => {
    expect(found(["Before. Five  business\ndays (net). After."], "five business days (net).")).toBe(
      "Five  business\ndays (net",
    )
  })

  test("is found across elements, without the marks of Markdown that are not shown", () => {
    const shown = ["It sails at ", "noon", ", see the ", "terms", ". ", "By boat", "By train"]
    expect(found(shown, "sails at **noon**, see the [terms](https://example.com/7).")).toBe(
      "sails at |noon|, see the |terms",
    )
    expect(found(shown, "1. By boat\n2. By train")).toBe("By boat|By train")
  })

  test("is found beside letters of several code units, and of another length in lower case", () => {
    expect(found(["𝒜İ Ωmega नमस्ते"], "ωmega नमस्ते")).toBe("Ωmega नमस्ते")
  })

  test("is not found where the passage does not hold it, or where it has no letters", () => {
    expect(found(["Passage."], "Other.")).toBeUndefined()
    expect(found(["Passage."], " – ")).toBeUndefined()
    expect(found([], "x")).toBeUndefined()
  })
})
