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
import { FetchHttpClient } from "effect/http"
import { version } from "../../package.json" with { type: "json" }
import type { ChatbotId } from "../domain/Ids.ts"
import { watchSurroundings } from "../Launcher.ts"
import { makeClient } from "../api/parts/Client.ts"
import { bold, dim, green, printHeading, red, printText, printLine, step } from "./Output.ts"
import { QuickstartFailed, startServer } from "./ServerProcess.ts"
import { ownQuestion, runStory } from "./Story.ts"

/*
 * `bun run quickstart`: shows what Parley does, on a server and a database of its own that are removed at the end. It
 * is a client of the server, and does everything through the HTTP API.
 */

/** The directory of the server's data. It is kept after a failure, because the server's log is in it. */
const dataDirectory = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.acquireRelease(fs.makeTempDirectory({ prefix: "parley-quickstart-" }), (directory, exit) =>
    Exit.isSuccess(exit) || Exit.hasInterrupts(exit)
      ? Effect.ignore(fs.remove(directory, { recursive: true }))
      : Effect.void,
  )
})

const printNextSteps = Effect.fn("quickstart.printNextSteps")(function* (
  server: { readonly url: string; readonly key: Redacted.Redacted; readonly signIn: Redacted.Redacted },
  chatbotId: ChatbotId,
) {
  yield* printLine("The console, signed in by this link once and within an hour:")
  yield* printText("")
  yield* printLine(Redacted.value(server.signIn))
  yield* printText("")
  yield* printLine(`Guide              ${server.url}/docs/guide`)
  yield* printLine(`API documentation  ${server.url}/docs`)
  yield* printLine(`Your key           ${Redacted.value(server.key)}`)
  yield* printText("\nAsk something yourself:\n")
  yield* printLine(`curl -s ${server.url}/api/external/chatbot/${chatbotId}/chat \\`)
  yield* printLine(`  -H 'x-api-key: ${Redacted.value(server.key)}' \\`)
  yield* printLine(`  -H 'content-type: application/json' \\`)
  yield* printLine(`  -d '{"messages":[{"role":"user","content":"${ownQuestion}"}]}'`)
  yield* printText(`\nA server that keeps what it learns: npx --yes bun@${Bun.version} run start`)
})

const run = Effect.fn("quickstart.run")(function* ({ once, port }: { readonly once: boolean; readonly port: number }) {
  const ended = yield* watchSurroundings()
  yield* Console.log(bold("Parley quickstart"))
  const directory = yield* dataDirectory
  const server = yield* step(
    "Start the server",
    Effect.gen(function* () {
      const started = yield* startServer({ directory, port })
      yield* printText(`${started.url}, on a new embedded database`)
      yield* printText(dim(`Its log: ${started.log}`))
      return started
    }),
  )
  const story = Effect.gen(function* () {
    const { chatbotId, missing } = yield* runStory(yield* makeClient(server.url, server.key))
    yield* printHeading("Go on")
    yield* printNextSteps(server, chatbotId)
    if (missing.length > 0) {
      yield* Console.error(`\n${red(missing.join("\n"))}`)
      if (once) return yield* new QuickstartFailed({ message: "Not every answer was as expected." })
    } else {
      yield* Console.log(`\n${green("Every answer was as expected.")}`)
      if (once) return
    }
    yield* Console.log(dim("The server stays up until you press Ctrl-C. Then all of this is removed."))
    return yield* Effect.never
  })
  yield* Effect.raceAllFirst([story, server.ended, ended])
}, Effect.scoped)

const command = Command.make(
  "quickstart",
  {
    once: Flag.Boolean("once").pipe(
      Flag.withDescription("End after the last step; the exit code is 1 unless every answer is as expected"),
      Flag.withDefault(false),
    ),
    port: Flag.Int("port").pipe(Flag.withDescription("Port of the server; a free one by default"), Flag.withDefault(0)),
  },
  run,
).pipe(Command.withDescription("Start a server and show what it does"))

/** The message to print for a failure; `undefined` when it is an interruption or has been printed already. */
const reasonOf = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  if (Cause.hasInterrupts(cause) || CliError.isCliError(error)) return undefined
  return error instanceof QuickstartFailed ? error.message : Cause.pretty(cause)
}

/** Stopping the quickstart by a signal is a success. */
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
      NodeChildProcessSpawner.layer.pipe(Layer.provide([NodeFileSystem.layer, NodePath.layer])),
    ]),
  ),
  { teardown, disableErrorReporting: true },
)
