import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Caller, ensureScope } from "../../domain/Caller.ts"
import { TestRunId, type TestRunInput } from "../../domain/evaluation/TestRun.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import type { Page } from "../../domain/Page.ts"
import { Service } from "../../domain/Service.ts"
import * as Jobs from "../../jobs/TestRuns.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { setupOf } from "../../storage/chatbots/ChatbotSetups.ts"
import * as Storage from "../../storage/evaluation/TestRuns.ts"
import { AfterCommit } from "../../storage/sql/AfterCommit.ts"

/** Starts, stops and shows runs of the tests of chatbots. */
export class TestRuns extends Service<TestRuns>()("parley/services/evaluation/TestRuns", function* () {
  const storage = yield* Storage.TestRuns
  const chatbots = yield* Chatbots
  const jobs = yield* Jobs.TestRuns
  const afterCommit = yield* AfterCommit
  const random = yield* SecureRandom.SecureRandom

  return {
    /** Queues a run. The second tier asks models, as a chat does. */
    start: Effect.fn("TestRuns.start")(function* (chatbot: ChatbotId, input: TestRunInput) {
      const { apiKeyId } = yield* Caller
      if (input.tier === "model") yield* ensureScope("chat")
      yield* chatbots.get(chatbot)
      const run = yield* storage.start(chatbot, TestRunId.make(yield* random.uuidV7()), input, apiKeyId)
      yield* afterCommit.run(jobs.nudge)
      return run
    }),

    /** Lists runs, the latest first, and says whether the answers of the last one with the model may be others now. */
    list: Effect.fn("TestRuns.list")(function* (chatbot: ChatbotId, page: Page) {
      const row = yield* chatbots.get(chatbot)
      const { setupHash, ...found } = yield* storage.list(chatbot, page)
      return { ...found, is_outdated: setupHash === null ? null : setupHash !== setupOf(row).hash }
    }),

    get: storage.get,

    stop: Effect.fn("TestRuns.stop")((chatbot: ChatbotId, run: TestRunId) =>
      Effect.tap(storage.stop(chatbot, run), () => afterCommit.run(jobs.nudge)),
    ),

    results: storage.results,
  }
}) {}
