import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Duration, Effect, FileSystem, Layer, Option, PlatformError, Redacted, Scope, Exit } from "effect"
import { Backup } from "../../src/backup/Backup.ts"
import { Restore } from "../../src/backup/Restore.ts"
import { verify } from "../../src/backup/Verify.ts"
import { emptyAt } from "../../src/storage/backup/Schemas.ts"
import { tableRules } from "../../src/storage/backup/Tables.ts"
import { Backups } from "../../src/storage/backup/Backups.ts"
import { BlobGarbage } from "../../src/storage/blobs/BlobGarbage.ts"
import { BlobOwners } from "../../src/storage/blobs/BlobOwners.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { forgeManifest, manifestIn, placeOf, type PlaceSettings, storeDocuments } from "../lib/Backups.ts"
import { makeFilledTenant } from "../lib/FilledTenant.ts"
import { BlobControl, platform, quiet } from "../lib/Layers.ts"
import { fresh, freshDirectory, type TestDatabase } from "../lib/TestDatabase.ts"
import { testTimeout } from "../lib/TestServer.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"

setDefaultTimeout(testTimeout)

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> => Effect.runPromise(Effect.scoped(effect))

/** Runs an effect at a place. */
const at =
  (database: TestDatabase, settings?: PlaceSettings) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provide(effect, Layer.merge(placeOf(database, settings), quiet))

const atFresh = <A, E>(effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof placeOf>> | Scope.Scope>) =>
  Effect.flatMap(fresh, (database) => at(database)(effect))

const backup = (directory: string) => Backup.use((service) => service.run({ directory }))
const restore = (directory: string) => Restore.use((service) => service.run(directory))
const check = (directory: string) => Effect.provide(verify(directory), platform)

/** The reason why something fails. */
const whyOf = <E extends { readonly message: string }, R>(effect: Effect.Effect<unknown, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const keys = Redacted.make([new Uint8Array(32).fill(7)])

/** A place with two organizations that have a row in every table, and a backup of it. */
const made = await Effect.runPromise(
  Scope.provide(
    Effect.gen(function* () {
      const database = yield* fresh
      const parent = yield* temporaryDirectory("backup")
      const directory = join(parent, "made")
      const backedUp = yield* at(database, { keys })(
        Effect.gen(function* () {
          yield* makeFilledTenant
          yield* makeFilledTenant
          yield* storeDocuments
          return { report: yield* backup(directory), blobs: new Map((yield* BlobControl).blobs) }
        }),
      )
      return { database, parent, directory, ...backedUp, manifest: manifestIn(directory) }
    }),
    scope,
  ),
)

describe("the list of tables", () => {
  test("says of every table, parents first, what a backup does with it", async () => {
    const { names, references } = await run(
      atFresh(
        SystemSql.use((sql) =>
          Effect.all({
            names: sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`,
            references: sql<{ child: string; parent: string }>`
                select conrelid::regclass::text as child, confrelid::regclass::text as parent
                from pg_constraint where contype = 'f'`,
          }),
        ),
      ),
    )
    const listed = tableRules.map(({ table }) => table)
    expect(listed.toSorted()).toEqual(names.map(({ name }) => name).toSorted())
    const late = references.filter(({ child, parent }) => listed.indexOf(parent) >= listed.indexOf(child))
    expect(late).toEqual([])
  })
})

describe("a backup", () => {
  test("has all rows and files, and gives the same again when it is restored elsewhere", async () => {
    const { again, first, stored } = await run(
      Effect.gen(function* () {
        const first = yield* check(made.directory)
        const again = join(made.parent, "again")
        const stored = yield* at(yield* freshDirectory, { keys, migrating: emptyAt(first.migration) })(
          Effect.gen(function* () {
            expect((yield* restore(made.directory)).warnings).toEqual([])
            yield* backup(again)
            return (yield* BlobControl).blobs
          }),
        )
        return { first, again: yield* check(again), stored }
      }),
    )
    expect(first.tables.filter(({ rows }) => rows === 0).map(({ name }) => name)).toEqual(["server_secrets"])
    expect(again.tables).toEqual(first.tables)
    expect({ ...again, taken_at: "", postgres: "" }).toEqual({ ...first, taken_at: "", postgres: "" })
    expect(stored).toEqual(made.blobs)
    expect(made.report).toMatchObject({ files: 6, missing: 0 })
  })

  test("becomes another database to the deletion of files, so that a copy deletes no files of the original", async () => {
    const [original, copy] = await run(
      Effect.gen(function* () {
        return yield* at(yield* freshDirectory, { keys, migrating: emptyAt(made.manifest.migration) })(
          Effect.gen(function* () {
            yield* restore(made.directory)
            const sql = yield* SystemSql
            const [row] = yield* sql<{ id: string }>`
              update organizations set is_operator = true where id = (select min(id::text)::uuid from organizations)
              returning id`
            return [row?.id, yield* BlobOwners.use(({ database }) => database)] as const
          }),
        )
      }),
    )
    expect(copy).toBeDefined()
    expect(copy).not.toBe(original)
  })

  test.each(["0001_tables", "0046_rate_limits"])(
    "of the older schema sql/%s.sql is restored at that schema, and then migrated",
    async (old) => {
      const rows = await run(
        Effect.gen(function* () {
          const directory = join(yield* temporaryDirectory("backup"), "old")
          cpSync(made.directory, directory, { recursive: true })
          forgeManifest(directory, (manifest) => ({ ...manifest, migration: old }))
          return yield* at(yield* emptyDatabase, { migrating: emptyAt(old) })(
            Effect.gen(function* () {
              const sql = yield* SystemSql
              const [before] = yield* sql<{ last: string }>`select max(name) as last from parley_migrations`
              const { warnings } = yield* restore(directory)
              const [after] =
                yield* sql`select max(name) as last, (select count(*)::int from organizations) as organizations
              from parley_migrations`
              return { before, after, warnings }
            }),
          )
        }),
      )
      expect(rows.before).toEqual({ last: "0001_tables" })
      expect(rows.after).toEqual({ last: made.manifest.migration, organizations: 2 })
      // This place has no key for secrets.
      expect(rows.warnings).toEqual([
        expect.stringMatching(/^Secrets are encrypted by a key that is not in SECRETS_KEY \(\w+\)\. Until it is, /),
      ])
    },
  )

  test("that was cut off is refused, and made anew by its command, which does not copy whole files again", async () => {
    const directory = join(made.parent, "cut-off")
    const blobs = join(directory, "blobs")
    cpSync(made.directory, directory, { recursive: true })
    rmSync(join(directory, "manifest.json"))
    writeFileSync(join(directory, "unfinished"), "")
    writeFileSync(join(directory, "tables", "former_table.ndjson"), "{}")
    writeFileSync(join(directory, "tables", "messages.ndjson"), "{}")
    // Files whose owners were deleted meanwhile, and half a file.
    for (const name of ["draft-0", "draft-7", Bun.SHA256.hash("erased", "hex")])
      writeFileSync(join(blobs, name), "half")
    // The other content is also that of attachments, which are copied to learn their checksums.
    const whole = join(blobs, Bun.SHA256.hash("running", "hex"))
    const before = statSync(whole).ino
    for (const refused of [check(directory), at(made.database)(restore(directory))]) {
      expect(await run(whyOf(refused))).toMatch(/is not a finished backup: .* is made by running its command again/)
    }
    const again = at(made.database)(Effect.andThen(storeDocuments, backup(directory)))
    expect(await run(again)).toMatchObject({ files: 6, damaged: [], missing: 0 })
    const { tables } = await run(check(directory))
    expect(tables).toEqual(made.manifest.tables)
    expect(statSync(whole).ino).toBe(before)
    expect(readdirSync(directory).toSorted()).toEqual(["blobs", "blobs.ndjson", "manifest.json", "tables"])
    expect(readdirSync(blobs).toSorted()).toEqual(readdirSync(join(made.directory, "blobs")).toSorted())
    expect(readdirSync(join(directory, "tables"))).toHaveLength(tables.length)

    rmSync(join(directory, "manifest.json"))
    writeFileSync(join(directory, "unfinished"), "")
    writeFileSync(whole, "RUNNING")
    await run(again)
    expect(readFileSync(whole, "utf8")).toBe("running")
  })

  test("keeps files from being deleted while it runs, and remembers that it was made", async () => {
    const seen = await run(
      atFresh(
        Effect.gen(function* () {
          const garbage = yield* BlobGarbage
          const backups = yield* Backups
          yield* garbage.announce(["documents/old"], Duration.zero)
          const before = yield* garbage.due(10)
          const id = Option.getOrThrow(Option.fromUndefinedOr(yield* backups.begin(Duration.minutes(1))))
          const during = yield* garbage.due(10)
          const second = yield* backups.begin(Duration.minutes(1))
          const none = yield* backups.latest
          yield* backups.finish(id, { rows: 1, files: 2, bytes: 3 })
          return { before, during, second, none, after: yield* garbage.due(10), latest: yield* backups.latest }
        }),
      ),
    )
    expect(seen).toMatchObject({
      before: ["documents/old"],
      during: [],
      second: undefined,
      none: undefined,
      after: ["documents/old"],
      latest: { files: 2, bytes: 3 },
    })
  })

  test("waits for the end of another one, which may have been killed", async () => {
    const report = await run(
      atFresh(
        Effect.gen(function* () {
          yield* Backups.use((backups) => backups.begin(Duration.seconds(1)))
          return yield* backup(join(made.parent, "waited"))
        }),
      ),
    )
    expect(report).toMatchObject({ files: 0 })
    await run(check(join(made.parent, "waited")))
  })

  test("that cannot be made fails in a sentence, and one without files that are missing is made", async () => {
    const { parent } = made
    writeFileSync(join(parent, "file"), "")
    // Somebody else lets a backup go on elsewhere.
    const [linked, elsewhere] = [join(parent, "linked"), join(parent, "elsewhere")]
    for (const path of [linked, elsewhere]) mkdirSync(path)
    writeFileSync(join(linked, "unfinished"), "")
    symlinkSync(elsewhere, join(linked, "blobs"))
    const why = await run(
      at(made.database)(
        Effect.gen(function* () {
          const { failing } = yield* BlobControl
          const withoutFiles = yield* backup(join(parent, "without-files"))
          const full = yield* whyOf(Effect.provide(backup(join(parent, "full")), Layer.fresh(onFullDisk)))
          yield* storeDocuments
          failing.add("get")
          return {
            withoutFiles,
            full,
            store: yield* whyOf(backup(join(parent, "store"))),
            notEmpty: yield* whyOf(backup(parent)),
            finished: yield* whyOf(backup(made.directory)),
            file: yield* whyOf(backup(join(parent, "file"))),
            linked: yield* whyOf(backup(linked)),
          }
        }),
      ),
    )
    expect(why).toEqual({
      withoutFiles: expect.objectContaining({ files: 0, missing: 6 }),
      full: expect.stringMatching(
        /cannot be written to .*: the disk is full\. Free some space .* run the same command again/,
      ),
      store: expect.stringMatching(
        /^The stored file \w+\/\S+ cannot be copied\. The disk is full\. See that the store of files can be reached/,
      ),
      notEmpty: expect.stringMatching(/^The directory .* is not empty\. Choose a new directory/),
      finished: expect.stringMatching(/^There is a finished backup in .*\. Choose a new directory\.$/),
      file: expect.stringMatching(/cannot be written to .*: there is a file of this name\./),
      linked: expect.stringMatching(/blobs" is not a directory\. Choose a new directory/),
    })
    expect(readdirSync(elsewhere)).toEqual([])
  })
})

/** Makes backups on a disk on which nothing can be written any more, although files can be made. */
const onFullDisk = Layer.provide(
  Backup.layer,
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (files) => ({
      ...files,
      open: (path, options) =>
        Effect.map(files.open(path, options), (file) =>
          Object.assign(file, {
            writeAll: () =>
              Effect.fail(
                PlatformError.systemError({
                  _tag: "Unknown",
                  module: "FileSystem",
                  method: "writeAll",
                  cause: Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }),
                }),
              ),
          }),
        ),
    })),
  ),
)

const emptyDatabase = Effect.map(temporaryDirectory("empty"), (directory): TestDatabase => ({
  kind: "embedded",
  directory: join(directory, "database"),
}))

describe("a restoration", () => {
  test("refuses a database with rows, and leaves it as it is", async () => {
    const { database, directory, manifest } = made
    const why = await run(whyOf(at(database, { migrating: emptyAt(manifest.migration) })(restore(directory))))
    expect(why).toBe(
      "The database is not empty: there are rows in the table organizations. Restore into a new database, or a new data directory.",
    )
  })

  test("refuses a backup of a newer schema", async () => {
    const why = await run(
      Effect.gen(function* () {
        return yield* whyOf(at(yield* fresh, { migrating: emptyAt("9999_later") })(SystemSql))
      }),
    )
    expect(why).toContain("Restore it by the version of Parley that made it, or a newer one")
  })
})
