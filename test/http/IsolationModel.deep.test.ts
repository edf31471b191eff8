import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { Statement } from "effect/sql"
import { tablesWithOrganization } from "../lib/FilledTenant.ts"
import { runModel } from "../lib/safety/model/Run.ts"
import { makeUnfilteredServer, withoutFilters } from "../lib/safety/model/WithoutFilters.ts"
import { searchSeed, searchTimes, sizeOf } from "../lib/Sample.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { startServer, testTimeout } from "../lib/TestServer.ts"
import { sharedRun } from "../lib/Scoped.ts"

const settings = { RATE_LIMIT: "off" }
/** Random operations: a search for rare faults, which is full in CI. */
const OPERATIONS = searchTimes * sizeOf(60, 20)
/** The most operations until a fault shows that is there. */
const OPERATIONS_MAX = 600

const whole = await startServer(settings)
setDefaultTimeout(2 * searchTimes * testTimeout)
const run = sharedRun()
const unfiltered = await run(makeUnfilteredServer(settings))

describe("three organizations see and change their own things only, whatever they do", () => {
  test("with filters in the statements and row-level security", async () => {
    expect((await runModel(whole, { operations: OPERATIONS, seed: searchSeed })).failure).toBeUndefined()
  })

  test("with row-level security alone", async () => {
    const { failure, operations } = await runModel(unfiltered.server, { operations: OPERATIONS, seed: searchSeed })
    expect(failure).toBeUndefined()
    expect(unfiltered.removed()).toBeGreaterThan(operations)
  })

  test("but not with neither of them, so that these tests can fail", async () => {
    await unfiltered.server.query(
      Effect.gen(function* () {
        const sql = yield* SystemSql
        for (const table of yield* tablesWithOrganization)
          yield* sql`alter table ${sql(table)} disable row level security`
      }),
    )
    expect((await runModel(unfiltered.server, { operations: OPERATIONS_MAX, seed: searchSeed })).failure).toBeDefined()
  })
})

test("filters by organization are removed from a statement with their parameters", () => {
  const { literal, parameter } = Statement
  const segments = [
    literal("select from t where id = "),
    parameter("a"),
    literal(" and t.organization_id = "),
    parameter("o"),
    literal(" or organization_id = u.organization_id and organization_id = "),
    parameter("o"),
  ]
  expect(withoutFilters(segments)).toEqual({
    removed: 2,
    segments: [
      literal("select from t where id = "),
      parameter("a"),
      literal(" and true"),
      literal(" or organization_id = u.organization_id and true"),
    ],
  })
})
