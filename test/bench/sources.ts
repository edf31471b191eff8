import { type Parts, runParts } from "./lib/Parts.ts"

/** The parts by name. The file of each part documents what it measures. */
export const parts: Parts = {
  extraction: () => import("./sources/Extraction.ts"),
  kills: () => import("./sources/Kills.ts"),
}

/**
 * `bun run bench sources [part…] [--only part,…] [--data DIR] [--postgres URL]`: knowledge from websites. Without names
 * it runs every part. It fails when a promise is not kept.
 */
export const run = (args: ReadonlyArray<string>): Promise<void> => runParts(parts, args)
