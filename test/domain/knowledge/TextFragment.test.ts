import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { withTextFragment } from "../../../src/domain/knowledge/TextFragment.ts"

const page = "https://docs.example.com/gauges"

/** The texts that the link looks for: one, or the first and the last words of a longer one. */
const textsOf = (quote: string, url = page) =>
  (withTextFragment(url, quote).split(":~:text=")[1] ?? "").split(",").map((text) => decodeURIComponent(text))

describe("a link to a quote", () => {
  test.each([
    ["The gauge writes every ten minutes.", "The gauge writes every ten minutes"],
    ["- Hold the **red button** for ten seconds", "Hold the red button for ten seconds"],
    ["> Read the [manual of the gauge](https://example.com/m) first", "Read the manual of the gauge first"],
    ["# The heading of the chapter\n\nIt works without power.", "It works without power"],
    ["| Port | eight thousand and eighty |\n| --- | --- |\n\nThe table shows it.", "The table shows it"],
    ["```\nconst gauge = open the device\n```\n\nThis opens it.", "This opens it"],
    ["Short line\nA much longer line of the address", "A much longer line of the address"],
    ["Set `a|b|c` and then wait for the green lamp", "and then wait for the green lamp"],
  ])("looks for plain words of one block: %j", (quote, text) => {
    expect(textsOf(quote)).toEqual([text])
  })

  test("writes the characters that have a meaning in a link as others", () => {
    expect(withTextFragment(page, "short-sighted people, dogs & cats")).toBe(
      `${page}#:~:text=short%2Dsighted%20people%2C%20dogs%20%26%20cats`,
    )
  })

  test("names the first and the last words of a long passage, whole words, in every script", () => {
    const long =
      "The gauge writes its readings every ten minutes, and keeps them for a year, so that reports can be made."
    const [first = "", last = "", ...rest] = textsOf(long)
    expect(rest).toEqual([])
    expect(long.startsWith(`${first} `)).toBe(true)
    expect(long).toEndWith(` ${last}.`)
    const japanese = "潮位計は十分ごとに値を記録し、一年間保存します。".repeat(5)
    expect(textsOf(japanese)).toHaveLength(2)
  })

  test("keeps the place on the page to which the address points", () => {
    expect(withTextFragment(`${page}#use`, "wait for the green lamp")).toStartWith(`${page}#use:~:text=wait`)
    expect(withTextFragment(`${page}#use:~:text=old`, "wait for the green lamp")).not.toContain("old")
  })

  test.each([
    "",
    "Yes.",
    "# A heading of some length",
    "```\nonly code is in this\n```",
    "| a table | and nothing else |",
  ])("is the plain address when the quote has no words to look for: %j", (quote) => {
    expect(withTextFragment(page, quote)).toBe(page)
  })

  test("can be made of any text, and has no character that ends a link", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (quote) => {
        expect(withTextFragment(page, quote)).toMatch(
          /^https:\/\/docs\.example\.com\/gauges(?:#:~:text=[\w%.!~*'(),]+)?$/,
        )
      }),
    )
  })
})
