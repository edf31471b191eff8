import { afterAll, beforeAll, describe, expect } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import type { OrganizationId } from "../../../src/domain/Ids.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { sqlState } from "../../../src/storage/sql/SqlErrors.ts"
import { makeFilledTenant, tablesWithOrganization, type Tenant } from "../../lib/FilledTenant.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as } from "../../lib/Tenants.ts"
import { undone } from "../../lib/Undone.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

let first: Tenant
let second: Tenant
beforeAll(async () => {
  first = await run(makeFilledTenant)
  second = await run(makeFilledTenant)
})

/** The organizations whose rows a statement without a filter returns. */
const organizationsIn = (rows: ReadonlyArray<{ readonly organization_id: OrganizationId }>) =>
  new Set(rows.map((row) => row.organization_id))

interface Owned {
  readonly organization_id: OrganizationId
}

/** The organizations whose rows statements without a filter read, change and delete in a table. */
const metBy = (sql: SqlClient.SqlClient, table: string) =>
  Effect.all({
    read: Effect.map(sql<Owned>`select organization_id from ${sql(table)}`, organizationsIn),
    ...(table !== unchangeable && {
      changed: Effect.map(
        undone(sql, sql<Owned>`update ${sql(table)} set organization_id = organization_id returning organization_id`),
        organizationsIn,
      ),
    }),
    deleted: Effect.map(undone(sql, sql<Owned>`delete from ${sql(table)} returning organization_id`), organizationsIn),
  })

/** The table whose rows tenants add, read and delete, and do not change. */
const unchangeable = "identity_secrets"
/** The table whose rows tenants add and read, and neither change nor delete. */
const appendOnly = "audit_log"

describe("by a statement without a filter", () => {
  it("a tenant reads, changes and deletes its own rows and no others, in every table", function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* tablesWithOrganization
    expect(tables.length).toBeGreaterThan(40)
    for (const table of tables.filter((table) => table !== appendOnly)) {
      const own = new Set([second.organization])
      const met = yield* as(second.organization)(metBy(sql, table))
      const expected = { read: own, deleted: own, ...(table !== unchangeable && { changed: own }) }
      expect<unknown>({ table, ...met }).toEqual({ table, ...expected })
    }
    const organizations = yield* as(second.organization)(sql<{ id: OrganizationId }>`select id from organizations`)
    expect(organizations).toEqual([{ id: second.organization }])
  })

  it("a tenant reads its own entries of the audit log, and can change and delete none", function* () {
    const sql = yield* SqlClient.SqlClient
    const mine = as(second.organization)
    const read = yield* mine(sql<Owned>`select organization_id from ${sql(appendOnly)}`)
    expect(organizationsIn(read)).toEqual(new Set([second.organization]))
    for (const change of [
      sql`update identity_secrets set secret = 'forged'`,
      sql`update audit_log set action = 'forged'`,
      sql`delete from audit_log`,
      sql`truncate audit_log`,
    ]) {
      expect(sqlState(yield* mine(Effect.flip(change)))).toBe("42501")
    }
  })

  it("a tenant can neither insert a row for another organization nor give one to it", function* () {
    const sql = yield* SqlClient.SqlClient
    const system = yield* SystemSql
    for (const table of yield* tablesWithOrganization) {
      const [row] = yield* system<{ row: unknown }>`
        select to_jsonb(t) as row from ${system(table)} t where organization_id = ${first.organization} limit 1`
      // The database computes the other columns.
      const [given] = yield* system<{ columns: string }>`
        select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
        where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`
      const columns = sql.literal(given?.columns ?? "")
      const insert = sql`insert into ${sql(table)} (${columns})
        select ${columns} from jsonb_populate_record(null::${sql(table)}, ${JSON.stringify(row?.row)}::jsonb)`
      // Of a table that a tenant may not update, that is refused as well.
      const give = sql`update ${sql(table)} set organization_id = ${first.organization}`
      for (const forged of [insert, give]) {
        expect([table, sqlState(yield* as(second.organization)(Effect.flip(forged)))]).toEqual([table, "42501"])
      }
    }
  })

  it("a session without an organization reads nothing", function* () {
    const system = yield* SystemSql
    for (const table of yield* tablesWithOrganization) {
      const rows = yield* system.withTransaction(
        Effect.andThen(system`set local role parley_tenant`, system`select * from ${system(table)}`),
      )
      expect([table, rows]).toEqual([table, []])
    }
  })

  it("a tenant would read all rows if row-level security were off, so that these tests can fail", function* () {
    const system = yield* SystemSql
    for (const table of (yield* tablesWithOrganization).filter((table) => table !== appendOnly)) {
      const met = yield* undone(
        system,
        Effect.gen(function* () {
          yield* system`alter table ${system(table)} disable row level security`
          // The triggers that count what is stored write to tables whose security is still on.
          yield* system`alter table ${system(table)} disable trigger user`
          yield* system`select set_config('role', 'parley_tenant', true),
            set_config('parley.organization_id', ${second.organization}, true)`
          return yield* metBy(system, table)
        }),
      )
      for (const organizations of Object.values(met)) expect(organizations).toContain(first.organization)
    }
  })
})

describe("a row of an organization", () => {
  /** Tables without a foreign key to the organization, because their rows expire, are folded, or stay, or go with a message. */
  const unreferenced = new Set([
    appendOnly,
    "chat_reservations",
    "conversation_presence",
    "holding_entries",
    "idempotency_keys",
    "reply_grounds",
    "unfinished_replies",
    "usage_entries",
    "webhook_deliveries",
  ])
  /** Tables whose rows refer to the organization alone, or to a day of it. */
  const ofOrganization = new Set([
    "conversation_days",
    "folded_days",
    "holdings",
    "model_connections",
    "retention_runs",
    "sign_in_providers",
    "usage_days",
  ])

  it("is deleted with its organization, and with no other", function* () {
    const system = yield* SystemSql
    const tables = (yield* tablesWithOrganization).filter((table) => !unreferenced.has(table))
    const left = yield* undone(
      system,
      Effect.gen(function* () {
        yield* system`delete from organizations where id = ${first.organization}`
        return yield* Effect.forEach(tables, (table) =>
          Effect.map(system<Owned>`select organization_id from ${system(table)}`, organizationsIn),
        )
      }),
    )
    for (const [index, table] of tables.entries()) {
      const has = [first, second].map(({ organization }) => left[index]?.has(organization))
      expect([table, has]).toEqual([table, [false, true]])
    }
  })

  it("cannot refer to a row of another organization", function* () {
    const system = yield* SystemSql
    for (const table of yield* tablesWithOrganization) {
      if (unreferenced.has(table) || ofOrganization.has(table)) continue
      const give = system`
        update ${system(table)} set organization_id = ${second.organization}
        where organization_id = ${first.organization}`
      expect([table, sqlState(yield* Effect.flip(give))]).toEqual([table, "23503"])
    }
  })
})
