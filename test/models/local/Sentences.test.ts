import { expect, test } from "bun:test"
import * as fc from "fast-check"
import type { PassageJson } from "../../../src/domain/Passage.ts"
import { leadingSentences, selectSentences } from "../../../src/models/local/Sentences.ts"

const passage = (title: string, chunk: number, content: string): PassageJson => ({
  title,
  chunk,
  content,
  document_id: title,
})

const texts = (question: string, ...passages: ReadonlyArray<PassageJson>) =>
  selectSentences(question, passages).flatMap(({ sentences }) => sentences.map(({ text }) => text))

test("inflected forms of a word count as the word", () => {
  expect(
    texts("configuring the server", passage("A", 1, "It rains. The configuration lives here. Birds sing.")),
  ).toEqual(["The configuration lives here."])
})

test("a word in every sentence does not influence the selection", () => {
  const content = "The server is fast. The server is red. The server needs a password. The server hums."
  expect(texts("server password", passage("A", 1, content))).toEqual(["The server needs a password."])
})

test("headings, questions, code and Markdown's syntax are not selected", () => {
  const content =
    "# Backup\n\nHow do I make a backup?\n\n```sh\nmake backup\n```\n\n| backup | yes |\n\n- Run **backup** daily.\n- Keep it."
  expect(texts("backup", passage("A", 1, content))[0]).toBe("Run backup daily.")
  expect(texts("backup", passage("A", 1, content)).join(" ")).not.toMatch(/[#|`?*]/)
})

test("the sentences of a document are together in reading order, the best document first", () => {
  const first = passage("A", 2, "Blue whales eat krill.")
  const second = passage("B", 1, "Blue whales sing songs.")
  const third = passage("A", 1, "Blue whales are large.")
  expect(selectSentences("blue whales", [first, second, third])).toEqual([
    {
      title: "A",
      isTable: false,
      sentences: [
        { text: "Blue whales are large.", passage: third },
        { text: "Blue whales eat krill.", passage: first },
      ],
    },
    { title: "B", isTable: false, sentences: [{ text: "Blue whales sing songs.", passage: second }] },
  ])
})

test("a sentence in two overlapping chunks is selected once", () => {
  const shared = "Blue whales eat krill."
  expect(texts("blue whales", passage("A", 1, shared), passage("A", 2, `${shared} Ants do not.`))).toEqual([shared])
})

test("nothing is selected when no sentence has a word of the question", () => {
  expect(selectSentences("zebra", [passage("A", 1, "Blue whales eat krill.")])).toEqual([])
})

const table = (rows: number) =>
  `| item | price |\n|---|---|\n${Array.from({ length: rows }, (_, row) => `| chair ${row} | 4${row} |\n`).join("")}`

test("at most ten rows of a table are selected, and only those with a word of the question", () => {
  const [selection, ...others] = selectSentences("chair", [passage("A", 1, table(12))])
  expect([selection?.isTable, selection?.sentences.length, others]).toEqual([true, 10, []])
  const tables = `${table(2)}| lamp | 9 |\n`
  expect(texts("price of a lamp", passage("A", 1, tables))).toEqual([expect.stringContaining("lamp")])
})

test("a passage without an answer is quoted by its first two sentences, or ten rows, or else its beginning", () => {
  const quoted = (content: string) =>
    leadingSentences([passage("A", 1, content), passage("B", 1, "Never quoted.")]).map(({ isTable, sentences }) => [
      isTable,
      sentences.map(({ text }) => text),
    ])
  expect(quoted("Whales eat. Ants do not. Birds sing.")).toEqual([[false, ["Whales eat.", "Ants do not."]]])
  expect(quoted(`${table(2)}\nWhales eat.`)).toEqual([[false, ["Whales eat."]]])
  const [rows, ...others] = leadingSentences([passage("A", 1, table(12))])
  expect([rows?.isTable, rows?.sentences.length, others]).toEqual([true, 10, []])
  expect(quoted("# Whales")).toEqual([[false, ["Whales"]]])
  expect(quoted("")).toEqual([[false, ["A"]]])
  expect(leadingSentences([])).toEqual([])
})

test("at most four sentences of any text are selected, or ten rows of a table", () => {
  const words = fc.constantFrom(
    "whale",
    "krill.",
    "sings",
    "\n\n",
    "# ",
    "- ",
    "`x`",
    "```\n",
    "?",
    "。",
    "海",
    "|",
    "  ",
  )
  const content = fc.oneof(
    fc.array(words, { maxLength: 40 }).map((list) => list.join(" ")),
    fc.string({ unit: "binary" }),
  )
  fc.assert(
    fc.property(content, content, fc.string({ unit: "binary" }), (one, two, question) => {
      const selected = selectSentences(`whale ${question}`, [passage("A", 1, one), passage("B", 1, two)])
      const found = selected.flatMap(({ sentences }) => sentences.map(({ text }) => text))
      const isTable = selected.some((selection) => selection.isTable)
      expect(found.length).toBeLessThanOrEqual(isTable ? 10 : 4)
      expect(new Set(found).size).toBe(found.length)
      const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "")
      // A row has the names of its columns between its cells.
      if (!isTable) for (const sentence of found) expect(letters(one + two)).toContain(letters(sentence))
    }),
    { numRuns: 200 },
  )
})
