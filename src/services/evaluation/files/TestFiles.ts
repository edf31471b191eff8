import type { ChatbotId } from "../../../domain/Ids.ts"
import { Effect } from "effect"
import { fileText } from "../../Csv.ts"
import * as Promptfoo from "./Promptfoo.ts"
import { type ExportedTest, withPatterns } from "./TestRow.ts"
import * as TestsCsv from "./TestsCsv.ts"
import * as TestsJsonl from "./TestsJsonl.ts"

export interface TestFormat {
  readonly head: (chatbot: ChatbotId) => string
  readonly test: (test: ExportedTest) => string
}

export const testFormats = {
  csv: { head: () => TestsCsv.head, test: TestsCsv.rowOf },
  jsonl: { head: () => "", test: TestsJsonl.lineOf },
  promptfoo: { head: Promptfoo.head, test: Promptfoo.testOf },
} satisfies Readonly<Record<string, TestFormat>>

/** Matches the beginning of a configuration of promptfoo in YAML. */
const YAML = /^(?:description|prompts|providers|tests|defaultTest):|^- /m

/** Reads the tests of a file, whose name or else whose content says its format. */
export const readTests = Effect.fnUntraced(function* (name: string, bytes: Uint8Array) {
  const text = yield* fileText(bytes, "a text file")
  return yield* Effect.forEach(yield* readRows(name, text), withPatterns)
})

const readRows = Effect.fnUntraced(function* (name: string, text: string) {
  const [, ending = ""] = /\.(\w+)$/.exec(name.toLowerCase()) ?? []
  const start = text.slice(0, 10_000).trimStart()
  if (ending === "jsonl" || ending === "ndjson") return yield* TestsJsonl.read(text)
  if (["yaml", "yml", "json"].includes(ending)) return yield* Promptfoo.read(text)
  if (["csv", "tsv"].includes(ending)) return yield* TestsCsv.read(text)
  if (/^\{.*"expectations"/.test(start)) return yield* TestsJsonl.read(text)
  return yield* /^[[{]/.test(start) || YAML.test(start) ? Promptfoo.read(text) : TestsCsv.read(text)
})
