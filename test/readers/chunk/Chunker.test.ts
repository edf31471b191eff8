import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { chunk, type ChunkOptions } from "../../../src/readers/chunk/Chunker.ts"
import { weigh, WEIGHT_PER_TOKEN } from "../../../src/readers/chunk/Tokens.ts"

const titled = (text: string) => ({ title: "Title", text })
const small: ChunkOptions = { targetTokens: 40, maxTokens: 50 }
const sentence = (words: number) => `${"Word ".repeat(words - 1)}end.`

/** A line as documents have it: headings, lists, tables, code, several scripts, and odd characters. */
const line = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.lorem({ maxCount: 3, mode: "sentences" }),
  fc.lorem({ maxCount: 120 }),
  fc.nat(5).map((level) => `${"#".repeat(level + 1)} Heading`),
  fc.constantFrom("", "", "```", "~~~", "| a | b |", "| --- | --- |", "| 1 | 2 |", "- item", "key: value", "   "),
  fc.constantFrom(
    "漢字と仮名。".repeat(30),
    "สวัสดีครับ".repeat(40),
    "x".repeat(500),
    "🏳️‍🌈".repeat(60),
    "\u0301".repeat(200),
  ),
)
const text = fc.array(line, { maxLength: 40 }).map((lines) => lines.join("\n"))
const options = fc
  .record({ targetTokens: fc.integer({ min: 2, max: 200 }), more: fc.nat(100) })
  .map(({ targetTokens, more }): ChunkOptions => ({ targetTokens, maxTokens: targetTokens + more }))

const isSpace = (part: string) => part.trim() === ""

describe("the chunks of any text", () => {
  test("contain every character except white space exactly once and in order", () => {
    fc.assert(
      fc.property(text, options, (source, limits) => {
        let end = 0
        for (const each of chunk(titled(source), limits)) {
          expect(each.start).toBeGreaterThanOrEqual(end)
          expect(isSpace(source.slice(end, each.start))).toBe(true)
          expect(each.end).toBeGreaterThan(each.start)
          expect(each.text.endsWith(source.slice(each.start, each.end))).toBe(true)
          end = each.end
        }
        expect(isSpace(source.slice(end))).toBe(true)
      }),
    )
  })

  test("are never empty, never exceed the maximum and are numbered from 1", () => {
    fc.assert(
      fc.property(text, options, (source, limits) => {
        const chunks = chunk(titled(source), limits)
        expect(chunks.map((each) => each.ordinal)).toEqual(chunks.map((_, index) => index + 1))
        for (const each of chunks) {
          expect(each.text.trim()).not.toBe("")
          expect(weigh(each.text)).toBeLessThanOrEqual(limits.maxTokens * WEIGHT_PER_TOKEN)
        }
      }),
    )
  })

  test("never split a surrogate pair", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), options, (source, limits) => {
        for (const each of chunk(titled(source), limits)) expect(each.text.isWellFormed()).toBe(true)
      }),
    )
  })

  test("are the same each time, and the text itself where it fits one chunk", () => {
    fc.assert(
      fc.property(text, (source) => {
        const chunks = chunk(titled(source))
        expect(chunk(titled(source))).toEqual(chunks)
        const [first, ...others] = chunks
        if (first === undefined || others.length > 0) return
        expect(first.text).toBe(source.trim())
        expect(chunk(titled(first.text)).map((each) => each.text)).toEqual([first.text])
      }),
    )
  })

  test("have the page of their first character", () => {
    const starts = fc
      .uniqueArray(fc.nat(2000), { maxLength: 8 })
      .map((list) => [0, ...list.filter((at) => at > 0).sort((a, b) => a - b)])
    fc.assert(
      fc.property(text, starts, (source, at) => {
        const pages = at.map((start, index) => ({ page: index + 1, start }))
        for (const each of chunk({ title: "Title", text: source, pages }, small)) {
          expect(each.page).toBe(pages.findLast((page) => page.start <= each.start)?.page ?? null)
        }
      }),
    )
  })
})

test("a text of white space only has no chunks", () => {
  expect(chunk(titled(""))).toEqual([])
  expect(chunk(titled(" \n\n\t"))).toEqual([])
})

describe("headings", () => {
  test("stand in the chunk that they begin, and form its path", () => {
    const source = `# Setup\n\n${sentence(30)}\n\n## Linux\n\n${sentence(30)}\n\n# Use\n\n${sentence(30)}`
    expect(chunk(titled(source), small).map((each) => [each.headings, each.text.split("\n")[0]])).toEqual([
      [["Setup"], "# Setup"],
      [["Setup", "Linux"], "## Linux"],
      [["Use"], "# Use"],
    ])
  })

  test("that repeat the document's title are left out of the path", () => {
    const source = `# **Title**\n\n## Part [one](./one.md)\n\n${sentence(20)}`
    expect(chunk(titled(source), small).map((each) => each.headings)).toEqual([["Part one"]])
  })

  test("without text of their own are kept together with the section below", () => {
    const source = `# One\n\n## Two\n\n### Three\n\n${sentence(20)}`
    expect(chunk(titled(source), small)).toEqual([
      { ordinal: 1, headings: ["One", "Two", "Three"], text: source, start: 0, end: source.length, page: null },
    ])
  })

  test("of tiny sections are merged within their parent, but not across parents", () => {
    const faq = (name: string) => `# ${name}\n\n${sentence(38)}\n\n## A\n\nYes.\n\n## B\n\nNo.`
    const chunks = chunk(titled(`${faq("One")}\n\n${faq("Two")}`), { targetTokens: 50, maxTokens: 50 })
    expect(chunks.map((each) => each.headings)).toEqual([["One"], ["One"], ["Two"], ["Two"]])
    expect(chunks[1]?.text).toBe("## A\n\nYes.\n\n## B\n\nNo.")
  })

  test("of a tiny section are not merged with the section after their parent", () => {
    const chunks = chunk(titled(`# One\n\n${sentence(38)}\n\n## A\n\nYes.\n\n# Two\n\nNo.`), small)
    expect(chunks.map((each) => each.headings)).toEqual([["One"], ["One", "A"], ["Two"]])
  })

  test("are not recognized within code", () => {
    const source = "# Real\n\n```sh\n# comment\n```"
    expect(chunk(titled(source), small).map((each) => each.headings)).toEqual([["Real"]])
  })
})

describe("a text that is split", () => {
  test("keeps paragraphs whole where they fit", () => {
    const paragraphs = [sentence(24), sentence(24), sentence(24)]
    expect(chunk(titled(paragraphs.join("\n\n")), small).map((each) => each.text)).toEqual(paragraphs)
  })

  test("keeps the sentences of a longer paragraph whole", () => {
    const chunks = chunk(titled(Array.from({ length: 12 }, () => sentence(10)).join(" ")), small)
    expect(chunks.length).toBeGreaterThan(2)
    for (const each of chunks) expect(each.text).toMatch(/^Word .*end\.$/)
  })

  test("keeps sentences whole that wrap over several lines", () => {
    const wrapped = Array.from({ length: 12 }, () => "Word word word\nword word word\nword word end.").join(" ")
    for (const each of chunk(titled(wrapped), small)) expect(each.text).toMatch(/^Word [^]*end\.$/)
  })

  test("keeps lines of the form `key: value` whole", () => {
    const entries = Array.from({ length: 30 }, (_, index) => `key${index}: some value without an end`)
    const chunks = chunk(titled(entries.join("\n")), small)
    expect(chunks.flatMap((each) => each.text.split("\n"))).toEqual(entries)
  })

  test("keeps words whole in scripts without spaces", () => {
    const chunks = chunk(titled("เอกสาร".repeat(60)), small)
    expect(chunks.length).toBeGreaterThan(1)
    for (const each of chunks) expect(each.text).toMatch(/^(?:เอกสาร)+$/)
  })

  test("keeps code whole where it fits, and otherwise repeats its opening line in each part", () => {
    const code = (lines: number) => `\`\`\`ts\n${"const answer = 42\n".repeat(lines)}\`\`\``
    expect(chunk(titled(`Before.\n\n${code(8)}`), small).map((each) => each.text)).toEqual([`Before.\n\n${code(8)}`])
    const parts = chunk(titled(code(40)), small)
    expect(parts.length).toBeGreaterThan(2)
    for (const each of parts) expect(each.text).toMatch(/^```ts\n(?:const answer = 42\n?)+/)
  })

  test("keeps the rows of a table whole, and repeats its header in each part", () => {
    const header = "| Name | Limit |\n| --- | --- |"
    const rows = Array.from({ length: 40 }, (_, index) => `| Row ${index} | ${index * 10} |`)
    const parts = chunk(titled([header, ...rows].join("\n")), small)
    expect(parts.length).toBeGreaterThan(3)
    for (const each of parts) expect(each.text.startsWith(`${header}\n| Row`)).toBe(true)
    expect(parts.flatMap((each) => each.text.split("\n").slice(2))).toEqual(rows)
  })

  test("repeats the caption of a table in each part, and where the table begins a chunk", () => {
    const header = "| Name | Limit |\n| --- | --- |"
    const rows = Array.from({ length: 40 }, (_, index) => `| Row ${index} | ${index * 10} |`)
    const caption = "Table 3: Limits of rows"
    const options = { targetTokens: 80, maxTokens: 100 }
    const parts = chunk(titled([caption, "", header, ...rows].join("\n")), options)
    expect(parts.length).toBeGreaterThan(2)
    for (const each of parts) expect(each.text.startsWith(`${caption}\n\n${header}\n| Row`)).toBe(true)
    const before = "A sentence before the table. ".repeat(8).trim()
    const table = [header, ...rows.slice(0, 12)].join("\n")
    const [, second] = chunk(titled(`${before}\n\n${caption}\n\n${table}`), options)
    expect(second?.text).toBe(`${caption}\n\n${table}`)
  })
})

describe("the weight of a text", () => {
  test("is exactly the sum of the weights of its parts", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (left, right) => {
        expect(weigh(left + right)).toBe(weigh(left) + weigh(right))
      }),
    )
  })

  test("follows how many tokens a script takes", () => {
    expect(weigh("a".repeat(400))).toBe(100 * WEIGHT_PER_TOKEN)
    expect(weigh("漢".repeat(400))).toBe(320 * WEIGHT_PER_TOKEN)
    expect(weigh("д".repeat(400))).toBe(160 * WEIGHT_PER_TOKEN)
  })
})
