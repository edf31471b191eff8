import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { PgConnection, PgPool } from "@effect/sql-pg"
import { Context, Deferred, Duration, Effect, Fiber, Layer, Redacted, Schedule, type Scope, Stream } from "effect"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OrganizationId } from "../../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../../src/domain/Tenancy.ts"
import { layerPostgres, SystemSql } from "../../../src/storage/sql/Database.ts"
import { makeClients } from "../../../src/storage/sql/TenantConnections.ts"
import { startServer } from "../../lib/TestServer.ts"
import { defaults } from "../../lib/Defaults.ts"
import { eventually, quiet } from "../../lib/Layers.ts"
import { fresh } from "../../lib/TestDatabase.ts"

/*
 * Statements whose fiber was interrupted while they ran, as when a client leaves.
 */

setDefaultTimeout(180_000)

const [first, second] = [1, 2].map((number) => OrganizationId.make(`00000000-0000-4000-8000-00000000000${number}`))
const as = (organization = first) => Effect.provideService(CurrentOrganization, organization ?? OrganizationId.make(""))

/** Longer than any of these tests takes, unless a statement is not cancelled. */
const LONG = 100
const PATIENCE = Duration.minutes(2)

describe("a connection in which a statement was interrupted", () => {
  /** A pool of one connection, in which statements run until they are cancelled or told to end. */
  const makePool = () => {
    const log: Array<string> = []
    const running: Array<Deferred.Deferred<void>> = []
    let isFree = true
    const idle: Effect.Effect<void> = Effect.suspend(() => {
      const [next] = running
      return next === undefined ? Effect.void : Effect.andThen(Deferred.await(next), idle)
    })
    const connection: PgConnection.PgConnection & { readonly cancel: Effect.Effect<unknown> } = {
      [PgConnection.TypeId]: PgConnection.TypeId,
      config: {},
      processId: 1,
      // As the driver's, it cannot be interrupted.
      pin: Effect.suspend(() => Effect.as(Effect.uninterruptible(idle), connection)),
      query: (sql: string) =>
        Effect.suspend(() => {
          const done = { command: "SELECT", rowCount: 0, oid: null, rows: [], fields: [] }
          if (sql.includes("set_config")) return Effect.succeed(done)
          log.push(sql)
          if (!sql.startsWith("long")) return Effect.succeed(done)
          const ended = Deferred.makeUnsafe<void>()
          running.push(ended)
          return Effect.as(Deferred.await(ended), done)
        }),
      queryValues: () => Effect.succeed([]),
      stream: () => Stream.empty,
      listen: () => Effect.never,
      interrupt: Effect.void,
      cancel: Effect.suspend(() => {
        log.push("cancel")
        const ended = running.shift()
        return ended === undefined ? Effect.void : Deferred.succeed(ended, undefined)
      }),
    }
    const get = Effect.acquireRelease(
      Effect.sync(() => {
        log.push(isFree ? "lent" : "lent twice")
        isFree = false
        return connection
      }),
      () =>
        Effect.sync(() => {
          log.push("returned")
          isFree = true
        }),
    )
    const pool: PgPool.PgPool = {
      [PgPool.TypeId]: PgPool.TypeId,
      config: {},
      get,
      reserve: get,
      use: (f) => f(connection),
      invalidate: () => Effect.void,
    }
    const end = Effect.suspend(() => {
      const ended = running.shift()
      return ended === undefined ? Effect.void : Deferred.succeed(ended, undefined)
    })
    return { log, pool, end, isFree: () => isFree }
  }

  /** Lets time pass, in steps in which a cancellation could happen. */
  const pass = Effect.replicateEffect(TestClock.adjust("50 millis"), 10)

  const use = async (
    work: (
      tenant: SqlClient.SqlClient,
      pool: ReturnType<typeof makePool>,
    ) => Effect.Effect<void, unknown, CurrentOrganization>,
  ) => {
    const made = makePool()
    const connections = { pool: made.pool, connections: 16, pipeline: 32 }
    await Effect.runPromise(
      Effect.gen(function* () {
        const { tenant } = yield* makeClients({ tenant: connections, system: connections })
        yield* work(tenant, made)
        while (!made.isFree()) yield* Effect.andThen(pass, TestClock.withLive(Effect.sleep("1 millis")))
      }).pipe(as(), Effect.provide([Reactivity.layer, TestClock.layer()])),
    )
    return made.log
  }
  /** Waits until so many long statements run. */
  const begun = (log: ReadonlyArray<string>, count: number) =>
    TestClock.withLive(
      eventually(
        Effect.sync(() => log.filter((line) => line.startsWith("long")).length),
        (running) => running === count,
      ),
    )

  test("is returned once its statements, which are cancelled one after the other, have ended", async () => {
    const log = await use((tenant, { log }) =>
      Effect.gen(function* () {
        const both = yield* Effect.forkChild(Effect.all([tenant`long 1`, tenant`long 2`], { concurrency: 2 }))
        yield* begun(log, 2)
        yield* Fiber.interrupt(both)
      }),
    )
    expect(log).toEqual(["lent", "long 1", "long 2", "cancel", "cancel", "returned"])
  })

  test("is returned without a cancellation when the statement ends soon", async () => {
    const log = await use((tenant, { end, log }) =>
      Effect.gen(function* () {
        const one = yield* Effect.forkChild(tenant`long`)
        yield* begun(log, 1)
        yield* Fiber.interrupt(one)
        yield* end
      }),
    )
    expect(log).toEqual(["lent", "long", "returned"])
  })

  test("cancels nothing while another statement runs in it", async () => {
    const log = await use((tenant, { end, log }) =>
      Effect.gen(function* () {
        const one = yield* Effect.forkChild(tenant`long 1`)
        const other = yield* Effect.forkChild(tenant`long 2`)
        yield* begun(log, 2)
        yield* Fiber.interrupt(one)
        // Longer than the wait before a cancellation.
        yield* pass
        log.push("other ends")
        yield* Effect.andThen(end, end)
        yield* Fiber.join(other)
      }),
    )
    expect(log).toEqual(["lent", "long 1", "long 2", "other ends", "returned"])
  })
})

/** What only a server of its own can show. The embedded engine runs one statement at a time and cannot cancel it. */
const onPostgres = () => {
  const withDatabase = <A, E>(
    work: (sql: Clients, url: string) => Effect.Effect<A, E, Scope.Scope | CurrentOrganization>,
  ) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const database = yield* fresh
        if (database.kind !== "postgres") return yield* Effect.die("DATABASE_URL is not set")
        const settings = { ...defaults.database, maxConnections: 2, timeLimit: Duration.minutes(2) }
        const context = yield* Layer.build(
          Layer.provide(layerPostgres({ ...settings, url: Redacted.make(database.url) }), fileSystem),
        )
        const clients = { tenant: Context.get(context, SqlClient.SqlClient), system: Context.get(context, SystemSql) }
        return yield* work(clients, database.url)
      }).pipe(Effect.scoped, as(), Effect.provide(quiet), Effect.timeout(PATIENCE)),
    )

  interface Clients {
    readonly tenant: SqlClient.SqlClient
    readonly system: SqlClient.SqlClient
  }

  /** Waits until this many statements that contain a text run in the database. */
  const running = (system: SqlClient.SqlClient, text: string, count: number) =>
    // Within a transaction, Postgres would show the same activity again.
    system`select pg_stat_clear_snapshot()`.pipe(
      Effect.andThen(system<{ pid: number }>`select pid from pg_stat_activity
        where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
          and query like ${`%${text}%`}`),
      Effect.repeat({ until: (rows) => rows.length === count, schedule: Schedule.spaced("10 millis") }),
    )
  const sleep = ({ tenant }: Clients, seconds: number) => tenant`select pg_sleep(${seconds}::int)`
  const pid = ({ tenant }: Clients) =>
    Effect.map(tenant<{ pid: number }>`select pg_backend_pid() as pid`, ([row]) => row?.pid)

  test("a statement that nobody waits for is cancelled, and its connection serves another organization", () =>
    withDatabase((clients) =>
      Effect.gen(function* () {
        const before = yield* pid(clients)
        const both = yield* Effect.forkChild(
          Effect.all([sleep(clients, LONG), sleep(clients, LONG)], { concurrency: 2 }),
        )
        yield* running(clients.system, "pg_sleep", 1)
        yield* Fiber.interrupt(both)
        // There is but one connection for tenants.
        expect(yield* as(second)(pid(clients))).toBe(before)
        yield* running(clients.system, "pg_sleep", 0)
      }),
    ))

  test("a statement in a transaction that nobody waits for is cancelled, and the transaction rolled back", () =>
    withDatabase((clients) =>
      Effect.gen(function* () {
        yield* clients.system`create table notes (body text)`
        yield* clients.system`grant select, insert on notes to parley_tenant`
        const writing = clients.tenant`insert into notes values ('lost')`.pipe(
          Effect.andThen(sleep(clients, LONG)),
          clients.tenant.withTransaction,
        )
        const fiber = yield* Effect.forkChild(writing)
        yield* running(clients.system, "pg_sleep", 1)
        yield* Fiber.interrupt(fiber)
        expect(yield* clients.tenant`select body from notes`).toEqual([])
        yield* running(clients.system, "pg_sleep", 0)
      }),
    ))

  test("statements that share their connection with an interrupted one get their results", () =>
    withDatabase((clients) =>
      Effect.gen(function* () {
        const { system, tenant } = clients
        const [held, seen] = [yield* Deferred.make<void>(), yield* Deferred.make<number>()]
        const interrupted = yield* Deferred.make<void>()
        // Keeps the long statement running until it is interrupted.
        const holding = system`select pg_advisory_xact_lock(1)`.pipe(
          Effect.andThen(Deferred.succeed(held, undefined)),
          Effect.andThen(running(system, "pg_advisory_lock", 1)),
          Effect.andThen(([row]) => Deferred.succeed(seen, row?.pid ?? 0)),
          Effect.andThen(Deferred.await(interrupted)),
          system.withTransaction,
        )
        const holder = yield* Effect.forkChild(holding)
        yield* Deferred.await(held)
        // The statement that borrows the connection is the last to be sent.
        const borrower = yield* Effect.forkChild(pid(clients))
        const long = yield* Effect.forkChild(tenant`select pg_advisory_lock(1)`)
        const neighbours = yield* Effect.forkChild(Effect.all([pid(clients), pid(clients)], { concurrency: 2 }))
        const row = { pid: yield* Deferred.await(seen) }
        yield* Fiber.interrupt(long)
        yield* Deferred.succeed(interrupted, undefined)
        yield* Fiber.join(holder)
        expect(yield* Fiber.join(borrower)).toBe(row.pid)
        expect(yield* Fiber.join(neighbours)).toEqual([row.pid, row.pid])
      }),
    ))

  test("the list of a client that leaves while the list waits for a lock is cancelled", async () => {
    const url = Promise.withResolvers<string>()
    const ready = Promise.withResolvers<void>()
    const staying = Promise.withResolvers<void>()
    const both = Promise.withResolvers<void>()
    const lock = withDatabase(({ system }, databaseUrl) =>
      Effect.gen(function* () {
        url.resolve(databaseUrl)
        yield* Effect.promise(() => ready.promise)
        yield* system`lock table chatbots in access exclusive mode`.pipe(
          Effect.andThen(running(system, "chatbots", 1)),
          Effect.andThen(Effect.sync(staying.resolve)),
          Effect.andThen(running(system, "chatbots", 2)),
          Effect.andThen(Effect.sync(both.resolve)),
          // The lock is still there.
          Effect.andThen(running(system, "chatbots", 1)),
          system.withTransaction,
        )
      }),
    )
    const { client } = await startServer({ DATABASE_URL: await url.promise })
    ready.resolve()
    const list = (signal?: AbortSignal) => client.get("/api/external/chatbots", signal && { signal })
    // The time limit of statements would end the older one first.
    const older = list()
    await staying.promise
    const leaving = new AbortController()
    const left = list(leaving.signal).catch(() => "left")
    await both.promise
    leaving.abort()
    expect(await left).toBe("left")
    await lock
    expect((await older).status).toBe(200)
  })
}

if (process.env["DATABASE_URL"] !== undefined) describe("on a Postgres server", onPostgres)
