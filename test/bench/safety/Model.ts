import { Effect } from "effect"
import type { TestServer } from "../../lib/TestServer.ts"
import { withServer } from "./InProcess.ts"
import type { Finding, Part, PartSettings } from "../lib/Parts.ts"

const OPERATIONS = 50_000
/** Runs at the same time, each with organizations of its own. */
const RUNS = 4

/**
 * Performs random commands of three organizations on a server, and compares what each organization sees with a model
 * after every command: with the filters of statements by organization and without them, so that row-level security has
 * to keep organizations apart alone.
 */
export const part: Part = async (settings) => [
  ...(await withServer(settings, (server) => perform(server, settings, "with filters"))),
  ...(await withoutFilters(settings)),
]

const perform = async (server: TestServer, { scale, seed }: PartSettings, name: string): Promise<Array<Finding>> => {
  const { runModel } = await import("../../lib/safety/model/Run.ts")
  const operations = Math.ceil((OPERATIONS * scale) / RUNS)
  const reports = await Promise.all(
    // Far enough apart that no run continues with the seed of another.
    Array.from({ length: RUNS }, (_, run) => runModel(server, { operations, seed: seed + run * 1_000_000 })),
  )
  const failures = reports.flatMap(({ failure }) => failure ?? [])
  for (const failure of failures) process.stdout.write(`  ${name}: ${failure}\n`)
  return [
    { name: `operations ${name}`, value: String(reports.reduce((sum, report) => sum + report.operations, 0)) },
    { name: `leaks and differences ${name}`, value: String(failures.length), isKept: failures.length === 0 },
  ]
}

const withoutFilters = async (settings: PartSettings): Promise<Array<Finding>> => {
  const { makeUnfilteredServer } = await import("../../lib/safety/model/WithoutFilters.ts")
  return Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(makeUnfilteredServer({ RATE_LIMIT: "off" }), ({ removed, server }) =>
        Effect.promise(async () => {
          const findings = await perform(server, settings, "without filters")
          return [...findings, { name: "filters removed", value: String(removed()), isKept: removed() > 0 }]
        }),
      ),
    ),
  )
}
