import { describe, expect, test } from "bun:test"
import { least } from "../lib/effort/Guard.ts"
import { named, render, streamed, textOf, treeOf } from "./lib/Tree.ts"

/*
 * Long and hostile Markdown: where it goes wrong, rendering takes minutes or never ends.
 */

/** The most processor time in milliseconds: tens of times what a machine of today takes, and a fraction of quadratic time. */
const LIMIT = 10_000

describe("hostile Markdown:", () => {
  test.each([
    ["links in one paragraph", "[a](https://a.example) ".repeat(1_000)],
    ["links on lines of their own", "https://a.example\n\n".repeat(3_000)],
    ["quotes in quotes", ">".repeat(100_000)],
    ["lists in lists", "- ".repeat(50_000)],
    ["emphasis in emphasis", "**a *b ".repeat(1_500) + "c* d** ".repeat(1_500)],
    ["signs of emphasis without a partner", "*a_".repeat(6_000)],
    ["brackets", "[".repeat(20_000)],
    ["links that never end", "[a](".repeat(5_000)],
    ["backticks", "`".repeat(100_000)],
    ["rows of a table", `|a|b|\n|-|-|\n${"|x|y|\n".repeat(4_000)}`],
    ["lists that are indented ever deeper", Array.from({ length: 150 }, (_, i) => `${"  ".repeat(i)}- x`).join("\n")],
  ])("%s are rendered without a stack overflow and in seconds at most", async (_title, source) => {
    let tree = render("")
    const taken = await least(() => (tree = render(source)), LIMIT, 3)
    expect(taken).toBeLessThan(LIMIT)
    const depth = (element: typeof tree): number =>
      1 + element.children.reduce((most, child) => (typeof child === "string" ? most : Math.max(most, depth(child))), 0)
    expect(depth(tree)).toBeLessThan(40)
  })
})

describe("formulas", () => {
  test.each(["$", "$$", "\\(", "\\["])(
    "are looked for in no more than the text that follows: many %s",
    async (sign) => {
      const source = sign.repeat(50_000 / sign.length)
      let tree = render("")
      expect(await least(() => (tree = render(source)), LIMIT, 3)).toBeLessThan(LIMIT)
      expect(named(tree, "math")).toEqual([])
    },
  )
})

describe("Markdown that is streamed", () => {
  test.each([
    ["list", "- item with *some* text\n", "li"],
    ["table", "| some | text |\n", "tr"],
  ])("keeps every line of a %s that is too long to be lexed at once", (type, line, name) => {
    const head = type === "table" ? "| a | b |\n|---|---|\n" : ""
    const source = head + line.repeat(Math.ceil(16_000 / line.length))
    expect(named(treeOf(streamed(source, 3_989)), name).length).toBeGreaterThan(600)
    const long = head + line.repeat(2_000)
    expect(textOf(treeOf(streamed(long, 3_989))).split("text").length).toBeGreaterThanOrEqual(2_001)
  })

  test("of a long paragraph does not depend on its pieces", () => {
    const source = Array.from({ length: 900 }, (_, i) => `Word${i} **bold** and more of it`).join(" ")
    expect(treeOf(streamed(source, 3_989))).toEqual(render(source))
    expect(textOf(render(source)).replaceAll(/\s/gu, "")).toBe(source.replaceAll(/[\s*]/gu, ""))
  })
})
