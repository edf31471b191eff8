import type { PassageJson } from "../../src/domain/knowledge/Passage.ts"
import { calls, message, says } from "../lib/FakeAnthropic.ts"
import type { Answer } from "../lib/Wire.ts"

/** The passages that every search finds. */
export const passages: ReadonlyArray<PassageJson> = [
  { title: "Refunds", chunk: 1, content: "Paid within 14 days.", similarity: 0.8, document_id: "d1" },
]

/** The successive answers of the provider, by the name of the conversation. */
export const scenarios: { readonly [name: string]: ReadonlyArray<Answer> } = {
  plain: [says("Hello!")],
  search: [calls("refund period"), says("14 days.")],
  "two calls with words before them": [
    message(
      [
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "toolu_1", name: "searchKnowledgeBase", input: { query: "refund period" } },
        { type: "tool_use", id: "toolu_2", name: "searchKnowledgeBase", input: { query: "refund card" } },
      ],
      "tool_use",
    ),
    says("14 days."),
  ],
  "three steps": [calls("refund"), calls("refund period"), says("14 days.")],
  "cut by length": [says("It takes", "max_tokens")],
  "a stop sequence": [says("It takes", "stop_sequence")],
  "a reason of the future": [says("It takes", "tired")],
}
