import { commands } from "../../src/main.ts"
import { type CommandResult, commandLine } from "./CommandLine.ts"
import type { Settings } from "./Spawn.ts"

// Commands warn of variables that look like settings, as those of the tests themselves do, such as `PARLEY_BROWSER`.
for (const name of Object.keys(process.env)) if (name.startsWith("PARLEY_")) delete process.env[name]

/** Runs a command line of the whole program in this process, with these environment variables as its settings. */
export const parley = (settings: Settings, command: string): Promise<CommandResult> =>
  commandLine(commands, settings)(...command.split(" "))
