import { noPrivateNetworks } from "../outbound/PrivateNetworks.ts"
import { TOOL_PRIVATE_NETWORKS } from "../system/Variables.ts"
import { replyDeadline } from "./LanguageModels.ts"
import { duration, integer, oneOf, privateNetworks } from "./Kinds.ts"
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

const safeFetch = {
  allowed: privateNetworks
    .orAbsent(
      TOOL_PRIVATE_NETWORKS,
      "Private addresses that HTTP tools may call: CIDRs and host names, with commas between. Everybody who may declare tools can reach them, so allow no more than is needed. Absent: none.",
    )
    .map((networks) => networks ?? noPrivateNetworks),
}

const consoleSessions = {
  lifetime: duration.or(
    "CONSOLE_SESSION",
    "12h",
    "How long somebody who has signed in at the console stays signed in.",
  ),
}

export const chats = {
  title: "Chats, tools and the console",
  introduction: "The limits of one reply, what tools and webhooks may call, and signing in at the console.",
  sections: { agent, chat, safeFetch, consoleSessions },
} satisfies Group
