import { type Parts, runParts } from "./lib/Parts.ts"

/** The parts by name. The file of each part documents what it measures. */
export const parts: Parts = {
  fuzz: () => import("./safety/Fuzz.ts"),
  matrix: () => import("./safety/Matrix.ts"),
  limits: () => import("./safety/Limits.ts"),
  canaries: () => import("./safety/Canaries.ts"),
  faults: () => import("./safety/Faults.ts"),
  model: () => import("./safety/Model.ts"),
  once: () => import("./safety/Once.ts"),
  neighbours: () => import("./safety/Neighbours.ts"),
  worst: () => import("./safety/Worst.ts"),
}

/**
 * `bun run bench safety [part…] [--seed N] [--postgres URL] [--scale 0.1]`: attacks a server in every way that is
 * promised to be harmless, and prints what came of it. Without names it runs every part. It fails when a promise is not
 * kept.
 */
export const run = (args: ReadonlyArray<string>): Promise<void> => runParts(parts, args)
