import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { serversCheck } from "../../../src/services/doctor/Database.ts"
import { Inspection, type PostgresServer } from "../../../src/storage/inspection/Inspection.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { storage } from "../../lib/Layers.ts"

/*
 * What `doctor` says of a Postgres server: in each state that one can be in, made up, and of the server of the tests.
 */

const settings = { url: Redacted.make("postgres://host/database") }

const NOW = 1_800_000_000_000
const well: PostgresServer = { at: NOW, open: 10, connectionsMax: 97 }

const inspection = (facts: Partial<PostgresServer>) =>
  Layer.mock(Inspection)({
    postgres: Effect.succeed({ ...well, ...facts }),
    servers: Effect.succeed([{ version: "1.2.3", host: "here", connections: 17 }]),
  })

const ofServer = (facts: Partial<PostgresServer>) =>
  Effect.runPromise(
    Effect.andThen(TestClock.setTime(NOW), serversCheck(settings)).pipe(
      Effect.map((findings) => findings.map(({ part, state, text }) => `${state} ${part}: ${text}`)),
      Effect.provide([inspection(facts), TestClock.layer()]),
    ),
  )

describe("of a Postgres server, doctor", () => {
  test("says that clocks agree, which servers there are, and how many connections are in use", async () => {
    expect(await ofServer({})).toEqual([
      "ok clock: that of this machine and that of the database agree",
      "ok servers: 1 server on 1 machine, of version 1.2.3",
      "ok connections: all servers together open 17 at most, and the database gives 97, of which 10 are open",
    ])
  })

  test.each([
    [{ at: NOW + 3_000 }, "note clock: the database's is 3.0 s ahead of this machine's; synchronize both by NTP"],
    [{ at: NOW - 90_000 }, "wrong clock: the database's is 90.0 s behind this machine's; synchronize both by NTP"],
    [
      { open: 80 },
      "note connections: all servers together open 17 at most, and the database gives 97, of which 80 are open",
    ],
    [
      { connectionsMax: 12 },
      "wrong connections: all servers together open 17 at most, and the database gives 12, of which 10 are open; lower DATABASE_CONNECTIONS or the number of workers, or raise max_connections",
    ],
  ])("reports %o", async (facts, line) => {
    expect(await ofServer(facts)).toContain(line)
  })

  test("says nothing of the embedded database, which has neither clock nor connections", async () => {
    expect(await Effect.runPromise(serversCheck({ url: undefined }).pipe(Effect.provide(inspection({}))))).toEqual([])
  })
})

describe("in the database of the tests, doctor", () => {
  const runtime = ManagedRuntime.make(storage)
  afterAll(() => runtime.dispose())

  test("finds an incomplete index, and none of words or vectors, which are made again by themselves", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SystemSql
        const { invalidIndexes } = yield* Inspection
        expect(yield* invalidIndexes).toEqual([])
        yield* sql`create index chunks_nearest_some on chunks (title)`
        yield* sql`update pg_index set indisvalid = false
          where indexrelid in ('documents_blob'::regclass, 'chunks_nearest_some'::regclass)`
        expect(yield* invalidIndexes).toEqual(["documents_blob"])
      }),
    ))

  test("reads how the server is", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { at, connectionsMax, open } = yield* (yield* Inspection).postgres
        expect(Math.abs(at - Date.now())).toBeLessThan(60_000)
        expect(open).toBeGreaterThanOrEqual(0)
        expect(connectionsMax).toBeGreaterThan(0)
      }),
    ))
})
