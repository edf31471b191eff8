/*
 * Refusals of model servers that people meet most, in the words of those that run them.
 */

/** The refusal of a model server. */
export interface ModelRefusal {
  readonly status: number
  readonly body: object
}

/** OpenAI, of a key that is revoked, of which it repeats the ends. */
export const keyRefused: ModelRefusal = {
  status: 401,
  body: {
    error: {
      message:
        "Incorrect API key provided: sk-proj-********************9f2a. You can find your API key at https://platform.openai.com/account/api-keys.",
      type: "invalid_request_error",
      param: null,
      code: "invalid_api_key",
    },
  },
}

/** Ollama, of a model that was removed. */
export const modelGone: ModelRefusal = {
  status: 404,
  body: {
    error: {
      message: 'model "llama3.2:3b" not found, try pulling it first',
      type: "api_error",
      param: null,
      code: null,
    },
  },
}

/** OpenRouter, of an account whose credit is spent. */
export const creditSpent: ModelRefusal = {
  status: 402,
  body: {
    error: {
      message:
        "This request requires more credits, or fewer max_tokens. You requested up to 4096 tokens, but can only afford 117. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account",
      code: 402,
      metadata: { provider_name: null },
    },
    user_id: "user_2xNqW7eTzCkPLmYbRsVd",
  },
}

/** The server of llama.cpp, of a prompt that is longer than its context of 4,096 tokens. */
export const contextExceeded: ModelRefusal = {
  status: 400,
  body: {
    error: {
      code: 400,
      message: "request (5012 tokens) exceeds the available context size (4096 tokens), try increasing it",
      type: "exceed_context_size_error",
      n_prompt_tokens: 5012,
      n_ctx: 4096,
    },
  },
}

const safe = { filtered: false, severity: "safe" }

/** Azure's OpenAI, of a question that its filter takes for violence. */
export const contentFiltered: ModelRefusal = {
  status: 400,
  body: {
    error: {
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766",
      type: null,
      param: "prompt",
      code: "content_filter",
      status: 400,
      innererror: {
        code: "ResponsibleAIPolicyViolation",
        content_filter_result: {
          hate: safe,
          jailbreak: { filtered: false, detected: false },
          self_harm: safe,
          sexual: safe,
          violence: { filtered: true, severity: "medium" },
        },
      },
    },
  },
}
