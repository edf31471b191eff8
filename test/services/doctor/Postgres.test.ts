import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { serverCheck, tablesCheck } from "../../../src/services/doctor/Database.ts"
import { DatabaseHealth } from "../../../src/storage/inspection/DatabaseHealth.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { storage } from "../../lib/Layers.ts"

/*
 * What `doctor` says of a Postgres server: in each state that one can be in, made up, and of the server of the tests.
 */

const settings = { url: Redacted.make("postgres://host/database"), maxConnections: 16 }
const linesOf = (findings: ReadonlyArray<{ readonly state: string; readonly part: string; readonly text: string }>) =>
  findings.map(({ part, state, text }) => `${state} ${part}: ${text}`)

type Health = DatabaseHealth["Service"]
type ServerFacts = Effect.Success<Health["server"]>
type TableFacts = Effect.Success<Health["tables"]>[number]

const NOW = 1_800_000_000_000
const well: ServerFacts = {
  at: NOW,
  connections: 10,
  connectionsMax: 97,
  isAutovacuumOn: true,
  oldestId: 1_000_000,
  freezeAge: 200_000_000,
}
const table: TableFacts = {
  name: "messages",
  bytes: 2 ** 30,
  rows: 5_000_000,
  deadRows: 10,
  isBehind: false,
  isAnalyzed: true,
  scansPerHour: 0,
}

const health = (facts: Partial<ServerFacts>, tables: ReadonlyArray<Partial<TableFacts>> = [], more = {}) =>
  Layer.succeed(DatabaseHealth, {
    server: Effect.succeed({ ...well, ...facts }),
    invalidIndexes: Effect.succeed([]),
    tables: Effect.succeed(tables.map((one) => ({ ...table, ...one }))),
    slowStatements: Effect.succeed([]),
    ...more,
  })

const ofServer = (facts: Partial<ServerFacts>, ofProcess = settings) =>
  Effect.runPromise(
    Effect.andThen(TestClock.setTime(NOW), serverCheck(ofProcess)).pipe(
      Effect.map(linesOf),
      Effect.provide([health(facts), TestClock.layer()]),
    ),
  )

const ofTables = (tables: ReadonlyArray<Partial<TableFacts>>, more?: Partial<Health>) =>
  Effect.runPromise(Effect.map(tablesCheck(settings), linesOf).pipe(Effect.provide(health({}, tables, more))))

describe("of a Postgres server, doctor", () => {
  test("says that clocks agree, and how many connections are in use", async () => {
    expect(await ofServer({})).toEqual([
      "ok clock: that of this machine and that of the database agree",
      "ok connections: 10 of 97 connections of Postgres in use; a process of Parley opens 16 at most",
    ])
  })

  test.each([
    [{ at: NOW + 3_000 }, "note clock: the database's is 3.0 s ahead of this machine's; synchronize both by NTP"],
    [{ at: NOW - 90_000 }, "wrong clock: the database's is 90.0 s behind this machine's; synchronize both by NTP"],
    [
      { connections: 80 },
      "note connections: 80 of 97 connections of Postgres in use; a process of Parley opens 16 at most",
    ],
    [
      { connectionsMax: 12 },
      "wrong connections: 10 of 12 connections of Postgres in use; a process of Parley opens 16 at most, which is more than there are",
    ],
    [{ isAutovacuumOn: false }, "wrong tables: autovacuum is off, so that tables grow for ever; switch it on"],
    [{ oldestId: 500_000_000 }, "note tables: not vacuumed for 500 million transactions; autovacuum does not keep up"],
    [
      { oldestId: 1_500_000_000 },
      "wrong tables: not vacuumed for 1,500 million transactions; Postgres stops writing at 2,147 million",
    ],
  ])("reports %o", async (facts, line) => {
    expect(await ofServer(facts)).toContain(line)
  })

  test("says nothing of the embedded database, which has neither clock nor connections", async () => {
    expect(
      await Effect.runPromise(serverCheck({ ...settings, url: undefined }).pipe(Effect.provide(health({})))),
    ).toEqual([])
  })

  test.each([
    [{}, []],
    [{ scansPerHour: 59 }, []],
    [{ scansPerHour: 400 }, ["note tables: messages (1024 MiB) is read whole 400 times an hour, for want of an index"]],
    [
      { isBehind: true, deadRows: 2_000_000 },
      ["note tables: messages (1024 MiB) has 2,000,000 dead rows and 5,000,000 others; autovacuum does not keep up"],
    ],
    [
      { isAnalyzed: false },
      ["note tables: messages (1024 MiB) was never analyzed, so that Postgres guesses; `ANALYZE messages` counts"],
    ],
  ])("reports of a large table with %o", async (facts, lines) => {
    const well = ["ok tables: indexes are complete, and large tables are vacuumed, analyzed and not read whole"]
    expect(await ofTables([facts])).toEqual(lines.length === 0 ? well : lines)
  })

  test("names indexes that are incomplete, and statements that take long", async () => {
    expect(
      await ofTables([], {
        invalidIndexes: Effect.succeed(["messages_session"]),
        slowStatements: Effect.succeed([{ statement: "select 1", calls: 20, milliseconds: 700 }]),
      }),
    ).toEqual([
      "wrong tables: the index messages_session is incomplete; `REINDEX INDEX messages_session` builds it anew",
      "note tables: 700 ms on average in 20 calls: select 1",
    ])
  })
})

describe("in the database of the tests, doctor", () => {
  const runtime = ManagedRuntime.make(Layer.provideMerge(DatabaseHealth.layer, storage))
  afterAll(() => runtime.dispose())

  test("finds an incomplete index, and none of words or vectors, which are made again by themselves", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SystemSql
        const { invalidIndexes } = yield* DatabaseHealth
        expect(yield* invalidIndexes).toEqual([])
        yield* sql`create index chunks_nearest_some on chunks (title)`
        yield* sql`update pg_index set indisvalid = false
          where indexrelid in ('documents_blob'::regclass, 'chunks_nearest_some'::regclass)`
        expect(yield* invalidIndexes).toEqual(["documents_blob"])
      }),
    ))

  test("reads how the server is, and finds no fault with small tables", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { server, slowStatements, tables } = yield* DatabaseHealth
        const { at, connections, connectionsMax, oldestId } = yield* server
        expect(Math.abs(at - Date.now())).toBeLessThan(60_000)
        expect(connections).toBeGreaterThanOrEqual(0)
        expect(connectionsMax).toBeGreaterThan(0)
        expect(oldestId).toBeGreaterThan(0)
        expect(yield* tables).toEqual([])
        expect(yield* slowStatements).toEqual([])
      }),
    ))

  test("finds a large table that was never analyzed", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SystemSql
        yield* sql`create unlogged table large (filling text) with (autovacuum_enabled = off)`
        yield* sql`alter table large alter column filling set storage plain`
        yield* sql`insert into large select repeat('x', 8000) from generate_series(1, 8200)`
        const found = yield* (yield* DatabaseHealth).tables
        expect(found.map(({ isAnalyzed, name }) => ({ isAnalyzed, name }))).toEqual([
          { isAnalyzed: false, name: "large" },
        ])
      }),
    ))
})
