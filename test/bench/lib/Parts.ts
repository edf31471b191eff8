import { parseArgs } from "node:util"

/** What a part of a benchmark is run with. */
export interface PartSettings {
  /** Every random choice of the part follows from the seed, so that a run can be repeated. */
  readonly seed: number
  /** The URL of a Postgres server in which databases may be created. Undefined for the embedded database. */
  readonly postgres: string | undefined
  /** The share of the full amount of work, in (0, 1]. */
  readonly scale: number
}

/** One line of a part's report. */
export interface Finding {
  readonly name: string
  /** What was measured, with its unit. */
  readonly value: string
  /** Whether the value is as it has to be; undefined where nothing is demanded of it. */
  readonly isKept?: boolean
}

/** A part of a benchmark, which ends by itself in bounded time. */
export type Part = (settings: PartSettings) => Promise<ReadonlyArray<Finding>>

/** The parts of a benchmark by name. A part is loaded when it is run. */
export type Parts = Readonly<Record<string, () => Promise<{ readonly part: Part }>>>

/**
 * Runs the parts that the arguments name, or all of them, and prints what each has found. The arguments are
 * `[part…] [--only part,…] [--seed N] [--postgres URL] [--scale 0.1]`. The process fails when a part misses what it
 * has to keep.
 */
export const runParts = async (parts: Parts, args: ReadonlyArray<string>): Promise<void> => {
  const { positionals, values } = parseArgs({
    args: Array.from(args),
    allowPositionals: true,
    options: {
      only: { type: "string", default: "" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
      postgres: { type: "string" },
      scale: { type: "string", default: "1" },
    },
  })
  const chosen = [...positionals, ...values.only.split(",").filter((name) => name !== "")]
  const unknown = chosen.filter((name) => parts[name] === undefined)
  if (unknown.length > 0) {
    throw new Error(`There is no part ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}`)
  }
  const settings = {
    seed: Number(values.seed),
    postgres: values.postgres,
    scale: Number(values.scale),
  }
  process.stdout.write(`seed ${settings.seed}\n`)
  for (const name of chosen.length > 0 ? chosen : Object.keys(parts)) {
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
