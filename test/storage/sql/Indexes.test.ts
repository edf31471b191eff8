import { afterAll, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { makeIndexes } from "../../../src/storage/sql/Indexes.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { platform, storage } from "../../lib/Layers.ts"

const runtime = ManagedRuntime.make(Layer.provideMerge(storage, platform))
afterAll(() => runtime.dispose())

/** Builds an index within this memory by the database's own setting, in MB, and returns the one that it was built with. */
const memoryOfBuild = (setting: number) =>
  runtime.runPromise(
    Effect.gen(function* () {
      const sql = yield* SystemSql
      const name = `memory_${setting}`
      const run = (statement: string) => sql.unsafe(statement).unprepared
      yield* run(`create table ${name} (memory text)`)
      yield* run(`insert into ${name} values ('')`)
      yield* run(`create function ${name}(text) returns text immutable language plpgsql as $$
        begin raise exception 'with %', current_setting('maintenance_work_mem'); end $$`)
      yield* run(`set maintenance_work_mem = '${setting}MB'`)
      const failure = yield* Effect.flip(
        makeIndexes(sql).ensure({ name: `${name}_index`, table: name, definition: `(${name}(memory))` }),
      )
      return /with (\w+)/.exec(String(failure.reason.cause))?.[1]
    }),
  )

test("an index is built with much memory, and with more where the database's setting is higher", async () => {
  expect(await memoryOfBuild(64)).toBe("256MB")
  expect(await memoryOfBuild(300)).toBe("300MB")
})
