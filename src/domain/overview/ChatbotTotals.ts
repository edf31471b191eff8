import { Schema } from "effect"
import { TestRunId } from "../evaluation/TestRun.ts"
import { ChatbotId } from "../Ids.ts"
import { Timestamp } from "../schema/Timestamp.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Conversations of a chatbot that its totals count, at most. */
export const CONVERSATIONS_COUNTED = 10_000

/** Counts of what a chatbot has, and of what somebody has to look after. */
export const ChatbotTotals = Schema.Struct({
  chatbot_id: ChatbotId,
  documents: Schema.optionalKey(
    Schema.Struct({
      total: Count,
      under_way: Count.annotate({ description: "Documents that are being read." }),
      failed: Count,
    }).annotate({ description: "With the scope `knowledge:read`." }),
  ),
  sources: Schema.optionalKey(
    Schema.Struct({
      total: Count,
      failed: Count.annotate({ description: "Sources whose last run has failed, or is held until a person agrees." }),
    }).annotate({ description: "With the scope `knowledge:read`." }),
  ),
  tests: Schema.Struct({
    run_id: Schema.NullOr(TestRunId).annotate({ description: "The latest run that has ended; null before the first." }),
    passed: Count,
    failed: Count.annotate({ description: "Tests of that run that fail, or that could not be run." }),
  }),
  conversations: Schema.optionalKey(
    Schema.Struct({
      last_7_days: Count.annotate({
        description: `With activity in the last 7 days; counted up to ${CONVERSATIONS_COUNTED}.`,
      }),
      latest_activity: Schema.NullOr(Timestamp).annotate({ description: "Null without any conversation." }),
    }).annotate({ description: "With the scope `conversations:read`." }),
  ),
}).annotate({
  identifier: "ChatbotTotals",
  examples: [
    {
      chatbot_id: ChatbotId.make("01a1f949-589d-74eb-b296-3f233cb51b4b"),
      documents: { total: 12, under_way: 1, failed: 0 },
      sources: { total: 2, failed: 0 },
      tests: { run_id: null, passed: 0, failed: 0 },
      conversations: { last_7_days: 48, latest_activity: Timestamp.make("2026-11-20T14:08:39.770+00:00") },
    },
  ],
})
export type ChatbotTotals = typeof ChatbotTotals.Type
