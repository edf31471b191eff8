import { Effect } from "effect"
import { ModelConnection, ModelConnectionPatch } from "../../domain/models/ModelConnection.ts"
import { ModelConnections, type ShownConnection } from "../../services/models/ModelConnections.ts"
import { ModelTests } from "../../services/models/ModelTests.ts"
import { changes } from "../Changes.ts"
import { withEtag } from "../Etag.ts"
import { group } from "../Group.ts"

const connectionChange = changes(ModelConnection, ModelConnectionPatch)

const one = ({ connection, version }: ShownConnection) => withEtag({ connection }, { version })

export const layer = group("models", function* (handlers) {
  const connections = yield* ModelConnections
  const tests = yield* ModelTests

  return handlers.handleAll({
    create: ({ payload }) => Effect.map(connections.create(payload), one),
    list: () => Effect.map(connections.list, (found) => ({ connections: found.map(({ connection }) => connection) })),
    get: ({ params }) => Effect.map(connections.get(params.connectionId), one),
    update: ({ headers, params, payload }) =>
      Effect.map(connections.update(params.connectionId, connectionChange(payload), headers["if-match"]), one),
    remove: ({ params }) =>
      Effect.as(connections.remove(params.connectionId), {
        message: "Model connection deleted successfully" as const,
      }),
    sources: () => Effect.map(connections.sources, (sources) => ({ sources })),
    found: () => Effect.map(connections.found, (servers) => ({ servers })),
    test: ({ payload }) => Effect.map(tests.run(payload.model), (test) => ({ test })),
  })
})
