/** `bun run bench http|ingest|kills|retrieval|search [options]`; each says in its own file what it measures, and what it takes. */

const [name, ...args] = process.argv.slice(2)
if (name === "http") {
  const http = await import("./http.ts")
  http.run(args)
} else if (name === "ingest") {
  const ingest = await import("./ingest.ts")
  ingest.run(args)
} else if (name === "kills") {
  const kills = await import("./kills.ts")
  await kills.run(args)
} else if (name === "retrieval") {
  const retrieval = await import("./retrieval.ts")
  await retrieval.run(args)
} else if (name === "search") {
  const search = await import("./search.ts")
  search.run(args)
} else {
  process.stderr.write("usage: bun run bench http|ingest|kills|retrieval|search [options]\n")
  process.exitCode = 1
}

export {}
