import { commands } from "../../src/main.ts"
import { type CommandResult, commandLine } from "./CommandLine.ts"
import type { Settings } from "./Spawn.ts"

/** Runs a command line of the whole program in this process, with these environment variables as its settings. */
export const parley = (settings: Settings, command: string): Promise<CommandResult> =>
  commandLine(commands, settings)(...command.split(" "))
