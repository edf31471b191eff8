import { afterAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { Effect, Layer, ManagedRuntime } from "effect"
import { QuestionId } from "../../../../src/domain/knowledge/Question.ts"
import { SourceId } from "../../../../src/domain/knowledge/Source.ts"
import { withoutSmallTalk } from "../../../../src/language/messages/SmallTalk.ts"
import { asked, recognizedBy } from "../../../../src/knowledge/QuestionForms.ts"
import { Questions } from "../../../../src/storage/sources/Questions.ts"
import { Sources } from "../../../../src/storage/sources/Sources.ts"
import { bounded } from "../../../../src/text/BoundedText.ts"
import { someSite } from "../../../lib/FilledTenant.ts"
import { platform, storage } from "../../../lib/Layers.ts"
import { as, contentOf, makeTenant, newDocumentId, newId } from "../../../lib/Tenants.ts"

/*
 * `pairs.txt` has a question in each line: as it is stored, a variant, two wordings that must be recognized, and one of
 * other words, which need not be. `others.txt` has questions and remarks that are close to them, but none of them.
 */

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
afterAll(() => runtime.dispose())

const linesOf = async (file: string) =>
  (await Bun.file(join(import.meta.dir, file)).text()).split("\n").filter((line) => line !== "")
const rows = (await linesOf("pairs.txt")).filter((line) => line.includes("|")).map((line) => line.split(" | "))
const others = await linesOf("others.txt")

const filled = await runtime.runPromise(
  Effect.gen(function* () {
    const { chatbot, organization } = yield* makeTenant
    const mine = as(organization)
    const questions = yield* Questions
    const source = SourceId.make(yield* newId)
    const content = { ...someSite, urls: [], name: "Answers" }
    yield* mine((yield* Sources).insert(source, chatbot, "questions", content, {}))
    for (const [question = "", variant = ""] of rows) {
      const pair = { question, variants: [variant], answer: question }
      const made = { pair, content: contentOf(question), ...recognizedBy(pair) }
      const ids = { question: QuestionId.make(yield* newId), document: yield* newDocumentId }
      yield* mine(questions.insert(ids, chatbot, source, made, false))
    }
    return (text: string) =>
      mine(questions.answerTo(chatbot, asked([withoutSmallTalk(bounded(text)), bounded(text)], [])))
  }),
)
const answerTo = async (text: string) => (await runtime.runPromise(filled(text)))?.question

const recognized = async (column: number) => {
  const found: Array<string> = []
  const missed: Array<string> = []
  for (const row of rows) ((await answerTo(row[column] ?? "")) === row[0] ? found : missed).push(row[column] ?? "")
  return { share: found.length / rows.length, missed }
}

describe("of questions in English, German, Arabic and Chinese", () => {
  test.each([0, 1])("all are recognized as they are stored, and by their variants (%p)", async (column) => {
    expect((await recognized(column)).missed).toEqual([])
  })

  test.each([2, 3])("nearly all are recognized in other forms of the same words (%p)", async (column) => {
    const { missed, share } = await recognized(column)
    expect(share > 0.85 || missed).toBe(true)
  })

  test("none is taken for another one, nor a close question for any", async () => {
    const wrong: Array<string> = []
    for (const row of rows) {
      const found = await answerTo(row[4] ?? "")
      if (found !== undefined && found !== row[0]) wrong.push(`${row[4]} → ${found}`)
    }
    for (const text of others) {
      const found = await answerTo(text)
      if (found !== undefined) wrong.push(`${text} → ${found}`)
    }
    expect(wrong).toEqual([])
  })
})
