import { expect, test } from "bun:test"
import { find, type Section } from "../../src/web/docs/Search.ts"

const section = (heading: string, text = "", title = "Guide"): Section => ({
  page: "docs/guide",
  title,
  heading,
  id: heading,
  text,
})

const headings = (sections: ReadonlyArray<Section>, query: string) =>
  find(sections, query).map(({ section: { heading } }) => heading)

test("every word has to be found, in whatever case, and headings come first", () => {
  const sections = [
    section("Limits", "Keys have budgets."),
    section("Budgets", "The limits of keys."),
    section("Keys", ""),
  ]
  expect(headings(sections, "KEYS budgets")).toEqual(["Limits", "Budgets"].toReversed())
  expect(headings(sections, "limit")).toEqual(["Limits", "Budgets"])
  expect(headings(sections, "nowhere keys")).toEqual([])
})

test("a query of nothing finds nothing", () => {
  expect(find([section("Limits")], "  ")).toEqual([])
})

test("the snippet is what is around the word", () => {
  const [found] = find([section("Files", `${"before ".repeat(20)}the needle is here ${"after ".repeat(40)}`)], "needle")
  expect(found?.snippet).toStartWith("… ")
  expect(found?.snippet).toContain("the needle is here")
  expect(found?.snippet.length).toBeLessThan(130)
})
