/** `bun run bench <name> [options]`. The file of each benchmark documents what it measures, and its options. */

const benches: Readonly<
  Record<string, () => Promise<{ readonly run: (args: ReadonlyArray<string>) => void | Promise<void> }>>
> = {
  answers: () => import("./answers.ts"),
  chat: () => import("./chat.ts"),
  faults: () => import("./faults.ts"),
  growth: () => import("./growth.ts"),
  http: () => import("./http.ts"),
  ingest: () => import("./ingest.ts"),
  reliability: () => import("./reliability.ts"),
  retrieval: () => import("./retrieval.ts"),
  search: () => import("./search.ts"),
}

const [name = "", ...args] = process.argv.slice(2)
const load = benches[name]
if (load === undefined) {
  process.stderr.write(`usage: bun run bench ${Object.keys(benches).join("|")} [options]\n`)
  process.exitCode = 1
} else {
  const { run } = await load()
  await run(args)
}

export {}
