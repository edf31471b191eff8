import { afterAll, expect } from "bun:test"
import { Effect, ManagedRuntime } from "effect"
import { COUNTED_SLOTS } from "../../src/admission/RateCounter.ts"
import { RateCounts } from "../../src/storage/RateCounts.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { storage } from "../lib/Layers.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(storage)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

const DAY_SLOT_MILLIS = 1_728_000
const newId = (slotMillis = DAY_SLOT_MILLIS) => `key ${crypto.randomUUID()} ${slotMillis}`
const add = (...counts: ReadonlyArray<{ readonly id: string; readonly units: number }>) =>
  RateCounts.use((storage) => storage.add(counts))
const sumOf = (units: ReadonlyArray<number> = []) => units.reduce((sum, one) => sum + one, 0)

it("units of all servers are added, and those that were taken back subtracted", function* () {
  const id = newId()
  for (const [units, sum] of [
    [4, 4],
    [0, 4],
    [9, 13],
    [-3, 10],
  ] as const) {
    expect(sumOf((yield* add({ id, units })).get(id)?.counts)).toBe(sum)
  }
  const each = Array.from({ length: 20 }, () => add({ id, units: 1 }))
  const sums = (yield* Effect.all(each, { concurrency: "unbounded" })).map((counts) => sumOf(counts.get(id)?.counts))
  expect(sums.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, one) => 11 + one))
})

it("several limits are counted by one statement, each for itself", function* () {
  const counts = Array.from({ length: 20 }, (_, units) => ({ id: newId(), units }))
  const twice = [...counts, ...counts.slice(0, 1).map((one) => ({ ...one, units: 7 }))]
  const answer = yield* add(...twice)
  expect(counts.map(({ id }) => sumOf(answer.get(id)?.counts))).toEqual([
    7,
    ...counts.slice(1).map(({ units }) => units),
  ])
})

it("units grow older with the slots, and leave the window", function* () {
  const sql = yield* SystemSql
  const id = newId()
  yield* add({ id, units: 10 })
  const past = (slots: number) => sql`update rate_counts set slot = slot - ${slots}::integer where id = ${id}`
  yield* past(1)
  expect((yield* add({ id, units: 5 })).get(id)?.counts.slice(0, 3)).toEqual([5, 10])
  yield* past(COUNTED_SLOTS - 2)
  const last = (yield* add({ id, units: 1 })).get(id)?.counts
  expect([last?.length, last?.[0], last?.at(-2), last?.at(-1)]).toEqual([COUNTED_SLOTS, 1, 5, 10])
  yield* past(1)
  expect(sumOf((yield* add({ id, units: 1 })).get(id)?.counts)).toBe(7)
  yield* past(1_000_000)
  expect(sumOf((yield* add({ id, units: 1 })).get(id)?.counts)).toBe(1)
  // The clock of the database was set back.
  yield* past(-9)
  expect((yield* add({ id, units: 2 })).get(id)?.counts[0]).toBe(3)
})

it("counts of windows that are over are deleted, and no others", function* () {
  const sql = yield* SystemSql
  const [old, recent] = [newId(20), newId()]
  yield* add({ id: old, units: 1 }, { id: recent, units: 1 })
  yield* sql`update rate_counts set slot = slot - 60 where id = ${old}`
  yield* (yield* RateCounts).sweep
  const left = yield* sql<{ id: string }>`select id from rate_counts where id in (${old}, ${recent})`
  expect(left.map(({ id }) => id)).toEqual([recent])
})
