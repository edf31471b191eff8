import { Effect, FileSystem, Schema } from "effect"

/*
 * How commands reach a server on the same machine that has the embedded database, which one process uses at a time: the
 * server writes its address and a token into a file of the data directory, which only its user can read.
 */

/** Contents of the file `running.json`, about the server that has the embedded database. */
export const RunningServer = Schema.Struct({
  /** The address of the listener for processes on the same machine, by which alone the token is good. */
  url: Schema.String,
  pid: Schema.Int,
  /** A request with this token as its API key acts as the operator on the command line. */
  token: Schema.String,
})
export type RunningServer = typeof RunningServer.Type

const Json = Schema.fromJsonString(RunningServer)

/** The beginning of each token, by which one is recognized among API keys. */
export const TOKEN_PREFIX = "local_"

export const encodeRunningServer = Schema.encodeEffect(Json)

/** Reads the file; undefined where there is none, or none that can be read. */
export const readRunningServer = (
  file: string,
): Effect.Effect<RunningServer | undefined, never, FileSystem.FileSystem> =>
  FileSystem.FileSystem.use((files) => files.readFileString(file)).pipe(
    Effect.flatMap(Schema.decodeEffect(Json)),
    Effect.orElseSucceed(() => undefined),
  )
