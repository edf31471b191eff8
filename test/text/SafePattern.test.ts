import { describe, expect, test } from "bun:test"
import { patternMatches, patternProblem } from "../../src/text/SafePattern.ts"

describe("a pattern", () => {
  test.each([
    ["five (business )?days", "It takes five business days.", true],
    ["(?i)REFUND\\w+", "our refunds", true],
    ["^\\d{4}-\\d{2}-\\d{2}$", "2026-11-27", true],
    ["\\bÄrger\\b|漢字", "漢字", true],
    ["^yes", "no, yes", false],
  ])("%s is looked for anywhere in a text", (pattern, text, isFound) => {
    expect(patternProblem(pattern)).toBeUndefined()
    expect(patternMatches(pattern, text)).toBe(isFound)
  })

  test.each(["(a)\\1", "(?=a)b", "(?<!a)b", "[", "a{1001}", ".{900}.{900}", "((a{30}){30}){30}", "(a|b){2000}"])(
    "%s is refused, since it cannot be matched in bounded time or memory",
    (pattern) => {
      expect(patternProblem(pattern)).toBeString()
      expect(patternMatches(pattern, "aaaa")).toBe(false)
    },
  )

  // A backtracking engine takes longer than the age of the universe.
  test.each(["(a+)+$", "(a|aa)+$", "(x+x+)+y", "(.*a){20}$", "([ab]*a){12}c"])(
    "%s ends on a hostile text",
    (pattern) => {
      expect(patternMatches(pattern, `${"a".repeat(50_000)}!`)).toBeBoolean()
    },
  )
})
