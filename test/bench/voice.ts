import { espeak } from "../lib/Programs.ts"
import { detection } from "./voice/Detection.ts"

/**
 * `bun run bench voice [--seeds 1,2,3]`: the turns of visitors that the browser's part detects, cuts too early or misses,
 * and what it takes for a turn that is none: speech of espeak-ng in four languages with pauses, as it is and with noise,
 * voices and coughs. The constants were chosen on two of the languages, the others show whether they hold.
 */
export const run = async (args: ReadonlyArray<string>): Promise<void> => {
  if (espeak === null) {
    process.stderr.write("There is no espeak-ng, which makes the speech: install it, or name it in PARLEY_ESPEAK.\n")
    process.exitCode = 1
    return
  }
  const seeds = args[0] === "--seeds" ? args[1]?.split(",").map(Number) : undefined
  for (const line of await detection(seeds)) console.log(line)
}
