import { Context, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import type { Unavailable } from "../../domain/Errors.ts"
import { type AvailableModel, modelNamed, serversNameOf } from "../../domain/models/ModelConnection.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { SafeFetch } from "../../outbound/SafeFetch.ts"
import { ModelConnections, type OpenConnection } from "../../storage/models/ModelConnections.ts"
import { currentMonotonicMillis } from "../../system/Monotonic.ts"
import { RecentMap } from "../../system/RecentMap.ts"
import { CallBounds } from "../calls/ProviderCalls.ts"
import type { ProviderFailure } from "../calls/ProviderFailure.ts"
import { type CallsOf, type FindOwn, type ModelsSettings, ModelUnavailable, OwnModels } from "../Models.ts"
import { makeOpenAi } from "../openai/OpenAi.ts"
import { listModels } from "./ModelList.ts"

/** Time for which the connections of an organization are not read again, so that a change is seen after it everywhere. */
const FRESH_MILLIS = 1_000
/** The most organizations, and the most connections, that are remembered. */
const REMEMBERED_MAX = 1_000

/** Calls the models that organizations have connected. */
export class ConnectedModels extends Context.Service<
  ConnectedModels,
  {
    /** Finds a model of the current organization. */
    readonly find: FindOwn
    /** The connections of the current organization, with their keys, as they were at most a second ago. */
    readonly current: Effect.Effect<ReadonlyArray<OpenConnection>, Unavailable, CurrentOrganization>
    /** Reads the connections of the current organization anew for the next call. */
    readonly forget: Effect.Effect<void, never, CurrentOrganization>
    /** Asks the server of a connection for its models. */
    readonly models: (connection: OpenConnection) => Effect.Effect<ReadonlyArray<AvailableModel>, ProviderFailure>
  }
>()("parley/models/connections/ConnectedModels") {
  static readonly layer = ({ anthropic, openai }: ModelsSettings) =>
    Layer.effect(
      ConnectedModels,
      Effect.gen(function* () {
        const storage = yield* ModelConnections
        const trusted = yield* HttpClient.HttpClient
        const { streamed } = yield* SafeFetch
        const bounds = yield* CallBounds
        const known = new RecentMap<{ readonly at: number; readonly connections: ReadonlyArray<OpenConnection> }>(
          REMEMBERED_MAX,
        )
        const made = new RecentMap<{ readonly version: bigint; readonly calls: Promise<CallsOf> }>(REMEMBERED_MAX)

        const read = (isFresh: boolean) =>
          Effect.gen(function* () {
            const organization = yield* CurrentOrganization
            const now = yield* currentMonotonicMillis
            const last = isFresh ? undefined : known.find(organization)
            if (last !== undefined && now - last.at < FRESH_MILLIS) return last.connections
            const connections = yield* storage.opened
            known.set(organization, { at: now, connections })
            return connections
          })

        // People who connect a server need not be operators, and have no access to the network in which this one stands.
        const guarded = HttpClient.transformResponse(trusted, Effect.provideService(FetchHttpClient.Fetch, streamed))
        const clientOf = ({ is_trusted }: OpenConnection) => (is_trusted ? trusted : guarded)

        const make = async (connection: OpenConnection): Promise<CallsOf> => {
          const { api, apiKey, base_url: baseUrl, is_trusted } = connection
          const keySetting = keySettingOf(connection)
          const limits = { ...(api === "anthropic" ? anthropic : openai).limits, ...bounds }
          if (api === "openai") return makeOpenAi({ apiKey, baseUrl, keySetting, limits }, clientOf(connection))
          const { makeAnthropic } = await import("../anthropic/Anthropic.ts")
          return makeAnthropic({
            apiKey: apiKey ?? Redacted.make(""),
            baseUrl: baseUrl.replace(/\/v1\/?$/, ""),
            keySetting,
            limits,
            ...(!is_trusted && { fetch: streamed }),
          })
        }

        /** The calls of a connection, which keep what is known of its models until its key changes. */
        const callsOf = (connection: OpenConnection) =>
          Effect.promise(() => {
            const { id, version } = connection
            const last = made.find(id)
            return last?.version === version ? last.calls : made.set(id, { version, calls: make(connection) }).calls
          })

        return {
          current: read(false),

          forget: Effect.map(CurrentOrganization, (organization) => known.delete(organization)),

          models: (connection) =>
            Effect.map(
              listModels(
                { ...connection, baseUrl: connection.base_url, keySetting: keySettingOf(connection) },
                clientOf(connection),
              ),
              (models) => models.map((one) => ({ ...one, model: modelNamed(connection.name, one.model) })),
            ),

          find: Effect.fnUntraced(function* (model, isFresh) {
            const connections = yield* Effect.mapError(read(isFresh), () => unreadable(model))
            const connection = connections.find(({ name }) => serversNameOf(name, model) !== undefined)
            if (connection === undefined) return undefined
            const { api, key_hint: keyHint, name } = connection
            const calls = Effect.map(
              callsOf(connection),
              (calls) => (model: string) => calls(serversNameOf(name, model) ?? model),
            )
            return { provider: api, keyHint, calls }
          }),
        }
      }),
    )

  /** Lets models be found among the connections of organizations. */
  static readonly ownModels = Layer.effect(
    OwnModels,
    Effect.map(ConnectedModels, ({ find }) => find),
  )
}

const keySettingOf = ({ name }: OpenConnection) => `the connection ${name}`

const unreadable = (model: string) =>
  new ModelUnavailable({ model, detail: `The connection of ${model} cannot be read right now.` })
