import { Context, Duration, Effect, identity, Layer, Predicate } from "effect"
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
            request: HttpClientRequest.get(
              chatCompletionsUrl(openai.baseUrl ?? officialUrl).replace(/\/chat\/completions$/, "/models"),
            ).pipe(openai.apiKey === undefined ? identity : HttpClientRequest.bearerToken(openai.apiKey)),
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
        return { run }
      }),
    )
}
