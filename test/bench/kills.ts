import { parseArgs } from "node:util"
import { Effect } from "effect"

/**
 * `bun run bench kills [--rounds N] [--files N] [--seed S] [--database URL [--companion]]`: a server is killed with
 * SIGKILL N times at random moments while it ingests files of all kinds, some of them replaced or deleted meanwhile. In
 * the end its documents, chunks and files must be those of a server that was left alone. On the embedded database, or
 * on databases of its own on the Postgres server, where another server can live on as a companion and share the work.
 */
export const run = async (args: ReadonlyArray<string>): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "100" },
      files: { type: "string", default: "200" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
      database: { type: "string" },
      companion: { type: "boolean", default: false },
    },
  })
  // The modules of the test databases read this variable when they are loaded.
  if (values.database !== undefined) process.env["DATABASE_URL"] = values.database
  const { killAndCompare } = await import("../lib/Kills.ts")
  const seed = Number(values.seed)
  console.log(`seed ${seed}, ${values.database === undefined ? "embedded database" : "Postgres"}`)
  const { faults, ...report } = await Effect.runPromise(
    Effect.scoped(
      killAndCompare({
        kills: Number(values.rounds),
        files: Number(values.files),
        seed,
        companion: values.companion,
        tell: console.log,
      }),
    ),
  )
  for (const [name, value] of Object.entries(report)) console.log(`${name.padEnd(10)} ${value}`)
  console.log(faults.length === 0 ? "nothing lost, nothing doubled, nothing left behind" : faults.join("\n"))
  process.exitCode = faults.length === 0 ? 0 : 1
}
