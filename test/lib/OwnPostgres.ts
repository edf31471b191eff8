import { chownSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { type SqlClient, SqlError } from "effect/sql"
import { temporaryDirectory } from "./TemporaryDirectory.ts"

/** A Postgres server that a test may crash, restart and freeze. */
export interface OwnPostgres {
  readonly url: string
  /** Ends the server at once, as a crash does, starts it again, and waits until it takes connections. */
  readonly restart: Effect.Effect<void>
  /** Stops all processes of the server without ending them. */
  readonly freeze: Effect.Effect<void>
  /** Ends the effect of `freeze`. */
  readonly thaw: Effect.Effect<void>
  /** Runs a query as the owner, in a connection of its own. */
  readonly query: <A>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A>
}

const NOBODY = 65_534

/** Runs a program as somebody else than root, for whom Postgres refuses to run. */
const run = (command: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const isRoot = process.getuid?.() === 0
    const other = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "env", "HOME=/tmp"]
    const child = Bun.spawn([...(isRoot ? other : []), ...command], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    })
    // What a program starts in the background may keep its output open.
    if ((await child.exited) !== 0) throw new Error(`${command[0]} failed: ${await new Response(child.stderr).text()}`)
  })

const freePort: Effect.Effect<number> = Effect.callback((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

const queryOf =
  (url: string): OwnPostgres["query"] =>
  (use) =>
    PgClient.makeClient({ url: Redacted.make(url) }).pipe(
      Effect.flatMap(use),
      Effect.scoped,
      // The server may be starting.
      Effect.retry({ while: SqlError.isSqlError, schedule: Schedule.spaced(50), times: 600 }),
      Effect.provide(Reactivity.layer),
      Effect.orDie,
    )

/** Makes a new and empty server with the programs of another one on this machine, which has this URL. */
export const ownPostgres = Effect.fnUntraced(function* (programsOf: string) {
  const [bin] = yield* queryOf(programsOf)(
    (sql) => sql<{ setting: string }>`select setting from pg_config() where name = 'BINDIR'`,
  )
  const programs = bin?.setting ?? ""
  const directory = yield* temporaryDirectory("postgres")
  const data = join(directory, "data")
  yield* Effect.sync(() => {
    mkdirSync(data, { mode: 0o700 })
    if (process.getuid?.() === 0) for (const path of [directory, data]) chownSync(path, NOBODY, NOBODY)
  })
  const port = yield* freePort
  const control = (...command: ReadonlyArray<string>) =>
    run([join(programs, "pg_ctl"), "-D", data, "-w", "-s", "-l", join(data, "log"), ...command])
  yield* run([join(programs, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "--no-locale", "-E", "UTF8"])
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`
  yield* Effect.acquireRelease(control("-o", options, "start"), () => control("-m", "immediate", "stop"))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const signal = (name: NodeJS.Signals) =>
    Effect.sync(() => {
      const main = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0])
      // The first process makes the others, so that there is none that is not stopped.
      process.kill(main, name)
      for (const child of childrenOf(main)) process.kill(child, name)
    })
  return {
    url,
    restart: control("-m", "immediate", "restart"),
    freeze: signal("SIGSTOP"),
    thaw: signal("SIGCONT"),
    query: queryOf(url),
  } satisfies OwnPostgres
})

const childrenOf = (parent: number): ReadonlyArray<number> =>
  readdirSync(`/proc/${parent}/task`).flatMap((task) =>
    readFileSync(`/proc/${parent}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  )
