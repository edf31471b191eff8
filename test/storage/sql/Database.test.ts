import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Cause, Effect, Exit, Fiber, Latch, ManagedRuntime, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as fc from "fast-check"
import { OrganizationId } from "../../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../../src/domain/Tenancy.ts"
import { type Database, SystemSql } from "../../../src/storage/sql/Database.ts"
import { onUniqueViolation, sqlState, withoutSqlErrors } from "../../../src/storage/sql/SqlErrors.ts"
import { toSql } from "pgvector"
import { json, vector } from "../../../src/storage/sql/SqlValues.ts"
import { eventually } from "../../lib/Layers.ts"
import * as TestDatabase from "../../lib/TestDatabase.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(TestDatabase.layer)
const run = <A, E>(effect: Effect.Effect<A, E, Database>): Promise<A> => runtime.runPromise(effect)
const it = effectTests(run)
const as = (organization: OrganizationId) => Effect.provideService(CurrentOrganization, organization)
const newOrganization = (): OrganizationId => OrganizationId.make(crypto.randomUUID())

beforeAll(() =>
  run(
    Effect.gen(function* () {
      const sql = yield* SystemSql
      yield* sql`create table notes (
        id int generated always as identity primary key,
        organization_id uuid not null default current_setting('parley.organization_id')::uuid,
        body text not null,
        constraint notes_body unique (organization_id, body)
      )`
      yield* sql`alter table notes enable row level security`
      yield* sql`create policy notes_tenant on notes to parley_tenant
        using (organization_id = nullif(current_setting('parley.organization_id', true), '')::uuid)`
      yield* sql`grant select, insert, update, delete on notes to parley_tenant`
      yield* sql`create table things (
        id bigint generated always as identity primary key,
        u uuid, n numeric, f float8, b boolean, at timestamptz, j jsonb, ints int[], texts text[], bytes bytea,
        e vector(3)
      )`
    }),
  ),
)
afterAll(() => runtime.dispose())

interface Note {
  readonly id: number
  readonly organization_id: string
  readonly body: string
}

const write = (body: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`insert into notes ${sql.insert({ body })}`)
/** A statement without a filter, so that only row-level security separates the organizations. */
const readAll = Effect.flatMap(SqlClient.SqlClient, (sql) => sql<Note>`select * from notes order by id`)
const bodies = Effect.map(readAll, (notes) => notes.map((note) => note.body))

describe("tenancy", () => {
  test("an organization sees its own rows and no others while many work, fail and are interrupted at once", async () => {
    const organizations = Array.from({ length: 4 }, newOrganization)
    const work = (organization: OrganizationId, step: number) => {
      const statement = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* write(`${step}`)
        yield* Effect.yieldNow
        const seen = yield* readAll
        expect(new Set(seen.map((note) => note.organization_id))).toEqual(new Set([organization]))
        if (step % 3 === 1) return yield* Effect.fail("undo")
        if (step % 3 === 2) yield* sql`select pg_sleep(0.005)`
      })
      const transaction = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        step % 2 === 0 ? sql.withTransaction(statement) : statement,
      )
      return Effect.exit(Effect.timeout(as(organization)(transaction), step % 5 === 0 ? "5 millis" : "20 seconds"))
    }
    await run(
      Effect.gen(function* () {
        const system = yield* SystemSql
        const exits = yield* Effect.forEach(
          Array.from({ length: 120 }, (_, step) => step),
          (step) =>
            Effect.tap(work(organizations[step % organizations.length] ?? newOrganization(), step), () =>
              Effect.when(system`select count(*) from notes`, Effect.succeed(step % 7 === 0)),
            ),
          { concurrency: 20 },
        )
        const defects = exits.filter((exit) => Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        expect(defects).toEqual([])
        expect(exits.some(Exit.isSuccess)).toBe(true)
        // The system sees exactly the rows that the organizations committed.
        const stored = yield* system<Note>`select * from notes`
        for (const organization of organizations) {
          const own = yield* as(organization)(readAll)
          expect(own.length).toBeGreaterThan(0)
          expect(own.length).toBe(stored.filter((note) => note.organization_id === organization).length)
        }
      }),
    )
  })

  test("a statement without an organization dies", async () => {
    const exit = await run(Effect.exit(readAll))
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
    expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("CurrentOrganization")
  })

  test("a tenant can neither switch row-level security off nor own a table", async () => {
    const attempts = [
      "alter table notes disable row level security",
      "drop policy notes_tenant on notes",
      "create table mine (id int)",
      "select count(*) from pg_authid",
    ]
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const attempt of attempts) {
          const refused = yield* as(newOrganization())(Effect.flip(sql.unsafe(attempt)))
          expect([attempt, sqlState(refused)]).toEqual([attempt, "42501"])
        }
        const unfiltered = sql.withTransaction(Effect.andThen(sql`set local row_security = off`, readAll))
        expect(sqlState(yield* as(newOrganization())(Effect.flip(unfiltered)))).toBe("42501")
      }),
    )
  })

  it("a statement of one client inside a transaction of the other dies instead of waiting for itself", function* () {
    const [tenant, system] = [yield* SqlClient.SqlClient, yield* SystemSql]
    for (const mixed of [tenant.withTransaction(system`select 1`), system.withTransaction(tenant`select 1`)]) {
      const exit = yield* as(newOrganization())(Effect.exit(mixed))
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("inside a transaction")
    }
  })

  test("a streamed statement acts as its organization", async () => {
    const organization = newOrganization()
    await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* as(newOrganization())(write("other"))
        yield* as(organization)(write("streamed"))
        const seen = yield* as(organization)(Stream.runCollect(sql<Note>`select * from notes`.stream))
        expect(seen.map((note) => note.body)).toEqual(["streamed"])
      }),
    )
  })
})

describe("transactions", () => {
  const organization = newOrganization()
  const has = (body: string) => Effect.map(as(organization)(bodies), (all) => all.includes(body))

  it("a failure rolls back the transaction, or only up to the savepoint when it is caught", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.exit(as(organization)(sql.withTransaction(Effect.andThen(write("undone"), Effect.fail("no")))))
    const inner = sql.withTransaction(Effect.andThen(write("inner"), write("outer")))
    yield* as(organization)(
      sql.withTransaction(Effect.andThen(Effect.andThen(write("outer"), Effect.exit(inner)), write("after"))),
    )
    expect(yield* Effect.all([has("undone"), has("inner"), has("outer"), has("after")])).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  test("committing an aborted transaction fails", async () => {
    const exit = await run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* as(organization)(
          Effect.exit(sql.withTransaction(Effect.andThen(write("lost"), Effect.exit(sql`select 1 / 0`)))),
        )
      }),
    )
    expect(Exit.isFailure(exit)).toBe(true)
    expect(await run(has("lost"))).toBe(false)
  })

  it("an interruption rolls back the transaction, and the connection can still be used", function* () {
    const sql = yield* SqlClient.SqlClient
    const written = yield* Latch.make(false)
    const work = Effect.andThen(write("interrupted"), Effect.andThen(written.open, Effect.never))
    const held = yield* Effect.forkChild(as(organization)(sql.withTransaction(work)))
    yield* written.await
    yield* Fiber.interrupt(held)
    expect(yield* has("interrupted")).toBe(false)
  })

  it("other statements wait for the end of an open transaction", function* () {
    const sql = yield* SqlClient.SqlClient
    const begun = yield* Latch.make(false)
    let asked = 0
    const slow = write("slow").pipe(
      Effect.andThen(begun.open),
      Effect.andThen(
        eventually(
          Effect.sync(() => asked),
          (count) => count === 40,
        ),
      ),
      sql.withTransaction,
    )
    const others = Effect.forEach(
      Array.from({ length: 40 }, (_, index) => `other ${index}`),
      (body) => Effect.suspend(() => (asked++, write(body))),
      { concurrency: "unbounded" },
    )
    yield* as(organization)(Effect.all([slow, Effect.andThen(begun.await, others)], { concurrency: 2 }))
    expect((yield* as(organization)(bodies)).filter((body) => body.startsWith("other ")).length).toBe(40)
  })

  it("a fiber that outlives its transaction cannot use its connection", function* () {
    const sql = yield* SqlClient.SqlClient
    const over = yield* Latch.make(false)
    const late = yield* as(organization)(
      sql.withTransaction(Effect.forkDetach(Effect.andThen(over.await, write("late")))),
    )
    yield* over.open
    expect(Exit.isFailure(yield* Fiber.await(late))).toBe(true)
    expect(yield* has("late")).toBe(false)
  })
})

describe("errors", () => {
  it("the violation of a unique constraint becomes the failure of that constraint only", function* () {
    const twice = as(newOrganization())(Effect.andThen(write("same"), write("same")))
    const known = twice.pipe(onUniqueViolation("notes_body", () => "taken" as const))
    expect(yield* Effect.flip(known)).toBe("taken")
    const unknown = twice.pipe(
      onUniqueViolation("another_constraint", () => "taken" as const),
      withoutSqlErrors,
    )
    const exit = yield* Effect.exit(unknown)
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
  })
})

describe("values", () => {
  const roundTrip = (column: string, value: unknown): Promise<unknown> =>
    run(
      Effect.gen(function* () {
        const sql = yield* SystemSql
        const [row] = yield* sql<{ readonly value: unknown }>`
          insert into things ${sql.insert({ [column]: value }).returning(sql`${sql(column)} as value`)}`
        return row?.value
      }),
    )

  test("are read as they were written", async () => {
    const values = {
      u: "00000000-0000-0000-0000-000000000001",
      n: "12.50",
      f: 1.5,
      b: true,
      at: new Date("2026-01-02T03:04:05.678Z"),
      ints: [1, 2, 3],
      texts: ["a", 'b"c', "d,e", "é\\"],
      bytes: new Uint8Array([1, 2, 255]),
    }
    for (const [column, value] of Object.entries(values)) {
      expect([column, await roundTrip(column, value)]).toEqual([column, value])
    }
  })

  test("of bigint columns are bigints, beyond the safe integers too", async () => {
    const [row] = await run(
      Effect.flatMap(SystemSql, (sql) => sql`select 9007199254740993 as big, count(*) as n from things`),
    )
    expect(row?.["big"]).toBe(9007199254740993n)
    expect(typeof row?.["n"]).toBe("bigint")
  })

  test("of any JSON are read as they were written", () =>
    fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes("\\u0000")),
        async (value) => {
          const stored = await roundTrip("j", json(value))
          expect(stored).toEqual(JSON.parse(JSON.stringify(value)))
        },
      ),
      { numRuns: 50 },
    ))

  test("of type vector are read bit for bit as they were written", () =>
    fc.assert(
      fc.asyncProperty(
        fc.float32Array({ minLength: 3, maxLength: 3, noNaN: true, noDefaultInfinity: true }),
        async (values) => {
          expect(await roundTrip("e", vector(values))).toEqual(values)
        },
      ),
      { numRuns: 50 },
    ))

  test("of type vector may be a part of a larger buffer", async () => {
    const part = new Float32Array([9, 9, 1, 2, 3, 9]).subarray(2, 5)
    expect(await roundTrip("e", vector(part))).toEqual(Float32Array.of(1, 2, 3))
  })

  test("of type vector that pgvector's own client wrote are read correctly", async () => {
    const values = Float32Array.of(0.1, -2.5, 3e10)
    expect(await roundTrip("e", toSql(Array.from(values)))).toEqual(values)
  })
})

it("many concurrent statements and transactions each get their own result", function* () {
  const sql = yield* SystemSql
  const kinds = [
    (i: number) => Effect.map(sql<{ v: number }>`select ${i}::int + 1 as v`, ([row]) => row?.v === i + 1),
    (i: number) =>
      Effect.map(sql<{ v: string }>`select ${`t${i}`}::text || '-x' as v`, ([row]) => row?.v === `t${i}-x`),
    (i: number) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select set_config('parley.test', ${`v${i}`}, true)`
          yield* Effect.yieldNow
          const [row] = yield* sql<{ v: string }>`select current_setting('parley.test') as v`
          return row?.v === `v${i}`
        }),
      ),
  ]
  const answers = yield* Effect.forEach(
    Array.from({ length: 600 }, (_, i) => i),
    (i): Effect.Effect<boolean, SqlError.SqlError> => kinds[i % kinds.length]?.(i) ?? Effect.succeed(false),
    { concurrency: 20 },
  )
  expect(answers.filter((right) => !right)).toEqual([])
})
