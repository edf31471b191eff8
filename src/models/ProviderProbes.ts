import { Context, Duration, Effect, identity, Layer, Predicate, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { configuredProviders, type ModelsSettings } from "./Models.ts"
import { chatCompletionsUrl, officialUrl } from "./openai/OpenAi.ts"
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
const ANTHROPIC_VERSION = "2023-06-01"

/** Requests the list of models from each configured provider of language models, which is free and needs the key. */
export class ProviderProbes extends Context.Service<
  ProviderProbes,
  { readonly run: Effect.Effect<ReadonlyArray<Probe>> }
>()("parley/models/ProviderProbes") {
  static readonly layer = (
    settings: Omit<ModelsSettings, "local">,
  ): Layer.Layer<ProviderProbes, never, HttpClient.HttpClient> =>
    Layer.effect(
      ProviderProbes,
      Effect.map(HttpClient.HttpClient, (client) => {
        const { anthropic, openai } = configuredProviders(settings)
        const probe = Effect.fnUntraced(function* (
          provider: string,
          keySetting: string,
          urlSetting: string,
          hasKey: boolean,
          request: HttpClientRequest.HttpClientRequest,
        ) {
          const failure = yield* client.execute(request).pipe(
            Effect.timeout(TIMEOUT),
            Effect.match({
              onFailure: () => `${request.url} cannot be reached; see ${urlSetting} and the network`,
              // Not every server has a list of models: one that answers with any other status works.
              onSuccess: ({ status }) => keyRefusal(status, keySetting, hasKey),
            }),
            Effect.scoped,
          )
          return { provider, failure }
        })
        const probes = [
          anthropic &&
            probe(
              "anthropic",
              ANTHROPIC_API_KEY,
              ANTHROPIC_BASE_URL,
              true,
              HttpClientRequest.get(`${anthropic.baseUrl}/v1/models`).pipe(
                HttpClientRequest.setHeader("x-api-key", Redacted.value(anthropic.apiKey)),
                HttpClientRequest.setHeader("anthropic-version", ANTHROPIC_VERSION),
              ),
            ),
          openai &&
            probe(
              "openai",
              OPENAI_API_KEY,
              OPENAI_BASE_URL,
              openai.apiKey !== undefined,
              HttpClientRequest.get(
                chatCompletionsUrl(openai.baseUrl ?? officialUrl).replace(/\/chat\/completions$/, "/models"),
              ).pipe(openai.apiKey === undefined ? identity : HttpClientRequest.bearerToken(openai.apiKey)),
            ),
        ].filter(Predicate.isNotUndefined)
        return { run: Effect.all(probes, { concurrency: "unbounded" }) }
      }),
    )
}
