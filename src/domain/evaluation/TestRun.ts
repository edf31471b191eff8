import { Schema, Struct } from "effect"
import { ChatbotId, idOf } from "../Ids.ts"
import { FoundPassage } from "../chat/ReplyGround.ts"
import { textBetween, textUpTo } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { ChatbotTest, FindExpectation, SayExpectation, Tags, TestId } from "./ChatbotTest.ts"

/*
 * Runs of a chatbot's tests, and their results.
 */

/** The most answers of the model to one test in a run. */
const REPEATS_MAX = 10

export const TestRunId = idOf("a run of tests").pipe(Schema.brand("TestRunId"))
export type TestRunId = typeof TestRunId.Type

export const TestTier = Schema.Literals(["search", "model"]).annotate({
  description:
    "`search`: the search, and the answer of `local/extractive`, which cost nothing and are always the same. `model`: the answers of the chatbot's model, too.",
})
export type TestTier = typeof TestTier.Type

/** How the tests of a chatbot are run. */
export const TestPlan = Schema.Struct({
  on_change: Schema.Boolean.annotate({
    description:
      "Whether the first tier runs by itself when documents, approved answers, settings or the server's version have changed. Default: true.",
  }),
  schedule: Schema.NullOr(Schema.Literals(["daily", "weekly"])).annotate({
    description: "How often the tests are run by themselves. Default: null, never.",
  }),
  schedule_tier: TestTier,
  repeats: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: REPEATS_MAX })).annotate({
    description:
      "Answers of the model to each test in the second tier. A test passes when most of them do. Default: 1.",
  }),
  judge_model: Schema.NullOr(textBetween(1, 200)).annotate({
    description: "The model that judges answers. Default: null, the chatbot's own, unless that is `local/extractive`.",
  }),
  judge_prompt: textUpTo(8_000).annotate({ description: "The instruction of the model that judges." }),
  tokens_max: Schema.Int.check(Schema.isBetween({ minimum: 1_000, maximum: 100_000_000 })).annotate({
    description: "Tokens after which a run of the second tier ends, what is left being not run. Default: 500,000.",
  }),
}).annotate({ identifier: "TestPlan" })
export type TestPlan = typeof TestPlan.Type

export const TestPlanPatch = TestPlan.mapFields(Struct.map(Schema.optionalKey))
export type TestPlanPatch = typeof TestPlanPatch.Type

export const testPlanDefaults: TestPlan = {
  on_change: true,
  schedule: null,
  schedule_tier: "search",
  repeats: 1,
  judge_model: null,
  judge_prompt:
    "You check the answer of a chatbot. You are shown the user's question, the answer, and a statement about the answer. Say whether the statement is true of the answer. Judge by the text of the answer alone, not by what you know of its subject.",
  tokens_max: 500_000,
}

/** Numbers of tests of a run, by outcome and by what has changed since the result before. */
export const TestCounts = Schema.Struct({
  total: Schema.Int.annotate({ description: "Tests that the run covers." }),
  done: Schema.Int,
  untouched: Schema.Int.annotate({
    description: "Tests that were not run anew, since nothing that they rest on has changed.",
  }),
  passed: Schema.Int.annotate({ description: "Untouched ones included, by their last result." }),
  failed: Schema.Int,
  errors: Schema.Int.annotate({ description: "Tests that could not be run, because the model could not be asked." }),
  better: Schema.Int,
  worse: Schema.Int,
  different: Schema.Int,
}).annotate({ identifier: "TestCounts" })
export type TestCounts = typeof TestCounts.Type

export const TestRun = Schema.Struct({
  id: TestRunId,
  chatbot_id: ChatbotId,
  tier: TestTier,
  trigger: Schema.Literals(["manual", "schedule", "change", "version"]),
  status: Schema.Literals(["queued", "running", "finished", "stopped", "failed"]),
  tags: Schema.Array(Schema.String),
  counts: TestCounts,
  tokens_used: Schema.Finite,
  server_version: Schema.NullOr(Schema.String),
  error: Schema.NullOr(
    Schema.Struct({ code: Schema.Literals(["budget_spent", "gave_up"]), message: Schema.String }),
  ).annotate({ description: "Why it has failed." }),
  created_at: Timestamp,
  started_at: Schema.NullOr(Timestamp),
  ended_at: Schema.NullOr(Timestamp),
}).annotate({ identifier: "TestRun" })
export type TestRun = typeof TestRun.Type

/** The fields of a new run. */
export const TestRunInput = Schema.Struct({
  tier: Schema.optionalKey(TestTier),
  tags: Schema.optionalKey(Tags),
})
export type TestRunInput = typeof TestRunInput.Type

/** Whether an expectation is met. */
const FindCheck = Schema.Struct({
  expected: FindExpectation,
  passed: Schema.Boolean,
  rank: Schema.NullOr(Schema.Int).annotate({ description: "From 1; null where it was not found." }),
  similarity: Schema.NullOr(Schema.Finite),
})
const SayCheck = Schema.Struct({
  expected: SayExpectation,
  passed: Schema.Boolean,
  reason: Schema.optionalKey(Schema.String.annotate({ description: "What the model that judges says." })),
})

export const TestAnswer = Schema.Struct({
  text: Schema.String,
  refused: Schema.Boolean.annotate({ description: "Whether it says that there is no answer." }),
  passed: Schema.Boolean,
  say: Schema.Array(SayCheck),
  model: Schema.String,
})
export type TestAnswer = typeof TestAnswer.Type

/** What was found and said in a test. */
export const TestDetails = Schema.Struct({
  found: Schema.Array(FoundPassage).annotate({ description: "The first passages that the search found." }),
  find: Schema.Array(FindCheck),
  answers: Schema.Array(TestAnswer).annotate({
    description:
      "Of `local/extractive` in the first tier, and of the chatbot's model in the second. In the first, answers decide only where the chatbot's model is `local/extractive`.",
  }),
  error: Schema.optionalKey(Schema.String),
})
export type TestDetails = typeof TestDetails.Type

export const TestResult = Schema.Struct({
  test_id: TestId,
  run_id: TestRunId,
  question: Schema.String,
  tags: Schema.Array(Schema.String),
  outcome: Schema.Literals(["passed", "failed", "error"]),
  change: Schema.NullOr(Schema.Literals(["better", "worse", "different", "same"])).annotate({
    description: "Compared with the result before, of the same tier; null where there is none.",
  }),
  ...TestDetails.fields,
  before: Schema.NullOr(Schema.Struct({ ...TestDetails.fields, run_id: TestRunId, outcome: Schema.String })).annotate({
    description: "The result before.",
  }),
  created_at: Timestamp,
}).annotate({ identifier: "TestResult" })
export type TestResult = typeof TestResult.Type

/** A test in a list, with the outcome of its latest result. */
export const ListedTest = Schema.Struct({
  ...ChatbotTest.fields,
  last_result: Schema.NullOr(
    Schema.Struct({ run_id: TestRunId, tier: TestTier, ...Struct.pick(TestResult.fields, ["outcome", "change"]) }),
  ).annotate({ description: "Of either tier; null where the test was not run yet." }),
}).annotate({ identifier: "ListedTest" })
