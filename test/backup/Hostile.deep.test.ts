import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect, Layer } from "effect"
import { Backup } from "../../src/backup/Backup.ts"
import { Restore } from "../../src/backup/Restore.ts"
import { verify } from "../../src/backup/Verify.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { forgeFile, forgeManifest, placeOf, storeDocuments } from "../lib/Backups.ts"
import { makeFilledTenant } from "../lib/FilledTenant.ts"
import { BlobControl, platform, quiet } from "../lib/Layers.ts"
import { fresh } from "../lib/TestDatabase.ts"
import { testTimeout } from "../lib/TestServer.ts"
import { sharedRun } from "../lib/Scoped.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"

/*
 * Backups that somebody has made or changed by hand. None is restored, and none does anything else either.
 */

setDefaultTimeout(testTimeout)

const run = sharedRun()

const parent = await run(temporaryDirectory("hostile"))
await run(
  Effect.flatMap(fresh, (database) =>
    Effect.provide(
      Effect.gen(function* () {
        yield* makeFilledTenant
        yield* storeDocuments
        yield* Backup.use((service) => service.run({ directory: join(parent, "made") }))
      }),
      Layer.merge(placeOf(database), quiet),
    ),
  ),
)
writeFileSync(join(parent, "secret"), "a secret of the machine")

/** An empty place, which stays empty: what is restored to it is refused. */
const place = await run(Effect.flatMap(fresh, (database) => Layer.build(Layer.merge(placeOf(database), quiet))))

/** Replaces the file of a table, with the right checksum in the manifest. */
const retable = (name: string, change: (text: string) => string) => (directory: string) =>
  forgeManifest(directory, (manifest) => ({
    ...manifest,
    tables: manifest.tables.map((table) => {
      if (table.name !== name) return table
      const path = join(directory, "tables", `${name}.ndjson`)
      return { ...table, ...forgeFile(path, change(readFileSync(path, "utf8"))) }
    }),
  }))

const renamed = (name: string) => (directory: string) =>
  forgeManifest(directory, (manifest) => ({
    ...manifest,
    tables: manifest.tables.map((table) => (table.name === "chatbots" ? { ...table, name } : table)),
  }))

const relisted = (change: (text: string) => string) => (directory: string) => {
  const path = join(directory, "blobs.ndjson")
  const list = forgeFile(path, change(readFileSync(path, "utf8")))
  forgeManifest(directory, (manifest) => ({ ...manifest, blobs: { ...manifest.blobs, list } }))
}

/** Moves a part of the backup elsewhere, and leaves a link to it. */
const linked = (name: string) => (directory: string) => {
  mkdirSync(`${directory}-elsewhere`)
  renameSync(join(directory, name), join(`${directory}-elsewhere`, "part"))
  symlinkSync(join(`${directory}-elsewhere`, "part"), join(directory, name))
}

const replaced = (name: string, text: string) => (directory: string) => writeFileSync(join(directory, name), text)

describe("a backup is refused", () => {
  test.each<[string, (directory: string) => void, RegExp]>([
    ["when its manifest is a link", linked("manifest.json"), /is not a file/],
    ["when its tables are behind a link", linked("tables"), /is not a directory/],
    ["when its files are behind a link", linked("blobs"), /is not a directory/],
    ["when a table is a link", linked("tables/messages.ndjson"), /is not a file/],
    [
      "when a table is a link to a file of the machine",
      (directory) => {
        rmSync(join(directory, "tables/messages.ndjson"))
        symlinkSync(join(parent, "secret"), join(directory, "tables/messages.ndjson"))
      },
      /is not a file/,
    ],
    ["when its manifest is none", replaced("manifest.json", "{}"), /is not what was written/],
    ["when its manifest is not JSON", replaced("manifest.json", "hello"), /is not a manifest/],
    ["when its manifest is huge", replaced("manifest.json", " ".repeat(2_000_000)), /usual size/],
    [
      "when its manifest was changed",
      (directory) => {
        const path = join(directory, "manifest.json")
        writeFileSync(path, readFileSync(path, "utf8").replace(/"rows": 1,/, '"rows": 2,'))
      },
      /is not what was written/,
    ],
    [
      "when its format is newer",
      (directory) => forgeManifest(directory, (manifest) => ({ ...manifest, format: 2 as 1 })),
      /has the format 2, and this Parley reads up to 1\. Use the version of Parley that made it/,
    ],
    ["when a table's name is SQL", renamed('x"; drop table messages; --'), /is not a manifest/],
    ["when a table's name is a path", renamed("../../secret"), /is not a manifest/],
    ["when a table is Postgres's own", renamed("pg_authid"), /names a table pg_authid/],
    ["when a table is one that no backup has", renamed("parley_migrations"), /names a table parley_migrations/],
    ["when a table is there twice", renamed("messages"), /names a table messages/],
    [
      "when a table is shorter than it was",
      (directory) => {
        const path = join(directory, "tables/messages.ndjson")
        writeFileSync(path, readFileSync(path, "utf8").slice(0, -10))
      },
      /has \d+ bytes instead of \d+/,
    ],
    [
      "when a table has other rows",
      (directory) => {
        const path = join(directory, "tables/messages.ndjson")
        writeFileSync(path, readFileSync(path, "utf8").replace("private", "changed"))
      },
      /does not have its checksum/,
    ],
    [
      "when a row is no JSON",
      retable("messages", (text) => text.replace("{", "[")),
      /refuses rows of the table messages/,
    ],
    [
      "when a row has no value for a column",
      retable("messages", (text) => text.replaceAll('"session_id"', '"no such column"')),
      /refuses rows of the table messages: null value in column "session_id"/,
    ],
    [
      "when a row belongs to nothing",
      retable("messages", (text) => text.replace(/"session_id":"[^"]+"/, `"session_id":"${crypto.randomUUID()}"`)),
      /refuses rows of the table messages: .*foreign key/,
    ],
    ["when a row is there twice", retable("chatbots", (text) => text + text), /has some of these rows already/],
    [
      "when a file's key is a path",
      relisted((text) => text.replace("documents/", "documents/../../")),
      /is not understood/,
    ],
    ["when a file's key is another one's", relisted((text) => text.replace("documents/", "tmp/")), /is not understood/],
    [
      "when a file's hash is a path",
      relisted((text) => text.replace(/"sha256":"\w+"/, '"sha256":"../secret"')),
      /is not understood/,
    ],
    ["when a file is missing", (directory) => rmSync(join(directory, "blobs"), { recursive: true }), /is missing/],
  ])("%s", async (_, change, why) => {
    const directory = join(parent, crypto.randomUUID())
    cpSync(join(parent, "made"), directory, { recursive: true })
    change(directory)
    const { message, rows } = await run(
      Effect.provide(
        Effect.gen(function* () {
          const { message } = yield* Effect.flip(Restore.use((service) => service.run(directory)))
          const sql = yield* SystemSql
          const [rows] = yield* sql`select (select count(*)::int from organizations) as organizations,
            (select count(*)::int from pg_trigger where tgenabled = 'D') as disabled`
          return { message, rows }
        }),
        place,
      ),
    )
    expect(message).toMatch(why)
    expect(message).not.toContain("a secret of the machine")
    expect(rows).toEqual({ organizations: 0, disabled: 0 })
  })

  test("by `verify-backup`, which names what is damaged", async () => {
    const directory = join(parent, crypto.randomUUID())
    cpSync(join(parent, "made"), directory, { recursive: true })
    for (const name of ["messages", "sessions"]) writeFileSync(join(directory, "tables", `${name}.ndjson`), "{}\n")
    const { message } = await run(Effect.flip(Effect.provide(verify(directory), platform)))
    expect(message).toContain("messages.ndjson")
    expect(message).toContain("sessions.ndjson")
  })

  test("and leaves no file under another key than its own", async () => {
    const { blobs } = await run(Effect.provide(BlobControl, place))
    expect(Array.from(blobs.keys()).filter((key) => !/^\w+\/[0-9a-f-]+$/.test(key))).toEqual([])
  })
})
