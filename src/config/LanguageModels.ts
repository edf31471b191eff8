import {
  ANTHROPIC_API_KEY,
  ANTHROPIC_BASE_URL,
  DEFAULT_MODEL,
  OPENAI_API_KEY,
  OPENAI_BASE_URL,
} from "../system/Variables.ts"
import { ofWorker } from "../system/Seat.ts"
import { duration, httpUrl, integer, secret, text } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

export const outputTokensMax = integer(1, 200_000).or(
  "CHAT_MAX_TOKENS",
  "4096",
  "Maximum of tokens in the answer of one model call, thinking included. Raise it when answers are cut off.",
)

export const replyDeadline = duration.or(
  "CHAT_DEADLINE",
  "120s",
  "Maximum time for one reply. A proxy in front has to wait longer.",
)

/** The limits that hold for each provider by itself. */
const limits = {
  concurrency: integer(1, 65_535)
    .or(
      "PROVIDER_CONCURRENCY",
      "4096",
      "Maximum of concurrent calls of a server to one provider; further ones wait. Lower it to your account's limit.",
    )
    .map(ofWorker(1)),
  outputTokensMax,
  silence: duration.or(
    "PROVIDER_TIMEOUT",
    "30s",
    "Longest silence of a provider; of a server in your own network that loads a model, the time for one reply. Raise it for a model that thinks without streaming.",
  ),
  replyDeadline: replyDeadline,
}

/** The server of OpenAI's API, which serves voices as well. */
export const openAiServer = {
  apiKey: secret.orAbsent(OPENAI_API_KEY, "Makes every `openai/…` model available."),
  baseUrl: httpUrl.orAbsent(
    OPENAI_BASE_URL,
    "Server with OpenAI's chat completions, such as Ollama or vLLM: a base, or the full address of `/chat/completions`; a query stays. Absent: OpenAI's own.",
  ),
}

const models = {
  defaultModel: text.orAbsent(
    DEFAULT_MODEL,
    "Model of new chatbots that name none. Absent: `claude-sonnet-5-5` with an Anthropic key, else `local/extractive`.",
  ),
  anthropic: {
    apiKey: secret.orAbsent(ANTHROPIC_API_KEY, "Makes every `claude-…` model available."),
    baseUrl: httpUrl.or(
      ANTHROPIC_BASE_URL,
      "https://api.anthropic.com",
      "Anthropic's API, or a proxy with the same API.",
    ),
    limits,
  },
  openai: { ...openAiServer, limits },
}

export const languageModels = {
  title: "Language models",
  introduction: "",
  sections: { models },
} satisfies Group
