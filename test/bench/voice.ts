import { Effect } from "effect"
import { espeak } from "../lib/Programs.ts"
import { conversations } from "./voice/Conversations.ts"
import { detection } from "./voice/Detection.ts"

/**
 * `bun run bench voice [--seeds 1,2,3]`: the turns of visitors that the browser's part detects, cuts too early or misses, and
 * what it takes for a turn that is none: speech of espeak-ng in four languages with pauses, as it is and with noise,
 * voices and coughs. The constants were chosen on two of the languages, the others show whether they hold.
 * `bun run bench voice browser`: the same in Chromium, whose microphone plays the scenes, in real time.
 * `bun run bench voice conversations`: the server's share of the time until an answer is heard, alone and of twenty who
 * speak at once, with scripted servers of 0 and 300 ms, and what those who write notice of it. Three rounds, medians.
 */
export const run = async (args: ReadonlyArray<string>): Promise<void> => {
  if (args[0] === "conversations") {
    for (const line of await Effect.runPromise(Effect.scoped(conversations))) console.log(line)
    return
  }
  if (espeak === null) {
    process.stderr.write("There is no espeak-ng, which makes the speech: install it, or name it in PARLEY_ESPEAK.\n")
    process.exitCode = 1
    return
  }
  if (args[0] === "browser") {
    const script = new URL("../browser/bench/Detection.ts", import.meta.url).pathname
    const child = Bun.spawn([process.execPath, script], { stdio: ["ignore", "inherit", "inherit"] })
    process.exitCode = await child.exited
    return
  }
  const seeds = args[0] === "--seeds" ? args[1]?.split(",").map(Number) : undefined
  for (const line of await detection(undefined, seeds)) console.log(line)
}
