import { limit } from "./Kinds.ts"
import { outputTokensMax, replyDeadline } from "./LanguageModels.ts"
import type { Group } from "./Setting.ts"

const budget = (variable: string, what: string) => limit.or(variable, "off", `${what}.`)

const budgets = {
  key: {
    tokensPerDay: budget(
      "KEY_TOKENS_PER_DAY",
      "Tokens of the chats of an API key, or of a public chatbot without one, in a day, UTC",
    ),
    concurrentChats: budget("KEY_CONCURRENT_CHATS", "Chats at once of an API key, or of a public chatbot without one"),
  },
  outputMax: outputTokensMax,
  replyDeadline,
}

export const organizations = {
  title: "Budgets",
  introduction:
    "[Budgets](keys-and-budgets.md#budgets) of API keys that have none of their own. `off` is no limit. Budgets and quotas of organizations are [set for each](keys-and-budgets.md#quotas) alone.",
  sections: { budgets },
} satisfies Group
