import { Context, Duration, Effect, identity, Layer, Predicate, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { configuredProviders, type ModelsSettings } from "./Models.ts"
import { officialUrl } from "./openai/OpenAi.ts"
import { endpointAt } from "../outbound/VersionedUrl.ts"
import { keyRefusal } from "./calls/ProviderFailure.ts"
import { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY, OPENAI_BASE_URL } from "../system/Variables.ts"

/** The result of checking whether a provider of language models can be used. */
export interface Probe {
  /** The name of the provider, such as `anthropic`. */
  readonly provider: string
  /** A description of the problem for the operator; undefined when the provider answers and accepts the key. */
  readonly failure: string | undefined
}

const TIMEOUT = Duration.seconds(10)

/** The address at which Ollama listens unless it is told otherwise. */
const OLLAMA = "http://127.0.0.1:11434"
/** Time for a server on this machine to say which models it has. */
const LOCAL_TIMEOUT = Duration.seconds(1)
/** Models of it that are named at most. */
const NAMED_MAX = 3

const decodeModels = Schema.decodeUnknownEffect(
  Schema.Struct({ data: Schema.NonEmptyArray(Schema.Struct({ id: Schema.String })) }),
)

/** Requests the list of models from each configured provider of language models, which is free and needs the key. */
export class ProviderProbes extends Context.Service<
  ProviderProbes,
  {
    readonly run: Effect.Effect<ReadonlyArray<Probe>>
    /** Says how to get a model when no provider is configured, and which models Ollama has on this machine. */
    readonly advice: Effect.Effect<string>
  }
>()("parley/models/ProviderProbes") {
  static readonly layer = (
    settings: Omit<ModelsSettings, "local">,
    ollama = OLLAMA,
  ): Layer.Layer<ProviderProbes, never, HttpClient.HttpClient> =>
    Layer.effect(
      ProviderProbes,
      Effect.map(HttpClient.HttpClient, (client) => {
        const { anthropic, openai } = configuredProviders(settings)
        const probes = [
          anthropic && {
            provider: "anthropic",
            keySetting: ANTHROPIC_API_KEY,
            urlSetting: ANTHROPIC_BASE_URL,
            hasKey: true,
            request: HttpClientRequest.get(`${anthropic.baseUrl}/v1/models`).pipe(
              HttpClientRequest.bearerToken(anthropic.apiKey),
              HttpClientRequest.setHeader("anthropic-version", "2023-06-01"),
            ),
          },
          openai && {
            provider: "openai",
            keySetting: OPENAI_API_KEY,
            urlSetting: OPENAI_BASE_URL,
            hasKey: openai.apiKey !== undefined,
            request: HttpClientRequest.get(endpointAt(openai.baseUrl ?? officialUrl, "/models")).pipe(
              openai.apiKey === undefined ? identity : HttpClientRequest.bearerToken(openai.apiKey),
            ),
          },
        ].filter(Predicate.isNotUndefined)
        const run = Effect.forEach(
          probes,
          ({ hasKey, keySetting, provider, request, urlSetting }) =>
            client.execute(request).pipe(
              Effect.timeout(TIMEOUT),
              Effect.match({
                onFailure: () => `${request.url} cannot be reached; see ${urlSetting} and the network`,
                // Not every server has a list of models: one that answers with any other status works.
                onSuccess: ({ status }) => keyRefusal(status, keySetting, hasKey),
              }),
              Effect.map((failure) => ({ provider, failure })),
              Effect.scoped,
            ),
          { concurrency: "unbounded" },
        )
        const advice = client.get(`${ollama}/v1/models`).pipe(
          Effect.flatMap((response) => response.json),
          Effect.flatMap(decodeModels),
          Effect.timeout(LOCAL_TIMEOUT),
          Effect.match({
            onFailure: () => `set ${ANTHROPIC_API_KEY}, ${OPENAI_API_KEY} or ${OPENAI_BASE_URL}`,
            onSuccess: ({ data }) => {
              const names = data.slice(0, NAMED_MAX).map(({ id }) => `openai/${id}`)
              return `Ollama listens on this machine: set ${OPENAI_BASE_URL}=${ollama} for ${names.join(", ")}`
            },
          }),
          Effect.scoped,
        )
        return { run, advice }
      }),
    )
}
