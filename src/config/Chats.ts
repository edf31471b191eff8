import { outputTokensMax, replyDeadline } from "./LanguageModels.ts"
import { integer, limit, oneOf } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const promptTokensMax = integer(1_000, 10_000_000).or(
  "CHAT_PROMPT_TOKENS",
  "100000",
  "Approximate maximum of tokens in a prompt: the oldest turns that would exceed it are left out. Lower it for models with a small context.",
)

const agent = {
  replyDeadline,
  stepsMax: integer(1, 50).or(
    "CHAT_STEPS_LIMIT",
    "6",
    "Model calls of one reply, at most; the last may call no tools, so that there is an answer.",
  ),
  promptTokensMax,
}

const chat = {
  promptTokensMax,
  sessionTokens: oneOf("any", "strict").or(
    "SESSION_TOKENS",
    "any",
    "Whether clients may name conversations by session tokens of fewer than 16 characters, which others can guess. `strict` refuses them; set it once your clients send random ones.",
  ),
}

export const chats = {
  title: "Chats",
  introduction: "The limits of one reply.",
  sections: { agent, chat },
} satisfies Group

const budgets = {
  organization: {
    tokensPerDay: limit.or(
      "ORGANIZATION_TOKENS_PER_DAY",
      "off",
      "Tokens that an organization's chats may take from midnight to midnight, UTC, unless its own budget says otherwise.",
    ),
    concurrentChats: limit.or(
      "ORGANIZATION_CONCURRENT_CHATS",
      "off",
      "Chats of an organization at once, unless its own budget says otherwise.",
    ),
  },
  key: {
    tokensPerDay: limit.or(
      "KEY_TOKENS_PER_DAY",
      "off",
      "The same tokens for each API key, unless its own budget says otherwise.",
    ),
    concurrentChats: limit.or(
      "KEY_CONCURRENT_CHATS",
      "off",
      "Chats of an API key at once, unless its own budget says otherwise.",
    ),
  },
  outputMax: outputTokensMax.elsewhere,
  replyDeadline: replyDeadline.elsewhere,
}

const usage = {
  retentionDays: integer(1, 36_500).or(
    "USAGE_RETENTION",
    "400",
    "Days for which usage is kept. Raise it if you write bills from it later.",
  ),
}

export const spending = {
  title: "Budgets and usage",
  introduction:
    "What organizations and API keys may spend if they have no budget of their own. Set these when you give keys to others.",
  sections: { budgets, usage },
} satisfies Group
