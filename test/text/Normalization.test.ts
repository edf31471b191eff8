import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { normalize } from "../../src/text/Normalization.ts"

const forms = ["NFC", "NFD", "NFKC", "NFKD"] as const
const JOINER = "\u034f"

/** Every character of Unicode. */
const characters = function* () {
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code)
  }
}

/** Whether normalization reorders a character next to the marks of the lowest and the highest combining class. */
const isMoved = (character: string): boolean => {
  const [first = ""] = character.normalize("NFKD")
  return `${first}\u0334`.normalize("NFD").startsWith("\u0334") || `\u0345${first}`.normalize("NFD").startsWith(first)
}

const marks = "\u0300\u0301\u0308\u0315\u0316\u0323\u0327\u0334\u0344\u0345\u05b4\u0f71\u0f72\u0f73\u0f75\u3099\uff9e"
const someText = fc
  .array(
    fc.oneof(
      fc.constantFrom("a", "é", "क़", "ᾂ", "ﷺ", "が", "각", " ", JOINER, "\u0958"),
      fc.stringMatching(new RegExp(`^[${marks}]{1,200}$`)),
      fc.string({ unit: "binary" }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""))

describe("normalize", () => {
  test("returns what the engine returns for text with up to 63 marks in a row, once they are decomposed", () => {
    const few = fc
      .array(fc.oneof(fc.stringMatching(new RegExp(`^[${marks}]{1,31}$`)), fc.string({ unit: "grapheme" })), {
        maxLength: 6,
      })
      .map((parts) => parts.join("a"))
    fc.assert(
      fc.property(few, fc.constantFrom(...forms), (text, form) => {
        expect(normalize(text, form)).toBe(text.normalize(form))
      }),
    )
  })

  test.each(forms)("splits a run that only grows long by being decomposed: %s", (form) => {
    for (const text of ["\u0344".repeat(40), `é${"\u0316".repeat(63)}`, `a${"\u0f73".repeat(63)}`]) {
      const once = normalize(text, form)
      expect(once).not.toMatch(/[\p{M}--\u034f]{64}/v)
      expect(normalize(once, form)).toBe(once)
      expect(once.replaceAll(JOINER, "").normalize(form)).toBe(text.normalize(form))
    }
  })

  test("splits a longer run of marks, and adds only invisible joiners", () => {
    const marks = "\u0315\u0316".repeat(50)
    for (const form of forms) {
      const text = normalize(`a${marks}b`, form)
      expect(text).toMatch(/^a.*b$/su)
      expect(text).not.toMatch(/[\p{M}--\u034f]{64}/v)
      expect(text.replaceAll(JOINER, "").normalize(form)).toBe(`a${marks}b`.normalize(form))
      expect(text.match(new RegExp(JOINER, "g"))?.length).toBe(3)
    }
  })

  test("changes nothing the second time", () => {
    fc.assert(
      fc.property(someText, fc.constantFrom(...forms), (text, form) => {
        const once = normalize(text, form)
        expect(normalize(once, form)).toBe(once)
        expect(once.normalize(form)).toBe(once)
      }),
      { numRuns: 500 },
    )
  })

  test("recognizes every character that the engine reorders", () => {
    const unknown: Array<string> = []
    for (const character of characters()) {
      if (!isMoved(character)) continue
      if (!normalize(character.repeat(64), "NFC").includes(JOINER)) unknown.push(character)
    }
    expect(unknown).toEqual([])
  })
})
