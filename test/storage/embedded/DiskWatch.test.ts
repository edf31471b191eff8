import { expect, setDefaultTimeout, test } from "bun:test"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { watchDisk } from "../../../src/storage/embedded/DiskWatch.ts"
import { explain } from "../../../src/storage/embedded/Embedded.ts"
import { EngineFailure } from "../../../src/storage/embedded/Engine.ts"
import { withoutSqlErrors } from "../../../src/storage/sql/SqlErrors.ts"
import { freshDirectory, layerOf } from "../../lib/TestDatabase.ts"

setDefaultTimeout(180_000)

const MIB = 1024 * 1024

test("a database is read-only while its disk has less space than the reserve, and the log says so once", async () => {
  const lines: Array<string> = []
  const log = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
  const watched = Effect.gen(function* () {
    const sql = yield* SystemSql
    // What is logged once is remembered by the process, which may have run this test a moment ago.
    yield* TestClock.setTime(Date.now() * 1_000)
    yield* sql`create table kept (id int)`
    const insert = Effect.asVoid(withoutSqlErrors(sql`insert into kept values (1)`))
    let free: number | undefined = 65 * MIB
    const { isLow } = yield* watchDisk(sql, {
      directory: "/data",
      free: Effect.sync(() => free),
      reserve: 64 * MIB,
    })
    const become = (bytes: number | undefined, low: boolean) =>
      Effect.suspend(() => {
        free = bytes
        // The watch sends a statement, which takes real time.
        return Effect.andThen(
          Effect.repeat(Effect.andThen(TestClock.adjust("10 seconds"), sql`select 1`), { times: 3 }),
          Effect.repeat(Effect.andThen(sql`select 1`, isLow), { until: (now) => now === low }),
        )
      })

    yield* become(65 * MIB, false)
    yield* insert
    yield* become(63 * MIB, true)
    expect(yield* Effect.flip(insert)).toMatchObject({
      _tag: "Unavailable",
      detail: "Nothing can be stored right now.",
    })
    expect(yield* sql`select id from kept`).toHaveLength(1)
    // A new connection to the engine begins with the default.
    yield* sql`select set_config('default_transaction_read_only', 'off', false)`
    yield* become(62 * MIB, true)
    expect((yield* Effect.flip(insert))._tag).toBe("Unavailable")
    yield* become(64 * MIB, false)
    yield* insert
    // A file system that does not report its free space is no reason to stop.
    yield* become(undefined, false)
    yield* insert
    expect(yield* sql`select id from kept`).toHaveLength(3)
  })
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* freshDirectory
        yield* Effect.provide(watched, Layer.mergeAll(layerOf(database), TestClock.layer(), log))
      }),
    ),
  )
  expect(lines.filter((line) => line.includes("nearly full"))).toHaveLength(1)
  expect(lines.filter((line) => line.includes("has space again"))).toHaveLength(1)
  // However many statements are refused.
  expect(lines.filter((line) => line.includes("can only be read"))).toHaveLength(1)
})

test.each([
  ['PANIC:  could not write to file "pg_wal/xlogtemp.42": No space left on device', 13 * MIB, true],
  ["PANIC:  could not open file", 3 * MIB, true],
  ["Aborted(RuntimeError)", undefined, false],
  ["PANIC:  could not locate a valid checkpoint record", 900 * MIB, false],
])("an engine that ends with %p and %p bytes free is explained by a full disk: %p", (message, free, isFull) => {
  const { what, doThis } = explain({
    directory: "/data/database",
    what: "stopped",
    failure: new EngineFailure({ message }),
    free,
  })
  expect(what).toContain("/data/database")
  expect(what.includes("its disk is full")).toBe(isFull)
  expect(doThis.includes("nothing is damaged")).toBe(isFull)
  expect(doThis.includes("backup")).toBe(!isFull)
})
