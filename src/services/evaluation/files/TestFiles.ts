import { Effect } from "effect"
import { fileText } from "../../Csv.ts"
import { type ExportedTest, withPatterns } from "./TestRow.ts"
import * as TestsCsv from "./TestsCsv.ts"
import * as TestsJsonl from "./TestsJsonl.ts"

export interface TestFormat {
  readonly head: string
  readonly test: (test: ExportedTest) => string
}

export const testFormats = {
  csv: { head: TestsCsv.head, test: TestsCsv.rowOf },
  jsonl: { head: "", test: TestsJsonl.lineOf },
} satisfies Readonly<Record<string, TestFormat>>

/** Reads the tests of a file, whose name or else whose content says its format. */
export const readTests = Effect.fnUntraced(function* (name: string, bytes: Uint8Array) {
  const text = yield* fileText(bytes, "a text file")
  const [, ending = ""] = /\.(\w+)$/.exec(name.toLowerCase()) ?? []
  const isJsonl = ["jsonl", "ndjson"].includes(ending) || (!["csv", "tsv"].includes(ending) && /^\s*\{/.test(text))
  return yield* Effect.forEach(yield* isJsonl ? TestsJsonl.read(text) : TestsCsv.read(text), withPatterns)
})
