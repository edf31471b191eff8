/** What a part of `bun run bench safety` is run with. */
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

/** A part of the benchmark, which ends by itself in bounded time. */
export type Part = (settings: PartSettings) => Promise<ReadonlyArray<Finding>>
