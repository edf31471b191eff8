import { expect, test } from "bun:test"
import { parse } from "csv-parse/sync"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { csvHeader, csvRow, readCsv } from "../../../../src/services/knowledge/questions/QuestionsCsv.ts"

const read = (text: string) => Effect.runPromise(readCsv(Buffer.from(text)))

/** Texts that begin with what a spreadsheet takes for a formula, with quotes and delimiters. */
const cell = (more: ReadonlyArray<string>) =>
  fc
    .string({
      unit: fc.constantFrom("a", "é", "中", "=", "+", "-", "@", "'", '"', ",", ";", "＝", " ", ...more),
      maxLength: 30,
    })
    .filter((text) => /[aé中]/.test(text))
const asked = cell([]).map((text) => text.trim().replaceAll(/\s+/g, " "))

const pairs = fc.array(
  fc.record({ question: asked, variants: fc.array(asked, { maxLength: 5 }), answer: cell(["\n", "\t", "|", "\\"]) }),
  { minLength: 1, maxLength: 20 },
)

test("an import reads exactly what an export has written", async () => {
  await fc.assert(
    fc.asyncProperty(pairs, async (all) => {
      const rows = await read(csvHeader + all.map(csvRow).join(""))
      expect(rows.map(({ pair }) => pair)).toEqual(all.map((pair) => Result.succeed(pair)))
    }),
  )
})

test("no cell of an export begins as a formula does", () => {
  fc.assert(
    fc.property(pairs, (all) => {
      const cells: ReadonlyArray<string> = parse(all.map(csvRow).join(""), { relax_column_count: true }).flat()
      for (const text of cells) expect(text).not.toMatch(/^[=+\-@＝＋－＠\t\r]/u)
    }),
  )
})

test.each([
  ["a header of millions of commas", `${",".repeat(18_000_000)}\n`],
  ["a row of millions of commas", `question,answer\n${",".repeat(18_000_000)}\n`],
  ["a row of millions of empty quotes", `question,answer\n${'"",'.repeat(6_000_000)}\n`],
])("a file with %s is refused by its first hundred columns", async (_, text) => {
  const exit = await Effect.runPromiseExit(readCsv(Buffer.from(text)))
  expect(JSON.stringify(exit)).toContain("Expected at most 100 columns")
})

test("other work goes on while a large file is read", async () => {
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  const rows = await read(`${csvHeader}${`"Why?","","${"x".repeat(50_000)}"\r\n`.repeat(100)}`)
  clearInterval(counting)
  expect(rows).toHaveLength(100)
  expect(turns).toBeGreaterThan(100)
})

test("a line that names the delimiter is no row, but counts as one", async () => {
  const [row] = await read("\ufeffsep=;\r\nquestion;answer\r\nMay I, please?;Yes, you may\r\n")
  expect(row).toMatchObject({ row: 3, pair: Result.succeed({ question: "May I, please?", answer: "Yes, you may" }) })
})
