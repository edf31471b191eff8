import { describe, expect, test } from "bun:test"
import { Deferred, Duration, Effect, Fiber, Semaphore } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { OrganizationId } from "../../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../../src/domain/Tenancy.ts"
import { makeClients } from "../../../src/storage/sql/TenantConnections.ts"
import { eventually } from "../../lib/Layers.ts"
import { makeFakeConnection, makeFakePool, noRows } from "../../lib/FakePool.ts"

const failure = new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error("lost") }) })

/** A pool of one connection, which records its statements. The first `set_config` ends with the given effect. */
const makePool = (firstSwitch: Effect.Effect<never, SqlError.SqlError>) => {
  const asked: Array<string> = []
  const query = (sql: string, params: ReadonlyArray<unknown> = []) =>
    Effect.suspend(() => {
      if (!sql.includes("set_config")) {
        asked.push(sql)
        return Effect.succeed(noRows)
      }
      asked.push(params.join(" "))
      return asked.length === 1 ? firstSwitch : Effect.succeed(noRows)
    })
  return { asked, pool: makeFakePool(query) }
}

/** Waits until so many statements were sent. They leave after `setImmediate`. */
const asking = (asked: ReadonlyArray<string>, count: number) =>
  eventually(
    Effect.sync(() => asked.length),
    (length) => length === count,
  )

const organization = OrganizationId.make("00000000-0000-4000-8000-000000000001")
const neighbour = OrganizationId.make("00000000-0000-4000-8000-000000000002")
const assumed = `parley_tenant ${organization} 0`

describe("a session", () => {
  for (const [ending, firstSwitch] of [
    ["fails", Effect.fail(failure)],
    ["is interrupted", Effect.never],
  ] as const) {
    test(`gets its identity again after setting it ${ending}, and only then`, async () => {
      const { asked, pool } = makePool(firstSwitch)
      await Effect.runPromise(
        Effect.gen(function* () {
          const { tenant } = yield* makeClients({
            tenant: { pool, pipeline: 1, connections: 1 },
            system: { pool, pipeline: 1, connections: 1 },
          })
          const first = yield* Effect.forkChild(Effect.exit(tenant`select 1`))
          yield* asking(asked, 1)
          yield* ending === "fails" ? Fiber.join(first) : Fiber.interrupt(first)
          yield* tenant`select 2`
          yield* tenant.withTransaction(tenant`select 3`)
        }).pipe(Effect.provideService(CurrentOrganization, organization), Effect.provide(Reactivity.layer)),
      )
      expect(asked).toEqual([assumed, assumed, "select 2", "BEGIN", "select 3", "COMMIT"])
    })
  }

  test("that both clients share gets the identity of each client in turn", async () => {
    const { asked, pool } = makePool(Effect.fail(failure))
    await Effect.runPromise(
      Effect.gen(function* () {
        const { tenant, system } = yield* makeClients({
          tenant: { pool, pipeline: 1, connections: 1 },
          system: { pool, pipeline: 1, connections: 1 },
        })
        yield* Effect.exit(tenant`select 1`)
        yield* system`select 2`
        yield* system`select 3`
        yield* tenant`select 4`
      }).pipe(Effect.provideService(CurrentOrganization, organization), Effect.provide(Reactivity.layer)),
    )
    expect(asked).toEqual([assumed, "none  0", "select 2", "select 3", assumed, "select 4"])
  })

  test("with a long statement is not shared, and is lent again when all of its statements have ended", async () => {
    const asked: Array<string> = []
    const free = ["first", "second"]
    const long = Deferred.makeUnsafe<void>()
    const get = Effect.acquireRelease(
      Effect.sync(() => free.shift() ?? "none"),
      (name) => Effect.sync(() => void free.unshift(name)),
    ).pipe(
      Effect.map((name) =>
        makeFakeConnection((sql) =>
          Effect.suspend(() => {
            if (!sql.includes("set_config")) asked.push(`${name}: ${sql}`)
            return sql === "long" ? Effect.as(Deferred.await(long), noRows) : Effect.succeed(noRows)
          }),
        ),
      ),
    )
    const connections = { pool: { ...makePool(Effect.never).pool, get }, pipeline: 32, connections: 8 }
    await Effect.runPromise(
      Effect.gen(function* () {
        const { tenant } = yield* makeClients({ tenant: connections, system: connections })
        // The time of day must not matter, because it may step back.
        yield* TestClock.setTime(Duration.toMillis("1 hour"))
        const statements = [yield* Effect.forkChild(tenant`long`), yield* Effect.forkChild(tenant`short`)]
        yield* TestClock.withLive(asking(asked, 2))
        yield* TestClock.setTime(0)
        yield* TestClock.adjust("20 millis")
        yield* tenant`late`
        yield* Deferred.succeed(long, undefined)
        yield* Effect.forEach(statements, Fiber.join)
        expect(free).toEqual(["first", "second"])
      }).pipe(
        Effect.provideService(CurrentOrganization, organization),
        Effect.provide([Reactivity.layer, TestClock.layer()]),
      ),
    )
    expect(asked).toEqual(["first: long", "first: short", "second: late"])
  })

  test("goes to organizations in turn, however many statements one of them waits with", async () => {
    const asked: Array<string> = []
    const one = Semaphore.makeUnsafe(1)
    const isBusy = Deferred.makeUnsafe<void>()
    const connection = makeFakeConnection((sql) =>
      Effect.suspend(() => {
        if (!sql.includes("set_config")) asked.push(sql)
        return Effect.as(sql === "first" ? Deferred.await(isBusy) : Effect.void, noRows)
      }),
    )
    const get = Effect.acquireRelease(Effect.as(one.take(1), connection), () => one.release(1))
    const connections = { pool: { ...makePool(Effect.never).pool, get }, pipeline: 1, connections: 1 }
    await Effect.runPromise(
      Effect.gen(function* () {
        const { tenant } = yield* makeClients({ tenant: connections, system: connections })
        const statementOf = (id: string, sql: string) =>
          Effect.forkChild(Effect.provideService(tenant.unsafe(sql), CurrentOrganization, OrganizationId.make(id)), {
            startImmediately: true,
          })
        const fibers = [yield* statementOf(organization, "first")]
        for (let waiting = 0; waiting < 20; waiting++) fibers.push(yield* statementOf(organization, "of the many"))
        fibers.push(yield* statementOf(neighbour, "of the neighbour"))
        yield* Deferred.succeed(isBusy, undefined)
        yield* Effect.forEach(fibers, Fiber.join)
      }).pipe(Effect.provide(Reactivity.layer)),
    )
    expect(asked.indexOf("of the neighbour")).toBeWithin(1, 4)
    expect(asked).toHaveLength(22)
  })

  test("is waited for no longer than the time limit, also by an organization that has all it may have while one is idle", async () => {
    const two = Semaphore.makeUnsafe(2)
    const begun = Deferred.makeUnsafe<void>()
    const connectionOf = () =>
      makeFakeConnection((sql) =>
        sql === "long"
          ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
          : Effect.as(sql === "brief" ? Effect.yieldNow : Effect.void, noRows),
      )
    const free = [connectionOf(), connectionOf()]
    const get = Effect.acquireRelease(
      Effect.map(two.take(1), () => free.pop() ?? expect.unreachable()),
      (connection) =>
        Effect.andThen(
          Effect.sync(() => void free.push(connection)),
          two.release(1),
        ),
    )
    const connections = { pool: { ...makePool(Effect.never).pool, get }, pipeline: 1, connections: 2 }
    await Effect.runPromise(
      Effect.gen(function* () {
        const { tenant } = yield* makeClients({ tenant: connections, system: connections }, Duration.seconds(1))
        const by = (id: string, sql: string) =>
          Effect.provideService(tenant.unsafe(sql), CurrentOrganization, OrganizationId.make(id))
        yield* Effect.all([by(organization, "brief"), by(neighbour, "brief")], { concurrency: 2 })
        const long = yield* Effect.forkChild(by(organization, "long"), { startImmediately: true })
        yield* Deferred.await(begun)
        const second = yield* Effect.forkChild(Effect.flip(by(organization, "second")), { startImmediately: true })
        yield* by(neighbour, "not in the way")
        yield* TestClock.adjust("1 second")
        expect((yield* Fiber.join(second)).reason._tag).toBe("ConnectionError")
        yield* Fiber.interrupt(long)
      }).pipe(Effect.provide([Reactivity.layer, TestClock.layer()])),
    )
  })
})
