import {
  ANTHROPIC_API_KEY,
  ANTHROPIC_BASE_URL,
  DEFAULT_MODEL,
  OPENAI_API_KEY,
  OPENAI_BASE_URL,
} from "../system/Variables.ts"
import { duration, httpUrl, integer, positiveDuration, secret, size, text } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

export const outputTokensMax = integer(1, 200_000).or(
  "CHAT_MAX_TOKENS",
  "4096",
  "Tokens of one model call's answer, at most, thinking included. Raise it when long answers are cut off.",
)

const CIRCUIT_WINDOW = "CIRCUIT_WINDOW"

/** The limits that hold for each provider by itself. */
const calls = {
  outputTokensMax,
  turnWait: duration.or(
    "PROVIDER_TURN_WAIT",
    "10s",
    "How long a model call waits for its turn among the calls at once, before it fails with 503.",
  ),
  replyTimeout: positiveDuration.or(
    "PROVIDER_REPLY_TIMEOUT",
    "100s",
    "Longest time for one attempt at a model call, to the end of its answer. Lower it to leave time for `fallbackModels` within the deadline of the reply.",
  ),
  firstByteTimeout: positiveDuration.or(
    "PROVIDER_FIRST_BYTE_TIMEOUT",
    "30s",
    "How long a model provider may take to the first byte of a stream. Raise it for a model that has to be loaded first.",
  ),
  stallTimeout: positiveDuration.or(
    "PROVIDER_STALL_TIMEOUT",
    "30s",
    "How long a model provider's stream may be silent. Raise it for a model that thinks without streaming.",
  ),
  answerBytesMax: size.or(
    "PROVIDER_ANSWER_LIMIT",
    "16MiB",
    "Largest response body of a model provider, in bytes as received.",
  ),
  attemptsMax: integer(1, 10).or(
    "PROVIDER_ATTEMPTS",
    "3",
    "Attempts at one model call, as long as no byte of its answer has come.",
  ),
  failuresMax: integer(1, 1_000).or(
    "CIRCUIT_FAILURES",
    "5",
    `Failures of a model provider within \`${CIRCUIT_WINDOW}\` after which it is left alone for a while, if they are at least half of its calls: further calls fail at once, with 503.`,
  ),
  window: positiveDuration.or(CIRCUIT_WINDOW, "30s", "Time in which these failures are counted."),
  openFor: positiveDuration.or(
    "CIRCUIT_REST",
    "15s",
    "How long a provider is left alone, before one call tries it again.",
  ),
}

const models = {
  defaultModel: text.orAbsent(
    DEFAULT_MODEL,
    "Model of a new chatbot that names none. Absent: `claude-sonnet-5-5` with an Anthropic key, else `local/extractive`.",
  ),
  anthropic: {
    apiKey: secret.orAbsent(ANTHROPIC_API_KEY, "Makes every `claude-…` model available."),
    baseUrl: httpUrl.or(
      ANTHROPIC_BASE_URL,
      "https://api.anthropic.com",
      "Where the Anthropic API is. Change it for a proxy with Anthropic's API.",
    ),
    limits: {
      concurrency: integer(1, 65_535).or(
        "ANTHROPIC_CONCURRENCY",
        "4096",
        "Calls of Anthropic at once, at most; further ones wait. Lower it when the account allows fewer.",
      ),
      ...calls,
    },
  },
  openai: {
    apiKey: secret.orAbsent(OPENAI_API_KEY, "Makes every `openai/…` model available."),
    baseUrl: httpUrl.orAbsent(
      OPENAI_BASE_URL,
      "Where a server with OpenAI's chat completions is (Ollama, vLLM and alike); it may need no key. Absent: OpenAI's own.",
    ),
    limits: {
      concurrency: integer(1, 65_535).or(
        "OPENAI_CONCURRENCY",
        "4096",
        "Calls of that server at once, at most; further ones wait. Lower it to what a server of one's own takes at once.",
      ),
      ...calls,
    },
  },
}

export const languageModels = {
  title: "Language models",
  introduction:
    "Which providers generate the answers, and how long the server waits for them. The `PROVIDER_…` and `CIRCUIT_…` settings hold for each provider by itself.",
  sections: { models },
} satisfies Group
