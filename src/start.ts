import { join } from "node:path"
import { Effect } from "effect"
import { runProgram } from "./cli/Program.ts"
import { Config } from "./Config.ts"
import { settingsWithoutTraces } from "./Logged.ts"
import { serveSeveral, serverCount } from "./supervisor/Supervisor.ts"

/*
 * The program of `bun run start` and `src/parley`: that of `main.ts`, which a supervisor of several workers need not load.
 * It starts in a third of the time without it, and takes half of the memory.
 */

const [command = "serve", ...rest] = process.argv.slice(2)
const isServing = command === "serve" && rest.length === 0

// What is wrong with the settings, `main.ts` says.
const count = Effect.orElseSucceed(Effect.provide(serverCount, Config.layer), () => 1)
const workers = isServing ? Effect.runSync(count) : 1

if (workers === 1) (await import("./main.ts")).main()
else {
  const several = serveSeveral(workers, join(import.meta.dir, "main.ts"))
  runProgram(Effect.provide(several, settingsWithoutTraces), () => true)
}
