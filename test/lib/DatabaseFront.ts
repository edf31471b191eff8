import { createServer, connect, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { type OnStatement, StatementWatch } from "./kills/StatementWatch.ts"
import { fresh } from "./TestDatabase.ts"

/** A Postgres server behind a network that a test can disturb. */
export interface DatabaseFront {
  readonly url: Redacted.Redacted
  /** Stops all traffic in both directions without closing any connection. New connections are accepted and ignored. */
  readonly freeze: () => void
  /** Ends the effect of `freeze`. */
  readonly thaw: () => void
  /** Cuts all connections. */
  readonly cut: () => void
  /** Makes the server end a connection, as a failover does. */
  readonly terminate: (processId: number) => Effect.Effect<void>
}

/** Makes a new database of the Postgres server of the tests behind such a network. */
export const databaseFront = Effect.gen(function* () {
  const database = yield* fresh
  if (database.kind !== "postgres") return yield* Effect.die("DATABASE_URL is not set")
  return { ...(yield* postgresFront(database.url)), terminate: terminate(database.url) } satisfies DatabaseFront
})

const terminate = (url: string) => (processId: number) =>
  PgClient.makeClient({ url: Redacted.make(url) }).pipe(
    Effect.flatMap((sql) => sql`select pg_terminate_backend(${processId}::int)`),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.orDie,
    Effect.asVoid,
  )

/** Makes such a network in front of a Postgres server. `onStatement` sees each statement, and may keep it back. */
export const postgresFront = (url: string, onStatement?: OnStatement) => {
  const { hostname, port } = new URL(url)
  return front(url, () => connect(Number(port), hostname), onStatement)
}

const front = Effect.fnUntraced(function* (target: string, open: () => Duplex, onStatement: OnStatement = () => true) {
  const pairs = new Set<readonly [Socket, Duplex]>()
  let isFrozen = false
  const freeze = () => {
    isFrozen = true
    for (const ends of pairs) for (const end of ends) end.pause()
  }
  const cut = () => {
    for (const end of [...pairs].flat()) end.destroy()
  }
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer((near) => {
        const far = open()
        const pair = [near, far] as const
        pairs.add(pair)
        const end = () => {
          pairs.delete(pair)
          near.destroy()
          far.destroy()
        }
        const watch = new StatementWatch(onStatement)
        near.on("data", (bytes: Uint8Array) => watch.request(bytes, () => void far.write(bytes)))
        far.on("data", (bytes: Uint8Array) => watch.answer(bytes, () => void near.write(bytes)))
        for (const from of pair) {
          from.on("error", end)
          from.on("close", end)
        }
        if (isFrozen) freeze()
      }),
    ),
    (server) =>
      Effect.sync(() => {
        cut()
        server.close()
      }),
  )
  const port = yield* Effect.callback<number>((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
  const url = new URL(target)
  url.hostname = "127.0.0.1"
  url.port = String(port)
  return {
    url: Redacted.make(url.href),
    freeze,
    thaw: () => {
      isFrozen = false
      for (const ends of pairs) for (const end of ends) end.resume()
    },
    cut,
  }
})
