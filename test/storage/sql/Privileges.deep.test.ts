import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { migrationsDirectory } from "../../../src/storage/MigrationFiles.ts"
import { migrate } from "../../../src/storage/sql/Migrations.ts"
import { sqlState } from "../../../src/storage/sql/SqlErrors.ts"
import { tablesWithOrganization } from "../../lib/FilledTenant.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { undone } from "../../lib/Undone.ts"
import { effectTests } from "../../lib/EffectTests.ts"

/*
 * What each role of the database may do. A migration that makes a table has to grant it to `parley_tenant`, and to secure
 * its rows.
 */

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

interface Routine {
  readonly name: string
  readonly definer: boolean
  readonly trigger: boolean
  readonly settings: ReadonlyArray<string> | null
  readonly by_public: boolean
  readonly by_tenant: boolean
}

/** The functions and procedures of the schema, without those of extensions. */
const routines = SystemSql.use(
  (sql) => sql<Routine>`
    select proname as name, prosecdef as definer, prorettype = 'trigger'::regtype as trigger, proconfig as settings,
      has_function_privilege('public', p.oid, 'execute') as by_public,
      has_function_privilege('parley_tenant', p.oid, 'execute') as by_tenant
    from pg_proc p
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    order by proname`,
)

const expectClosed = (all: ReadonlyArray<Routine>) => {
  const namesOf = (some: (routine: Routine) => boolean) => all.filter(some).map(({ name }) => name)
  expect(namesOf(({ by_public }) => by_public)).toEqual([])
  expect(namesOf(({ by_tenant, trigger }) => by_tenant === trigger)).toEqual([])
  expect(namesOf(() => true)).toEqual(expect.arrayContaining(["current_organization", "publish_revision", "take_turn"]))
}

describe("a function of the schema", () => {
  test("can be executed by the tenants' role and by no other, except that triggers need no right", () =>
    run(Effect.map(routines, expectClosed)))

  it("has its owner's rights only where this is meant, and then with a fixed search path", function* () {
    const definers = (yield* routines).filter(({ definer }) => definer)
    // The first two read by indexes that policies would keep them from, the last one a clock of all organizations.
    expect(definers.map(({ name }) => name)).toEqual(["sessions_with_email", "stored_matches", "take_turn"])
    for (const { name, settings } of definers) {
      expect([name, settings]).toEqual([name, expect.arrayContaining(["search_path=public, pg_temp"])])
    }
  })

  it("is closed to public also where the owner of the database is no superuser, and vectors stay usable", function* () {
    const sql = yield* SystemSql
    const migrated = Effect.gen(function* () {
      yield* sql`create role parley_test_owner`
      yield* sql`drop schema public cascade`
      yield* sql`create schema public authorization parley_test_owner`
      yield* sql`grant create on schema public to public`
      yield* sql`create extension vector`
      yield* sql`set local role parley_test_owner`
      // Looking for these tables where they are missing would abort the transaction.
      yield* sql`create table parley_migrations (number int primary key, name text not null, checksum text not null,
        applied_at timestamptz not null default now(), usable_from int)`
      yield* sql`create table parley_functions (subject text primary key, checksum text not null)`
      yield* migrate(sql, migrationsDirectory)
      yield* sql`set local role parley_tenant`
      const [row] = yield* sql`select '[1,0]'::vector <=> '[0,1]'::vector as distance,
        has_schema_privilege('public', 'public', 'create') as open`
      expect(row).toEqual({ distance: 1, open: false })
      return yield* routines
    })
    expectClosed(yield* undone(sql, migrated))
  })
})

interface Relation {
  readonly name: string
  readonly secured: boolean
  readonly policy: string | null
  readonly by_public: boolean
  readonly by_tenant: boolean
  readonly beyond: boolean
  readonly owned: boolean
}

/** The tables, views and sequences of the schema. */
const relations = SystemSql.use(
  (sql) => sql<Relation>`
    select relname as name, relrowsecurity as secured,
      (select string_agg(concat_ws(' ', polroles::regrole[]::text, pg_get_expr(polqual, polrelid)), ' or ')
        from pg_policy where polrelid = c.oid) as policy,
      case relkind when 'S' then has_sequence_privilege('public', c.oid, 'usage, select, update')
        else has_table_privilege('public', c.oid, 'select, insert, update, delete, truncate, references, trigger')
          or has_any_column_privilege('public', c.oid, 'select, insert, update, references') end as by_public,
      case relkind when 'S' then has_sequence_privilege('parley_tenant', c.oid, 'usage, select, update')
        else has_table_privilege('parley_tenant', c.oid, 'select, insert, update, delete') end as by_tenant,
      relkind <> 'S' and has_table_privilege('parley_tenant', c.oid, 'truncate, references, trigger') as beyond,
      pg_has_role('parley_tenant', relowner, 'usage') as owned
    from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    order by relname`,
)

/** What belongs to no organization, and to which tenants have no access. */
const OF_SYSTEM: ReadonlyArray<string> = [
  "backups",
  "blob_checks",
  "crawled_hosts",
  "embedding_setting",
  "file_stores",
  "ingestion_clock",
  "mail_clock",
  "parley_functions",
  "parley_migrations",
  "rate_counts",
  "restorations",
  "server_numbers",
  "server_secrets",
  "servers",
  "sign_in_attempts",
  "source_clock",
  "test_clock",
]
/** Triggers write into the register of garbage as the tenant. It holds random keys of files, and no organization. */
const UNSECURED: ReadonlyArray<string> = ["blob_garbage"]
const OWN_ROWS =
  /^\{parley_tenant\} \((?:organization_id|id) = \( SELECT current_organization\(\) AS current_organization\)\)$/

describe("a table, view or sequence of the schema", () => {
  it("gives nothing to public, and to the tenants' role no more than reading and writing rows", function* () {
    const all = yield* relations
    const open = all.filter(({ beyond, by_public, owned }) => by_public || beyond || owned)
    expect(open.map(({ name }) => name)).toEqual([])
  })

  it("is secured by one policy that shows a tenant its own rows, unless tenants have no access to it", function* () {
    const all = yield* relations
    const isSecure = ({ policy, secured }: Relation) => secured && OWN_ROWS.test(policy ?? "")
    const insecure = all.filter((relation) => relation.by_tenant && !isSecure(relation))
    expect(insecure.map(({ name }) => name)).toEqual([...UNSECURED])
    const owned = new Set([...(yield* tablesWithOrganization), "organizations"])
    const rest = all.filter((relation) => !isSecure(relation) && !UNSECURED.includes(relation.name))
    expect(rest.map(({ name }) => name)).toEqual([...OF_SYSTEM])
    expect(all.filter(({ name }) => owned.has(name)).every(isSecure)).toBe(true)
  })
})

it("another role of the server can neither execute a function, nor read a table, nor add to the schema", function* () {
  const sql = yield* SystemSql
  const attempts = [
    sql`select stored_matches(null, 'a', null, 10, false)`,
    sql`select stored_matches(null, 'a', null, 10, false)`,
    sql`select lock_budget('00000000-0000-4000-8000-000000000001')`,
    sql`select 1 from organizations`,
    sql`select 1 from blob_garbage`,
    sql`select last_value from ingestion_clock`,
    sql`create table public.planted (body text)`,
  ]
  for (const attempt of attempts) {
    const asStranger = Effect.gen(function* () {
      yield* sql`create role parley_test_stranger`
      yield* sql`set local role parley_test_stranger`
      return yield* Effect.flip(sql.withTransaction(attempt))
    })
    expect(sqlState(yield* undone(sql, asStranger))).toBe("42501")
  }
})
