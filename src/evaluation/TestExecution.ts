import { Context, Effect, Layer, Result } from "effect"
import { makePaidCalls, type Payer } from "../admission/PaidCalls.ts"
import type { AgentReply } from "../agent/Agent.ts"
import { ChatbotAgent } from "../agent/ChatbotAgent.ts"
import { askModel } from "../agent/AskModel.ts"
import { makeReplyJudge } from "../agent/ReplyJudge.ts"
import type { ChatTurn } from "../domain/chat/Chat.ts"
import type { TestAnswer, TestDetails, TestPlan } from "../domain/evaluation/TestRun.ts"
import type { ModelCost } from "../domain/organizations/Usage.ts"
import { toProviderError } from "../models/ClientFailures.ts"
import { extractiveModel } from "../domain/chatbot/Chatbot.ts"
import { Models } from "../models/Models.ts"
import type { ChatbotRow } from "../storage/chatbots/Chatbots.ts"
import { TestQueue, type WaitingTest } from "../storage/evaluation/TestQueue.ts"
import { cut } from "../text/Cut.ts"
import { checkFind, checkSay, isSayChecked, mostPass, passes } from "./Checks.ts"
import { judgeQuestion, verdictIn } from "./AnswerJudge.ts"
import { type Found, isLocal, TestSearch, type TestSearchResult } from "./TestSearch.ts"

/** The part of a passage that a result keeps, in UTF-16 code units. */
const SHOWN_MAX_LENGTH = 300

/** What a test has shown. */
export interface Execution {
  readonly outcome: "passed" | "failed" | "error"
  readonly details: TestDetails
  readonly tokens: number
}

type Answer = Pick<TestAnswer, "model" | "refused" | "text">

const noJudge =
  "A sentence is to be judged, but the chatbot's model cannot judge: name a model in the plan of the tests."

/** Executes tests: searches as a chat does, and answers by the model that costs nothing, or by the chatbot's own. */
export class TestExecution extends Context.Service<TestExecution>()("parley/evaluation/TestExecution", {
  make: Effect.gen(function* () {
    const agent = yield* ChatbotAgent
    const models = yield* Models
    const pay = yield* makePaidCalls
    const queue = yield* TestQueue
    const search = yield* TestSearch

    /** The documents that each expectation means by its id or by the name of a file. */
    const checkAll = Effect.fnUntraced(function* (chatbot: ChatbotRow, test: WaitingTest, found: ReadonlyArray<Found>) {
      const { find = [] } = test.expectations
      const here = find.map((expected) => checkFind(expected, found))
      if (here.every(({ passed }) => passed)) return here
      const ids = find.flatMap(({ document_id }) => document_id ?? [])
      const names = find.flatMap(({ title }) => title?.toLowerCase() ?? [])
      const documents = ids.length + names.length === 0 ? [] : yield* queue.documents(chatbot.id, ids, names)
      return find.map((expected) => {
        const byId = documents.filter(({ id }) => id === expected.document_id)
        const byName = documents.filter(({ name }) => name === expected.title?.toLowerCase())
        const [meant, isByTitle] = byId.length > 0 ? [byId, false] : [byName, true]
        return checkFind(expected, found, { ids: new Set(meant.map(({ id }) => id)), isByTitle })
      })
    })

    const historyOf = ({ history, question }: WaitingTest): ReadonlyArray<ChatTurn> => [
      ...history.filter(({ content }) => content !== ""),
      { role: "user", content: question },
    ]

    const reply = (
      chatbot: ChatbotRow,
      test: WaitingTest,
      { searched }: TestSearchResult,
      onCost: (cost: ModelCost) => Effect.Effect<void> = () => Effect.void,
    ) => {
      const { fold, isUnanswered } = makeReplyJudge(chatbot.settings.isToolEnabled)
      return agent
        .reply(chatbot, {
          application: "",
          history: historyOf(test),
          searched,
          emit: (event) => {
            fold(event)
            return "cost" in event ? onCost(event.cost) : undefined
          },
        })
        .pipe(
          Effect.map((made: AgentReply): Answer => ({
            text: made.output,
            refused: isUnanswered(made),
            model: made.model,
          })),
        )
    }

    const judgedBy = (chatbot: ChatbotRow, { judge_model }: TestPlan) =>
      judge_model ?? (isLocal(chatbot) ? undefined : chatbot.settings.model)

    return {
      /** Searches as a chat does, which tells whether a test has to be run anew. */
      search: (chatbot: ChatbotRow, test: WaitingTest) =>
        search.find(chatbot, historyOf(test), test.expectations.find ?? []),

      /** Checks what was found, and answers by the model that costs nothing. */
      withoutModel: Effect.fnUntraced(function* (chatbot: ChatbotRow, test: WaitingTest, searched: TestSearchResult) {
        const { found } = searched
        const find = yield* checkAll(chatbot, test, found)
        const settings = { ...chatbot.settings, model: extractiveModel, fallbackModels: [] }
        const answer = yield* reply({ ...chatbot, settings }, test, searched)
        const say = isSayChecked(test.expectations, answer.refused)
          ? (test.expectations.say ?? []).flatMap((expected) => {
              const passed = checkSay(expected, answer.text)
              return passed === undefined ? [] : [{ expected, passed }]
            })
          : []
        const answers = [{ ...answer, say, passed: passes(test.expectations, { ...answer, say }) }]
        const isPassed = find.every(({ passed }) => passed) && (!isLocal(chatbot) || mostPass(answers))
        return {
          outcome: isPassed ? "passed" : "failed",
          details: { found: shown(found), find, answers },
          tokens: 0,
        } satisfies Execution
      }),

      /**
       * Checks what was found, and the answers of the chatbot's model. Fails when a budget refuses a call; a failure of a
       * model is the outcome `error`.
       */
      withModel: Effect.fnUntraced(function* (
        chatbot: ChatbotRow,
        test: WaitingTest,
        searched: TestSearchResult,
        plan: TestPlan,
        payer: Payer,
      ) {
        const { found } = searched
        const find = yield* checkAll(chatbot, test, found)
        const answers: Array<TestAnswer> = []
        let tokens = 0
        let error: string | undefined

        const sayOf = Effect.fnUntraced(function* (answer: Answer) {
          const say: Array<TestAnswer["say"][number]> = []
          for (const expected of isSayChecked(test.expectations, answer.refused) ? (test.expectations.say ?? []) : []) {
            const checked = checkSay(expected, answer.text)
            if (checked !== undefined) {
              say.push({ expected, passed: checked })
              continue
            }
            const name = judgedBy(chatbot, plan)
            if (name === undefined) {
              error = noJudge
              return say
            }
            const asked = { question: test.question, answer: answer.text, statement: expected.value }
            const request = judgeQuestion(plan.judge_prompt, asked)
            const { result, tokens: used } = yield* pay(payer, request, (onCost) =>
              Effect.flatMap(models.get(name), (calls) =>
                Effect.mapError(askModel(calls, request, onCost), toProviderError),
              ),
            )
            tokens += used
            const verdict = Result.isSuccess(result) ? verdictIn(result.success) : undefined
            if (verdict === undefined) {
              error = Result.isFailure(result)
                ? result.failure.detail
                : "The answer of the model that judges is unclear."
              return say
            }
            say.push({ expected, passed: verdict.true !== (expected.not === true), reason: verdict.reason })
          }
          return say
        })

        for (let index = 0; index < plan.repeats && error === undefined; index++) {
          const texts = [chatbot.settings.prompt, ...historyOf(test).map(({ content }) => content)]
          const { result, tokens: used } = yield* pay(payer, texts, (onCost) => reply(chatbot, test, searched, onCost))
          tokens += used
          if (Result.isFailure(result)) {
            error = result.failure.detail
            break
          }
          const say = yield* sayOf(result.success)
          const passed = error === undefined && passes(test.expectations, { ...result.success, say })
          answers.push({ ...result.success, say, passed })
        }
        const isPassed = find.every(({ passed }) => passed) && mostPass(answers)
        return {
          outcome: error !== undefined ? "error" : isPassed ? "passed" : "failed",
          details: { found: shown(found), find, answers, ...(error !== undefined && { error }) },
          tokens,
        } satisfies Execution
      }),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide([TestSearch.layer, ChatbotAgent.layer]))
}

const shown = (found: ReadonlyArray<Found>): TestDetails["found"] =>
  found.map(({ content, ...passage }) => ({ ...passage, content: cut(content, SHOWN_MAX_LENGTH) }))
