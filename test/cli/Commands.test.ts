import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { parley } from "../lib/Parley.ts"
import { sharedRun } from "../lib/Scoped.ts"
import { settingsFor } from "../lib/ServerProcess.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { emptyDatabase, fresh, layerOf, type TestDatabase } from "../lib/TestDatabase.ts"
import { testTimeout } from "../lib/TestServer.ts"

/*
 * What stands behind the commands in `main.ts`, in this process: where there is no database, or one of another version.
 * Beside a running server it is in `Commands.deep.test.ts`. What each command does is in `Cli.test.ts`, and how its
 * process ends in `CliProcess.deep.test.ts`.
 */

setDefaultTimeout(testTimeout)

const run = sharedRun()

const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"

describe("a command that only looks makes nothing where there is no database:", () => {
  const commands = [
    "doctor",
    "keys list",
    `keys budget ${nowhere}`,
    `keys revoke ${nowhere}`,
    "organizations list",
    `organizations quota ${nowhere}`,
    "backup DIRECTORY/backup",
    `organizations export ${nowhere} DIRECTORY/export`,
  ]

  test.each(commands)("%s", async (command) => {
    const directory = await run(temporaryDirectory("wrong"))
    const settings = { DATA_DIR: directory }
    const { code, out, usage, why } = await parley(settings, command.replace("DIRECTORY", directory))
    expect({ code, out, usage }).toEqual({ code: command === "doctor" ? 2 : 1, out: "", usage: "" })
    expect(why).toStartWith(`There is no database of Parley in ${join(directory, "database")}. `)
    expect(readdirSync(directory)).toEqual([])
  })

  const { DATABASE_URL: server } = process.env
  const onPostgres = server === undefined ? [] : commands.map((command) => [command, server] as const)
  test.each(onPostgres)("%s, on Postgres", async (command, server) => {
    const directory = await run(temporaryDirectory("wrong"))
    const url = await run(emptyDatabase(server))
    const settings = { DATA_DIR: directory, DATABASE_URL: url }
    const { code, out, usage, why } = await parley(settings, command.replace("DIRECTORY", directory))
    expect({ code, out, usage }).toEqual({ code: command === "doctor" ? 2 : 1, out: "", usage: "" })
    expect(why).toStartWith(`There is no database of Parley in Postgres at ${new URL(url).host}/`)
    expect(readdirSync(directory)).toEqual([])
    const sql = new Bun.SQL(url)
    expect([...(await sql`select extname from pg_extension where extname = 'vector'`)]).toEqual([])
    expect([...(await sql`select tablename from pg_tables where schemaname = 'public'`)]).toEqual([])
    await sql.close()
  })

  test("and leaves a database of an older schema as it is", async () => {
    const settings = await run(Effect.flatMap(fresh, settingsFor))
    const database: TestDatabase =
      settings["DATABASE_URL"] === undefined
        ? { kind: "embedded", directory: join(settings.DATA_DIR, "database") }
        : { kind: "postgres", url: settings["DATABASE_URL"] }
    const withDatabase = <A, E>(work: Effect.Effect<A, E, SystemSql>) =>
      Effect.runPromise(
        Effect.scoped(
          Effect.provide(
            work,
            layerOf(database, () => Effect.void),
          ),
        ),
      )
    const last = await withDatabase(
      SystemSql.use(
        (sql) => sql<{ name: string }>`
        delete from parley_migrations where number = (select max(number) from parley_migrations) returning name`,
      ),
    )
    for (const command of ["doctor", "keys list", "organizations list"]) {
      const { code, out, why } = await parley(settings, command)
      expect({ code, out }).toEqual({ code: command === "doctor" ? 2 : 1, out: "" })
      expect(why).toContain(`and that of this Parley sql/${last[0]?.name}.sql. Start a server of this version`)
    }
    const names = await withDatabase(SystemSql.use((sql) => sql<{ name: string }>`select name from parley_migrations`))
    expect(names.map(({ name }) => name)).not.toContain(last[0]?.name ?? "")
  })
})

test("`doctor` cannot tell where a setting is wrong", async () => {
  expect((await parley({ PORT: "many" }, "doctor")).code).toBe(2)
})
