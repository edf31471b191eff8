import { Context, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import type { ModelsSettings } from "./Models.ts"
import { LIST_TIMEOUT, listedServers, listRequest } from "./connections/ModelList.ts"
import { findServers } from "./connections/NearServers.ts"
import { keyRefusal } from "./calls/ProviderFailure.ts"
import { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY, OPENAI_BASE_URL } from "../system/Variables.ts"

/** The result of checking whether a provider of language models can be used. */
export interface Probe {
  /** The name of the provider, such as `anthropic`. */
  readonly provider: string
  /** A description of the problem for the operator; undefined when the provider answers and accepts the key. */
  readonly failure: string | undefined
}

/** Models of a server beside this one that are named at most. */
const NAMED_MAX = 3

/** Requests the list of models from each configured provider of language models, which is free and needs the key. */
export class ProviderProbes extends Context.Service<
  ProviderProbes,
  {
    readonly run: Effect.Effect<ReadonlyArray<Probe>>
    /** Says how to get a model when no provider is configured, and which models servers beside this one have. */
    readonly advice: Effect.Effect<string>
  }
>()("parley/models/ProviderProbes") {
  static readonly layer = (
    settings: Omit<ModelsSettings, "local">,
  ): Layer.Layer<ProviderProbes, never, HttpClient.HttpClient> =>
    Layer.effect(
      ProviderProbes,
      Effect.map(HttpClient.HttpClient, (client) => {
        const urls = { anthropic: ANTHROPIC_BASE_URL, openai: OPENAI_BASE_URL }
        const probes = listedServers(settings).map((server) => ({
          ...server,
          urlSetting: urls[server.api],
          request: listRequest(server),
        }))
        const run = Effect.forEach(
          probes,
          ({ api, apiKey, keySetting, request, urlSetting }) =>
            client.execute(request).pipe(
              Effect.timeout(LIST_TIMEOUT),
              Effect.match({
                onFailure: () => `${request.url} cannot be reached; see ${urlSetting} and the network`,
                // Not every server has a list of models: one that answers with any other status works.
                onSuccess: ({ status }) => keyRefusal(status, keySetting, apiKey !== undefined),
              }),
              Effect.map((failure) => ({ provider: api, failure })),
              Effect.scoped,
            ),
          { concurrency: "unbounded" },
        )
        const advice = Effect.map(findServers(client), ([near]) => {
          if (near === undefined)
            return `connect one under Models in the console, or set ${ANTHROPIC_API_KEY}, ${OPENAI_API_KEY} or ${OPENAI_BASE_URL}`
          const names = near.models.slice(0, NAMED_MAX).map(({ model }) => model)
          return `${near.title} listens on this machine: connect it under Models in the console, for ${names.join(", ")}`
        })
        return { run, advice }
      }),
    )
}
