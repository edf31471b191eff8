import { describe, expect, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { Unavailable } from "../../../src/domain/Errors.ts"
import { StartupError } from "../../../src/system/StartupError.ts"
import { type Database, DatabaseLoss, SystemSql } from "../../../src/storage/sql/Database.ts"
import { runDueWork } from "../../../src/storage/embedded/Maintenance.ts"
import { withoutSqlErrors } from "../../../src/storage/sql/SqlErrors.ts"
import { freshDirectory, layerOf } from "../../lib/TestDatabase.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"
import { effectTests } from "../../lib/EffectTests.ts"

// Each test opens an engine, and some make a cluster or start processes.
setDefaultTimeout(180_000)

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> => Effect.runPromise(Effect.scoped(effect))
const it = effectTests(run)
const using = <A, E>(directory: string, effect: Effect.Effect<A, E, Database>) =>
  Effect.provide(effect, layerOf({ kind: "embedded", directory }))
const refusal = (directory: string) => Effect.flip(Effect.scoped(Layer.build(layerOf({ kind: "embedded", directory }))))
const select = Effect.flatMap(SystemSql, (sql) => sql<{ readonly one: number }>`select 1 as one`)

const WRITER = join(import.meta.dirname, "Writer.ts")
const spawnWriter = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => Bun.spawn([process.execPath, WRITER, directory], { stdout: "pipe", stderr: "pipe" })),
    (writer) => Effect.promise(() => (writer.kill("SIGKILL"), writer.exited)),
  )

/** Kills a writer after this many acknowledged rows, and returns the number of the last one. */
const writeUntilKilled = Effect.fnUntraced(function* (directory: string, rows: number) {
  const writer = yield* spawnWriter(directory)
  return yield* Effect.promise(async () => {
    const decoder = new TextDecoder()
    let seen = ""
    let lines = 0
    for await (const chunk of writer.stdout) {
      seen += decoder.decode(chunk)
      lines = seen.split("\n").length - 1
      if (lines >= rows) writer.kill("SIGKILL")
    }
    await writer.exited
    return Number(seen.trimEnd().split("\n").at(-1))
  })
}, Effect.scoped)

describe("the directory of a database", () => {
  it("can be used by one process, which the failure of a second one names", function* () {
    const { directory } = yield* freshDirectory
    const inUse = `in use by process ${process.pid}`
    yield* using(
      directory,
      Effect.gen(function* () {
        yield* select
        const writer = yield* spawnWriter(directory)
        const [exitCode, message] = yield* Effect.promise(() =>
          Promise.all([writer.exited, new Response(writer.stderr).text()]),
        )
        expect(exitCode).toBe(1)
        expect(message).toContain(inUse)
        expect((yield* refusal(directory)).what).toContain(inUse)
      }).pipe(Effect.scoped),
    )
    yield* using(directory, select)
  })

  it("is made with its parents, for its owner only, even after an attempt was killed", function* () {
    const directory = join(yield* temporaryDirectory("new"), "some", "where")
    const writer = yield* spawnWriter(directory)
    const cluster = join(directory, "cluster")
    // Killed as soon as a part of the cluster exists, and before all of it is synced to the disk.
    yield* Effect.promise(async () => {
      const isBegun = () => existsSync(join(`${cluster}.tmp`, "base", "1", "PG_VERSION")) || existsSync(cluster)
      while (!isBegun() && writer.exitCode === null) await Bun.sleep(5)
      writer.kill("SIGKILL")
      await writer.exited
    })
    expect(yield* using(directory, select)).toEqual([{ one: 1 }])
    // The leftovers of the attempt must not be taken for a cluster.
    rmSync(cluster, { recursive: true })
    mkdirSync(`${cluster}.tmp`)
    writeFileSync(join(`${cluster}.tmp`, "PG_VERSION"), "18\n")
    writeFileSync(join(`${cluster}.tmp`, "left"), "")
    expect(yield* using(directory, select)).toEqual([{ one: 1 }])
    expect([existsSync(`${cluster}.tmp`), existsSync(join(cluster, "left"))]).toEqual([false, false])
    for (const made of [directory, join(directory, "cluster")]) expect(statSync(made).mode & 0o777).toBe(0o700)
  })

  it("keeps every acknowledged row when its process is killed", function* () {
    const { directory } = yield* freshDirectory
    for (const rows of [30, 200]) {
      const last = yield* writeUntilKilled(directory, rows)
      const ids = yield* using(
        directory,
        Effect.flatMap(SystemSql, (sql) => sql<{ readonly id: number }>`select id from written order by id`),
      )
      expect(last).toBeGreaterThanOrEqual(rows)
      expect(ids.length).toBeGreaterThanOrEqual(last)
      expect(ids.map((row) => row.id)).toEqual(ids.map((_, index) => index + 1))
    }
  })

  it("stops the start with one line when it cannot be used", function* () {
    const parent = yield* temporaryDirectory("bad")
    const file = join(parent, "file")
    writeFileSync(file, "")
    const notWritable = yield* refusal(join(file, "inside"))
    expect(notWritable.what).toContain("cannot be written")

    const locked = join(parent, "locked")
    mkdirSync(locked)
    writeFileSync(join(locked, "lock"), "this is not a lock file, whatever its name says ".repeat(100))
    const damagedLock = yield* refusal(locked)
    expect(damagedLock.what).toContain(`${join(locked, "lock")} is damaged`)

    const { directory } = yield* freshDirectory
    truncateSync(join(directory, "cluster", "global", "pg_control"), 0)
    const damaged = yield* refusal(directory)
    expect(damaged.what).toContain("cannot be opened")

    for (const failure of [notWritable, damagedLock, damaged]) {
      expect(failure).toBeInstanceOf(StartupError)
      expect(failure.message).not.toContain("\n")
    }
  })
})

describe("the engine", () => {
  it("fails every statement and reports its end when it dies, instead of hanging", function* () {
    const { directory } = yield* freshDirectory
    yield* using(
      directory,
      Effect.gen(function* () {
        const sql = yield* SystemSql
        const { lost } = yield* DatabaseLoss
        // Postgres panics when it cannot write its log.
        rmSync(join(directory, "cluster", "pg_wal"), { recursive: true })
        const pending = yield* Effect.forkChild(Effect.flip(withoutSqlErrors(sql`select pg_switch_wal()`)))
        const behind = yield* Effect.forkChild(Effect.flip(withoutSqlErrors(select)))
        yield* Effect.exit(sql`create table unwritten (id int)`)
        expect((yield* Effect.flip(lost)).message).toContain("PANIC")
        expect(yield* Fiber.join(pending)).toBeInstanceOf(Unavailable)
        yield* Fiber.interrupt(behind)
        expect(yield* Effect.flip(withoutSqlErrors(select))).toBeInstanceOf(Unavailable)
      }),
    )
  })

  it("finishes an interrupted statement, and then runs the next", function* () {
    const { directory } = yield* freshDirectory
    yield* using(
      directory,
      Effect.gen(function* () {
        const sql = yield* SystemSql
        const long = sql`select count(*) from generate_series(1, 1000000)`
        yield* Effect.all([Effect.exit(Effect.timeout(long, "20 millis")), select, select], { concurrency: 3 })
        expect(yield* select).toEqual([{ one: 1 }])
      }),
    )
  })
})

it("maintenance removes dead rows and shortens the log", function* () {
  const { directory } = yield* freshDirectory
  yield* using(
    directory,
    Effect.gen(function* () {
      const sql = yield* SystemSql
      yield* sql`create table busy (id int, body text)`
      yield* sql`alter table busy alter body set storage external`
      yield* sql`insert into busy select g, repeat('x', 8000) from generate_series(1, 9000) g`
      yield* sql`delete from busy where id > 100`
      // Postgres updates its statistics at most once a second.
      yield* sql`select pg_stat_force_next_flush()`
      const look = sql<{ readonly dead: bigint; readonly log: number }>`
        select n_dead_tup as dead,
          (select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 from pg_control_checkpoint()) as log
        from pg_stat_user_tables where relname = 'busy'`
      const [before] = yield* look
      yield* runDueWork(sql, Effect.void)
      const [after] = yield* look
      expect([before?.dead, after?.dead]).toEqual([8900n, 0n])
      expect(before?.log).toBeGreaterThan(64 * 1024 * 1024)
      expect(after?.log).toBeLessThan(1024 * 1024)
    }),
  )
})
