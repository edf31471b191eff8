import { Effect, Result } from "effect"
import { type FindExpectation, type SayExpectation, TESTS_MAX } from "../../../domain/evaluation/ChatbotTest.ts"
import type { TestContent } from "../../../storage/evaluation/Tests.ts"
import { inTurns } from "../../../system/InTurns.ts"
import { csvHeader, csvLine, fileFails, readCsv } from "../../Csv.ts"
import { type ExportedTest, type TestRow, testRow } from "./TestRow.ts"

/*
 * Tests as a CSV file with a row for each. A cell that is a list has a line for each element; one that would be read as
 * something else, such as a text of several lines, is written as JSON.
 */

/** The columns of what the answer must and must not say. */
const sayColumns: Readonly<Record<string, Omit<SayExpectation, "value">>> = {
  must_say: { kind: "words" },
  must_not_say: { kind: "words", not: true },
  must_match: { kind: "pattern" },
  must_not_match: { kind: "pattern", not: true },
  judge: { kind: "judge" },
  judge_not: { kind: "judge", not: true },
}

export const columns = ["id", "question", "history", "find", ...Object.keys(sayColumns), "refusal", "tags"]

/** The beginning of a file. */
export const head = csvHeader(columns)

export const rowOf = (test: ExportedTest): string => csvLine([test.id, ...cellsOf(test)])

/** The cells of a test but for its id: the same for two tests that expect the same, also in another order. */
export const cellsOf = ({ expectations, history, question, tags }: TestContent): ReadonlyArray<string> => {
  const { find = [], refusal = "", say = [] } = expectations
  return [
    question,
    lines(history.map(({ content, role }) => `${role}: ${written(content)}`)),
    lines(find.map(findLine)),
    ...Object.values(sayColumns).map((column) =>
      lines(
        say.filter(({ kind, not }) => kind === column.kind && not === column.not).map(({ value }) => written(value)),
      ),
    ),
    refusal,
    lines(tags.map(written)),
  ]
}

const ROW_MAX_BYTES = 4 * 1024 * 1024

/** Reads a file. Columns may be missing, and be in any order; others are left out. */
export const read = Effect.fnUntraced(function* (text: string) {
  const file = yield* readCsv(text, { rows: TESTS_MAX, rowBytes: ROW_MAX_BYTES })
  const places = new Map(file.columns.map((name, at) => [name.replaceAll(/[\s-]+/g, "_"), at]))
  if (!places.has("question")) return yield* fileFails("Expected a header row with the column question")
  return yield* inTurns(file.records, ({ cell, row }): TestRow => {
    const text = (column: string) => cell(places.get(column) ?? -1)
    const elements = (column: string) =>
      text(column)
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "")
    const find = elements("find").map(findOf)
    const say = Object.entries(sayColumns).flatMap(([column, kind]) =>
      elements(column).map((line) => ({ ...kind, value: textOf(line) })),
    )
    const refusal = text("refusal").trim().toLowerCase()
    return testRow(row, text("id"), {
      question: text("question"),
      history: elements("history").map(turnOf),
      expectations: {
        ...(find.length > 0 && { find }),
        ...(say.length > 0 && { say }),
        ...(refusal !== "" && { refusal }),
      },
      tags: elements("tags").map(textOf),
    })
  })
})

const lines = (elements: ReadonlyArray<string>): string => elements.join("\n")

/** A text as a line. */
const written = (text: string): string =>
  text.trim() !== text || text === "" || /^["{]|[\n\r]/.test(text) ? JSON.stringify(text) : text

const parse = (line: string): unknown => Result.getOrUndefined(Result.try(() => JSON.parse(line)))

const textOf = (line: string): unknown => (line.startsWith('"') ? (parse(line) ?? line) : line)

/** A turn, such as `user: Hello`. One that is none is refused by its role. */
const turnOf = (line: string) => {
  const [, role = line.slice(0, 20), content = ""] = /^(\w+):\s*(.*)$/su.exec(line) ?? []
  return { role: role.toLowerCase(), content: textOf(content) }
}

/** An expectation as a line: title, text of the passage, lowest rank and id of the document, with ` | ` between them. */
const findLine = (expected: FindExpectation): string => {
  const { contains, document_id, title, within } = expected
  const parts = [title, contains, within, document_id].map((part = "") => String(part))
  return parts.some((part) => written(part) !== part && part !== "") || parts.some((part) => part.includes("|"))
    ? JSON.stringify({ title, contains, within, document_id })
    : parts.join(" | ").replace(/[ |]+$/, "")
}

const findOf = (line: string): unknown => {
  if (line.startsWith("{")) return parse(line) ?? { title: line }
  const [title = "", contains = "", within = "", document_id = ""] = line.split("|").map((part) => part.trim())
  return {
    ...(title !== "" && { title }),
    ...(contains !== "" && { contains }),
    ...(within !== "" && { within: Number(within) }),
    ...(document_id !== "" && { document_id }),
  }
}
