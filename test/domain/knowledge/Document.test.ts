import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { displayName } from "../../../src/domain/knowledge/Document.ts"
import { anyLongString } from "../../lib/Arbitraries.ts"

describe("the display name of a file", () => {
  test("is never empty, too long or a path, and has no invisible characters that reorder text", () =>
    fc.assert(
      fc.property(anyLongString, (name) => {
        const shown = displayName(name)
        expect(shown.length).toBeGreaterThan(0)
        expect(shown.length).toBeLessThanOrEqual(255)
        expect(shown.isWellFormed()).toBe(true)
        expect(shown).not.toMatch(/[/\\\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u)
        expect([".", ".."]).not.toContain(shown)
      }),
      { numRuns: 1_000 },
    ))

  test("keeps its extension when it is cut, whatever its length", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 400 }),
        fc.constantFrom("x", "😀", "é"),
        fc.constantFrom(".pdf", ".tar.gz", ".markdown"),
        fc.constantFrom("", "z"),
        (length, character, extension, before) => {
          const shown = displayName(`${before}${character.repeat(length)}y${extension}`)
          expect(shown).toEndWith(extension)
          expect(shown.isWellFormed()).toBe(true)
        },
      ),
      { numRuns: 500 },
    ))

  test.each([
    ["report.pdf", "report.pdf"],
    ["../../etc/passwd", "passwd"],
    ["C:\\Users\\me\\Plan.docx", "Plan.docx"],
    ["a/", "untitled"],
    ["a/..", "untitled"],
    ["\u202efdp.exe\u061c", "fdp.exe"],
    ["Re\u0301sume\u0301.md", "R\u00e9sum\u00e9.md"],
    ["  spaced name.txt ", "spaced name.txt"],
    [".env", ".env"],
  ])("of %p is %p", (name, shown) => expect(displayName(name)).toBe(shown))
})
