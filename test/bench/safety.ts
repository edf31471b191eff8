import { parseArgs } from "node:util"
import type { Part } from "./safety/Part.ts"

/** The parts by name. The file of each part documents what it measures. */
export const parts: Readonly<Record<string, () => Promise<{ readonly part: Part }>>> = {
  fuzz: () => import("./safety/Fuzz.ts"),
  matrix: () => import("./safety/Matrix.ts"),
  limits: () => import("./safety/Limits.ts"),
  cost: () => import("./safety/Cost.ts"),
  canaries: () => import("./safety/Canaries.ts"),
  faults: () => import("./safety/Faults.ts"),
  model: () => import("./safety/Model.ts"),
  once: () => import("./safety/Once.ts"),
  neighbours: () => import("./safety/Neighbours.ts"),
}

/**
 * `bun run bench safety [part…] [--seed N] [--postgres URL] [--scale 0.1]`: attacks a server in every way that is
 * promised to be harmless, and prints what came of it. Without names it runs every part. It fails when a promise is not
 * kept.
 */
export const run = async (args: ReadonlyArray<string>): Promise<void> => {
  const { positionals, values } = parseArgs({
    args: Array.from(args),
    allowPositionals: true,
    options: {
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
      postgres: { type: "string" },
      scale: { type: "string", default: "1" },
    },
  })
  const unknown = positionals.filter((name) => parts[name] === undefined)
  if (unknown.length > 0) {
    throw new Error(`There is no part ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}`)
  }
  const settings = { seed: Number(values.seed), postgres: values.postgres, scale: Number(values.scale) }
  process.stdout.write(`seed ${settings.seed}\n`)
  for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
    process.stdout.write(`\n${name}\n`)
    const started = performance.now()
    const findings = (await (await parts[name]?.())?.part(settings)) ?? []
    for (const { isKept, name: what, value } of findings) {
      const verdict = isKept === undefined ? "" : isKept ? "  kept" : "  MISSED"
      process.stdout.write(`  ${what.padEnd(64)} ${value}${verdict}\n`)
    }
    process.stdout.write(`  (${((performance.now() - started) / 1_000).toFixed(0)} s)\n`)
    if (findings.some(({ isKept }) => isKept === false)) process.exitCode = 1
  }
}
