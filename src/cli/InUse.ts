import { Effect, type FileSystem, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { type Client, makeClient } from "../api/parts/Client.ts"
import { Config } from "../Config.ts"
import { Conflict, Forbidden, InvalidRequest, NotFound, Unavailable } from "../domain/Errors.ts"
import { readRunningServer } from "../system/RunningServer.ts"
import { StartupError } from "../system/StartupError.ts"
import { urlOf } from "../system/Url.ts"

/*
 * The embedded database serves one process at a time. A command that finds it in use goes through the server that uses
 * it.
 */

/** The reasons for which a server refuses what a command asks of it. */
export type Refusal = Conflict | Forbidden | InvalidRequest | NotFound | Unavailable

const isRefusal = (error: unknown): error is Refusal =>
  [Conflict, Forbidden, InvalidRequest, NotFound, Unavailable].some((one) => error instanceof one)

/** The running server that uses the embedded database. */
export interface Running {
  readonly url: string
  readonly client: Client
  /** Runs a request of the client, and explains why the server cannot be asked where that fails. */
  readonly request: <A, E>(request: Effect.Effect<A, E>) => Effect.Effect<A, Refusal | StartupError>
}

/** Says what to do where the embedded database is in use, and no server can be asked. */
const stopFirst = (inUse: StartupError): Effect.Effect<StartupError, StartupError, Config> =>
  Effect.map(
    Config,
    ({ server: { host, port, publicUrl } }) =>
      new StartupError({
        what: inUse.what,
        doThis: `Stop that process first. If it is a server, ${publicUrl ?? urlOf(host, port)}/readyz answers.`,
      }),
  )

/** Bun gives up a request after five minutes of silence, and a server answers at the end of a backup. */
const unlimited: RequestInit & { readonly timeout: false } = { timeout: false }
const patient = Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.RequestInit, unlimited))

/** Connects with the server that uses the database, by the file that it has written. */
const connect = Effect.fnUntraced(function* (inUse: StartupError) {
  const { runningServer } = yield* Config
  const found = yield* readRunningServer(runningServer.file)
  const unreachable = yield* stopFirst(inUse)
  if (found === undefined) return yield* unreachable
  const client = yield* makeClient(found.url, Redacted.make(found.token))
  return {
    url: found.url,
    client,
    request: (request) => Effect.mapError(request, (error) => (isRefusal(error) ? error : unreachable)),
  } satisfies Running
})

/** Replaces a layer that needs the embedded database by another one where a running server uses that. */
export const whenInUse = <A, E, R, E2 = never>(
  layer: Layer.Layer<A, E, R>,
  /** Makes the layer that goes through the server. Without it a command fails, and says to stop the server. */
  through?: (running: Running) => Layer.Layer<A, E2>,
): Layer.Layer<A, E | E2 | StartupError, R | FileSystem.FileSystem> =>
  Layer.catch(layer, (error): Layer.Layer<A, E | E2 | StartupError, FileSystem.FileSystem> => {
    if (!(error instanceof StartupError) || error.isInUse !== true) return Layer.effectContext(Effect.fail(error))
    return Layer.unwrap(
      through === undefined ? Effect.flatMap(stopFirst(error), Effect.fail) : Effect.map(connect(error), through),
    ).pipe(Layer.provide([Config.layer, patient]))
  })
