import { Context, Effect, Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Budgets } from "../admission/Budgets.ts"
import type { AgentReply } from "../agent/Agent.ts"
import { ChatbotAgent } from "../agent/ChatbotAgent.ts"
import { makeReplyJudge } from "../agent/ReplyJudge.ts"
import { Caller, COMMAND_LINE } from "../domain/Caller.ts"
import type { ChatTurn } from "../domain/chat/Chat.ts"
import type { TestAnswer, TestDetails, TestPlan } from "../domain/evaluation/TestRun.ts"
import { type ApiKeyId, MessageId } from "../domain/Ids.ts"
import { type Budget, noBudget } from "../domain/organizations/Budget.ts"
import { costsByModel, type ModelCost } from "../domain/organizations/Usage.ts"
import { extractiveModel } from "../models/local/Extractive.ts"
import { Models } from "../models/Models.ts"
import type { ChatbotRow } from "../storage/chatbots/Chatbots.ts"
import { TestQueue, type WaitingTest } from "../storage/evaluation/TestQueue.ts"
import { Usage } from "../storage/usage/Usage.ts"
import { cut } from "../text/Cut.ts"
import { checkFind, checkSay, isSayChecked, mostPass, passes } from "./Checks.ts"
import { judge, judgeTexts } from "./Judge.ts"
import { type Found, isLocal, TestSearch, type TestSearchResult } from "./TestSearch.ts"

/** The part of a passage that a result keeps, in UTF-16 code units. */
const SHOWN_MAX_LENGTH = 300

/** The key and the budgets that limit the answers of models. */
export interface Payer {
  /** Null for a run by itself. */
  readonly apiKey: ApiKeyId | null
  readonly budgets: { readonly organization: Budget; readonly key: Budget | null }
}

/** What a test has shown. */
export interface Execution {
  readonly outcome: "passed" | "failed" | "error"
  readonly details: TestDetails
  /** Tokens that it has used. */
  readonly tokens: number
}

type Answer = Pick<TestAnswer, "model" | "refused" | "text">

const noJudge =
  "A sentence is to be judged, but the chatbot's model cannot judge: name a model in the plan of the tests."

/** Executes tests: searches as a chat does, and answers by the model that costs nothing, or by the chatbot's own. */
export class TestExecution extends Context.Service<TestExecution>()("parley/evaluation/TestExecution", {
  make: Effect.gen(function* () {
    const agent = yield* ChatbotAgent
    const budgets = yield* Budgets
    const models = yield* Models
    const queue = yield* TestQueue
    const search = yield* TestSearch
    const usage = yield* Usage
    const random = yield* SecureRandom.SecureRandom

    /** The documents that each expectation means by its id or by the name of a file. */
    const checkAll = Effect.fnUntraced(function* (chatbot: ChatbotRow, test: WaitingTest, found: ReadonlyArray<Found>) {
      const { find = [] } = test.expectations
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

    const reply = (chatbot: ChatbotRow, test: WaitingTest, onCost?: (cost: ModelCost) => void) => {
      const { isUnanswered, onSearch } = makeReplyJudge(chatbot.settings.isToolEnabled)
      const count = (cost: ModelCost) => Effect.sync(() => onCost?.(cost))
      return agent
        .reply(chatbot, {
          application: "",
          history: historyOf(test),
          onSearch,
          onStep: (_, cost) => count(cost),
          onGivenUp: count,
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

    /** Runs calls of models within the budgets of a run, and counts what they have used, also if they fail. */
    const paid =
      (chatbot: ChatbotRow, { apiKey, budgets: limits }: Payer) =>
      <A, E, R>(texts: ReadonlyArray<string>, calls: (onCost: (cost: ModelCost) => void) => Effect.Effect<A, E, R>) => {
        const apiKeyId = apiKey ?? COMMAND_LINE
        const costs: Array<ModelCost> = []
        const counted = Effect.onExit(
          calls((cost) => void costs.push(cost)),
          () =>
            costs.length === 0
              ? Effect.void
              : Effect.flatMap(random.uuidV7(), (id) =>
                  usage.add(MessageId.make(id), { apiKeyId, chatbotId: chatbot.id, costs: costsByModel(costs) }),
                ),
        )
        // Failures of models are results, so that they are not taken for those of the budgets.
        return budgets
          .within(() => texts)(Effect.result(counted))
          .pipe(
            Effect.provideService(Caller, {
              apiKeyId,
              organizationId: chatbot.organization_id,
              scopes: [],
              chatbotId: null,
              expiresAt: null,
              budgets: { organization: limits.organization, key: limits.key ?? noBudget },
            }),
            Effect.map((result) => ({ result, tokens: sumOf(costs) })),
          )
      }

    return {
      /** Searches as a chat does, which tells whether a test has to be run anew. */
      search: (chatbot: ChatbotRow, test: WaitingTest) =>
        search.find(chatbot, historyOf(test), test.expectations.find ?? []),

      /** Checks what was found, and answers by the model that costs nothing. */
      withoutModel: Effect.fnUntraced(function* (chatbot: ChatbotRow, test: WaitingTest, { found }: TestSearchResult) {
        const find = yield* checkAll(chatbot, test, found)
        const settings = { ...chatbot.settings, model: extractiveModel, fallbackModels: [] }
        const answer = yield* reply({ ...chatbot, settings }, test)
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
        { found }: TestSearchResult,
        plan: TestPlan,
        payer: Payer,
      ) {
        const find = yield* checkAll(chatbot, test, found)
        const answers: Array<TestAnswer> = []
        const pay = paid(chatbot, payer)
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
            const { result, tokens: used } = yield* pay(judgeTexts(plan.judge_prompt, asked), (onCost) =>
              judge(models, name, plan.judge_prompt, asked, onCost),
            )
            tokens += used
            const verdict = Result.isSuccess(result) ? result.success : undefined
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
          const { result, tokens: used } = yield* pay(texts, (onCost) => reply(chatbot, test, onCost))
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

const sumOf = (costs: ReadonlyArray<ModelCost>): number =>
  costs.reduce((sum, { tokens }) => Object.values(tokens).reduce((own, count) => own + count, sum), 0)

const shown = (found: ReadonlyArray<Found>): TestDetails["found"] =>
  found.map(({ content, ...passage }) => ({ ...passage, content: cut(content, SHOWN_MAX_LENGTH) }))
