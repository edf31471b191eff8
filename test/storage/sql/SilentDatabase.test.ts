import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Context, Deferred, Duration, Effect, Exit, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { OrganizationId } from "../../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../../src/domain/Tenancy.ts"
import { Health } from "../../../src/services/system/Health.ts"
import { type Database, layerPostgres, SystemSql } from "../../../src/storage/sql/Database.ts"
import { Inspection } from "../../../src/storage/inspection/Inspection.ts"
import { transaction, withoutSqlErrors } from "../../../src/storage/sql/SqlErrors.ts"
import { withoutTimeLimit } from "../../../src/storage/sql/TimeLimit.ts"
import { type DatabaseFront, databaseFront } from "../../lib/DatabaseFront.ts"
import { eventually, memoryBlobs, quiet } from "../../lib/Layers.ts"
import { defaults } from "../../lib/Defaults.ts"

setDefaultTimeout(180_000)

/** Describes nothing on the embedded engine, which is in the process that uses it, with no network in between. */
const describeOnPostgres = process.env["DATABASE_URL"] === undefined ? () => {} : describe

/** A time limit that is reached soon, and one that is not. */
const LIMIT = Duration.seconds(1)
const LONG_LIMIT = Duration.seconds(50)
const IDLE_LIMIT = Duration.millis(300)
const CONNECTIONS = 4
const organization = OrganizationId.make("00000000-0000-4000-8000-000000000001")

/** Runs a test with the database behind a network that can be disturbed, and with few connections to it. */
const withFront = <A, E>(
  test: (front: DatabaseFront) => Effect.Effect<A, E, Database | CurrentOrganization>,
  timeLimit = LIMIT,
) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const front = yield* databaseFront
      const limits = { timeLimit, idleTransactionLimit: IDLE_LIMIT }
      const settings = { ...defaults.database, ...limits, url: front.url, maxConnections: CONNECTIONS, isHidden: true }
      const context = yield* Layer.build(Layer.provide(layerPostgres(settings), fileSystem))
      return yield* Effect.provideContext(test(front), context)
    }).pipe(Effect.scoped, Effect.provideService(CurrentOrganization, organization), Effect.provide(quiet)),
  )

/** The exit of an effect. A test that waits in vain runs into its timeout. */
const bounded = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(withoutSqlErrors(effect)), (exit) =>
    Exit.isSuccess(exit) ? "done" : Exit.findErrorOption(exit)._tag === "Some" ? "Unavailable" : "defect",
  )

/** Waits until an effect is done. A busy machine may take longer than the time limit. */
const untilDone = (effect: Effect.Effect<string, never, Database | CurrentOrganization>) =>
  Effect.repeat(effect, { until: (outcome) => outcome === "done" })

const tenant = SqlClient.SqlClient.use((sql) => sql`select 1`)
const system = SystemSql.use((sql) => sql`select 1`)
const inTransaction = SqlClient.SqlClient.use((sql) => transaction(sql)(sql`select 1`))

describeOnPostgres("a database that falls silent", () => {
  test("fails statements, transactions and waits for a connection, and can be used again once it answers", () =>
    withFront((front) =>
      Effect.gen(function* () {
        const kinds: ReadonlyArray<Effect.Effect<string, never, Database>> = [
          bounded(tenant),
          bounded(system),
          bounded(inTransaction),
        ]
        for (const kind of kinds) yield* untilDone(kind)
        front.freeze()
        const many = Array.from({ length: 4 * CONNECTIONS }, () => kinds).flat()
        const outcomes = yield* Effect.all(many, { concurrency: "unbounded" })
        expect(new Set(outcomes)).toEqual(new Set(["Unavailable"]))
        front.thaw()
        for (const kind of kinds) yield* untilDone(kind)
      }),
    ))

  test("fails a transaction that has begun", () =>
    withFront((front) =>
      SqlClient.SqlClient.use((sql) =>
        Effect.gen(function* () {
          const half = sql`select 1`.pipe(Effect.andThen(Effect.sync(front.freeze)), Effect.andThen(sql`select 2`))
          expect(yield* bounded(transaction(sql)(half))).toBe("Unavailable")
        }),
      ),
    ))

  test("does not fail work without a time limit", () =>
    withFront((front) =>
      Effect.gen(function* () {
        const long = yield* Effect.forkChild(withoutTimeLimit(bounded(tenant)))
        yield* Fiber.join(long)
        front.freeze()
        const waiting = yield* Effect.forkChild(withoutTimeLimit(bounded(tenant)))
        // What has a limit fails twice meanwhile, which takes longer than the limit.
        expect(yield* bounded(system)).toBe("Unavailable")
        expect(yield* bounded(system)).toBe("Unavailable")
        expect(waiting.pollUnsafe()).toBeUndefined()
        front.thaw()
        expect(yield* Fiber.join(waiting)).toBe("done")
      }),
    ))

  test("makes the server unready long before the time limit, however many checks there are, and ready once it answers", () =>
    withFront(
      (front) =>
        Effect.gen(function* () {
          const health = Context.get(
            yield* Layer.build(Layer.provide(Health.layer, Layer.merge(Inspection.layer, memoryBlobs))),
            Health,
          )
          const isReady = Effect.map(Effect.exit(health.check), Exit.isSuccess)
          yield* Effect.repeat(isReady, { until: (ready) => ready })
          front.freeze()
          const limited = yield* Effect.forkChild(bounded(tenant), { startImmediately: true })
          for (let round = 0; round < 3; round++) {
            const asked = Effect.all([isReady, isReady, isReady], { concurrency: "unbounded" })
            expect(yield* asked).toEqual([false, false, false])
          }
          // Each takes 0.7 s.
          expect(limited.pollUnsafe()).toBeUndefined()
          front.thaw()
          yield* Effect.repeat(isReady, { until: (ready) => ready })
        }).pipe(Effect.scoped),
      LONG_LIMIT,
    ))
})

describeOnPostgres("a statement that takes too long", () => {
  test("is cancelled by the database itself, unless it has no time limit", () =>
    withFront(
      () =>
        SqlClient.SqlClient.use((sql) =>
          Effect.gen(function* () {
            const setting = Effect.map(
              sql<{ statement_timeout: string }>`show statement_timeout`,
              ([row]) => row?.statement_timeout,
            )
            expect(yield* setting).toBe("45s")
            expect(yield* withoutTimeLimit(setting)).toBe("0")
            expect(yield* setting).toBe("45s")
          }),
        ),
      LONG_LIMIT,
    ))

  test("fails with a sentence that says so, and not that the database cannot be reached", () =>
    withFront(() =>
      SqlClient.SqlClient.use((sql) =>
        Effect.gen(function* () {
          const ended = sql`set local statement_timeout = 1`.pipe(
            Effect.andThen(sql`select pg_sleep(60)`),
            transaction(sql),
            withoutSqlErrors,
          )
          const { detail, retry_after_seconds } = yield* Effect.flip(ended)
          expect({ detail, retry_after_seconds }).toEqual({
            detail: "The database took too long for this. Ask for less, such as for fewer days, or try again later.",
            retry_after_seconds: 10,
          })
        }),
      ),
    ))
})

describeOnPostgres("a transaction that waits too long for its next statement", () => {
  const table = SystemSql.use((sql) =>
    Effect.andThen(sql`create table notes (body text)`, sql`grant select, insert on notes to parley_tenant`),
  )

  /** Locks a table in a transaction, whose process it tells, and waits for its next statement. */
  const idling = (process: Deferred.Deferred<number>, next: Latch.Latch) =>
    SqlClient.SqlClient.use((sql) =>
      sql<{ pid: number }>`with late as (insert into notes values ('late')) select pg_backend_pid() as pid`.pipe(
        Effect.tap(([row]) => Deferred.succeed(process, row?.pid ?? 0)),
        Effect.andThen(next.await),
        Effect.andThen(sql`select 1`),
        transaction(sql),
      ),
    )

  test("is ended by the database, as the sessions of both clients say", () =>
    withFront(() =>
      Effect.gen(function* () {
        for (const sql of [yield* SqlClient.SqlClient, yield* SystemSql]) {
          const [row] = yield* sql<{ limit: string }>`
            select current_setting('idle_in_transaction_session_timeout') as limit`
          expect(row?.limit).toBe("300ms")
        }
      }),
    ))

  test("fails with a typed failure, and others get its locks", () =>
    withFront(
      () =>
        Effect.gen(function* () {
          yield* table
          const [process, next] = [yield* Deferred.make<number>(), yield* Latch.make(false)]
          const late = yield* Effect.forkChild(bounded(idling(process, next)))
          const pid = yield* Deferred.await(process)
          const system = yield* SystemSql
          yield* system`lock table notes in access exclusive mode`.pipe(transaction(system))
          yield* eventually(system`select from pg_stat_activity where pid = ${pid}`, ({ length }) => length === 0)
          yield* next.open
          expect(yield* Fiber.join(late)).toBe("Unavailable")
          expect(yield* system`select body from notes`).toEqual([])
        }),
      LONG_LIMIT,
    ))
})
