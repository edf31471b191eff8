/** `bun run bench chat|http|retrieval [options]`; each says in its own file what it measures, and what it takes. */

const [name, ...args] = process.argv.slice(2)
if (name === "chat") {
  const chat = await import("./chat.ts")
  chat.run(args)
} else if (name === "http") {
  const http = await import("./http.ts")
  http.run(args)
} else if (name === "retrieval") {
  const retrieval = await import("./retrieval.ts")
  await retrieval.run(args)
} else {
  process.stderr.write("usage: bun run bench chat|http|retrieval [options]\n")
  process.exitCode = 1
}

export {}
