/*
 * The names of the attributes of spans. Those of language models are of the semantic conventions for generative AI, which
 * are still in development: what changes there changes here.
 */

export const attributes = {
  method: "http.request.method",
  route: "http.route",
  status: "http.response.status_code",
  requestId: "parley.request_id",
  organization: "parley.organization_id",
  chatbot: "parley.chatbot_id",
  conversation: "parley.conversation_id",
  queue: "parley.queue",
  attempt: "parley.attempt",
  toolKind: "parley.tool_kind",
} as const

/** The attributes of spans of language models and of tools, by the conventions for generative AI. */
export const genAi = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  model: "gen_ai.request.model",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  conversation: "gen_ai.conversation.id",
} as const

/** The operations of `gen_ai.operation.name`. */
export const operations = { chat: "chat", tool: "execute_tool", embeddings: "embeddings", rerank: "rerank" } as const
