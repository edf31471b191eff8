import { Duration, Effect, Predicate, type Redacted, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import type { AvailableModel, ModelApi } from "../../domain/models/ModelConnection.ts"
import { keyHeaders } from "../../outbound/KeyHeaders.ts"
import { readText } from "../../outbound/ResponseText.ts"
import { endpointAt } from "../../outbound/VersionedUrl.ts"
import { parseJson } from "../../text/Json.ts"
import { disconnected, explained, malformed, type ProviderFailure } from "../calls/ProviderFailure.ts"
import { sending } from "../calls/Sender.ts"
import { configuredProviders, type ModelsSettings } from "../Models.ts"
import { officialUrl } from "../openai/OpenAi.ts"
import { ANTHROPIC_API_KEY, OPENAI_API_KEY } from "../../system/Variables.ts"

/** A server of models, as it is asked for their names. */
export interface ListedServer {
  readonly api: ModelApi
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted | undefined
  /** Where the key stands, for messages. */
  readonly keySetting: string
}

/** Time for a server to say which models it has. */
export const LIST_TIMEOUT = Duration.seconds(10)
/** The longest list that is read: that of OpenRouter, which has the most, is a tenth of it. */
const LIST_BYTES_MAX = 8 * 1024 * 1024
/** The most models of a server that are listed. */
const LISTED_MAX = 1_000
/** The longest name that is listed: chatbots have none that is longer. */
const NAME_MAX_LENGTH = 150

const tokens = Schema.optionalKey(Schema.NullOr(Schema.Finite))
/** Each server has another name for the length of a model's context. */
const Listed = Schema.Struct({
  id: Schema.String,
  context_length: tokens,
  context_window: tokens,
  max_context_length: tokens,
  max_input_tokens: tokens,
  max_model_len: tokens,
})
const decodeListed = Schema.decodeUnknownOption(Schema.Struct({ data: Schema.Array(Listed) }))

/** Matches the names of models that answer no chats. */
const OTHERS = /embed|whisper|\btts\b|dall-?e|moderation|transcri|rerank|realtime|\bsora\b/i

/** The providers of the settings that are configured. */
export const listedServers = (settings: Omit<ModelsSettings, "local">): ReadonlyArray<ListedServer> => {
  const { anthropic, openai } = configuredProviders(settings)
  return [
    anthropic && { ...anthropic, api: "anthropic" as const, keySetting: ANTHROPIC_API_KEY },
    openai && {
      api: "openai" as const,
      apiKey: openai.apiKey,
      baseUrl: openai.baseUrl ?? officialUrl,
      keySetting: OPENAI_API_KEY,
    },
  ].filter(Predicate.isNotUndefined)
}

/** The request for the list of a server's models, which is free and needs the key. */
export const listRequest = ({ api, apiKey, baseUrl }: ListedServer): HttpClientRequest.HttpClientRequest => {
  const url = endpointAt(baseUrl, "/models")
  const request = HttpClientRequest.setHeaders(HttpClientRequest.get(url), keyHeaders(url, apiKey))
  return api === "anthropic"
    ? HttpClientRequest.setHeader(
        HttpClientRequest.setUrlParam(request, "limit", "1000"),
        "anthropic-version",
        "2023-06-01",
      )
    : request
}

/** Asks a server for the names of its models that chat, without the name of its connection. */
export const listModels = (
  server: ListedServer,
  client: HttpClient.HttpClient,
  timeout = LIST_TIMEOUT,
): Effect.Effect<ReadonlyArray<AvailableModel>, ProviderFailure> =>
  sending(client)(listRequest(server), Duration.toMillis(timeout)).pipe(
    Effect.flatMap((response) =>
      Effect.tryPromise({
        try: () => readText(response, LIST_BYTES_MAX),
        catch: (error) => disconnected(String(error)),
      }),
    ),
    Effect.flatMap((text) => {
      const json = parseJson(text)
      // Some servers answer with the list itself.
      const found = decodeListed(Array.isArray(json) ? { data: json } : json)
      return found._tag === "None"
        ? Effect.fail(malformed(`No list of models: ${text.slice(0, 200)}`))
        : Effect.succeed(found.value.data.flatMap(modelOf).slice(0, LISTED_MAX))
    }),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.fail(disconnected("The server does not answer in time")),
    }),
    Effect.scoped,
    Effect.mapError((failure) => explained(failure, server.api, server.apiKey, server.keySetting)),
  )

const modelOf = ({ id, ...lengths }: typeof Listed.Type): ReadonlyArray<AvailableModel> => {
  // Gemini's own names have a folder before them, which chats do not.
  const model = id.replace(/^models\//, "")
  const context_tokens = Object.values(lengths).find((length) => typeof length === "number" && length > 0) ?? null
  return OTHERS.test(model) || model.length > NAME_MAX_LENGTH ? [] : [{ model, context_tokens }]
}
