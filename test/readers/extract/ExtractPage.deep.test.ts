import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { page } from "../../../src/readers/extract/html/Page.ts"

// In quadratic time each of these pages takes longer, on any machine.
setDefaultTimeout(180_000)

/** More text than any of these pages has. */
const TEXT = 1_000_000

describe("a hostile page", () => {
  test.each([
    ["elements", `<div>${"<span></span>".repeat(300_000)}<p>end`],
    ["open paragraphs", "<p>a, b".repeat(150_000)],
    ["names of classes", `<div class="${"comment-x ".repeat(300_000)}">a</div><p>end`],
    ["nested tables", `${"<table><tr><td>".repeat(150)}x${"</table>".repeat(150)}`.repeat(100)],
    ["spanning cells", `<table>${"<tr><td colspan=1000 rowspan=1000>a".repeat(10_000)}</table>`],
    ["spaces in a refresh", `<meta http-equiv="refresh" content="0${" ".repeat(300_000)};">`.repeat(5)],
    ["dates without end", `<script type="application/ld+json">${`"datePublished"        `.repeat(100_000)}</script>`],
    ["separators in a title", `<title>${"a - ".repeat(300_000)}</title><h1>a</h1><p>end`],
    ["line breaks in code", `<pre>a${"<br>".repeat(300_000)}b</pre>`],
    ["formulas", "<math><mi>x</mi></math>".repeat(50_000).replace(/^/, "<p>")],
  ])("of very many %s is read", (_, html) => {
    const read = () =>
      page({ url: "https://docs.example.com/", contentType: "text/html", bytes: Buffer.from(html) }, TEXT)
    expect(read().links).toEqual([])
  })
})
