import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { type Part, type Parts, runParts } from "./lib/Parts.ts"

const directory = join(import.meta.dir, "reliability")

/** The parts by name: each file of `test/bench/reliability` is one, called like the file in lower case. */
const parts: Parts = Object.fromEntries(
  readdirSync(directory)
    .toSorted()
    .map((file) => [
      basename(file, ".ts").toLowerCase(),
      (): Promise<{ readonly part: Part }> => import(join(directory, file)),
    ]),
)

/**
 * `bun run bench reliability [--only part,…] [--seed N] [--postgres URL] [--scale 0.1]`: kills, freezes, fills and
 * replaces what a server is made of and what it depends on, under load, and prints whether anything was lost, doubled or
 * left over, and how long it took until all was well again. Without `--only` it runs every part. It fails when a promise
 * is not kept.
 */
export const run = (args: ReadonlyArray<string>): Promise<void> => runParts(parts, args)
