import { expect, setDefaultTimeout } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Effect } from "effect"
import { IMAGE } from "../../../src/storage/embedded/NewCluster.ts"
import { migrationsDirectory, readFunctions, readMigrations } from "../../../src/storage/MigrationFiles.ts"
import { makeCluster, MANIFEST, manifestOf } from "../../lib/DatabaseImage.ts"
import { defaults } from "../../lib/Defaults.ts"
import { quiet } from "../../lib/Layers.ts"
import { layerEmbedded, SystemSql } from "../../../src/storage/sql/Database.ts"
import { scopedRun } from "../../lib/Scoped.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"
import { effectTests } from "../../lib/EffectTests.ts"

setDefaultTimeout(180_000)

const run = scopedRun()
const it = effectTests(run)

/** Queries for everything that defines a database: the system's catalogs, without their consecutive ids. */
const CONTENTS = [
  ...["type", "proc", "operator", "opclass", "cast", "collation", "aggregate", "language", "ts_config", "ts_dict"].map(
    (catalog) => `select count(*)::text, md5(string_agg(c::text, '' order by c::text)) from pg_${catalog} c
      where (to_jsonb(c)->>'oid')::bigint is null or (to_jsonb(c)->>'oid')::bigint < 16384`,
  ),
  `select c.relname::text, c.relkind::text, c.relrowsecurity::text, c.relacl::text, a.attname::text, a.attnum::text,
    format_type(a.atttypid, a.atttypmod), a.attnotnull::text, a.attstorage::text, pg_get_expr(d.adbin, d.adrelid)
    from pg_class c left join pg_attribute a on a.attrelid = c.oid
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relkind in ('r', 'v', 'i', 'S') order by c.relname, a.attnum`,
  "select conrelid::regclass::text, conname::text, pg_get_constraintdef(oid) from pg_constraint order by 1, 2",
  "select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index order by 1",
  "select tgrelid::regclass::text, tgname::text, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1, 2",
  `select oid::regprocedure::text, pg_get_functiondef(oid), proacl::text from pg_proc
    where prokind = 'f' and pronamespace = 'public'::regnamespace order by 1`,
  "select polrelid::regclass::text, polname::text, pg_get_expr(polqual, polrelid), polcmd::text from pg_policy order by 1, 2",
  "select rolname::text, rolsuper::text, rolcanlogin::text, rolbypassrls::text from pg_roles order by 1",
  "select member::regrole::text, roleid::regrole::text, set_option::text from pg_auth_members order by 1, 2",
  "select extname::text, extversion::text from pg_extension order by 1",
  "select datname::text, datcollate::text, datctype::text, encoding::text, datacl::text from pg_database order by 1",
  // The settings of an extension are known only once its library is loaded.
  "select name::text, setting::text from pg_settings where name not like '%.%' order by 1",
  "select number::text, name, checksum from parley_migrations order by number",
  "select subject, checksum from parley_functions order by subject",
]

/** The contents of a new database, whose cluster may be there already. */
const contentsOf = Effect.fnUntraced(function* (directory: string) {
  const contents = SystemSql.use((sql) => Effect.forEach(CONTENTS, (query) => sql.unsafe(query).values))
  const found = yield* contents.pipe(
    Effect.provide(layerEmbedded({ ...defaults.database, directory })),
    Effect.provide([fileSystem, quiet]),
  )
  expect(existsSync(join(directory, "cluster.tmp"))).toBe(false)
  return found
})

it("a database from the image equals one that the engine and the migrations make without it", function* () {
  const directory = yield* temporaryDirectory("database")
  yield* Effect.promise(() => makeCluster(directory))
  const fromNothing = yield* contentsOf(directory)
  const fromImage = yield* contentsOf(yield* temporaryDirectory("database"))
  for (const [index, query] of CONTENTS.entries()) {
    expect(fromNothing[index]?.length).toBeGreaterThan(0)
    expect({ query, rows: fromImage[index] }).toEqual({ query, rows: fromNothing[index] })
  }
})

it("the image is the one that was made by these packages and migrations", function* () {
  const read = Effect.all([readMigrations(migrationsDirectory), readFunctions(migrationsDirectory)])
  const [migrations, functions] = yield* Effect.provide(read, fileSystem)
  const manifest = JSON.parse(readFileSync(MANIFEST, "utf8"))
  const applied = migrations.slice(0, Object.keys(manifest.migrations).length)
  // Functions that have changed since are replaced by the first start.
  expect(manifest).toEqual({
    ...manifestOf(readFileSync(IMAGE), applied, functions),
    functions: manifest.functions,
  })
})
