import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import type { OrganizationId } from "../../../src/domain/Ids.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { makeFilledTenant, tablesWithOrganization, type Tenant } from "../../lib/FilledTenant.ts"
import { platform, repositories, storage } from "../../lib/Layers.ts"
import { tenantCalls } from "../../lib/TenantCalls.ts"
import { as } from "../../lib/Tenants.ts"
import * as TestDatabase from "../../lib/TestDatabase.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
/**
 * The repositories with the rights of the tables' owner: without row-level security, only their filters protect rows.
 */
const unsecured = ManagedRuntime.make(
  repositories.pipe(
    Layer.provide(Layer.effect(SqlClient.SqlClient, SystemSql)),
    Layer.provideMerge(TestDatabase.layer),
    Layer.merge(platform),
  ),
)
const run = runtime.runPromise
afterAll(async () => {
  await runtime.dispose()
  await unsecured.dispose()
})

let first: Tenant
let second: Tenant
beforeAll(async () => {
  first = await run(makeFilledTenant)
  second = await run(makeFilledTenant)
})

/** All rows of an organization. */
const everythingOf = (organization: OrganizationId) =>
  SystemSql.use((sql) =>
    Effect.flatMap(tablesWithOrganization, (tables) =>
      Effect.forEach(tables, (table) =>
        Effect.map(
          sql<{ row: string }>`
            select row_to_json(t)::text as row from ${sql(table)} t where organization_id = ${organization} order by 1`,
          (rows) => [table, rows.map(({ row }) => row)] as const,
        ),
      ),
    ),
  )

/** Expects that a call by another organization returns nothing of the target's rows and changes none of them. */
const seesNothing = Effect.fnUntraced(function* (
  { nothing, outcome }: (typeof tenantCalls)[number],
  stranger: Tenant,
  target: Tenant,
) {
  const before = yield* everythingOf(target.organization)
  expect(yield* as(stranger.organization)(outcome(target))).toEqual(nothing)
  expect(yield* everythingOf(target.organization)).toEqual(before)
})

describe("another organization sees and changes nothing by", () => {
  test.each(tenantCalls)("$name", (each) => run(seesNothing(each, second, first)))
})

describe("another organization sees and changes nothing, even without row-level security, by", () => {
  let tenants: readonly [Tenant, Tenant]
  beforeAll(async () => {
    tenants = await unsecured.runPromise(Effect.all([makeFilledTenant, makeFilledTenant]))
  })
  test.each(tenantCalls)("$name", (each) => unsecured.runPromise(seesNothing(each, tenants[1], tenants[0])))
})

describe("its own organization sees or changes something by", () => {
  test.each(tenantCalls)("$name", ({ nothing, outcome }) =>
    run(
      Effect.gen(function* () {
        // Earlier tests may have left jobs in the queue.
        yield* SystemSql.use((sql) => sql`delete from ingestions where lease_id is null`)
        const own = yield* makeFilledTenant
        const before = yield* everythingOf(own.organization)
        const seen = yield* as(own.organization)(outcome(own))
        const after = yield* everythingOf(own.organization)
        expect([seen, after]).not.toEqual([nothing, before])
      }),
    ),
  )
})
