import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import manifest from "../../package.json" with { type: "json" }
import { Client, until } from "../lib/Client.ts"
import { operatorKey, serverProcess, type Settings, settingsFor, spawn } from "../lib/ServerProcess.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { emptyDatabase, fresh, freshDirectory, layerOf, type TestDatabase } from "../lib/TestDatabase.ts"
import { testTimeout } from "../lib/TestServer.ts"
import { sharedRun } from "../lib/Scoped.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"

/*
 * What only a process shows: how it ends, where it prints, and what stands behind the commands in `main.ts`. What each
 * command does is in `Cli.test.ts`.
 */

setDefaultTimeout(testTimeout)

const run = sharedRun()

const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"

const parley = async (settings: Settings, command: string) => {
  const process = await run(serverProcess(settings, command.split(" ")))
  return { code: await process.exited, out: process.stdout(), error: process.stderr() }
}

describe("the process of a command", () => {
  let settings: Settings = {}
  beforeAll(async () => {
    settings = await run(Effect.flatMap(fresh, settingsFor))
  })

  test("ends with 0 on success, and says once where the first API key is", async () => {
    const { BOOTSTRAP_API_KEY: _, ...keyless } = settings
    const first = await parley(keyless, "migrate")
    expect(first).toMatchObject({ code: 0, error: "" })
    expect(first.out).toBe(
      `Your API key is in ${keyless["DATA_DIR"]}/first-api-key, which you should delete once you have the key.\nThe database is up to date.\n`,
    )
    expect(await parley(keyless, "migrate")).toEqual({ code: 0, out: "The database is up to date.\n", error: "" })
  })

  test("prints the first API key to a terminal, and keeps it nowhere", async () => {
    const { BOOTSTRAP_API_KEY: _, ...keyless } = await run(Effect.flatMap(fresh, settingsFor))
    let shown = ""
    const child = Bun.spawn([process.execPath, "src/main.ts", "migrate"], {
      cwd: join(import.meta.dir, "..", ".."),
      env: { PATH: process.env["PATH"] ?? "", ...keyless },
      terminal: { cols: 200, rows: 50, data: (_, bytes) => void (shown += new TextDecoder().decode(bytes)) },
    })
    expect(await child.exited).toBe(0)
    await until(
      () => shown,
      (text) => text.includes("up to date"),
    )
    expect(shown).toMatch(/^Your API key, shown this once:\s+prl_\w+\s+The database is up to date\.\s+$/)
    expect(existsSync(join(keyless["DATA_DIR"] ?? "", "first-api-key"))).toBe(false)
  })

  test("ends with 1 and says where to get a key when the first one cannot be written", async () => {
    const { BOOTSTRAP_API_KEY: _, ...keyless } = await run(Effect.flatMap(fresh, settingsFor))
    mkdirSync(join(keyless["DATA_DIR"] ?? "", "first-api-key"))
    const { code, error, out } = await parley(keyless, "migrate")
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(error).toMatch(/^parley: The first API key could not be written to [^\n]+\n$/)
    expect(error).toContain("`parley keys create first --scope all` makes another one.")
  })

  test("ends with 1 and prints one line on failure", async () => {
    expect(await parley(settings, `keys revoke ${nowhere}`)).toEqual({
      code: 1,
      out: "",
      error: expect.stringMatching(
        /^parley: The database is in [^\n]+\.\nparley: There is no such API key\. [^\n]+\.\n$/,
      ),
    })
  })

  test("ends with 1 and prints the error alone, with a hint at the help, on a usage error", async () => {
    expect(await parley(settings, "keys revoke seven")).toEqual({
      code: 1,
      out: "",
      error: `parley: Invalid value for argument <id>: "seven". Expected: the id of an API key, a UUID\n\`parley keys revoke --help\` shows what there is.\n`,
    })
  })

  test("names variables that resemble settings and are none", async () => {
    const { code, error } = await parley({ ...settings, EMBEDINGS: "local" }, "organizations list")
    expect(code).toBe(0)
    expect(error).toContain("parley: EMBEDINGS is not a setting. Is EMBEDDINGS meant?\n")
  })
})

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
    const { code, error, out } = await parley(settings, command.replace("DIRECTORY", directory))
    expect({ code, out }).toEqual({ code: command === "doctor" ? 2 : 1, out: "" })
    expect(error).toStartWith(`parley: There is no database of Parley in ${join(directory, "database")}. `)
    expect(readdirSync(directory)).toEqual([])
  })

  test.each(commands)("%s, on Postgres", async (command) => {
    const server = process.env["DATABASE_URL"]
    if (server === undefined) return
    const directory = await run(temporaryDirectory("wrong"))
    const url = await run(emptyDatabase(server))
    const settings = { DATA_DIR: directory, DATABASE_URL: url }
    const { code, error, out } = await parley(settings, command.replace("DIRECTORY", directory))
    expect({ code, out }).toEqual({ code: command === "doctor" ? 2 : 1, out: "" })
    expect(error).toStartWith(`parley: There is no database of Parley in Postgres at ${new URL(url).host}/`)
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
      const { code, error, out } = await parley(settings, command)
      expect({ code, out }).toEqual({ code: command === "doctor" ? 2 : 1, out: "" })
      expect(error).toContain(`and that of this Parley sql/${last[0]?.name}.sql. Start a server of this version`)
    }
    const names = await withDatabase(SystemSql.use((sql) => sql<{ name: string }>`select name from parley_migrations`))
    expect(names.map(({ name }) => name)).not.toContain(last[0]?.name ?? "")
  })
})

describe("`doctor` tells a script by its exit code", () => {
  let settings: Settings = {}
  beforeAll(async () => {
    settings = await run(Effect.flatMap(fresh, settingsFor))
    await parley(settings, "migrate")
  })

  test("that nothing is wrong: 0", async () => {
    const { code, out } = await parley(settings, "doctor --json")
    expect(code).toBe(0)
    const { checks, state } = JSON.parse(out)
    expect(state).not.toBe("wrong")
    // The command itself is no server.
    const servers = checks.filter(({ part }: { readonly part: string }) => part === "servers")
    expect(servers).toEqual(
      settings["DATABASE_URL"] === undefined ? [] : [{ state: "ok", part: "servers", text: "none is running" }],
    )
  })

  test("that something is wrong: 1, and what in JSON", async () => {
    const { code, error, out } = await parley({ ...settings, OPENAI_BASE_URL: "http://127.0.0.1:1" }, "doctor --json")
    expect({ code, error }).toEqual({ code: 1, error: "parley: 1 of these is wrong. Mend that and run it again.\n" })
    const { checks, state } = JSON.parse(out)
    expect(state).toBe("wrong")
    expect(checks).toContainEqual({
      state: "wrong",
      part: "models",
      text: expect.stringMatching(/^[^\n]*openai[^\n]*$/i),
    })
  })

  test("that it cannot tell: 2, and why, in JSON as well", async () => {
    const { code, error, out } = await parley(
      { ...settings, DATABASE_URL: "postgres://postgres@127.0.0.1:1/none" },
      "doctor --json",
    )
    expect(code).toBe(2)
    expect(error).toMatch(/^parley: [^\n]+\.\n$/)
    expect(JSON.parse(out)).toEqual({
      state: "wrong",
      checks: [{ state: "wrong", part: "database", text: error.slice("parley: ".length).trim() }],
    })
    expect((await parley({ ...settings, PORT: "many" }, "doctor")).code).toBe(2)
  })
})

describe("while a running server uses the embedded database,", () => {
  let settings: Settings & { readonly DATA_DIR: string } = { DATA_DIR: "" }
  let url = ""
  beforeAll(async () => {
    settings = await run(Effect.flatMap(freshDirectory, settingsFor))
    url = await (await run(serverProcess(settings))).listening
  })

  const running = () => JSON.parse(readFileSync(join(settings.DATA_DIR, "running.json"), "utf8"))

  test("commands go through the server, and the audit log says that they came from the command line", async () => {
    const { code, out, error } = await parley(settings, "keys create website --scope chat")
    expect({ code, error }).toEqual({ code: 0, error: "" })
    expect(out).toMatch(/^prl_\w+\n\nIt is shown this once\. .* made by command line\n$/)
    const made = (await parley(settings, "organizations create Another")).out.trim()
    expect((await parley(settings, "organizations list")).out).toContain(`${made}  Another\n`)
    expect(await parley(settings, `organizations delete ${made} --yes`)).toMatchObject({ code: 0 })
    expect(await parley(settings, `keys revoke ${nowhere}`)).toMatchObject({
      code: 1,
      error: expect.stringMatching(
        /^parley: The server at [^\n]+ has the database\.\nparley: There is no such API key\. [^\n]+\.\n$/,
      ),
    })
    const { body } = await new Client(url, operatorKey).get("/api/admin/audit-log?action=api_key.created&limit=1")
    expect(body).toMatchObject({ entries: [{ actor: { kind: "command_line", api_key_id: null } }] })
  })

  test("`doctor` examines through the server", async () => {
    const { code, error, out } = await parley(settings, "doctor --json")
    expect({ code, error }).toEqual({ code: 0, error: "" })
    expect(JSON.parse(out)).toMatchObject({
      checks: expect.arrayContaining(
        [{ state: "ok", part: "disk" }].map((finding) => expect.objectContaining(finding)),
      ),
    })
  })

  test("a backup is made through the server, for this machine's commands alone, and restored elsewhere", async () => {
    const elsewhere = await run(temporaryDirectory("elsewhere"))
    const directory = join(elsewhere, "backup")
    const { code, error, out } = await parley(settings, `backup ${directory}`)
    expect({ code, error }).toEqual({ code: 0, error: "" })
    expect(out).toMatch(/^\d+ rows \(.*\) and 0 files \(.*\) are in .*backup\.\n$/)
    expect(await parley(settings, `backup ${directory}`)).toMatchObject({
      code: 1,
      error: expect.stringMatching(/^parley: There is a finished backup in [^\n]+\n$/),
    })
    expect((await parley({}, `verify-backup ${directory}`)).out).toMatch(/^Whole: Everything as of .*\n$/)
    const key = new Client(url, operatorKey)
    expect((await key.post("/api/admin/backups", { json: { directory: join(elsewhere, "by-key") } })).status).toBe(403)
    expect(existsSync(join(elsewhere, "by-key"))).toBe(false)

    const there = { ...settings, DATA_DIR: join(elsewhere, "data") }
    expect(await parley(there, `restore ${directory}`)).toMatchObject({ code: 0, error: "" })
    expect((await parley(there, "organizations list")).out).toBe((await parley(settings, "organizations list")).out)
    expect(await parley(there, `restore ${directory}`)).toMatchObject({
      code: 1,
      error: expect.stringMatching(/^parley: The database is not empty: /),
    })
  })

  test("only this machine's user reads the token, and it is good by the address beside it alone", async () => {
    expect(statSync(join(settings.DATA_DIR, "running.json")).mode & 0o777).toBe(0o600)
    const local = new Client(running().url, running().token)
    expect(new URL(local.url).hostname).toBe("127.0.0.1")
    expect((await local.get("/api/admin/organizations")).status).toBe(200)
    // A proxy in front of the server does not reach that address, whatever headers it adds, or none.
    const proxied = new Client(url, running().token)
    for (const headers of [
      {},
      { via: "1.1 proxy" },
      { "x-real-ip": "127.0.0.1" },
      { "x-forwarded-for": "127.0.0.1" },
    ]) {
      expect((await proxied.get("/api/admin/organizations", { headers })).status).toBe(401)
    }
    const other = `${running().token.slice(0, -1)}${running().token.endsWith("A") ? "B" : "A"}`
    expect((await local.withKey(other).get("/api/admin/organizations")).status).toBe(401)
  })

  test("a command asks to stop the server when its token is refused, or there is none", async () => {
    const file = join(settings.DATA_DIR, "running.json")
    const kept = readFileSync(file, "utf8")
    for (const content of [JSON.stringify({ ...running(), token: "local_another" }), "{}"]) {
      writeFileSync(file, content)
      const { code, error, out } = await parley({ ...settings, PORT: new URL(url).port }, "keys list")
      expect({ code, out }).toEqual({ code: 1, out: "" })
      expect(error).toMatch(/(?:^|\n)parley: [^\n]+ is in use by process \d+\. [^\n]+\n$/)
      expect(error).toEndWith(`Stop that process first. If it is a server, ${url}/readyz answers.\n`)
    }
    writeFileSync(file, kept)
  })
})

test("a server that ends takes its token along", async () => {
  const settings = await run(Effect.flatMap(freshDirectory, settingsFor))
  const server = await run(serverProcess(settings))
  await server.listening
  expect(existsSync(join(settings.DATA_DIR, "running.json"))).toBe(true)
  server.kill("SIGTERM")
  expect(await server.exited).toBe(0)
  expect(existsSync(join(settings.DATA_DIR, "running.json"))).toBe(false)
})

describe("`bun run start` fails in one line", () => {
  /** Runs `bun run start` in a checkout without installed packages, and returns its error output. */
  const startIn = async (manifest: object) => {
    const checkout = await run(temporaryDirectory("checkout"))
    for (const name of ["bunfig.toml", "src", "sql"]) {
      cpSync(join(import.meta.dir, "..", "..", name), join(checkout, name), { recursive: true })
    }
    writeFileSync(join(checkout, "package.json"), JSON.stringify(manifest))
    const settings = { DATA_DIR: join(checkout, "data") }
    const { exited, stderr, stdout } = spawn(settings, [process.execPath, "run", "start"], checkout)
    expect(await exited).toBe(1)
    expect(stdout()).toBe("")
    return stderr()
  }

  test("without installed packages", async () => {
    expect(await startIn(manifest)).toMatch(/^parley: [^\n]*not installed. Run `bun install`[^\n]*\n$/)
  })

  test("on a version of Bun that is too old, even without installed packages", async () => {
    expect(await startIn({ ...manifest, engines: { bun: ">=99.1.2" } })).toBe(
      `parley: This is Bun ${Bun.version}, and Parley needs 99.1.2 or later: \`npx --yes bun@99.1.2 …\` runs it.\n`,
    )
  })
})
