/** `bun run bench extract|hostile|http|retrieval [options]`; each says in its own file what it measures, and what it takes. */

const [name, ...args] = process.argv.slice(2)
if (name === "extract") {
  const extract = await import("./extract.ts")
  await extract.run(args)
} else if (name === "hostile") {
  const hostile = await import("./hostile.ts")
  hostile.run()
} else if (name === "http") {
  const http = await import("./http.ts")
  http.run(args)
} else if (name === "retrieval") {
  const retrieval = await import("./retrieval.ts")
  await retrieval.run(args)
} else {
  process.stderr.write("usage: bun run bench extract|hostile|http|retrieval [options]\n")
  process.exitCode = 1
}

export {}
