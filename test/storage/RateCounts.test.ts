import { afterAll, expect, test } from "bun:test"
import { Effect, ManagedRuntime } from "effect"
import { COUNTED_SLOTS } from "../../src/admission/SlidingWindow.ts"
import { RateCounts, type RateReport } from "../../src/storage/RateCounts.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { storage } from "../lib/Layers.ts"

const runtime = ManagedRuntime.make(storage)
const run = runtime.runPromise
afterAll(() => runtime.dispose())

const DAY_SLOT_MILLIS = 1_728_000
const report = (more: Partial<RateReport> = {}): RateReport => ({
  id: `key ${crypto.randomUUID()} ${more.slotMillis ?? DAY_SLOT_MILLIS}`,
  quota: 10,
  slotMillis: DAY_SLOT_MILLIS,
  debt: 0,
  want: 0,
  ...more,
})
const count = (...reports: ReadonlyArray<RateReport>) => RateCounts.use((counts) => counts.count(reports))

test("units are granted up to the quota, and debts count in any case", () =>
  run(
    Effect.gen(function* () {
      const one = report()
      const ask = (debt: number, want: number) =>
        Effect.map(count({ ...one, debt, want }), ([answer]) => [
          answer?.granted,
          answer?.counts.reduce((sum, units) => sum + units, 0),
        ])
      expect(yield* ask(0, 4)).toEqual([4, 4])
      expect(yield* ask(3, 2)).toEqual([2, 9])
      expect(yield* ask(0, 5)).toEqual([1, 10])
      expect(yield* ask(2, 1)).toEqual([0, 12])
    }),
  ))

test("several limits are counted by one statement, each for itself", () =>
  run(
    Effect.gen(function* () {
      const reports = Array.from({ length: 20 }, (_, number) => report({ want: number, quota: 12 }))
      const answers = yield* count(...reports)
      const granted = new Map(answers.map((answer) => [answer.id, answer.granted]))
      expect(reports.map(({ id }) => granted.get(id))).toEqual(reports.map(({ want }) => Math.min(want, 12)))
      expect(new Set(answers.map(({ counts }) => counts.length))).toEqual(new Set([COUNTED_SLOTS]))
    }),
  ))

test("units leave the window with their slot", () =>
  run(
    Effect.gen(function* () {
      const sql = yield* SystemSql
      const one = report({ want: 10 })
      const [first] = yield* count(one)
      const past = (slots: number) =>
        sql`update rate_counts set slot = ${(first?.slot ?? 0) - slots}::float8 where id = ${one.id}`
      yield* past(COUNTED_SLOTS - 1)
      expect((yield* count(one))[0]?.granted).toBe(0)
      yield* past(COUNTED_SLOTS)
      expect((yield* count(one))[0]?.granted).toBe(10)
    }),
  ))

test("counts of windows that are over are deleted, and no others", () =>
  run(
    Effect.gen(function* () {
      const sql = yield* SystemSql
      const [old, recent] = [report({ slotMillis: 20, want: 1 }), report({ want: 1 })]
      yield* count(old, recent)
      yield* sql`update rate_counts set slot = slot - 60 where id = ${old.id}`
      yield* (yield* RateCounts).sweep
      const left = yield* sql<{ id: string }>`select id from rate_counts where id in (${old.id}, ${recent.id})`
      expect(left.map(({ id }) => id)).toEqual([recent.id])
    }),
  ))
