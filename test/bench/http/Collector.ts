/*
 * A collector of telemetry that takes everything and keeps nothing, as a program of its own.
 */

const taken = { requests: 0, bytes: 0 }

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["PORT"]),
  routes: {
    "/healthz": new Response("ok"),
    "/taken": () => new Response(`${taken.requests} exports, ${(taken.bytes / 1_048_576).toFixed(0)} MiB`),
    "/v1/*": {
      POST: async (request) => {
        taken.requests += 1
        taken.bytes += (await request.arrayBuffer()).byteLength
        return new Response("{}", { headers: { "content-type": "application/json" } })
      },
    },
  },
})
