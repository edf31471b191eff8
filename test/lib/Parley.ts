import { commands } from "../../src/main.ts"
import { type CommandResult, commandLine } from "./CommandLine.ts"
import type { Settings } from "./Spawn.ts"

/** Runs a command line of the whole program in this process, with these environment variables as its settings. */
export const parley = async (settings: Settings, command: string): Promise<CommandResult> => {
  // Commands warn of variables that look like settings, as those of the tests themselves do, such as `PARLEY_BROWSER`.
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("PARLEY_")))
  for (const name of Object.keys(own)) delete process.env[name]
  try {
    return await commandLine(commands, settings)(...command.split(" "))
  } finally {
    Object.assign(process.env, own)
  }
}
