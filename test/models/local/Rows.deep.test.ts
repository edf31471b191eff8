import { expect, test } from "bun:test"
import type { PassageJson } from "../../../src/domain/knowledge/Passage.ts"
import { answerTo } from "../../../src/models/local/Answer.ts"
import { read } from "../../../src/models/local/Reading.ts"
import { bounded } from "../../../src/text/BoundedText.ts"
import { least } from "../../lib/effort/Guard.ts"

const passage = (content: string): PassageJson => ({
  title: "Notes",
  chunk: 1,
  content,
  document_id: "Notes",
  similarity: 0.5,
})

/** Milliseconds of a processor: less than a second is usual, and quadratic time takes minutes. */
const TIME_MAX = 20_000

const answer = (question: string, content: string) => answerTo(bounded(question), read([passage(content)]))

test("a table of ten thousand columns, or of a hundred thousand rows, takes no time worth noting", async () => {
  const wide = `| ${Array.from({ length: 10_000 }, (_, index) => `Column ${index}`).join(" | ")} |`
  const rule = `|${" --- |".repeat(10_000)}`
  const long = Array.from({ length: 100_000 }, (_, index) => `| ${index} | Chair ${index} |`).join("\n")
  const took = await least(() => {
    answer("What is column 17 of chair 3?", `${wide}\n${rule}\n${wide}`)
    answer("Which chair has the number 7?", `| Number | Name |\n|---|---|\n${long}`)
  }, TIME_MAX)
  expect(took).toBeLessThan(TIME_MAX)
})
