import { Effect, Result } from "effect"
import { type SayExpectation, TESTS_MAX } from "../../../domain/evaluation/ChatbotTest.ts"
import type { ChatbotId } from "../../../domain/Ids.ts"
import { isObject } from "../../../domain/schema/Merge.ts"
import { inTurns } from "../../../system/InTurns.ts"
import { jsonSize, parseJson } from "../../../text/Json.ts"
import { fileFails } from "../../Csv.ts"
import { type ExportedTest, type TestRow, testRow } from "./TestRow.ts"

/*
 * Tests as the configuration of promptfoo, in YAML or JSON. What that program has no counterpart for, such as passages
 * that must be found, is in the metadata of a test.
 */

/** The beginning of a file. Its provider is the chatbot, by the API in OpenAI's form. */
export const head = (chatbot: ChatbotId): string => `description: Tests of a chatbot of Parley
prompts:
  - "{{ messages | dump }}"
providers:
  - id: openai:chat:${chatbot}
    config:
      apiBaseUrl: "{{ env.PARLEY_URL }}/v1"
      apiKeyEnvar: PARLEY_API_KEY
tests:
`

/** A test as JSON, a part of YAML: readers take plain texts such as `2026-01-01` and `no` for something else. */
export const testOf = ({ expectations, history, id, question, tags }: ExportedTest): string => {
  const { find, refusal, say = [] } = expectations
  const messages = [...history, { role: "user", content: question }]
  const asserts = say.map(({ kind, not, value }) => ({
    type: `${not === true ? "not-" : ""}${typeOf[kind]}`,
    value: plain(value),
  }))
  const refusing = refusal === "must" ? [{ type: "is-refusal" }] : []
  const test = {
    vars: { messages: messages.map(({ content, role }) => ({ role, content: plain(content) })) },
    assert: [...asserts, ...refusing],
    metadata: { tags, parley: { id, find, refusal } },
  }
  return `  - ${JSON.stringify(test, null, 2).replaceAll("\n", "\n    ")}\n`
}

const typeOf = { words: "icontains", pattern: "regex", judge: "llm-rubric" } as const

/** The largest file, in UTF-16 code units. */
const MAX_LENGTH = 4 * 1024 * 1024
/** The most values of a file, in JSON or the part of YAML that is like it: more than five thousand tests have. */
const VALUES_MAX = 500_000
/** The most lines of a file, of which YAML may have a value in each: it is read at once. */
const LINES_MAX = 200_000
/** The deepest nesting of a file in JSON. */
const DEPTH_MAX = 32
/** The most assertions of a test that are read. */
const ASSERTS_MAX = 100

/** Reads a file: a configuration, or only its list of tests. */
export const read = Effect.fnUntraced(function* (text: string) {
  const parsed = yield* Effect.fromResult(parse(text)).pipe(Effect.mapError(fileFails))
  const config: Fields = Array.isArray(parsed) ? { tests: parsed } : fieldsOf(parsed)
  if (!Array.isArray(config.tests)) return yield* fileFails("Expected a list of tests in the file itself")
  const common = fieldsOf(config.defaultTest)
  const all: Array<Variant> = []
  for (const [at, given] of config.tests.entries()) {
    all.push(...variants(at + 1, fieldsOf(given), common))
    if (all.length > TESTS_MAX) return yield* fileFails(`Expected at most ${TESTS_MAX} tests`)
  }
  return yield* inTurns(all, (one) =>
    rowOf(one, [...listOf(common.assert), ...listOf(one.test.assert)].slice(0, ASSERTS_MAX)),
  )
})

const parse = (text: string): Result.Result<unknown, string> => {
  if (text.length > MAX_LENGTH) return Result.fail("A file of promptfoo has at most 4 MiB; use CSV or JSON Lines")
  const { deepest, values } = jsonSize(text)
  if (values > VALUES_MAX) return Result.fail(`Expected at most ${VALUES_MAX} values`)
  let lines = 1
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) lines++
  if (lines > LINES_MAX) return Result.fail(`Expected at most ${LINES_MAX} lines`)
  const json = /^\s*[[{]/.test(text) && deepest <= DEPTH_MAX ? parseJson(text) : undefined
  if (json !== undefined) return Result.succeed(json)
  return Result.try({
    try: (): unknown => Bun.YAML.parse(text),
    catch: (error) => `Expected a file of promptfoo: ${error instanceof Error ? error.message : "it cannot be read"}`,
  })
}

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A test with its variables, of which one is the question. */
interface Variant {
  readonly row: number
  readonly test: Fields
  readonly vars: Fields
  readonly name: string | undefined
}

/** promptfoo makes a test of each element of a variable that is a list of texts. Only that of the question is. */
const variants = (row: number, test: Fields, common: Fields): ReadonlyArray<Variant> => {
  const own = fieldsOf(test.vars)
  const vars = { ...fieldsOf(common.vars), ...own }
  const name = questionName(own) ?? questionName(vars)
  const value = name === undefined ? undefined : vars[name]
  return name === undefined || !Array.isArray(value)
    ? [{ row, test, vars, name }]
    : value.slice(0, TESTS_MAX + 1).map((one: unknown) => ({ row, test, vars: { ...vars, [name]: one }, name }))
}

/** The names by which a question is known; otherwise it is the only variable. */
const QUESTION = /^(?:question|query|prompt|(?:user_?)?(?:input|message|query|question|prompt)|text)$/i

const questionName = (vars: Fields): string | undefined => {
  const names = Object.keys(vars).filter((name) => name !== "messages")
  return names.find((name) => QUESTION.test(name)) ?? (names.length === 1 ? names[0] : undefined)
}

const rowOf = ({ name, row, test, vars }: Variant, asserts: ReadonlyArray<unknown>): TestRow => {
  const fill = (value: unknown) => (typeof value === "string" ? filled(value, vars) : value)
  const turns = listOf(vars.messages)
    .map(turnOf)
    .flatMap(({ content, role }) => (role === "system" ? [] : [{ role, content: fill(content) }]))
  const asked = turns.at(-1)?.content ?? (name === undefined ? undefined : fill(vars[name]))
  if (asked === undefined || test.vars === undefined) {
    return { row, id: undefined, test: Result.fail(noQuestion) }
  }
  const metadata = fieldsOf(test.metadata)
  const { find, id, refusal } = fieldsOf(metadata.parley)
  const taken = asserts.flatMap((one) => sayOf(fieldsOf(one), vars))
  const refusing = refusal ?? (taken.some(({ refuses }) => refuses === true) ? "must" : undefined)
  const say = taken.flatMap((one) => one.say ?? [])
  return testRow(
    row,
    id,
    {
      question: asked,
      history: turns.slice(0, -1),
      expectations: {
        ...(find !== undefined && { find }),
        ...(say.length > 0 && { say }),
        ...(refusing !== undefined && { refusal: refusing }),
      },
      tags: listOf(metadata.tags),
    },
    taken.flatMap(({ leftOut }) => (leftOut === undefined ? [] : [leftOut])),
  )
}

const noQuestion = "Expected a variable with the question, such as `question`, or `messages`"

/** A turn as `role` and `content`, or as one field such as `user: Hello`. */
const turnOf = (given: unknown) => {
  const turn = fieldsOf(given)
  const [[role, content] = []] = Object.entries(turn)
  return "role" in turn ? { role: turn.role, content: turn.content } : { role, content }
}

interface Taken {
  readonly say?: ReadonlyArray<SayExpectation>
  readonly refuses?: boolean
  readonly leftOut?: string
}

const VALUE_MAX_LENGTH = 2_000

/** What an assertion expects, or why it is left out. */
const sayOf = (given: Fields, vars: Fields, isNested = false): ReadonlyArray<Taken> => {
  const type = String(given.type)
  if (type === "assert-set" && given.threshold === undefined && !isNested) {
    return listOf(given.assert)
      .slice(0, ASSERTS_MAX)
      .flatMap((one) => sayOf(fieldsOf(one), vars, true))
  }
  const leftOut = (why: string) => [{ leftOut: `The assertion ${type.slice(0, 50)} is left out: ${why}` }]
  const not = type.startsWith("not-")
  const kind = type.slice(not ? 4 : 0)
  if (kind === "is-refusal") return not ? [] : [{ refuses: true }]
  if (given.weight === 0) return leftOut("its weight is 0, so that it decides nothing")
  const make = counterparts[kind]
  if (make === undefined) return leftOut("it has no counterpart")
  const values = (Array.isArray(given.value) ? given.value : [given.value]).slice(0, ASSERTS_MAX)
  const texts = values.flatMap((value: unknown) =>
    typeof value === "string" || typeof value === "number" ? [filled(String(value), vars)] : [],
  )
  if (texts.length === 0 || texts.length < values.length) return leftOut("its value is no text")
  const isTemplate = (text: string, at: number) => text.includes("{{") && !RAW.test(String(values[at]))
  if (texts.some((text, at) => isTemplate(text, at) || text.startsWith("file://"))) {
    return leftOut("its value is a template or a file")
  }
  const made = make(texts)
  if (made.length > 1 && not) return leftOut("only all of its texts together must be missing")
  if (made.some(({ value }) => value.length < 1 || value.length > VALUE_MAX_LENGTH)) {
    return leftOut("its value is empty or too long")
  }
  return [{ say: made.map((expected) => ({ ...expected, ...(not && { not: true as const }) })) }]
}

/** Matches a text in which promptfoo looks for no variables. */
const RAW = /^\{% raw %\}(.*)\{% endraw %\}$/s

const plain = (text: string): string => (/\{[{%#]/.test(text) ? `{% raw %}${text}{% endraw %}` : text)

/** The longest text that is filled, and the most that its variables add to it, in UTF-16 code units. */
const FILLED_MAX_LENGTH = 20_000

/** A text with the short variables of the test, as far as they fit. */
const filled = (text: string, vars: Fields): string => {
  const [, raw] = RAW.exec(text) ?? []
  if (raw !== undefined || text.length > FILLED_MAX_LENGTH) return raw ?? text
  let room = FILLED_MAX_LENGTH
  return text.replaceAll(/\{\{\s*(\w{1,100})\s*\}\}/g, (whole, name: string) => {
    const value = vars[name]
    const isShort = typeof value === "number" || (typeof value === "string" && value.length <= VALUE_MAX_LENGTH)
    if (!isShort) return whole
    room -= String(value).length
    return room < 0 ? whole : String(value)
  })
}

type Say = Omit<SayExpectation, "not">
const words = (texts: ReadonlyArray<string>): ReadonlyArray<Say> => texts.map((value) => ({ kind: "words", value }))
const judged = (texts: ReadonlyArray<string>): ReadonlyArray<Say> => texts.map((value) => ({ kind: "judge", value }))
const matching = (value: string): ReadonlyArray<Say> => [{ kind: "pattern", value }]
const quoted = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
/** A list in one text is separated by commas. */
const elementsOf = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.length === 1
    ? (texts[0] ?? "")
        .split(",")
        .map((text) => text.trim())
        .filter((text) => text !== "")
    : texts

const anyOf = (texts: ReadonlyArray<string>) => matching(`(?i)(?:${elementsOf(texts).map(quoted).join("|")})`)

/** What the assertions of each type expect. `words` ignores case, so that those that do not are taken as if they did. */
const counterparts: Readonly<Record<string, (texts: ReadonlyArray<string>) => ReadonlyArray<Say>>> = {
  contains: words,
  icontains: words,
  "contains-all": (texts) => words(elementsOf(texts)),
  "icontains-all": (texts) => words(elementsOf(texts)),
  "contains-any": anyOf,
  "icontains-any": anyOf,
  "starts-with": ([text = ""]) => matching(`^${quoted(text)}`),
  equals: ([text = ""]) => matching(`^\\s*${quoted(text)}\\s*$`),
  regex: ([text = ""]) => matching(text),
  "llm-rubric": judged,
  "model-graded-closedqa": judged,
}
