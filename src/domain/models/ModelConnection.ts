import { Schema } from "effect"
import { idOf } from "../Ids.ts"
import { HttpUrl } from "../schema/HttpUrl.ts"
import { textBetween } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"

export const ModelConnectionId = idOf("a model connection").pipe(Schema.brand("ModelConnectionId"))
export type ModelConnectionId = typeof ModelConnectionId.Type

/** The first part of the names of models that are the server's own. */
export const LOCAL = "local"

const ConnectionName = textBetween(1, 40)
  .check(
    Schema.isPattern(new RegExp(`^(?!${LOCAL}$)[a-z0-9][a-z0-9-]*$`), {
      message: `Expected lower-case letters, digits and hyphens, and not "${LOCAL}"`,
    }),
  )
  .annotate({
    description:
      "The first part of the names of its models: `ollama` for `ollama/llama3.2:3b`. The connection `anthropic` has the `claude-…` models as well. Where the server's settings have a provider of the same name, the connection is used in its place.",
    examples: ["ollama"],
  })

/** The form of requests and answers: OpenAI's chat completions, or Anthropic's messages. */
export const ModelApi = Schema.Literals(["openai", "anthropic"]).annotate({
  description: "`openai` for chat completions, which most servers have; `anthropic` for Anthropic's messages.",
})
export type ModelApi = typeof ModelApi.Type

const apiKey = Schema.NullOr(textBetween(1, 2_000)).annotate({
  description: "Never shown again. Null for a server that needs none.",
})

const fields = {
  name: ConnectionName,
  api: ModelApi,
  base_url: HttpUrl.annotate({
    description:
      "With its version or without, or the full address of `/chat/completions`; a query stays. An address in the server's own network is for operators alone.",
    examples: ["http://127.0.0.1:11434"],
  }),
}

/** A server of language models that an organization has connected. */
export const ModelConnection = Schema.Struct({
  id: ModelConnectionId,
  ...fields,
  key_hint: Schema.NullOr(Schema.String).annotate({
    description: "The beginning and the end of the key, such as `sk-…9f2a`; null without a key.",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({ identifier: "ModelConnection" })
export type ModelConnection = typeof ModelConnection.Type

export const ModelConnectionInput = Schema.Struct({ ...fields, api_key: apiKey })
export type ModelConnectionInput = typeof ModelConnectionInput.Type

export const ModelConnectionPatch = Schema.Struct({ api_key: Schema.optionalKey(apiKey) })
export type ModelConnectionPatch = typeof ModelConnectionPatch.Type

/** The least length of a key of which a part is shown. */
const HINTED_MIN_LENGTH = 20

/** What is shown of a key. */
export const keyHintOf = (key: string): string =>
  key.length < HINTED_MIN_LENGTH ? "…" : `${key.slice(0, 3)}…${key.slice(-4)}`

/** Matches the names that servers have for models, such as `llama3.2:3b` and `meta-llama/Llama-3.1-8B-Instruct`. */
const SERVERS_NAME = /^\w[\w.:@/+-]{0,190}$/

/** The name that a connection's server has for a model; undefined for a model that is not one of the connection. */
export const serversNameOf = (connection: string, model: string): string | undefined => {
  if (connection === "anthropic" && isClaude(model)) return model
  const name = model.startsWith(`${connection}/`) ? model.slice(connection.length + 1) : ""
  return SERVERS_NAME.test(name) ? name : undefined
}

/** The name that chatbots have for a model of a connection, by the name that its server has for it. */
export const modelNamed = (connection: string, model: string): string =>
  connection === "anthropic" && isClaude(model) ? model : `${connection}/${model}`

/** Whether a name is that of a model of Anthropic, without a connection before it. */
export const isClaude = (model: string): boolean => /^claude-[a-z0-9][a-z0-9.@-]{0,98}$/.test(model)

/** A model that a chatbot may be given. */
export const AvailableModel = Schema.Struct({
  model: Schema.String.annotate({ description: "Its name, as chatbots have it.", examples: ["ollama/llama3.2:3b"] }),
  context_tokens: Schema.NullOr(Schema.Finite).annotate({
    description: "The length of its context, where it is known.",
  }),
}).annotate({ identifier: "AvailableModel" })
export type AvailableModel = typeof AvailableModel.Type

/** A provider of models, with what it has said of them. */
export const ModelSource = Schema.Struct({
  name: Schema.String,
  origin: Schema.Literals(["built_in", "settings", "connection"]).annotate({
    description:
      "`built_in`: the server itself. `settings`: set in its environment. `connection`: of the organization.",
  }),
  models: Schema.Array(AvailableModel).annotate({ description: "Empty where the provider does not list them." }),
  failure: Schema.NullOr(Schema.String).annotate({ description: "Why the provider has not listed its models." }),
  refused: Schema.Array(Schema.Struct({ model: Schema.String, parts: Schema.Array(Schema.String) })).annotate({
    description: "What servers have refused of requests to a model within a day, which is left out of further ones.",
  }),
}).annotate({ identifier: "ModelSource" })
export type ModelSource = typeof ModelSource.Type

/** A server of models that runs beside this one, and is not connected yet. */
export const FoundModelServer = Schema.Struct({
  name: Schema.String.annotate({ description: "A name for its connection.", examples: ["ollama"] }),
  title: Schema.String.annotate({ examples: ["Ollama"] }),
  base_url: Schema.String,
  models: Schema.Array(AvailableModel),
}).annotate({ identifier: "FoundModelServer" })
export type FoundModelServer = typeof FoundModelServer.Type

/** What a model has shown of itself, asked by a question whose answer it has to search for. */
export const ModelTest = Schema.Struct({
  model: Schema.String,
  answer: Schema.NullOr(Schema.String).annotate({ description: "Null where it has not answered." }),
  failure: Schema.NullOr(Schema.String).annotate({
    description: "Why it has not answered, with what its server says, without the key.",
  }),
  tools: Schema.Literals(["called", "not_called", "refused", "unknown"]).annotate({
    description:
      "`refused`: its server takes none, and chats search before. `not_called`: it answered without a search.",
  }),
  streams: Schema.Boolean.annotate({ description: "Whether its answer came in pieces." }),
  images: Schema.Literals(["accepted", "refused", "unknown"]),
  first_word_ms: Schema.NullOr(Schema.Finite),
  total_ms: Schema.Finite,
  notes: Schema.Array(Schema.String).annotate({ description: "What its server refuses, and is left out for it." }),
}).annotate({ identifier: "ModelTest" })
export type ModelTest = typeof ModelTest.Type
