import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Format } from "../../../src/domain/Formats.ts"
import { Unreadable } from "../../../src/knowledge/extract/Extraction.ts"
import { defaults, readDocument as read } from "../../lib/Defaults.ts"
import { cleanTitle, MAX_TITLE_CHARACTERS, normalizeText, titleOfFile } from "../../../src/knowledge/extract/Text.ts"
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

describe("any document", () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: "binary", maxLength: 300 }).map(encode))
  const plain = fc.constantFrom(...Format.literals.filter((format) => format !== "pdf"))

  test("is read to normal text with a title to show, or refused with a reason", () =>
    fc.assert(
      fc.asyncProperty(plain, bytes, fc.string({ unit: "binary" }), async (format, content, name) => {
        const document = await readAs(format, content, name).catch((cause: unknown) => {
          expect(cause).toBeInstanceOf(Unreadable)
        })
        if (document === undefined) return
        const { title, text } = document
        expect(normalizeText(text)).toBe(text)
        expect(cleanTitle(title)).toBe(title)
      }),
    ))

  test("of text keeps every letter", () =>
    fc.assert(
      fc.asyncProperty(fc.lorem({ maxCount: 5, mode: "sentences" }), async (words) => {
        expect(await textOf("txt", words)).toBe(words)
        expect(await textOf("html", `<p>${words}</p>`)).toBe(words)
        expect(await textOf("json", JSON.stringify({ a: words }))).toBe(`a: ${words}`)
      }),
    ))

  test.each(Format.literals)("that is empty: %s", async (format) => {
    expect(await codeOf(format, "")).toBe("empty_document")
  })

  test.each([
    ["txt", " \n\u200b"],
    ["html", "<script>1</script>"],
    ["csv", ",,\n,,"],
    ["json", "{}"],
    ["md", "---\n"],
  ] as const)("without a word is empty: %s", async (format, content) => {
    expect(await codeOf(format, content)).toBe("empty_document")
  })

  test("that is too large as text is refused", async () => {
    expect(await codeOf("txt", "a".repeat(defaults.extract.textLimit))).toBe("read")
    expect(await codeOf("txt", "a".repeat(defaults.extract.textLimit + 1))).toBe("too_large_when_extracted")
  })
})

describe("normalizeText", () => {
  test("changes nothing the second time, and leaves nothing behind that it removes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const once = normalizeText(text)
        expect(normalizeText(once)).toBe(once)
        expect(once.isWellFormed()).toBe(true)
        // oxlint-disable-next-line no-control-regex
        expect(once).not.toMatch(/[\u0000\r\u00ad\u200b\ufeff\u202e]|[ \t]\n|\n{3}/)
      }),
    )
  })

  test("composes, and joins what soft hyphens and zero-width spaces divide", () => {
    expect(normalizeText("Cafe\u0301 in\u00advisi\u200bble\u00a0space\r\nline")).toBe("Café invisible space\nline")
  })

  test("keeps the joiners that scripts and emoji need", () => {
    for (const text of ["👩‍💻", "می‌خواهم", "क्‍ष"]) expect(normalizeText(text)).toBe(text)
  })
})

describe("titles", () => {
  test.each([
    ["report.final.pdf", "report.final"],
    ["../../etc/passwd", "passwd"],
    ["C:\\docs\\Plan.docx", "Plan"],
    ["evil\u202efdp.exe", "evilfdp"],
    ["a\u0000b\nc.txt", "ab c"],
    [".gitignore", ".gitignore"],
    ["///", "Untitled"],
    ["", "Untitled"],
  ])("of the file %j", (name, title) => {
    expect(titleOfFile(name)).toBe(title)
  })

  test("are one short line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (name) => {
        const title = titleOfFile(name)
        expect(title.length).toBeLessThanOrEqual(MAX_TITLE_CHARACTERS)
        expect(title).toMatch(/^\S(?:.*\S)?$/u)
      }),
    )
  })
})

describe("encodings", () => {
  const utf16 = (text: string, littleEndian: boolean) => {
    const view = new DataView(new ArrayBuffer(text.length * 2 + 2))
    view.setUint16(0, 0xfeff, littleEndian)
    for (let at = 0; at < text.length; at++) view.setUint16(at * 2 + 2, text.charCodeAt(at), littleEndian)
    return new Uint8Array(view.buffer)
  }
  const latin = new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x20, 0x80, 0x35])

  test("UTF-8 with and without its mark, UTF-16 by its mark, Windows-1252 otherwise", async () => {
    expect(await textOf("txt", "Grüße 漢字")).toBe("Grüße 漢字")
    expect(await textOf("txt", "\ufeffGrüße")).toBe("Grüße")
    expect(await textOf("txt", utf16("Grüße 漢字", true))).toBe("Grüße 漢字")
    expect(await textOf("txt", utf16("Grüße 漢字", false))).toBe("Grüße 漢字")
    expect(await textOf("txt", latin)).toBe("café €5")
  })

  // TextEncoder writes UTF-8 only, so these stand here as they are in a file.
  test.each([
    [
      "shift_jis",
      "grGC6oLNk/qWe4zqgsyVto+RgsWCt4FCldSVaYLNjk+PXJP6iMiT4ILJjvOCr5V0gq+C3IK3gUI=",
      "これは日本語の文書です。返品は三十日以内に受け付けます。",
    ],
    [
      "euc-jp",
      "pLOk7KTPxvzL3LjspM7KuL3xpMekuaGjytbJyqTPu7C9vcb8sMrG4qTLvPWkscnVpLGk3qS5oaM=",
      "これは日本語の文書です。返品は三十日以内に受け付けます。",
    ],
    [
      "iso-2022-jp",
      "GyRCJDMkbCRPRnxLXDhsJE5KOD1xJEckOSEjSlZJSiRPOzA9PUZ8MEpGYiRLPHUkMUlVJDEkXiQ5ISMbKEI=",
      "これは日本語の文書です。返品は三十日以内に受け付けます。",
    ],
    [
      "euc-kr",
      "wMwgua68rbTCIMfRsbm+7rfOIMDbvLq1x776vcC0z7TZLiC53cewwLogu++9yiDAzyDAzLO7v6EgsKG0ycfVtM+02S4=",
      "이 문서는 한국어로 작성되었습니다. 반품은 삼십 일 이내에 가능합니다.",
    ],
    ["gb18030", "1eLKx9K7t93W0M7EzsS8/qGjzcu79dDr1NrI/cquzOzE2szhs/ahow==", "这是一份中文文件。退货须在三十天内提出。"],
    ["big5", "s2+sT6RApfekpKTlpOWl86FDsGizZra3pmKkVKRRpNGkurSjpVihQw==", "這是一份中文文件。退貨須在三十天內提出。"],
    [
      "windows-1251",
      "3fLuIOTu6vPs5e3yIO3gIPDz8fHq7uwg/+f76uUuIMLu5+Lw4PIg7/Do7ejs4OXy8f8g4iDy5ffl7ejlIPLw6OT24PLoIOTt5eku",
      "Это документ на русском языке. Возврат принимается в течение тридцати дней.",
    ],
    [
      "koi8-r",
      "/NTPIMTPy9XNxc7UIM7BINLV09PLz80g0drZy8UuIPfP2tfSwdQg0NLJzsnNwcXU09Eg1yDUxd7FzsnFINTSycTDwdTJIMTOxcou",
      "Это документ на русском языке. Возврат принимается в течение тридцати дней.",
    ],
    [
      "windows-1253",
      "wfX0/CDl3+3h6SDd7eEg3ePj8eH27yDz9OEg5evr5+3p6twuIM/pIOXw6fP08e/23fIg49/t7+304ekg5OXq9N3yLg==",
      "Αυτό είναι ένα έγγραφο στα ελληνικά. Οι επιστροφές γίνονται δεκτές.",
    ],
    [
      "windows-1252",
      "TGUgY2Fm6SBlc3QgZmVybekgbGUgbHVuZGkuIExlcyDpbOh2ZXMgcmXnb2l2ZW50IHVuIGNy6WRpdCDgIGySYXJyaXbpZS4=",
      "Le café est fermé le lundi. Les élèves reçoivent un crédit à l’arrivée.",
    ],
  ])("%s is told by its letters", async (_, base64, text) => {
    const bytes = new Uint8Array(Buffer.from(base64, "base64"))
    expect(await textOf("txt", bytes)).toBe(text)
    expect(await textOf("html", new Uint8Array([...encode("<h1>FAQ</h1><p>"), ...bytes]))).toBe(`# FAQ\n\n${text}`)
  })

  test("UTF-16 without its mark is told by its zeros", async () => {
    const marked = utf16("Preise: 5 €, 漢字 auch.", true)
    expect(await textOf("csv", marked.slice(2))).toContain("漢字")
    expect(await textOf("txt", utf16("Preise: 5 €", false).slice(2))).toBe("Preise: 5 €")
  })

  test("a page may declare its own", async () => {
    const cyrillic = [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]
    const page = new Uint8Array([...encode('<meta charset="windows-1251"><p>'), ...cyrillic])
    expect(await textOf("html", page)).toBe("Привет")
  })

  test("binary data is no text in any of them", async () => {
    const noise = Uint8Array.from({ length: 600 }, (_, at) => (at * 167) % 256)
    expect(await codeOf("txt", noise)).toBe("invalid_encoding")
  })
})

describe("Markdown", () => {
  test("is passed on, with one form of headings", async () => {
    const { title, text } = await readAs(
      "md",
      "Guide\n=====\n\nPart *one*\n---\n\n- a\n- b\n\n---\n\n```\nx\n---\n```\n",
    )
    expect(title).toBe("Guide")
    expect(text).toBe("# Guide\n\n## Part *one*\n\n- a\n- b\n\n---\n\n```\nx\n---\n```")
  })

  test("front matter names the title and stays readable", async () => {
    const { title, text } = await readAs("md", '---\ntitle: "Real title"\nowner: Ada\n---\n# Other\n')
    expect(title).toBe("Real title")
    expect(text).toBe('title: "Real title"\nowner: Ada\n\n# Other')
  })

  test("has its characters as they are read, but for those that could be taken for marks, and code", async () => {
    const { title, text } = await readAs(
      "md",
      "# Caf&eacute;\n\n&#x4e2d;&#25991;, a&shy;b, snake\\_case and \\_x; &lt;b&gt; &#35; &none;",
    )
    expect(title).toBe("Café")
    expect(text).toBe("# Café\n\n中文, ab, snake_case and \\_x; &lt;b&gt; &#35; &none;")
    const code = "```\n&eacute; a\\_b\n```\n\n    &eacute;\n\nIn `&eacute; a\\_b` too."
    expect((await readAs("md", `${code}\n\n&eacute;`)).text).toBe(`${code}\n\né`)
  })

  test("a heading makes the title without its marks, but not one in code", async () => {
    expect((await readAs("md", "```\n# no\n```\n\n## The **[guide](x.md)** to `C#` ##")).title).toBe("The guide to C#")
    expect((await readAs("md", "no heading", "notes.md")).title).toBe("notes")
  })
})

describe("HTML", () => {
  test("the handbook's source keeps its structure", async () => {
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
    ["<dl><dt>Term<dd>Meaning<dd>Other</dl>", "- Term\n  - Meaning\n  - Other"],
    ["<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"],
    ["<p>Run <code>bun test</code>.</p>", "Run `bun test`."],
    ["<pre><code class='language-ts'>\nlet a\n  b\n</code></pre>", "```ts\nlet a\n  b\n```"],
    ["<pre>```</pre>", "````\n```\n````"],
    ["<table><tr><td>only<td>a | b</table>", "| only | a \\| b |\n| --- | --- |"],
    ["<table><tr><td><table><tr><td>in<td>ner</table><td>layout</table>", "| in | ner |\n| --- | --- |\n\nlayout"],
    ["<h2>\n A <em>b</em></h2>text", "## A b\n\ntext"],
  ])("%s", async (html, text) => {
    expect(await textOf("html", html)).toBe(text)
  })

  test("cells that span rows or columns stand in all of them", async () => {
    const html = `<table><tr><th>Year<th colspan=2>Sales</tr><tr><td rowspan=3>2025</td></tr>
      <tr><td>Q1<td>10</tr><tr><td>Q2<td>20</tr></table>`
    expect((await textOf("html", html)).split("\n")).toEqual([
      "| Year | Sales | Sales |",
      "| --- | --- | --- |",
      "| 2025 | Q1 | 10 |",
      "| 2025 | Q2 | 20 |",
    ])
  })

  test("spanning cells cannot blow up a page", async () => {
    const bomb = `<table>${`<tr>${"<td colspan=100 rowspan=100>abc".repeat(50)}</tr>`.repeat(50)}</table>`
    expect((await textOf("html", bomb)).length).toBeLessThan(bomb.length * 10)
  })

  test("a page nested beyond reason is refused", async () => {
    expect(await codeOf("html", `${"<div>".repeat(5000)}x`)).toBe("corrupt_document")
    expect(await textOf("html", `${"<ul><li>".repeat(100)}x`)).toEndWith("x")
  })
})

describe("CSV", () => {
  test.each([",", ";", "\t", "|"])("finds the delimiter %j", async (delimiter) => {
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

  test("without a header numbers its columns", async () => {
    expect(await textOf("csv", "Tea,3\nMilk,1")).toStartWith("| Column 1 | Column 2 |\n| --- | --- |\n| Tea | 3 |")
  })

  test("with wide rows becomes a paragraph for each", async () => {
    const long = "a long answer ".repeat(12).trim()
    expect(await textOf("csv", `Question,Answer\nWhy?,${long}\nHow?,"two\nlines ${long}"`)).toBe(
      `Question: Why?\nAnswer: ${long}\n\nQuestion: How?\nAnswer: two\nlines ${long}`,
    )
  })

  test("with stray quotes is read all the same", async () => {
    expect(await textOf("csv", 'Part,Size\nPipe,5" wide\nBolt,"3')).toContain('| Pipe | 5" wide |')
  })
})

describe("JSON", () => {
  test("has headings for its first levels, paths below them, and a paragraph for each item of a list", async () => {
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

  test("every key and value is in the text", () =>
    fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.integer(), { minKeys: 1 }),
        async (value) => {
          const nested = await textOf("json", JSON.stringify({ a: { b: { c: { d: [{ e: value }] } } } }))
          for (const [key, number] of Object.entries(value)) expect(nested).toContain(`${key}: ${number}`)
        },
      ),
    ))

  test("may be a value on each line", async () => {
    expect(await textOf("json", '{"q":"Opening?","a":"At nine."}\n\n{"q":"Closing?","a":"At five."}\n')).toBe(
      "q: Opening?\na: At nine.\n\nq: Closing?\na: At five.",
    )
    expect(await codeOf("json", '{"a":1}\nno json')).toBe("corrupt_document")
  })

  test("that is broken or nested beyond reason is refused", async () => {
    expect(await codeOf("json", '{"a":')).toBe("corrupt_document")
    expect(await codeOf("json", `${"[".repeat(100_000)}${"]".repeat(100_000)}`)).toBe("corrupt_document")
    expect(await codeOf("json", JSON.stringify(`${"[".repeat(100_000)} in a string \\"`))).toBe("read")
  })
})
