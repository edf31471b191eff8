import { outputTokensMax, replyDeadline } from "./LanguageModels.ts"
import { durationOrOff, integer, limit, oneOf, positiveDuration, size } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const promptTokensMax = integer(1_000, 10_000_000).or(
  "CHAT_PROMPT_TOKENS",
  "100000",
  "Approximate maximum of tokens in a prompt: the oldest turns that would exceed it are left out. Lower it for models with a small context.",
)

const callTimeout = positiveDuration.or(
  "TOOL_TIMEOUT",
  "10s",
  "Longest time for one tool call, unless the tool has a time of its own.",
)

/** The limit of a call that an operator tries. */
export const toolTrials = { callTimeout: callTimeout.elsewhere }

const agent = {
  replyDeadline,
  stepsMax: integer(1, 50).or(
    "CHAT_STEPS_LIMIT",
    "6",
    "Model calls of one reply, at most; the last may call no tools, so that there is an answer.",
  ),
  promptTokensMax,
  callTimeout,
  concurrency: integer(1, 64).or("TOOL_CONCURRENCY", "4", "Tool calls of one reply at once."),
}

const chat = {
  historyLimit: integer(1, 1_000).or(
    "CHAT_HISTORY_LIMIT",
    "100",
    "Most stored messages of a conversation in a prompt.",
  ),
  promptTokensMax,
  sessionTokens: oneOf("any", "strict").or(
    "SESSION_TOKENS",
    "any",
    "Whether clients may name conversations by session tokens of fewer than 16 characters, which others can guess. `strict` refuses them; set it once your clients send random ones.",
  ),
}

const streams = {
  heartbeat: positiveDuration.or(
    "STREAM_HEARTBEAT",
    "10s",
    "Time between two signs of life in a silent stream, and the longest wait for the model before the stream begins. Lower it for proxies that close silent connections sooner.",
  ),
}

const checkpoints = {
  interval: durationOrOff.or(
    "REPLY_CHECKPOINT",
    "5s",
    "How often an unfinished reply is stored, so that little of it is lost when its server dies.",
  ),
}

const liveReplies = {
  keptFor: positiveDuration.or(
    "WIDGET_REPLY_KEPT",
    "30s",
    "How long a reply to a visitor of the chat widget can be read on from where a lost connection stopped, after it has ended.",
  ),
  memory: size.or(
    "WIDGET_REPLIES_MEMORY",
    "64MiB",
    "Size of the replies to visitors of the chat widget that are kept in memory, of which one organization may take a quarter. Beyond it, some are read from the database again.",
  ),
  readersMax: integer(1, 1_000).or(
    "WIDGET_REPLY_READERS",
    "16",
    "Places at once, such as tabs of a browser, in which one reply to a visitor of the chat widget is followed.",
  ),
}

export const chats = {
  title: "Chats",
  introduction: "The limits of one reply, and how it is streamed and stored.",
  sections: { agent, chat, streams, checkpoints, liveReplies },
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
