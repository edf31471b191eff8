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

/** A hash of all rows of an organization, by table, which one statement reads. */
const everythingOf = (organization: OrganizationId) =>
  SystemSql.use((sql) =>
    Effect.flatMap(tablesWithOrganization, (tables) =>
      Effect.map(
        sql<{ table: string; rows: string }>`${sql.join(
          " union all ",
          false,
        )(
          tables.map(
            (table) => sql`select ${sql.literal(`'${table}'`)} as table,
              md5(string_agg(t::text, chr(10) order by t::text)) as rows
              from ${sql(table)} t where organization_id = ${organization}`,
          ),
        )}`,
        (rows) => Object.fromEntries(rows.map(({ rows, table }) => [table, rows])),
      ),
    ),
  )

type Rows = Effect.Success<ReturnType<typeof everythingOf>>

/** Calls by another organization, which must return nothing of the target's rows and change none of them. */
const strangersOf = (target: () => Tenant, stranger: () => Tenant) => {
  /** What the calls before have left as it was. */
  let rows: Rows | undefined
  return Effect.fnUntraced(function* ({ nothing, outcome }: (typeof tenantCalls)[number]) {
    const before = rows ?? (yield* everythingOf(target().organization))
    expect(yield* as(stranger().organization)(outcome(target()))).toEqual(nothing)
    rows = yield* everythingOf(target().organization)
    expect(rows).toEqual(before)
  })
}

describe("another organization sees and changes nothing by", () => {
  const seesNothing = strangersOf(
    () => first,
    () => second,
  )
  test.each(tenantCalls)("$name", (each) => run(seesNothing(each)))
})

describe("another organization sees and changes nothing, even without row-level security, by", () => {
  let tenants: readonly [Tenant, Tenant]
  beforeAll(async () => {
    tenants = await unsecured.runPromise(Effect.all([makeFilledTenant, makeFilledTenant]))
  })
  const seesNothing = strangersOf(
    () => tenants[0],
    () => tenants[1],
  )
  test.each(tenantCalls)("$name", (each) => unsecured.runPromise(seesNothing(each)))
})

describe("its own organization sees or changes something by", () => {
  /** A tenant of which the calls before have changed nothing, and its rows. */
  let unchanged: { readonly own: Tenant; readonly before: Rows } | undefined
  const makeOwn = Effect.gen(function* () {
    // Earlier calls may have left jobs in the queue.
    yield* SystemSql.use((sql) => sql`delete from ingestions where lease_id is null`)
    const own = yield* makeFilledTenant
    return { own, before: yield* everythingOf(own.organization) }
  })
  test.each(tenantCalls)("$name", ({ nothing, outcome }) =>
    run(
      Effect.gen(function* () {
        const { own, before } = unchanged ?? (yield* makeOwn)
        unchanged = undefined
        const seen = yield* as(own.organization)(outcome(own))
        const after = yield* everythingOf(own.organization)
        if (Bun.deepEquals(after, before)) unchanged = { own, before }
        expect([seen, after]).not.toEqual([nothing, before])
      }),
    ),
  )
})
