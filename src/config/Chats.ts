import { outputTokensMax } from "./LanguageModels.ts"
import { durationOrOff, integer, limit, positiveDuration } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

export const replyDeadline = positiveDuration.or(
  "CHAT_DEADLINE",
  "120s",
  "Longest time for one reply, with all its model calls. A proxy in front has to wait longer than this.",
)

const promptTokensMax = integer(1_000, 10_000_000).or(
  "CHAT_PROMPT_TOKENS",
  "100000",
  "Tokens that a model is shown at once, about: the oldest turns that would exceed it are left out. Lower it for models with a small context.",
)

const agent = {
  replyDeadline,
  stepsMax: integer(1, 50).or(
    "CHAT_STEPS_LIMIT",
    "6",
    "Model calls of one reply, at most; the last may call no tools, so that there is an answer.",
  ),
  promptTokensMax,
  callTimeout: positiveDuration.or(
    "TOOL_TIMEOUT",
    "10s",
    "Longest time for one tool call, unless the tool has a time of its own.",
  ),
  concurrency: integer(1, 64).or("TOOL_CONCURRENCY", "4", "Tool calls of one reply at once."),
}

const chat = {
  historyLimit: integer(1, 1_000).or(
    "CHAT_HISTORY_LIMIT",
    "100",
    "Stored messages of a conversation that a model is shown, at most.",
  ),
  promptTokensMax,
}

const streams = {
  heartbeat: positiveDuration.or(
    "STREAM_HEARTBEAT",
    "10s",
    "How often a stream shows that it is alive; also how long it waits for the model before it begins. Lower it for proxies that close silent connections sooner.",
  ),
}

const checkpoints = {
  interval: durationOrOff.or(
    "REPLY_CHECKPOINT",
    "5s",
    "How often a reply that takes long is stored as far as it has got, so that little of it is lost when its server dies.",
  ),
}

export const chats = {
  title: "Chats",
  introduction: "What one reply may take, and how it is streamed and stored.",
  sections: { agent, chat, streams, checkpoints },
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
    "Days for which usage is kept. Raise it where bills are made of it later.",
  ),
}

export const spending = {
  title: "Budgets and usage",
  introduction:
    "What organizations and API keys may spend where they have no budget of their own. Set these when others than yourself hold keys.",
  sections: { budgets, usage },
} satisfies Group
