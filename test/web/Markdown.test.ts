import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type ComponentChildren, isValidElement } from "preact"
import { type Block, blocksOf } from "../../src/web/shared/markdown/Blocks.ts"
import { Markdown, safeAddress } from "../../src/web/shared/markdown/Markdown.tsx"
import { plainText } from "../../src/web/shared/markdown/PlainText.ts"
import { elementsOf, named, render, streamed, textOf, texts, treeOf } from "./lib/Tree.ts"

const answer = `# Refunds

You get your money back within **five days**, see [the terms](https://example.com/terms).

- first
- second
  - nested \`code\`

1. one

2. two

- [x] done
- [ ] open

| Plan | Price |
|:-----|------:|
| Free | 0 |

\`\`\`ts
const a = 1

const b = "<b>"
\`\`\`

> A quote
> of two lines

Ends here.
`

test("a document as plain text in one line has no marks", () => {
  const source =
    "## Refunds\n\nYou get **all** of [it](https://a.example):\n\n1. in `cash`\n2. by card\n\n| A | B |\n|---|---|\n| 1 | 2 |"
  expect(plainText(blocksOf(source))).toBe("Refunds – You get all of it: in cash, by card A B, 1 2")
})

describe("Markdown", () => {
  test("renders headings, emphasis, lists, tasks, tables, code and quotes", () => {
    const tree = render(answer)
    const names = new Set(elementsOf(tree).map(({ name }) => name))
    for (const name of ["h2", "p", "strong", "a", "ul", "ol", "li", "table", "th", "td", "pre", "code", "blockquote"]) {
      expect(names).toContain(name)
    }
    expect(named(tree, "ol").map(({ attributes }) => attributes["start"])).toEqual([1])
    expect(named(tree, "pre").map(textOf)).toEqual(['const a = 1\n\nconst b = "<b>"'])
    expect(textOf(tree)).toContain("☑ done")
    expect(textOf(tree)).toContain("☐ open")
    expect(named(tree, "td").map(({ attributes }) => attributes["data-align"])).toEqual(["left", "right"])
  })

  test("a table and a code block can be scrolled by keyboard, and code can be copied whole", () => {
    const tree = render(answer)
    expect(named(tree, "section").map(({ attributes }) => attributes["tabIndex"])).toEqual([0])
    expect(named(tree, "pre").map(({ attributes }) => attributes["tabIndex"])).toEqual([0])
    expect(named(tree, "button").map(({ attributes }) => attributes["text"])).toEqual([
      'const a = 1\n\nconst b = "<b>"',
    ])
  })

  test.each([
    ["https://example.com/a?b=c", "https://example.com/a?b=c"],
    ["http://example.com", "http://example.com/"],
    ["mailto:a@example.com", "mailto:a@example.com"],
    ["javascript:alert(1)", undefined],
    ["java\nscript:alert(1)", undefined],
    [" \u0001javascript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["vbscript:x", undefined],
    ["blob:https://example.com/x", undefined],
    ["file:///etc/passwd", undefined],
    ["//example.com", undefined],
    ["/api/admin", undefined],
    ["#top", undefined],
    ["https://bank.example@other.example", undefined],
  ])("an address %p is a link to %p", (href, expected) => {
    expect(safeAddress(href)).toBe(expected)
  })

  test("links open apart from the page and tell it nothing, and other addresses stay text", () => {
    const tree = render("[a](https://a.example) [b](javascript:alert(1)) <https://c.example> [d](/api) www.e.example")
    expect(
      named(tree, "a").map(({ attributes }) => [attributes["href"], attributes["rel"], attributes["target"]]),
    ).toEqual(
      ["https://a.example/", "https://c.example/", "http://www.e.example/"].map((href) => [
        href,
        "noopener noreferrer",
        "_blank",
      ]),
    )
    expect(textOf(tree)).toBe("a b https://c.example d www.e.example")
  })

  test("an image is a link with its description, so that nothing is loaded", () => {
    const tree = render("![A chart](https://evil.example/?q=secret) ![](https://b.example/c.png) ![x](javascript:0)")
    expect(named(tree, "img")).toEqual([])
    expect(named(tree, "a").map(textOf)).toEqual(["A chart", "https://b.example/c.png"])
  })

  test("HTML is text, but for a second line in a cell", () => {
    const tree = render(
      '<script>alert(1)</script>\n\nA <b onclick="x()">b</b> <img src=x onerror=y>\n\n|a|\n|-|\n|x<br>y|',
    )
    expect(named(tree, "script").concat(named(tree, "b"), named(tree, "img"))).toEqual([])
    expect(textOf(tree)).toContain("<script>alert(1)</script>")
    expect(textOf(tree)).toContain('<b onclick="x()">')
    expect(named(tree, "br")).toHaveLength(1)
  })

  test("controls that turn the direction of text are removed, and links stand apart from the text around them", () => {
    const tree = render("Pay \u202Eelpmaxe\u202C [\u2066x\u2069](https://a.example) `\u202Db` \u0000\u0007")
    expect(textOf(tree)).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u)
    expect(named(tree, "a").flatMap(({ children }) => children)).toMatchObject([{ name: "bdi" }])
    expect(named(tree, "p").map(({ attributes }) => attributes["dir"])).toEqual(["ltr"])
  })

  test("a block goes from right to left with all that is in it, where its words do, also after a Latin name", () => {
    const tree = render(
      "## 2026\n\nMS Aurora هي أسرع عبّارة (انظر https://parley.example/timetable).\n\n- تغادر `07:30`\n- MS Aurora\n\n> قبل\n\n|التعرفة|\n|-|\n|7 €|\n\n```js\nsail()\n```\n\nThe Arabic word عبّارة means ferry.\n",
    )
    const directions = elementsOf(tree)
      .filter(({ name }) => /^(?:p|h2|ul|li|blockquote|section|th|td|figure)$/.test(name))
      .map(({ attributes, name }) => `${name} ${String(attributes["dir"] ?? "")}`.trim())
    expect(tree.attributes["dir"]).toBe("rtl")
    expect(directions.join()).toBe("h2,p rtl,ul rtl,li,p,li,p,blockquote rtl,p,section rtl,th,td,figure ltr,p ltr")
  })

  test("only a few elements and attributes ever come of a text", () => {
    const hostile = [
      '<a href="https://x.example" style="position:fixed">x</a>',
      "<style>*{display:none}</style>",
      '[x](https://a.example "on\'mouseover=alert(1)")',
      '```"><script>\ncode\n```',
      "<iframe srcdoc='<script>'></iframe>",
      "[x]: javascript:alert(1)\n\n[x]",
      "&lt;script&gt; &#106;avascript:",
      "[click](&#106;avascript&#58;alert(1))",
      "<svg/onload=alert(1)>",
      "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
    ].join("\n\n")
    const allowed = new Set(["class", "dir", "href", "title", "rel", "target", "scope", "start", "tabIndex"])
    for (const { name, attributes } of elementsOf(render(hostile))) {
      expect(name).toMatch(/^(?:p|a|bdi|h2|figure|figcaption|span|button|pre|code|section|table|thead|tbody|tr|th|td)$/)
      if (name === "button") continue
      for (const attribute of Object.keys(attributes)) {
        expect(allowed.has(attribute) || /^(?:aria|data)-/.test(attribute)).toBe(true)
      }
      if (name === "a") expect(attributes["href"]).toMatch(/^https:/)
    }
  })
})

/** Lists the nodes that Preact visits: all of a tree, but those below a node that it knows. */
const nodesIn = (node: ComponentChildren, known: ReadonlySet<object> = new Set()): ReadonlyArray<object> => {
  if (Array.isArray(node)) return node.flatMap((child: ComponentChildren) => nodesIn(child, known))
  if (!isValidElement(node)) return []
  return [node, ...(known.has(node) ? [] : nodesIn(node.props.children, known))]
}

describe("Markdown that is streamed", () => {
  test.each([1, 2, 3, 7, 50])("looks in the end as if it had come at once, in pieces of %i characters", (size) => {
    const sources = [
      answer,
      "1. a\n\n2. b\n\n3. c\n\ntext\n",
      "- a\n\n  b\n\n- c\n  ```\n  code\n\n  more\n  ```\n",
      "Title\n===\n\nOther\n---\n\nText\n",
      "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nAfter.",
      "See [one][1] and [two][2].\n\nMore.\n\n[1]: https://a.example\n[2]: https://b.example\n",
      "```\r\na\r\n\r\nb\r\n```\r\nend",
      "<div>\n\ntext\n\n</div>\n\n<!-- a\n\nb --> c",
      "    indented\n\n    code\n\ntext",
      "\n\n  \n text\n\n\n\n> quote\nlazy\n\n> other",
    ]
    for (const source of sources) expect(treeOf(streamed(source, size))).toEqual(render(source))
  })

  test("looks in the end as if it had come at once, whatever it holds", () => {
    const lines = [
      "- a",
      "  - b",
      "  c",
      "- [x] d",
      "1. e",
      "2",
      "2. f",
      "",
      "",
      "  ",
      "| a | b |",
      "|---|---|",
      "| c | d |",
    ]
    const more = [
      "```",
      "~~~ts",
      "    code",
      "> q",
      "> - r",
      "# h",
      "===",
      "---",
      "* * *",
      "**b** `c`",
      "<b>x</b>",
      "g\\",
    ]
    const line = fc.constantFrom(...lines, ...more)
    const document = fc.array(line, { maxLength: 30 }).map((all) => all.join("\n"))
    fc.assert(
      fc.property(document, fc.integer({ min: 1, max: 9 }), (source, size) => {
        expect(treeOf(streamed(source, size))).toEqual(render(source))
      }),
      { numRuns: 300 },
    )
  })

  test("does not touch finished blocks again", () => {
    const text = answer.repeat(3)
    let before: ReadonlyArray<Block> = []
    const seen = new Map<number, Set<object>>()
    for (let end = 1; end <= text.length; end += 1) {
      before = blocksOf(text.slice(0, end), before)
      for (const [index, block] of before.entries()) {
        if (index < before.length - 3) seen.set(block.start, (seen.get(block.start) ?? new Set()).add(block.token))
      }
    }
    expect(seen.size).toBeGreaterThan(20)
    for (const objects of seen.values()) expect(objects.size).toBe(1)
  })

  test("does not render finished blocks again", () => {
    const text = "Some *text* and **more** of `it`.\n\n".repeat(200)
    const blocks = blocksOf(text)
    const before = nodesIn(Markdown({ blocks, texts }))
    const after = nodesIn(Markdown({ blocks: blocksOf(`${text}More.\n\n`, blocks), texts }), new Set(before))
    expect(before.length).toBeGreaterThan(400)
    expect(after.length).toBeLessThan(before.length / 2)
  })

  test("is rendered as the same node for a finished block", () => {
    const text = "One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n\nSix.\n\n"
    const first = blocksOf(text)
    const second = blocksOf(`${text}Seven.\n\n`, first)
    expect(second.slice(0, 2)).toEqual(first.slice(0, 2))
    expect(second[0]).toBe(first[0] as NonNullable<(typeof first)[0]>)
  })
})

describe("formulas", () => {
  const formulasIn = (source: string) =>
    named(render(source), "math").map((element) => [textOf(element), element.attributes["isDisplay"]])

  test("are what stands between the signs of TeX, in a line or in lines of their own", () => {
    expect(formulasIn("Energy is $E = mc^2$, and \\(a_1\\) is **$x$**.")).toEqual([
      ["E = mc^2", false],
      ["a_1", false],
      ["x", false],
    ])
    expect(formulasIn("So:\n\n$$\nx = \\frac{1}{2}\n- y\n$$\n\n\\[ a \\le b \\]\n\n- and $$z^2$$")).toEqual([
      ["x = \\frac{1}{2}\n- y", true],
      ["a \\le b", true],
      ["z^2", true],
    ])
  })

  test.each([
    "It costs $5 and not $10.",
    "From $5-$10, or 20–30 US$ each.",
    "Between $20 (was $30) and $ 40 $.",
    "Read \\[this\\] and \\(that\\).",
    "The variable `$a = $b` of $HOME and $PATH.",
    "An open $E = mc^2",
  ])("are not prices, brackets or code: %s", (source) => {
    expect(formulasIn(source)).toEqual([])
  })
})

test("code is divided into parts with colours, by any usual name of its language", async () => {
  const { colored } = await import("../../src/web/shared/markdown/Colored.ts")
  const source = 'const a = "text" // why\n'
  for (const name of ["js", "JavaScript", "ts"]) {
    const parts = colored(source, name) ?? []
    expect(parts.map(({ text }) => text).join("")).toBe(source)
    expect(parts.flatMap(({ kind, text }) => (kind === undefined ? [] : [[kind, text.trim()]]))).toEqual(
      expect.arrayContaining([
        ["keyword", "const"],
        ["string", '"text"'],
        ["comment", "// why"],
      ]),
    )
  }
  expect(colored(source, "klingon")).toBeUndefined()
})
