import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, ManagedRuntime } from "effect"
import type { StartupError } from "../../../src/system/StartupError.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { migrate } from "../../../src/storage/sql/Migrations.ts"
import * as TestDatabase from "../../lib/TestDatabase.ts"
import { sharedRun } from "../../lib/Scoped.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const runtime = ManagedRuntime.make(TestDatabase.layer)
const directory = await sharedRun()(temporaryDirectory("migrations"))
afterAll(() => runtime.dispose())

const FIRST = "create table one (id int); -- the first; of two\ninsert into one values (1);\n"
const SECOND = "insert into one values (2);\ncreate function f() returns int language sql as $$ select 1; $$;\n"

/** Removes the files, and everything that earlier migrations made. */
beforeEach(() => {
  rmSync(directory, { recursive: true, force: true })
  return runtime.runPromise(
    Effect.gen(function* () {
      const sql = yield* SystemSql
      yield* sql`drop table if exists one`
      yield* sql`drop function if exists f, other`
      yield* sql`drop table if exists parley_migrations, parley_functions`
    }),
  )
})

const write = (files: Readonly<Record<string, string>>): void => {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(join(directory, "functions"), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
}

const run = Effect.provide(
  Effect.flatMap(SystemSql, (sql) => migrate(sql, directory)),
  fileSystem,
)
const apply = (): Promise<void> => runtime.runPromise(run)
const refused = (): Promise<StartupError> =>
  runtime.runPromise(Effect.flip(Effect.catchTag(run, "SqlError", Effect.die)))

const rows = (): Promise<ReadonlyArray<unknown>> =>
  runtime
    .runPromise(Effect.flatMap(SystemSql, (sql) => sql`select id from one order by id`.values))
    .then((all) => all.flat())
const names = (): Promise<ReadonlyArray<unknown>> =>
  runtime
    .runPromise(Effect.flatMap(SystemSql, (sql) => sql`select name from parley_migrations order by number`.values))
    .then((all) => all.flat())

describe("migrate", () => {
  test("applies each file once, in order, and new files later", async () => {
    write({ "0001_first.sql": FIRST })
    await apply()
    await apply()
    expect(await rows()).toEqual([1])
    write({ "0001_first.sql": FIRST, "0002_second.sql": SECOND, "README.md": "not a migration" })
    await apply()
    expect(await rows()).toEqual([1, 2])
    expect(await names()).toEqual(["0001_first", "0002_second"])
  })

  test("makes indexes outside of the transaction of their file, and anew where a process has left one unfinished", async () => {
    const INDEX = "-- Both.\ncreate index concurrently one_id on one (id) where id > 0;\ninsert into one values (2);"
    const isValid = Effect.flatMap(
      SystemSql,
      (sql) => sql`select indisvalid from pg_index where indexrelid = to_regclass('one_id')`.values,
    )
    write({ "0001_first.sql": FIRST })
    await apply()
    await runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SystemSql
        yield* sql`create index one_id on one (id)`
        yield* sql`update pg_index set indisvalid = false where indexrelid = to_regclass('one_id')`
      }),
    )
    write({ "0001_first.sql": FIRST, "0002_index.sql": INDEX })
    await runtime.runPromise(Effect.all([run, run, run], { concurrency: "unbounded" }))
    expect(await runtime.runPromise(isValid)).toEqual([[true]])
    expect(await rows()).toEqual([1, 2])
    expect(await names()).toEqual(["0001_first", "0002_index"])
  })

  test("applies each file once when several processes start at the same time", async () => {
    write({ "0001_first.sql": FIRST, "0002_second.sql": SECOND })
    await runtime.runPromise(
      Effect.all(
        Array.from({ length: 8 }, () => run),
        { concurrency: "unbounded" },
      ),
    )
    expect(await rows()).toEqual([1, 2])
  })

  test("refuses an applied file with any change except in its line ends", async () => {
    write({ "0001_first.sql": FIRST })
    await apply()
    write({ "0001_first.sql": FIRST.replaceAll("\n", "\r\n") })
    await apply()
    write({ "0001_first.sql": `${FIRST} ` })
    expect((await refused()).what).toContain("sql/0001_first.sql is not what the database was given")
    write({ "0001_renamed.sql": FIRST })
    expect((await refused()).what).toContain("sql/0001_first.sql")
  })

  test("fails when an applied file is missing, before it applies new ones", async () => {
    write({ "0001_first.sql": FIRST, "0002_second.sql": SECOND })
    await apply()
    write({ "0001_first.sql": FIRST, "0003_third.sql": "insert into one values (3)" })
    expect((await refused()).what).toContain("sql/0002_second.sql, which is missing here")
    expect(await rows()).toEqual([1, 2])
  })

  test("lets a server use a newer database if each migration that it does not know declares it usable", async () => {
    const usable = (from: string, text: string) => `-- usable from: ${from}\n${text}`
    write({
      "0001_first.sql": FIRST,
      "0002_second.sql": SECOND,
      "0003_third.sql": usable("0001", "insert into one values (3)"),
    })
    await apply()
    write({ "0001_first.sql": FIRST })
    // The second one says nothing, so that the first version is too old for it.
    expect((await refused()).what).toContain("sql/0002_second.sql, which is missing here, and this server is too old")
    write({ "0001_first.sql": FIRST, "0002_second.sql": SECOND })
    await apply()
    expect(await rows()).toHaveLength(3)
  })

  test("fails when a new file has a lower number than an applied one", async () => {
    write({ "0002_second.sql": FIRST })
    await apply()
    write({ "0001_late.sql": "insert into one values (9)", "0002_second.sql": FIRST })
    expect((await refused()).what).toContain("sql/0001_late.sql is new")
    expect(await rows()).toEqual([1])
  })

  test("rolls back a file that fails, and keeps those before it", async () => {
    write({ "0001_first.sql": FIRST, "0002_broken.sql": "insert into one values (2); select 1 / 0; " })
    const failure = await refused()
    expect(failure.what).toContain("sql/0002_broken.sql failed and was undone: division by zero")
    expect(await rows()).toEqual([1])
    expect(await names()).toEqual(["0001_first"])
  })

  test("fails when two files have the same number, or one has an unknown form of name", async () => {
    write({ "0001_first.sql": FIRST, "0001_other.sql": FIRST })
    expect((await refused()).what).toContain("the number 1")
    write({ "1_first.sql": FIRST })
    expect((await refused()).what).toContain("sql/1_first.sql")
  })

  const one = (value: number) =>
    `create or replace function f() returns int language sql as $$ select other() + ${value} $$;\n`
  const other = "create or replace function other() returns int language sql as $$ select 10 $$;\n"
  const called = (): Promise<unknown> =>
    runtime.runPromise(Effect.flatMap(SystemSql, (sql) => sql`select f() as value`)).then(([row]) => row?.["value"])

  test("replaces the functions of a file that has changed, in no order of files", async () => {
    write({ "0001_first.sql": FIRST, "functions/a.sql": one(1), "functions/b.sql": other })
    await apply()
    expect(await called()).toBe(11)
    write({ "0001_first.sql": FIRST, "functions/a.sql": one(2), "functions/b.sql": other })
    await Promise.all([apply(), apply()])
    expect(await called()).toBe(12)
  })

  test("keeps the functions of a database that is newer, and those before a file that fails", async () => {
    const newer = "-- usable from: 0001\nselect 1"
    write({ "0001_first.sql": FIRST, "0002_newer.sql": newer, "functions/a.sql": one(2), "functions/b.sql": other })
    await apply()
    write({ "0001_first.sql": FIRST, "functions/a.sql": one(1), "functions/b.sql": other })
    await apply()
    expect(await called()).toBe(12)
    write({ "0001_first.sql": FIRST, "0002_newer.sql": newer, "functions/a.sql": `${one(3)}select 1 / 0;\n` })
    expect((await refused()).what).toContain("sql/functions/a.sql failed and was undone: division by zero")
    expect(await called()).toBe(12)
  })

  test("applies a file again that was in a deadlock with a server, and keeps nothing of the first attempt", async () => {
    // What a sequence has given stays given.
    const conflict = (before: number) =>
      `do $$ begin if nextval('attempts') < ${before} then raise exception using errcode = '40P01'; end if; end $$;\n`
    write({
      "0001_first.sql": "create table one (id int); drop sequence if exists attempts; create sequence attempts;\n",
      "0002_second.sql": `insert into one values (2);\n${conflict(3)}`,
      "functions/a.sql": `insert into one values (3);\n${conflict(5)}`,
    })
    await apply()
    expect(await rows()).toEqual([2, 3])
  })

  test("takes a database that has had all migrations which the first one folds, and refuses one that has not", async () => {
    write({ "0001_first.sql": FIRST })
    await apply()
    write({ "0001_first.sql": FIRST, "0002_second.sql": SECOND })
    await apply()
    const [last] = await runtime.runPromise(
      Effect.flatMap(
        SystemSql,
        (sql) => sql<{ checksum: string }>`select checksum from parley_migrations where number = 2`,
      ),
    )
    const folded = (checksum: string | undefined) => ({
      "0001_folded.sql": `-- folds: 0002_second ${checksum}\ninsert into one values (9);\n`,
      "0002_third.sql": "-- usable from: 0001\ninsert into one values (3);\n",
    })
    write(folded("0".repeat(64)))
    expect(await refused()).toMatchObject({
      what: "The schema of the database is sql/0002_second.sql, which is too old for this Parley.",
      doThis: "First start the Parley whose last migration is sql/0002_second.sql, then this one.",
    })
    write(folded(last?.checksum))
    await Promise.all([apply(), apply()])
    expect(await names()).toEqual(["0001_folded", "0002_third"])
    expect(await rows()).toEqual([1, 2, 3])
    await apply()
  })

  test("fails when the directory does not exist", async () => {
    rmSync(directory, { recursive: true, force: true })
    expect((await refused()).doThis).toContain("Reinstall")
  })
})
