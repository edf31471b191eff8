import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node-shared"
import { Effect } from "effect"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { besideOptions, compare, parley, type Settings, settingsOf, startBoth } from "./http/Beside.ts"
import { type ChildOptions, start } from "./http/Child.ts"
import { scenariosOf } from "./http/Fixture.ts"
import * as Report from "./http/Report.ts"

/** Pause before the memory at rest is measured. */
const REST_MILLISECONDS = 2_000
const COLD_STARTS = 5

/** Measures the milliseconds of some starts to their first answer. */
const coldStarts = Effect.fnUntraced(function* (options: ChildOptions) {
  const times: Array<number> = []
  // The first start creates the database; the others open it.
  for (let number = 0; number <= COLD_STARTS; number++) {
    const { coldStart } = yield* Effect.scoped(start(options))
    if (number > 0) times.push(coldStart)
  }
  return times
})

const bench = Effect.fnUntraced(function* (settings: Settings) {
  const { filled, options, targets } = yield* startBoth(settings, "least")
  yield* Effect.sleep(REST_MILLISECONDS)
  const atRest = targets.map(({ child }) => child.memory().now)
  const scenarios = scenariosOf(filled).filter(({ name }) => name.includes(settings.only))
  yield* compare(scenarios, targets, settings)
  for (const [index, { child, name }] of targets.entries()) {
    const { peak } = child.memory()
    yield* Report.line(
      `Memory of ${name} on Postgres: ${atRest[index]?.toFixed(0)} MB at rest, ${peak.toFixed(0)} MB at most`,
    )
  }
  return options
})

const starts = Effect.fnUntraced(function* (options: ChildOptions) {
  const directory = yield* temporaryDirectory("bench")
  const embedded = parley(directory, {})
  yield* Report.coldStart("Postgres", yield* coldStarts(options))
  yield* Report.coldStart("embedded, existing directory", yield* coldStarts(embedded))
  const child = yield* start(embedded)
  yield* Effect.sleep(REST_MILLISECONDS)
  yield* Report.line(`Memory of Parley at rest, embedded: ${child.memory().now.toFixed(0)} MB`)
})

/**
 * Measures speed and memory of the server on Postgres, beside a bare one. `DATABASE_URL` names any database of a
 * Postgres server in which others may be made. Options: `--rounds 4`, `--milliseconds 1500` of one round, `--clients
 * 1,16,64`, `--only chat` for some scenarios and no cold starts, `--workers 2`, `--profile DIR` for a CPU profile of
 * Parley, and `--embeddings` as `BenchEmbeddings` has it.
 */
export const run = (args: ReadonlyArray<string>): void => {
  const options = { ...besideOptions, clients: { type: "string", default: "1,16,64" } } as const
  const settings = settingsOf(parseArgs({ args: [...args], options }).values)
  const measured = Effect.flatMap(bench(settings), (made) => (settings.only === "" ? starts(made) : Effect.void))
  NodeRuntime.runMain(Effect.scoped(measured))
}
