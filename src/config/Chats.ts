import { noPrivateNetworks } from "../outbound/PrivateNetworks.ts"
import { TOOL_PRIVATE_NETWORKS } from "../system/Variables.ts"
import { groundDays } from "./Data.ts"
import { replyDeadline } from "./LanguageModels.ts"
import { duration, integer, oneOf, privateNetworks } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const promptTokensMax = integer(1_000, 10_000_000).or(
  "CHAT_PROMPT_TOKENS",
  "100000",
  "Approximate maximum of tokens in a prompt, beyond which the oldest turns are left out. Lower it for models with a small context.",
)

const agent = {
  replyDeadline,
  stepsMax: integer(1, 50).or("CHAT_STEPS_LIMIT", "6", "Maximum of model calls for one reply."),
  promptTokensMax,
}

const chat = {
  promptTokensMax,
  groundDays,
  sessionTokens: oneOf("any", "strict").or(
    "SESSION_TOKENS",
    "any",
    "`strict` refuses session tokens of fewer than 16 characters, which [others can guess](keys-and-budgets.md#visitors).",
  ),
}

const safeFetch = {
  allowed: privateNetworks
    .orAbsent(
      TOOL_PRIVATE_NETWORKS,
      "Private addresses that HTTP tools, webhooks, sources and sign-in providers may have. Anyone who may declare tools can reach them.",
    )
    .map((networks) => networks ?? noPrivateNetworks),
}

const consoleSessions = {
  lifetime: duration.or("CONSOLE_SESSION", "12h", "Duration of a session at the console."),
}

export const chats = {
  title: "Chats, tools and the console",
  introduction: "",
  sections: { agent, chat, safeFetch, consoleSessions },
} satisfies Group
