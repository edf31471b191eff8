import { expect, setDefaultTimeout, test } from "bun:test"
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, Logger, References } from "effect"
import { ARCHIVE, deliveredImage, MANIFEST, unpackImage } from "../../../src/storage/embedded/DatabaseImage.ts"
import { defaults } from "../../lib/Defaults.ts"
import { layerEmbedded, SystemSql } from "../../../src/storage/sql/Database.ts"
import { scopedRun } from "../../lib/Scoped.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

setDefaultTimeout(60_000)

const run = scopedRun()

/** A copy of the delivered image, which a test may change. */
const copyOfImage = Effect.map(temporaryDirectory("image"), (directory) => {
  cpSync(deliveredImage, directory, { recursive: true })
  return directory
})

const damage = (image: string): void => {
  const archive = readFileSync(join(image, ARCHIVE))
  archive.writeUInt8(archive.readUInt8(100_000) ^ 1, 100_000)
  writeFileSync(join(image, ARCHIVE), archive)
}

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
]

/** The contents of a new database from an image, and the log lines while it was made. */
const newDatabase = Effect.fnUntraced(function* (image: string) {
  const directory = yield* temporaryDirectory("database")
  const logged: Array<string> = []
  const contents = SystemSql.use((sql) => Effect.forEach(CONTENTS, (query) => sql.unsafe(query).values))
  const logger = Logger.layer([Logger.make(({ message }) => void logged.push(JSON.stringify(message)))])
  const found = yield* contents.pipe(
    Effect.provide(layerEmbedded({ ...defaults.database, directory, image })),
    Effect.provide([fileSystem, logger]),
    Effect.provideService(References.MinimumLogLevel, "Warn"),
  )
  expect(existsSync(join(directory, "cluster.tmp"))).toBe(false)
  return { found, logged }
})

test("a database from the image equals one that the engine and the migrations make without it", () =>
  run(
    Effect.gen(function* () {
      const damaged = yield* copyOfImage
      damage(damaged)
      const fromNothing = yield* newDatabase(damaged)
      expect(fromNothing.logged).toEqual([
        JSON.stringify([
          "The image of a new database cannot be used, so making one takes longer",
          { reason: "The archive is damaged" },
        ]),
      ])
      const fromImage = yield* newDatabase(deliveredImage)
      expect(fromImage.logged).toEqual([])
      for (const [index, query] of CONTENTS.entries()) {
        expect(fromNothing.found[index]?.length).toBeGreaterThan(0)
        expect({ query, rows: fromImage.found[index] }).toEqual({ query, rows: fromNothing.found[index] })
      }
    }),
  ))

const edit = (image: string, pattern: RegExp, text: string): void => {
  const path = join(image, MANIFEST)
  const manifest = readFileSync(path, "utf8")
  expect(manifest).toMatch(pattern)
  writeFileSync(path, manifest.replace(pattern, text))
}

const unusable: ReadonlyArray<readonly [string, (image: string) => void, string | RegExp]> = [
  ["is damaged", damage, "The archive is damaged"],
  [
    "is cut off",
    (image) => writeFileSync(join(image, ARCHIVE), readFileSync(join(image, ARCHIVE)).subarray(0, 300_000)),
    "The archive is damaged",
  ],
  [
    "was made by another version of the engine",
    (image) => edit(image, /(?<="@electric-sql\/pglite": )"[^"]+"/, '"0.5.0"'),
    /^@electric-sql\/pglite is now \d/,
  ],
  [
    "was made by another version of pgvector",
    (image) => edit(image, /(?<="@electric-sql\/pglite-pgvector": )"[^"]+"/, '"0.0.1"'),
    /^@electric-sql\/pglite-pgvector is now \d/,
  ],
  [
    "had another migration",
    (image) => edit(image, /(?<="0003_pipeline": )"\w+"/, '"0123"'),
    "sql/0003_pipeline.sql is no longer what the image was made from",
  ],
  [
    "had a migration that does not exist any more",
    (image) => edit(image, /"0003_pipeline"/, '"0003_gone"'),
    "sql/0003_gone.sql is no longer what the image was made from",
  ],
  ["has no manifest", (image) => rmSync(join(image, MANIFEST)), /NotFound/],
  ["has a manifest of another shape", (image) => writeFileSync(join(image, MANIFEST), "{}"), /packages/],
  ["has no archive", (image) => rmSync(join(image, ARCHIVE)), /NotFound/],
]
test.each(unusable)("an image that %s is not unpacked", (_, change, reason) =>
  run(
    Effect.gen(function* () {
      const image = yield* copyOfImage
      change(image)
      const directory = join(yield* temporaryDirectory("unpacked"), "cluster")
      const failure = yield* Effect.flip(Effect.provide(unpackImage(image, directory), fileSystem))
      expect(failure.reason).toMatch(reason)
      expect(existsSync(directory)).toBe(false)
    }),
  ),
)

test("an image that lacks the newest migrations is unpacked", () =>
  run(
    Effect.gen(function* () {
      const image = yield* copyOfImage
      edit(image, /,\s+"\d{4}_\w+": "\w+"(?=\s+\})/, "")
      const directory = join(yield* temporaryDirectory("unpacked"), "cluster")
      yield* Effect.provide(unpackImage(image, directory), fileSystem)
      expect(existsSync(join(directory, "PG_VERSION"))).toBe(true)
    }),
  ))
