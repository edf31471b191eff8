import {
  NodeChildProcessSpawner,
  NodeFileSystem,
  NodePath,
  NodeRuntime,
  NodeStdio,
  NodeTerminal,
} from "@effect/platform-node-shared"
import { Cause, Console, Effect, Exit, FileSystem, Layer, Redacted, Runtime } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import { version } from "../../package.json" with { type: "json" }
import type { ChatbotId } from "../domain/Ids.ts"
import { watchLauncher, watchTerminal } from "../Launcher.ts"
import { makeClient } from "./Client.ts"
import { bold, dim, green, heading, red, say, show, step } from "./Output.ts"
import { QuickstartFailed } from "./QuickstartFailed.ts"
import { startServer } from "./ServerProcess.ts"
import { ownQuestion, tell } from "./Story.ts"

/*
 * `bun run quickstart`: the whole of Parley in one story, on a server and a database of its own that are gone at the
 * end. A plain client: all it does goes through the HTTP API.
 */

/** Kept when something fails, since the log is in it. */
const storyDirectory = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.acquireRelease(fs.makeTempDirectory({ prefix: "parley-quickstart-" }), (directory, exit) =>
    Exit.isSuccess(exit) || Exit.hasInterrupts(exit)
      ? Effect.ignore(fs.remove(directory, { recursive: true }))
      : Effect.void,
  )
})

const goOn = (server: { readonly url: string; readonly key: Redacted.Redacted }, chatbotId: ChatbotId) =>
  Effect.gen(function* () {
    yield* show(`Guide              ${server.url}/docs/guide`)
    yield* show(`API documentation  ${server.url}/docs`)
    yield* show(`Your key           ${Redacted.value(server.key)}`)
    yield* say("\nAsk something yourself:\n")
    yield* show(`curl -s ${server.url}/api/external/chatbot/${chatbotId}/chat \\`)
    yield* show(`  -H 'x-api-key: ${Redacted.value(server.key)}' \\`)
    yield* show(`  -H 'content-type: application/json' \\`)
    yield* show(`  -d '{"messages":[{"role":"user","content":"${ownQuestion}"}]}'`)
    yield* say(`\nA server that keeps what it learns: npx --yes bun@${Bun.version} run start`)
  })

const run = Effect.fn("quickstart")(function* ({ once, port }: { readonly once: boolean; readonly port: number }) {
  const launcherEnded = yield* watchLauncher
  const terminalClosed = yield* watchTerminal
  yield* Console.log(bold("Parley quickstart"))
  const directory = yield* storyDirectory
  const server = yield* step(
    "Start the server",
    Effect.gen(function* () {
      const started = yield* startServer({ directory, port })
      yield* say(`${started.url}, on a new embedded database`)
      yield* say(`Its log: ${started.log}`, { paint: dim })
      return started
    }),
  )
  const story = Effect.gen(function* () {
    const { chatbotId, missing } = yield* tell(yield* makeClient(server.url, server.key))
    yield* heading("Go on")
    yield* goOn(server, chatbotId)
    if (missing.length > 0) {
      yield* Console.error(`\n${red(missing.join("\n"))}`)
      if (once) return yield* new QuickstartFailed({ message: "Not every answer held what it must." })
    } else {
      yield* Console.log(`\n${green("Every answer held what it must.")}`)
      if (once) return
    }
    yield* Console.log(dim("The server stays up until Ctrl-C. Then all of this is removed."))
    return yield* Effect.never
  })
  yield* Effect.raceAllFirst([story, server.ended, launcherEnded, terminalClosed])
}, Effect.scoped)

const command = Command.make(
  "quickstart",
  {
    once: Flag.Boolean("once").pipe(
      Flag.withDescription("End after the story; 1 when an answer was not what it must be"),
      Flag.withDefault(false),
    ),
    port: Flag.Int("port").pipe(
      Flag.withDescription("Port of the server; a free one when absent"),
      Flag.withDefault(0),
    ),
  },
  run,
).pipe(Command.withDescription("Start a server and show what it does"))

/** What went wrong, as far as nobody has said it yet. */
const reasonOf = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  if (Cause.hasInterrupts(cause) || CliError.isCliError(error)) return undefined
  return error instanceof QuickstartFailed ? error.message : Cause.pretty(cause)
}

/** To stop it is how it ends well. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.hasInterrupts(exit) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

NodeRuntime.runMain(
  Command.run(command, { version }).pipe(
    Effect.tapCause((cause) => {
      const reason = reasonOf(cause)
      return reason === undefined ? Effect.void : Console.error(`\n${red(reason)}`)
    }),
    Effect.provide([
      FetchHttpClient.layer,
      NodeFileSystem.layer,
      NodePath.layer,
      NodeStdio.layer,
      NodeTerminal.layer,
      SecureRandom.layerWebCrypto,
      NodeChildProcessSpawner.layer.pipe(Layer.provide([NodeFileSystem.layer, NodePath.layer])),
    ]),
  ),
  { teardown, disableErrorReporting: true },
)
