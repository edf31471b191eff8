import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { bounded } from "../../src/text/BoundedText.ts"
import { normalize } from "../../src/text/Normalization.ts"
import { anyLongString, anyString } from "../lib/Arbitraries.ts"

/** Every character that grows in a form of Unicode, or with its case. */
const growing = (): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    const forms = [...(["NFKC", "NFKD"] as const).map((form) => normalize(character, form)), character.toLowerCase()]
    if (forms.some(({ length }) => length > character.length)) found.push(character)
  }
  return found
}

describe("a bounded text", () => {
  test("keeps a text that fits, composed", () => {
    expect<string>(bounded("How much is the m²? ﷺ…")).toBe("How much is the m²? ﷺ…")
    expect<string>(bounded("cafe\u0301")).toBe("café")
  })

  test("keeps the beginning and the end of a longer text", () => {
    const text = bounded(`${"quoted ".repeat(1_000)}What does it cost?`, 100)
    expect(text).toStartWith("quoted quoted")
    expect(text).toEndWith("What does it cost?")
    expect(text.length).toBeLessThanOrEqual(100)
  })

  test("is within its limit in every form of Unicode, whatever character it repeats", () => {
    for (const character of growing()) {
      const text = bounded(character.repeat(100), 100)
      for (const form of ["NFC", "NFKC"] as const) expect(normalize(text, form).length).toBeLessThanOrEqual(100)
      // Only accents are looked for in the decomposed form, word by word.
      expect(normalize(text, "NFKD").length).toBeLessThanOrEqual(400)
    }
  })

  test("costs no more than a few times its own length, whatever its limit", () => {
    for (const character of growing()) {
      const text = character.repeat(100)
      expect(normalize(bounded(text), "NFKC").length).toBeLessThanOrEqual(4 * text.length)
    }
  })

  test("is within its limit, well-formed and the same when it is bounded again, whatever the text", () =>
    fc.assert(
      fc.property(fc.oneof(anyString, anyLongString), fc.integer({ min: 3, max: 500 }), (text, max) => {
        const once = bounded(text.toWellFormed(), max)
        expect(once.length).toBeLessThanOrEqual(max)
        expect(once.isWellFormed()).toBe(true)
        expect(bounded(once, max)).toBe(once)
      }),
    ))
})
