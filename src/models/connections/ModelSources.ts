import { Context, Effect, Layer, Result } from "effect"
import { HttpClient } from "effect/http"
import type { Unavailable } from "../../domain/Errors.ts"
import {
  type AvailableModel,
  type FoundModelServer,
  LOCAL,
  modelNamed,
  type ModelSource,
} from "../../domain/models/ModelConnection.ts"
import type { CurrentOrganization } from "../../domain/Tenancy.ts"
import { currentMonotonicMillis } from "../../system/Monotonic.ts"
import { RecentMap } from "../../system/RecentMap.ts"
import type { ProviderFailure } from "../calls/ProviderFailure.ts"
import { extractiveModel } from "../../domain/chatbot/Chatbot.ts"
import { explanationOf } from "../Explanations.ts"
import { Models, type ModelsSettings } from "../Models.ts"
import { ConnectedModels } from "./ConnectedModels.ts"
import { listedServers, listModels } from "./ModelList.ts"
import { findServers, NearServers } from "./NearServers.ts"

/** Time for which a list of models is not asked for again. */
const KEPT_MILLIS = 60_000
/** The most lists that are kept. */
const LISTS_MAX = 100

/** Lists the models that chatbots may be given. */
export class ModelSources extends Context.Service<
  ModelSources,
  {
    /** Where the current organization has models from: the server itself, its settings, and the connections. */
    readonly sources: Effect.Effect<ReadonlyArray<ModelSource>, Unavailable, CurrentOrganization>
    /** Finds the servers beside this one whose address the current organization has not connected. */
    readonly found: Effect.Effect<ReadonlyArray<FoundModelServer>, Unavailable, CurrentOrganization>
  }
>()("parley/models/connections/ModelSources") {
  static readonly layer = (settings: ModelsSettings) =>
    Layer.effect(
      ModelSources,
      Effect.gen(function* () {
        const client = yield* HttpClient.HttpClient
        const servers = yield* NearServers
        const connected = yield* ConnectedModels
        const models = yield* Models
        const kept = new RecentMap<{ readonly at: number; readonly models: ReadonlyArray<AvailableModel> }>(LISTS_MAX)

        /** What is left out of requests to the models of a source, all of which know what is known of one. */
        const refusedBy = (name: string, [first]: ReadonlyArray<AvailableModel>) =>
          first === undefined
            ? Effect.succeed([])
            : models.get(first.model).pipe(
                Effect.flatMap(({ calls }) => calls.traits?.refusals ?? Effect.succeed([])),
                Effect.map((all) =>
                  all.map(({ model, parts }) => ({
                    model: modelNamed(name, model),
                    parts: parts.map(({ what }) => what),
                  })),
                ),
                Effect.orElseSucceed(() => []),
              )

        const source = Effect.fnUntraced(function* (
          { key, name, origin }: Pick<ModelSource, "name" | "origin"> & { readonly key: string },
          list: Effect.Effect<ReadonlyArray<AvailableModel>, ProviderFailure>,
        ): Effect.fn.Return<ModelSource, never, CurrentOrganization> {
          const now = yield* currentMonotonicMillis
          const last = kept.find(key)
          const isFresh = last !== undefined && now - last.at < KEPT_MILLIS
          const listed = isFresh ? Result.succeed(last.models) : yield* Effect.result(list)
          if (Result.isFailure(listed))
            return { name, origin, models: [], failure: explanationOf(listed.failure).reason, refused: [] }
          const models = listed.success
          if (!isFresh) kept.set(key, { at: now, models })
          return { name, origin, models, failure: null, refused: yield* refusedBy(name, models) }
        })

        const configured = listedServers(settings)
        const local: ModelSource = {
          name: LOCAL,
          origin: "built_in",
          models: [{ model: extractiveModel, context_tokens: null }],
          failure: null,
          refused: [],
        }

        return {
          sources: Effect.gen(function* () {
            const connections = yield* connected.current
            const own = connections.map((connection) =>
              source(
                { name: connection.name, origin: "connection", key: `${connection.id} ${connection.version}` },
                connected.models(connection),
              ),
            )
            const others = configured
              .filter(({ api }) => !connections.some(({ name }) => name === api))
              .map((server) =>
                source(
                  { name: server.api, origin: "settings", key: server.api },
                  Effect.map(listModels(server, client), (models) =>
                    models.map((one) => ({ ...one, model: modelNamed(server.api, one.model) })),
                  ),
                ),
              )
            return [local, ...(yield* Effect.all([...others, ...own], { concurrency: "unbounded" }))]
          }),

          found: Effect.gen(function* () {
            const known = new Set((yield* connected.current).map(({ base_url }) => new URL(base_url).host))
            if (settings.openai.baseUrl !== undefined) known.add(new URL(settings.openai.baseUrl).host)
            const found = yield* Effect.provideService(findServers(client), NearServers, servers)
            return found.filter(({ base_url, models }) => models.length > 0 && !known.has(new URL(base_url).host))
          }),
        }
      }),
    )
}
