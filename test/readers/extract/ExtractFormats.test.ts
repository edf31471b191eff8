import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Format } from "../../../src/domain/knowledge/Formats.ts"
import { Unreadable } from "../../../src/readers/extract/Extraction.ts"
import { bounded } from "../../../src/text/BoundedText.ts"
import { TextLimit } from "../../../src/readers/Extract.ts"
import { readDocument as read } from "../../lib/Defaults.ts"
import { cleanTitle, normalizeText } from "../../../src/readers/extract/Text.ts"
import { fixturePath } from "../../lib/Fixtures.ts"

const encode = (text: string) => new TextEncoder().encode(text)

const readAs = (format: Format, content: string | Uint8Array, name = `file.${format}`) =>
  read({ format, name, bytes: typeof content === "string" ? encode(content) : content })

const textOf = async (format: Format, content: string | Uint8Array) => (await readAs(format, content)).text

const codeOf = (format: Format, content: string | Uint8Array) =>
  readAs(format, content).then(
    () => "read",
    (cause: unknown) => (cause instanceof Unreadable ? cause.code : cause),
  )

describe("a document", () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: "binary", maxLength: 300 }).map(encode))
  const plain = fc.constantFrom(...Format.literals.filter((format) => format !== "pdf"))

  test("of any bytes gives normalised text and a clean title, or fails with a reason", () =>
    fc.assert(
      fc.asyncProperty(plain, bytes, fc.string({ unit: "binary" }), async (format, content, name) => {
        const document = await readAs(format, content, name).catch((cause: unknown) => {
          expect(cause).toBeInstanceOf(Unreadable)
        })
        if (document === undefined) return
        const { title, text } = document
        expect(normalizeText(text)).toBe(text)
        expect(cleanTitle(bounded(title))).toBe(title)
      }),
    ))

  test("keeps every word of its text", () =>
    fc.assert(
      fc.asyncProperty(fc.lorem({ maxCount: 5, mode: "sentences" }), async (words) => {
        expect(await textOf("txt", words)).toBe(words)
        expect(await textOf("html", `<p>${words}</p>`)).toBe(words)
        expect(await textOf("json", JSON.stringify({ a: words }))).toBe(`a: ${words}`)
      }),
    ))

  test.each(Format.literals)("without bytes is empty: %s", async (format) => {
    expect(await codeOf(format, "")).toBe("empty_document")
  })

  test.each([
    ["txt", " \n\u200b"],
    ["html", "<script>1</script>"],
    ["csv", ",,\n,,"],
    ["json", "{}"],
    ["md", "---\n"],
  ] as const)("without a visible character is empty: %s with %j", async (format, content) => {
    expect(await codeOf(format, content)).toBe("empty_document")
  })

  test("whose text exceeds the limit is refused", async () => {
    expect(await codeOf("txt", "a".repeat(TextLimit.defaultValue()))).toBe("read")
    expect(await codeOf("txt", "a".repeat(TextLimit.defaultValue() + 1))).toBe("too_large_when_extracted")
  })
})

describe("Markdown", () => {
  test("is kept, except that underlined headings become # headings", async () => {
    const { title, text } = await readAs(
      "md",
      "Guide\n=====\n\nPart *one*\n---\n\n- a\n- b\n\n---\n\n```\nx\n---\n```\n",
    )
    expect(title).toBe("Guide")
    expect(text).toBe("# Guide\n\n## Part *one*\n\n- a\n- b\n\n---\n\n```\nx\n---\n```")
  })

  test("takes its title from the front matter, which stays in the text", async () => {
    const { title, text } = await readAs("md", '---\ntitle: "Real title"\nowner: Ada\n---\n# Other\n')
    expect(title).toBe("Real title")
    expect(text).toBe('title: "Real title"\nowner: Ada\n\n# Other')
  })

  test("has its escapes decoded, except in code and where the character could be a Markdown mark", async () => {
    const { title, text } = await readAs(
      "md",
      "# Caf&eacute;\n\n&#x4e2d;&#25991;, a&shy;b, snake\\_case and \\_x; &lt;b&gt; &#35; &none;",
    )
    expect(title).toBe("Café")
    expect(text).toBe("# Café\n\n中文, ab, snake_case and \\_x; <b> \\# &none;")
    const code = "```\n&eacute; a\\_b\n```\n\n    &eacute;\n\nIn `&eacute; a\\_b` too."
    expect((await readAs("md", `${code}\n\n&eacute;`)).text).toBe(`${code}\n\né`)
  })

  test.each([
    ["a <!-- secret --> b", "a b"],
    ["a\n\n<!--\nsecret\n\n```\nsecret\n```\n-->\n\nb", "a\n\nb"],
    ["- a\n\n    <!-- secret -->\n\n    b&amp;c", "- a\n\n    b&c"],
    [
      "1. a\n   ```\n   <!-- code -->\n   ```\n<!-- secret --><!-- secret -->",
      "1. a\n   ```\n   <!-- code -->\n   ```",
    ],
    ['a\n\n[//]: # (secret)\n[comment]: <> (secret)\n[//]: # "secret"\n[x]: #\nb', "a\n\nb"],
    ["a\n\n<!-- secret\n\nsecret", "a"],
    ["a <!-- b", "a <!-- b"],
    ["`<!-- code -->` and ``[//]: # (`)`` <!-- secret -->", "`<!-- code -->` and ``[//]: # (`)``"],
    ["~~~html\n<!-- code -->\n[//]: # (code)\n~~~", "~~~html\n<!-- code -->\n[//]: # (code)\n~~~"],
    ["a\n\n    <!-- code -->", "a\n\n    <!-- code -->"],
    ["- ```\n  <!-- code -->\n  ```\n<!-- secret -->", "- ```\n  <!-- code -->\n  ```"],
    ["[1]: https://a.example (Title)", "[1]: https://a.example (Title)"],
  ])("is without comments, but not without those of code: %j", async (markdown, expected) => {
    expect((await readAs("md", markdown)).text).toBe(expected)
  })

  test.each([
    [
      "<table>\n<tr><th>Plan<th>Fee\n\n<tr><td>Gold<td>9\n</table>\nb",
      "| Plan | Fee |\n| --- | --- |\n| Gold | 9 |\n\nb",
    ],
    ["<details open>\n<summary>Q?</summary>\n\n**A** `<b>`\n\n</details>", "Q?\n\n**A** `<b>`"],
    [`<p align=center>\n  <img src=x\n alt="A &amp; B">\n</p>\n\n<h1>T</h1>`, "A & B\n\n# T"],
    [
      "a<br/>b <b>c</b>\n\n# d<br>e\n\n| f<br>g | h |\n|---|---|\n| i | j<br>k |",
      "a\nb c\n\n# d e\n\n| f g | h |\n|---|---|\n| i | j k |",
    ],
    [
      `See <a class="x" href="https://a.example/b">the list</a> or <img src="m.png" alt='Map'>.`,
      "See [the list](https://a.example/b) or Map.",
    ],
    ["<pre>\n# no heading\n\n    x &lt; y\n</pre>", "```\n# no heading\n\n    x < y\n```"],
    ["<script>\nlet a\n\nlet b\n</script>\n\nc", "c"],
    ["AT&amp;T&nbsp;&lt;b&gt; &#42;x&#42; <code>&lt;i&gt;</code>", "AT&T <b> \\*x\\* `<i>`"],
    [
      "cp <source> <dest> and List<String>, 1 < 2, \\<b>, <https://a.example>",
      "cp <source> <dest> and List<String>, 1 < 2, \\<b>, <https://a.example>",
    ],
    ["```\n<b>&amp;</b>\n```", "```\n<b>&amp;</b>\n```"],
  ])("has its HTML as a browser shows it, except in code: %j", async (markdown, expected) => {
    expect((await readAs("md", markdown)).text).toBe(expected)
  })

  test.each([
    ["a | b\n--- | ---\n1 | `x`\n2 |\n\nc | d", "| a | b |\n| --- | --- |\n| 1 | `x` |\n| 2 |\n\nc | d"],
    ["a | b |\n:-- | --:\n1 | 2\\|", "| a | b |\n| :-- | --: |\n| 1 | 2\\| |"],
    ["| a | b |\n| - | - |\n| 1 | 2 |", "| a | b |\n| - | - |\n| 1 | 2 |"],
    ["```\na | b\n--- | ---\n```", "```\na | b\n--- | ---\n```"],
    ["a | b\n---", "## a | b"],
    ["a | b\n--- | --- | ---", "a | b\n--- | --- | ---"],
  ])("has its tables with outer bars: %j", async (markdown, expected) => {
    expect((await readAs("md", markdown)).text).toBe(expected)
  })

  test("counts the items of a list in which each has the number 1, as Markdown shows them", async () => {
    const source = "1. a\n   more\n1. b\n\n   1. x\n   1. y\n1. c\n\nText\n\n1. d\n4. e\n\n```\n1. f\n1. g\n```"
    const counted = "1. a\n   more\n2. b\n\n   1. x\n   2. y\n3. c\n\nText\n\n1. d\n4. e\n\n```\n1. f\n1. g\n```"
    expect((await readAs("md", source)).text).toBe(counted)
  })

  test("takes its title from the first heading outside of code, without Markdown marks", async () => {
    expect((await readAs("md", "```\n# no\n```\n\n## The **[guide](x.md)** to `C#` ##")).title).toBe("The guide to C#")
    expect((await readAs("md", "no heading", "notes.md")).title).toBe("notes")
  })
})

describe("HTML", () => {
  test("keeps headings, code, lists and tables of the handbook", async () => {
    const { title, text } = await readAs("html", await Bun.file(fixturePath("handbook.html")).bytes())
    expect(title).toBe("Parley Operator Handbook")
    expect(text).toStartWith("# Parley Operator Handbook\n\nParley is a self-hosted")
    expect(text).toContain("## Starting the server\n\nNothing has to")
    expect(text).toContain("```\nbun install\nbun run start\n```")
    expect(text).toContain("\n- Headings open a passage and travel with it.\n- Tables")
    expect(text).toContain(
      "| What | Limit | Answer beyond it |\n| --- | --- | --- |\n| Files in one upload | 10 | 413 |",
    )
    expect(text).not.toContain("@page")
  })

  test.each([
    ["<p>a<script>x</script><style>x</style><noscript>x</noscript><template>x</template>", "a"],
    ["<nav>x</nav><p hidden>x</p><p style='display: none'>x</p><p aria-hidden=true>x</p>a", "a"],
    ["<p>one<br>two &amp; <b>three</b>\n four</p>", "one\ntwo & three four"],
    [
      "<p><a href='https://x.example/y'>link</a> and <img src=a.png alt='a chart'></p>",
      "[link](https://x.example/y) and a chart",
    ],
    ["<ol start=3><li>c<ul><li>d</ul><li>e</ol>", "3. c\n  - d\n4. e"],
    ["<ol><li>a<li value=5>b<li><li>d</ol>", "1. a\n5. b\n7. d"],
    ["<ol reversed><li>a<li>b<ol><li>c</ol></ol>", "2. a\n1. b\n  1. c"],
    ["<p>Do:<ol><li>1. a<li>2. b</ol>", "Do:\n\n  1. a\n  2. b"],
    ["<dl><dt>Term<dd>Meaning<dd>Other</dl>", "- Term\n  - Meaning\n  - Other"],
    ["<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"],
    ["<p>Run <code>bun test</code>.</p>", "Run `bun test`."],
    ["<pre><code class='language-ts'>\nlet a\n  b\n</code></pre>", "```ts\nlet a\n  b\n```"],
    ["<pre>```</pre>", "````\n```\n````"],
    ["<table><tr><td>only<td>a | b</table>", "| only | a \\| b |\n| --- | --- |"],
    ["<table><tr><td><table><tr><td>in<td>ner</table><td>layout</table>", "| in | ner |\n| --- | --- |\n\nlayout"],
    [
      "<table><tr><th>City<td>Bremen<tr><th>Code<td>HB</table>",
      "|  |  |\n| --- | --- |\n| City | Bremen |\n| Code | HB |",
    ],
    [
      "<table><tr><th rowspan=2>City<th colspan=2>2025<tr><th>Spring<th>Fall<tr><td>Bremen<td>few<td>many</table>",
      "| City | 2025 Spring | 2025 Fall |\n| --- | --- | --- |\n| Bremen | few | many |",
    ],
    [
      "<table><caption>Prices</caption><tr><th colspan=2>Summer<tr><th>Ticket<th>Price<tr><td>Day<td>5 €</table>",
      "Prices\n\nSummer\n\n| Ticket | Price |\n| --- | --- |\n| Day | 5 € |",
    ],
    ["<h2>\n A <em>b</em></h2>text", "## A b\n\ntext"],
  ])("becomes Markdown: %s", async (html, text) => {
    expect(await textOf("html", html)).toBe(text)
  })

  test("repeats a cell in every row and column that it spans", async () => {
    const html = `<table><tr><th>Year<th colspan=2>Sales</tr><tr><td rowspan=3>2025</td></tr>
      <tr><td>Q1<td>10</tr><tr><td>Q2<td>20</tr></table>`
    expect((await textOf("html", html)).split("\n")).toEqual([
      "| Year | Sales | Sales |",
      "| --- | --- | --- |",
      "| 2025 | Q1 | 10 |",
      "| 2025 | Q2 | 20 |",
    ])
  })

  test("limits how much text spanning cells repeat", async () => {
    const bomb = `<table>${`<tr>${"<td colspan=100 rowspan=100>abc".repeat(50)}</tr>`.repeat(50)}</table>`
    expect((await textOf("html", bomb)).length).toBeLessThan(bomb.length * 10)
  })

  test("is refused when it is nested too deep", async () => {
    expect(await codeOf("html", `${"<div>".repeat(5000)}x`)).toBe("corrupt_document")
    expect(await textOf("html", `${"<ul><li>".repeat(100)}x`)).toEndWith("x")
  })
})

describe("CSV", () => {
  test.each([",", ";", "\t", "|"])("may have the delimiter %j", async (delimiter) => {
    const rows = [
      ["Name", "Price", "Note"],
      ["Tea", "3.50", '"a, b; c"'],
      ["Milk", "1.20", "x"],
    ]
    const text = await textOf("csv", rows.map((row) => row.join(delimiter)).join("\r\n"))
    expect(text.split("\n")).toEqual([
      "| Name | Price | Note |",
      "| --- | --- | --- |",
      "| Tea | 3.50 | a, b; c |",
      "| Milk | 1.20 | x |",
    ])
  })

  test("gets a header without names when it has none", async () => {
    expect(await textOf("csv", "Tea,3\nMilk,1")).toBe("|  |  |\n| --- | --- |\n| Tea | 3 |\n| Milk | 1 |")
  })

  test("has the lines above its header as text above the table, and years as names of columns", async () => {
    expect(await textOf("csv", "Sales by region\n\nRegion,2024,2025\nNorth,1,2\nSouth,3,4")).toBe(
      "Sales by region\n\n| Region | 2024 | 2025 |\n| --- | --- | --- |\n| North | 1 | 2 |\n| South | 3 | 4 |",
    )
  })

  test("becomes a paragraph per row when its rows are wide", async () => {
    const long = "a long answer ".repeat(12).trim()
    expect(await textOf("csv", `Term,Meaning\nTea,${long}\nMilk,"two\nlines ${long}"`)).toBe(
      `Term: Tea\nMeaning: ${long}\n\nTerm: Milk\nMeaning: two\nlines ${long}`,
    )
  })

  test("is read although it has stray quotation marks", async () => {
    expect(await textOf("csv", 'Part,Size\nPipe,5" wide\nBolt,"3')).toContain('| Pipe | 5" wide |')
  })
})

describe("JSON", () => {
  test("becomes headings for its first levels, paths below them, and a paragraph per item of a list", async () => {
    const value = {
      name: "Shop",
      hours: { mon: "9-17", sun: null },
      tags: ["tea", "milk"],
      products: [
        { id: 1, price: { eur: 3.5 }, open: true },
        { id: 2, colours: [] },
      ],
    }
    const { title, text } = await readAs("json", JSON.stringify(value))
    expect(title).toBe("Shop")
    expect(text).toBe(
      [
        "name: Shop",
        "# hours\n\nmon: 9-17\nsun: null",
        "# tags\n\ntea, milk",
        "# products\n\nid: 1\nprice.eur: 3.5\nopen: true",
        "id: 2\ncolours: none",
      ].join("\n\n"),
    )
  })

  test("keeps every key and value", () =>
    fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.integer(), { minKeys: 1 }),
        async (value) => {
          const nested = await textOf("json", JSON.stringify({ a: { b: { c: { d: [{ e: value }] } } } }))
          for (const [key, number] of Object.entries(value)) expect(nested).toContain(`${key}: ${number}`)
        },
      ),
    ))

  test("may have one value per line", async () => {
    expect(await textOf("json", '{"q":"Opening?","a":"At nine."}\n\n{"q":"Closing?","a":"At five."}\n')).toBe(
      "q: Opening?\na: At nine.\n\nq: Closing?\na: At five.",
    )
    expect(await codeOf("json", '{"a":1}\nno json')).toBe("corrupt_document")
  })

  test("is refused when it is invalid or nested too deep", async () => {
    expect(await codeOf("json", '{"a":')).toBe("corrupt_document")
    expect(await codeOf("json", `${"[".repeat(100_000)}${"]".repeat(100_000)}`)).toBe("corrupt_document")
    expect(await codeOf("json", JSON.stringify(`${"[".repeat(100_000)} in a string \\"`))).toBe("read")
  })
})
