import {
  NodeChildProcessSpawner,
  NodeFileSystem,
  NodePath,
  NodeStdio,
  NodeTerminal,
} from "@effect/platform-node-shared"
import { Cause, ConfigProvider, Console, Context, Effect, Exit, Layer, Runtime } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import { presenter } from "../../src/cli/Usage.ts"
import { StartupError } from "../../src/system/StartupError.ts"

/** The result of a command, with its output. */
export interface CommandResult {
  /** The exit code with which the process would end. */
  readonly code: number
  readonly out: string
  /** The usage message for a command line that is not understood. */
  readonly usage: string
  /** The line in which a command explains why it failed. */
  readonly why: string
}

const environment = Layer.mergeAll(
  NodeFileSystem.layer,
  NodePath.layer,
  NodeStdio.layer,
  NodeTerminal.layer,
  NodeChildProcessSpawner.layer.pipe(Layer.provide([NodeFileSystem.layer, NodePath.layer])),
)

/**
 * Runs command lines of a command in this process, with these environment variables as its settings. The constants take
 * the place of references with a default, such as pauses.
 */
export const commandLine =
  <Name extends string, Input, Own, E>(
    command: Command.Command<Name, Input, Own, E, Command.Environment>,
    settings: Readonly<Record<string, string>> = {},
    constants: Context.Context<never> = Context.empty(),
  ) =>
  async (...args: ReadonlyArray<string>): Promise<CommandResult> => {
    let out = ""
    let usage = ""
    const console = {
      ...globalThis.console,
      log: (...words: ReadonlyArray<unknown>) => void (out += `${words.join(" ")}\n`),
      error: (...words: ReadonlyArray<unknown>) => void (usage += `${words.join(" ")}\n`),
    }
    const exit = await Effect.runPromiseExit(
      Command.runWith(command, { version: "1.2.3" })(args).pipe(
        Effect.provideService(Console.Console, console),
        Effect.provideService(CliOutput.Presenter, presenter),
        Effect.provideContext(constants),
        Effect.provide([environment, ConfigProvider.layer(ConfigProvider.fromUnknown(settings))]),
      ),
    )
    let code = 0
    Runtime.defaultTeardown(exit, (one) => (code = one))
    if (Exit.isSuccess(exit)) return { code, out, usage, why: "" }
    const error = Cause.squash(exit.cause)
    if (error instanceof StartupError) return { code, out, usage, why: error.message }
    if (CliError.isCliError(error)) return { code, out, usage, why: "" }
    throw error
  }
