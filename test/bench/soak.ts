import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node-shared"
import { Console, Effect, Fiber } from "effect"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { start } from "./http/Child.ts"
import { database, parley } from "./http/Fixture.ts"
import { type Memory, memoryOf } from "./soak/Mappings.ts"
import { makeTraffic } from "./soak/Traffic.ts"

interface SoakSettings {
  readonly minutes: number
  /** The number of requests per second. */
  readonly rate: number
  /** The URL of a Postgres server in which databases may be created. The default is the embedded database. */
  readonly postgres: string | undefined
}

const SAMPLE_SECONDS = 10
const ROW_MINUTES = 5
/** The last part of the run, which is judged, and the limits of its memory and growth. */
const JUDGED_MINUTES = 30
const GROWTH_MAX = 0.05
const RESIDENT_MAX = 400
const KINDS_SHOWN = 4

interface Sample extends Memory {
  readonly minute: number
}

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

const megabytes = (value: number): string => value.toFixed(0).padStart(6)

const rowOf = (
  samples: ReadonlyArray<Sample>,
  counts: { readonly answered: number; readonly errors: number },
): string => {
  const resident = samples.map((sample) => sample.resident)
  const kinds = (samples.at(-1)?.mappings ?? []).slice(0, KINDS_SHOWN)
  return [
    `${(samples.at(-1)?.minute ?? 0).toFixed(0).padStart(6)}`,
    ...[mean(resident), Math.min(...resident), Math.max(...resident)].map(megabytes),
    String(counts.answered).padStart(8),
    String(counts.errors).padStart(6),
    `  ${kinds.map(([kind, size]) => `${size.toFixed(0)} ${kind}`).join(", ")}`,
  ].join(" ")
}

/**
 * Whether memory has come to rest: a line fitted to the last minutes hardly rises, and memory stays within its limit.
 */
const verdictOf = (samples: ReadonlyArray<Sample>, minutes: number): string => {
  const judged = samples.filter(({ minute }) => minute > minutes - JUDGED_MINUTES)
  const middle = mean(judged.map(({ minute }) => minute))
  const level = mean(judged.map(({ resident }) => resident))
  const slope =
    judged.reduce((sum, { minute, resident }) => sum + (minute - middle) * (resident - level), 0) /
    judged.reduce((sum, { minute }) => sum + (minute - middle) ** 2, 0)
  const span = Math.min(minutes, JUDGED_MINUTES)
  const growth = (slope * span) / level
  const peak = Math.max(...judged.map(({ resident }) => resident))
  const isFlat = growth <= GROWTH_MAX
  const isSmall = peak < RESIDENT_MAX
  return `Last ${span} minutes: ${level.toFixed(0)} MB on average, ${peak.toFixed(0)} at most (limit ${RESIDENT_MAX}: ${isSmall ? "kept" : "MISSED"}), ${(growth * 100).toFixed(1)} % growth (limit ${GROWTH_MAX * 100} %: ${isFlat ? "kept" : "MISSED"})`
}

const bench = Effect.fnUntraced(function* (settings: SoakSettings) {
  const directory = yield* temporaryDirectory("bench")
  const child = yield* start(
    parley(directory, {
      ...(settings.postgres !== undefined && { DATABASE_URL: yield* database(settings.postgres, "soak") }),
    }),
  )
  const traffic = yield* makeTraffic(child.port, settings.rate)
  yield* Console.log(
    `${settings.rate} requests/s for ${settings.minutes} minutes, ${settings.postgres === undefined ? "embedded database" : "Postgres"}; MB; the largest mappings as they were last\n` +
      "minute   mean    min    max answered errors  mappings",
  )
  const load = yield* Effect.forkChild(traffic.run)
  const begin = performance.now()
  const samples: Array<Sample> = []
  let told = 0
  for (let minute = 0; minute < settings.minutes;) {
    yield* Effect.sleep(SAMPLE_SECONDS * 1_000)
    minute = (performance.now() - begin) / 60_000
    samples.push({ minute, ...memoryOf(child.pid) })
    if (minute < Math.min(told + ROW_MINUTES, settings.minutes)) continue
    yield* Console.log(
      rowOf(
        samples.filter((sample) => sample.minute > told),
        traffic.takeCounts(),
      ),
    )
    told = minute
  }
  yield* Fiber.interrupt(load)
  yield* Console.log(verdictOf(samples, settings.minutes))
})

/**
 * Measures the memory of a server with default settings under a steady mixed load over bounded data: prints a table,
 * and whether memory comes to rest. Options: `--minutes 60`, `--rate 20` requests a second, and `--postgres URL` of any
 * database of a server in which others may be made, instead of the embedded one. Linux only.
 */
export const run = (args: ReadonlyArray<string>): void => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "60" },
      rate: { type: "string", default: "20" },
      postgres: { type: "string" },
    },
  })
  NodeRuntime.runMain(
    Effect.scoped(bench({ minutes: Number(values.minutes), rate: Number(values.rate), postgres: values.postgres })),
  )
}
