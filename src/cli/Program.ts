import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import { Cause, Console, Effect, Exit, Layer, Runtime } from "effect"
import { CliError, CliOutput, type Command } from "effect/cli"
import { presenter } from "./Usage.ts"
import { plainly } from "../system/StartupError.ts"
import { printable } from "../system/Printable.ts"

/*
 * The process of a command: what it prints when it fails, and the code with which it ends.
 */

/** Prints why the program failed: one line if the operator can do something about it, else the whole cause. */
const explain = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  const said = plainly(error)
  if (said !== undefined) return Console.error(`parley: ${printable(said)}`)
  // The command line prints its own errors, and a stop by a signal needs no explanation.
  return CliError.isCliError(error) || Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(Cause.pretty(cause))
}

/** Runs a command as the program of this process, which prints why it fails. */
export const runProgram = <E>(
  command: Effect.Effect<void, E, Command.Environment>,
  /** Whether the process serves: one that a signal has stopped, and that has drained, ends successfully. */
  isServer: () => boolean,
): void =>
  NodeRuntime.runMain(
    command.pipe(
      Effect.tapCause(explain),
      Effect.provideService(CliOutput.Presenter, presenter),
      Effect.provide([
        NodeFileSystem.layer,
        NodePath.layer,
        NodeStdio.layer,
        NodeTerminal.layer,
        NodeChildProcessSpawner.layer.pipe(Layer.provide([NodeFileSystem.layer, NodePath.layer])),
      ]),
    ),
    {
      disableErrorReporting: true,
      // Another command was cut off.
      teardown: (exit, onExit) =>
        isServer() && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
          ? onExit(0)
          : Runtime.defaultTeardown(exit, onExit),
    },
  )
