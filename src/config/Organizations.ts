import { days, limit, sizeOrOff } from "./Kinds.ts"
import { outputTokensMax, replyDeadline } from "./LanguageModels.ts"
import type { Group } from "./Setting.ts"

const budget = (variable: string, what: string) => limit.or(variable, "off", `${what}.`)

const budgets = {
  organization: {
    tokensPerDay: budget("ORGANIZATION_TOKENS_PER_DAY", "Tokens of an organization's chats in a day, UTC"),
    concurrentChats: budget("ORGANIZATION_CONCURRENT_CHATS", "Chats of an organization at once"),
  },
  key: {
    tokensPerDay: budget("KEY_TOKENS_PER_DAY", "The same tokens of an API key, or of a public chatbot without one"),
    concurrentChats: budget("KEY_CONCURRENT_CHATS", "The same chats of an API key, or of a public chatbot without one"),
  },
  outputMax: outputTokensMax,
  replyDeadline,
}

const usage = {
  retentionDays: days.or("USAGE_RETENTION", "400", "Days for which usage is kept."),
}

const QUOTA = "of an organization."

const quotas = {
  chatbots: limit.or("QUOTA_CHATBOTS", "10000", `Chatbots ${QUOTA}`),
  documents: limit.or("QUOTA_DOCUMENTS", "100000", `Documents ${QUOTA}`),
  bytes: sizeOrOff.or("QUOTA_BYTES", "50GiB", `Size of all documents ${QUOTA}`),
  chunks: limit.or("QUOTA_CHUNKS", "5000000", `Passages in the knowledge bases ${QUOTA}`),
  conversations: limit.or("QUOTA_CONVERSATIONS", "10000000", `Conversations ${QUOTA}`),
  tools: limit.or("QUOTA_TOOLS", "10000", `HTTP tools ${QUOTA} 0 forbids them.`),
}

export const organizations = {
  title: "Budgets and quotas",
  introduction:
    "[Budgets](keys-and-budgets.md#budgets) and [quotas](keys-and-budgets.md#quotas) of organizations and API keys that have none of their own. `off` is no limit.",
  sections: { budgets, usage, quotas },
} satisfies Group
