import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Caller, isOperator } from "../../domain/Caller.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import {
  type ModelConnection,
  ModelConnectionId,
  type ModelConnectionInput,
  type ModelConnectionPatch,
} from "../../domain/models/ModelConnection.ts"
import type { Change } from "../../domain/schema/Merge.ts"
import { Service } from "../../domain/Service.ts"
import { ModelSources } from "../../models/connections/ModelSources.ts"
import { ConnectedModels } from "../../models/connections/ConnectedModels.ts"
import { SafeFetch } from "../../outbound/SafeFetch.ts"
import * as Storage from "../../storage/models/ModelConnections.ts"
import { AfterCommit } from "../../storage/sql/AfterCommit.ts"
import { ensureMatch, type IfMatch } from "../Versions.ts"

/** A connection as it is shown, with its version. */
export interface ShownConnection {
  readonly connection: ModelConnection
  readonly version: bigint
}

const shown = ({ is_trusted: _, organization_id: __, version, ...connection }: Storage.StoredConnection) =>
  ({ connection, version }) satisfies ShownConnection

const redacted = (key: string | null) => (key === null ? undefined : Redacted.make(key))

/** Manages the servers of language models that organizations have connected. */
export class ModelConnections extends Service<ModelConnections>()(
  "parley/services/models/ModelConnections",
  function* () {
    const storage = yield* Storage.ModelConnections
    const { forget } = yield* ConnectedModels
    const { found, sources } = yield* ModelSources
    const { check } = yield* SafeFetch
    const { run } = yield* AfterCommit
    const random = yield* SecureRandom.SecureRandom
    const changed = <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.tap(change, run(forget))

    return {
      /** An operator may connect what is in the server's own network; for others it is as private as for tools. */
      create: Effect.fn("ModelConnections.create")(function* ({ api_key, ...content }: ModelConnectionInput) {
        const is_trusted = isOperator(yield* Caller)
        if (!is_trusted)
          yield* Effect.mapError(check(new URL(content.base_url)), ({ detail }) =>
            InvalidRequest.at("base_url", detail),
          )
        const id = ModelConnectionId.make(yield* random.uuidV7())
        return shown(yield* changed(storage.insert(id, { ...content, is_trusted }, redacted(api_key))))
      }),

      /** Lists the connections of the organization by name. */
      list: Effect.map(storage.list, (found) => found.map(shown)),

      get: (id: ModelConnectionId) => Effect.map(storage.get(id), shown),

      /** Replaces the key. Nothing else changes, so that a key is never sent to a server that it was not given for. */
      update: Effect.fn("ModelConnections.update")(function* (
        id: ModelConnectionId,
        change: Change<ModelConnection, ModelConnectionPatch>,
        ifMatch: IfMatch,
      ) {
        const replaced = storage.replaceKey(id, (row) =>
          Effect.gen(function* () {
            yield* ensureMatch(row, ifMatch)
            const { api_key } = yield* change(shown(row).connection)
            return api_key
          }),
        )
        return shown(yield* changed(replaced))
      }),

      remove: (id: ModelConnectionId) => changed(storage.remove(id)),

      /** Where the organization has models from. */
      sources,

      /** The servers of models beside this one that are not connected. */
      found,
    }
  },
) {}
