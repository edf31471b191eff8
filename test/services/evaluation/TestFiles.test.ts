import { describe, expect, test } from "bun:test"
import { Effect, Exit, Result } from "effect"
import * as FastCheck from "fast-check"
import { ChatbotId, DocumentId, OrganizationId } from "../../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../../src/domain/Tenancy.ts"
import { readTests, type TestFormat, testFormats } from "../../../src/services/evaluation/files/TestFiles.ts"
import type { TestContent } from "../../../src/storage/evaluation/Tests.ts"
import type { ExportedTest } from "../../../src/services/evaluation/files/TestRow.ts"
import { cellsOf } from "../../../src/services/evaluation/files/TestsCsv.ts"

const chatbot = ChatbotId.make("01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b")
const inOrganization = Effect.provideService(CurrentOrganization, OrganizationId.make(chatbot))
const readFile = (name: string, content: string) =>
  Effect.runPromiseExit(inOrganization(readTests(name, Buffer.from(content))))
const readRows = async (name: string, content: string) => {
  const exit = await readFile(name, content)
  return Exit.isSuccess(exit) ? exit.value : expect.unreachable(String(exit.cause))
}
/** The tests of a file, and why rows of it are none. */
const testsIn = async (name: string, content: string): Promise<ReadonlyArray<TestContent | string>> =>
  (await readRows(name, content)).map(({ test }) => Result.merge(test))

// Spreadsheets write line ends in their own way.
const text = (maxLength: number) =>
  FastCheck.oneof(
    FastCheck.string({ unit: "grapheme", minLength: 1, maxLength }),
    FastCheck.string({
      unit: FastCheck.constantFrom(..."a,;|\"'\n\t {}[]=+-@:#*&!%<>?`\\~0\u2028\u00a0\ufeff"),
      minLength: 1,
      maxLength: Math.min(20, maxLength),
    }),
    FastCheck.constantFrom("no", "2026-01-01", "null", "1_000", "012", "user: hello", '"', "{", "- a", "=1+1", "a: b"),
  ).filter((one) => one.isWellFormed() && !/[\0\r]/.test(one))

const find = FastCheck.record(
  {
    title: text(50),
    contains: text(100),
    within: FastCheck.integer({ min: 1, max: 10 }),
    document_id: FastCheck.uuid().map((id) => DocumentId.make(id)),
  },
  { requiredKeys: ["title"] },
)
const say = FastCheck.record(
  {
    kind: FastCheck.constantFrom("words" as const, "judge" as const),
    value: text(100),
    not: FastCheck.constant(true as const),
  },
  { requiredKeys: ["kind", "value"] },
)
const someTest: FastCheck.Arbitrary<ExportedTest> = FastCheck.record({
  id: FastCheck.uuid(),
  question: text(200),
  history: FastCheck.array(
    FastCheck.record({ role: FastCheck.constantFrom("user" as const, "assistant" as const), content: text(100) }),
    { maxLength: 4 },
  ),
  expectations: FastCheck.record(
    {
      find: FastCheck.array(find, { minLength: 1, maxLength: 3 }),
      say: FastCheck.array(say, { minLength: 1, maxLength: 5 }).map((all) => [
        ...all,
        { kind: "pattern" as const, value: '\\d+ days?|"x|{ x' },
      ]),
      refusal: FastCheck.constantFrom("must" as const, "may" as const),
    },
    { requiredKeys: [] },
  ),
  tags: FastCheck.array(text(20), { maxLength: 3 }),
})

const file = (format: TestFormat, tests: ReadonlyArray<ExportedTest>) => format.head + tests.map(format.test).join("")

describe("a file of tests", () => {
  test.each([
    ["csv", testFormats.csv, "tests.csv"],
    ["jsonl", testFormats.jsonl, "tests.jsonl"],
  ])("in the format %s is read as the tests that were written", async (_, format, name) => {
    await FastCheck.assert(
      FastCheck.asyncProperty(FastCheck.array(someTest, { minLength: 1, maxLength: 3 }), async (tests) => {
        const rows = await readRows(name, file(format, tests))
        expect(rows.map(({ id }) => id)).toEqual(tests.map(({ id }) => id))
        // Their order of kinds is the file's.
        const cells = rows.map(({ test }) => (Result.isSuccess(test) ? cellsOf(test.success) : test.failure))
        expect(cells).toEqual(tests.map(cellsOf))
      }),
      { numRuns: 150 },
    )
  })

  test("is recognized by its content where its name says nothing", async () => {
    const one = { id: chatbot, question: "Why?", history: [], expectations: {}, tags: ["a"] }
    for (const format of Object.values(testFormats)) {
      expect(await testsIn("tests.txt", file(format, [one]))).toEqual([
        { question: "Why?", history: [], expectations: {}, tags: ["a"] },
      ])
    }
  })

  test("can be written by a person in a spreadsheet", async () => {
    const csv = `Question;Find;Must say;must_not_match;Refusal;History;Tags;Comment
"How long do refunds take?";"Refunds | five days | 3
Terms";five days;(?i)ten (business )?days;May;"user: Hello
Assistant: Hi!";"shop
money";mine
Where?;;;;;;;
;;;;;;;
Why?;;;(a;;;;`
    expect(await testsIn("tests.csv", csv)).toEqual([
      {
        question: "How long do refunds take?",
        history: [
          { role: "user", content: "Hello" },
          { role: "assistant", content: "Hi!" },
        ],
        expectations: {
          find: [{ title: "Refunds", contains: "five days", within: 3 }, { title: "Terms" }],
          say: [
            { kind: "words", value: "five days" },
            { kind: "pattern", value: "(?i)ten (business )?days", not: true },
          ],
          refusal: "may",
        },
        tags: ["shop", "money"],
      },
      { question: "Where?", history: [], expectations: {}, tags: [] },
      expect.stringContaining("missing closing )"),
    ])
  })

  test.each([
    ["id,answer\n1,2", "column question"],
    ["question,find\nWhy?,Refunds | | soon", "within"],
    ["question,history\nWhy?,Hello", "role"],
    ["question,refusal\nWhy?,perhaps", "refusal"],
    ["question,find\nWhy?,{", "find"],
  ])("in CSV says what is wrong with %j", async (csv, reason) => {
    const exit = await readFile("tests.csv", csv)
    expect(JSON.stringify(Exit.isSuccess(exit) ? exit.value : exit.cause)).toContain(reason)
  })

  test("in JSON Lines keeps good lines apart from bad ones, and takes tests as the API shows them", async () => {
    const shown = { id: chatbot, chatbot_id: chatbot, message_id: null, created_at: "", updated_at: "" }
    const lines = [
      JSON.stringify({ ...shown, question: "Why?", expectations: {} }),
      "{",
      "null",
      JSON.stringify({ question: "Why?", expectations: { finds: [] } }),
      '{"question": "\\u0000", "expectations": {}}',
    ]
    const [first, ...others] = await readRows("tests.jsonl", lines.join("\n"))
    expect(first).toMatchObject({ row: 1, id: chatbot, test: Result.succeed({ question: "Why?" }) })
    expect(others.map(({ row, test }) => [row, Result.isFailure(test)])).toEqual([2, 3, 4, 5].map((row) => [row, true]))
  })
})

test.each([
  ["20 MB of nested lists in a line", "[".repeat(20_000_000)],
  ["a million lists in a line", `{"question": [${"[],".repeat(1_000_000)}1]}`],
  ["millions of empty lines", "\n".repeat(20_000_000)],
])("JSON Lines with %s are refused, or have no test", async (_, content) => {
  const exit = await readFile("tests.jsonl", content)
  if (Exit.isSuccess(exit)) expect(exit.value.filter(({ test }) => Result.isSuccess(test))).toEqual([])
  else expect(JSON.stringify(exit.cause)).toContain("Expected at most 5000 lines")
})
