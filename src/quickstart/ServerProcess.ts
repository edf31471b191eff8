import { Deferred, Effect, Fiber, FileSystem, Path, Redacted, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { DATA_DIR, PORT } from "../system/Variables.ts"

/** The quickstart cannot continue. `message` is shown to the user. */
export class QuickstartFailed extends Schema.TaggedError<QuickstartFailed>()("QuickstartFailed", {
  message: Schema.String,
}) {}

/** The path of the checkout. */
export const root = new URL("../..", import.meta.url).pathname

/** Time for the server to end before it is killed. */
const KILL_AFTER = "10 seconds"
const LOG_LINES_SHOWN = 5

/** The variables that the server inherits. Settings are not among them, so that the story is the same for all. */
const baseVariables = ["PATH", "HOME", "TMPDIR"]

/**
 * Starts a server on a new embedded database, with all its data in `directory`, and waits until it listens. The server
 * is stopped with the scope. `signIn` is the link that signs in at its console, once. `ended` fails with the end of the
 * log when the server ends on its own.
 */
export const startServer = Effect.fn("quickstart.startServer")(function* (options: {
  readonly directory: string
  /** The port to listen on; 0 picks a free one. */
  readonly port: number
}) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const data = path.join(options.directory, "data")
  const log = path.join(options.directory, "server.log")

  const server = yield* spawner.spawn(
    // A `.env` file is ignored, because it could name a database with data in it.
    ChildProcess.make(process.execPath, ["--no-env-file", "--no-orphans", "src/launch.ts", "src/main.ts"], {
      cwd: root,
      env: {
        ...Object.fromEntries(baseVariables.map((name) => [name, process.env[name]])),
        [PORT]: String(options.port),
        [DATA_DIR]: data,
      },
      stdin: "ignore",
      forceKillAfter: KILL_AFTER,
    }),
  )

  const listening = yield* Deferred.make<string>()
  const file = yield* fs.open(log, { flag: "a" })
  const logging = yield* server.all.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((line) => {
      const url = /^Listening on (\S+)$/.exec(line)?.[1]
      return Effect.andThen(
        file.writeAll(new TextEncoder().encode(`${line}\n`)),
        url === undefined ? Effect.void : Deferred.succeed(listening, url),
      )
    }),
    Effect.forkScoped,
  )

  const ended = Effect.gen(function* () {
    yield* server.exitCode
    yield* Fiber.await(logging)
    const lines = (yield* fs.readFileString(log)).trimEnd().split("\n").slice(-LOG_LINES_SHOWN)
    return yield* new QuickstartFailed({ message: ["The server ended. The end of its log:", ...lines].join("\n") })
  })

  const url = yield* Effect.raceFirst(Deferred.await(listening), ended)
  // Its output is no terminal, so that the first start has written these into files.
  const secretIn = (name: string) =>
    Effect.map(fs.readFileString(path.join(data, name)), (text) => Redacted.make(text.trim()))
  return { url, key: yield* secretIn("first-api-key"), signIn: yield* secretIn("first-sign-in"), log, ended }
})
