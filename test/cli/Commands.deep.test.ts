import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { Client } from "../lib/Client.ts"
import { parley } from "../lib/Parley.ts"
import { sharedRun } from "../lib/Scoped.ts"
import { operatorKey, type ServerProcess, serverProcess, type Settings, settingsFor } from "../lib/ServerProcess.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { freshDirectory } from "../lib/TestDatabase.ts"
import { testTimeout } from "../lib/TestServer.ts"

/*
 * Commands in this process, beside a server that has the embedded database to itself.
 */

setDefaultTimeout(2 * testTimeout)

const run = sharedRun()

const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"

describe("while a running server uses the embedded database,", () => {
  let settings: Settings & { readonly DATA_DIR: string } = { DATA_DIR: "" }
  let server: ServerProcess | undefined
  let url = ""
  beforeAll(async () => {
    settings = await run(Effect.flatMap(freshDirectory, settingsFor))
    server = await run(serverProcess(settings))
    url = await server.listening
  })

  const running = () => JSON.parse(readFileSync(join(settings.DATA_DIR, "running.json"), "utf8"))

  test("commands go through the server, and the audit log says that they came from the command line", async () => {
    const { code, out, usage } = await parley(settings, "keys create website --scope chat")
    expect({ code, usage }).toEqual({ code: 0, usage: "" })
    expect(out).toMatch(/^prl_\w+\n\nIt is shown this once\. .* made by command line\n$/)
    const made = (await parley(settings, "organizations create Another")).out.trim()
    expect((await parley(settings, "organizations list")).out).toContain(`${made}  Another\n`)
    expect(await parley(settings, `organizations delete ${made} --yes`)).toMatchObject({ code: 0 })
    expect(await parley(settings, `keys revoke ${nowhere}`)).toMatchObject({
      code: 1,
      usage: expect.stringMatching(/^parley: The server at [^\n]+ has the database\.\n$/),
      why: expect.stringMatching(/^There is no such API key\. [^\n]+\.$/),
    })
    const { body } = await new Client(url, operatorKey).get("/api/admin/audit-log?action=api_key.created&limit=1")
    expect(body).toMatchObject({ entries: [{ actor: { kind: "command_line", api_key_id: null } }] })
  })

  test("`doctor` examines through the server", async () => {
    const { code, out, usage } = await parley(settings, "doctor --json")
    expect({ code, usage }).toEqual({ code: 0, usage: "" })
    expect(JSON.parse(out)).toMatchObject({
      checks: expect.arrayContaining(
        [{ state: "ok", part: "disk" }].map((finding) => expect.objectContaining(finding)),
      ),
    })
  })

  test("a backup is made through the server, for this machine's commands alone, and restored elsewhere", async () => {
    const elsewhere = await run(temporaryDirectory("elsewhere"))
    const directory = join(elsewhere, "backup")
    const { code, out, usage } = await parley(settings, `backup ${directory}`)
    expect({ code, usage }).toEqual({ code: 0, usage: "" })
    expect(out).toMatch(/^\d+ rows \(.*\) and 0 files \(.*\) are in .*backup\.\n$/)
    expect(await parley(settings, `backup ${directory}`)).toMatchObject({
      code: 1,
      why: expect.stringMatching(/^There is a finished backup in [^\n]+$/),
    })
    expect((await parley({}, `verify-backup ${directory}`)).out).toMatch(/^Whole: Everything as of .*\n$/)
    const key = new Client(url, operatorKey)
    expect((await key.post("/api/admin/backups", { json: { directory: join(elsewhere, "by-key") } })).status).toBe(403)
    expect(existsSync(join(elsewhere, "by-key"))).toBe(false)

    const there = { ...settings, DATA_DIR: join(elsewhere, "data") }
    expect(await parley(there, `restore ${directory}`)).toMatchObject({ code: 0, usage: "" })
    expect((await parley(there, "organizations list")).out).toBe((await parley(settings, "organizations list")).out)
    expect(await parley(there, `restore ${directory}`)).toMatchObject({
      code: 1,
      why: expect.stringMatching(/^The database is not empty: /),
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
      const { code, out, why } = await parley({ ...settings, PORT: new URL(url).port }, "keys list")
      expect({ code, out }).toEqual({ code: 1, out: "" })
      expect(why).toMatch(/^[^\n]+ is in use by process \d+\. [^\n]+$/)
      expect(why).toEndWith(`Stop that process first. If it is a server, ${url}/readyz answers.`)
    }
    writeFileSync(file, kept)
  })

  test("a server that ends takes its token along", async () => {
    server?.kill("SIGTERM")
    expect(await server?.exited).toBe(0)
    expect(existsSync(join(settings.DATA_DIR, "running.json"))).toBe(false)
  })
})
