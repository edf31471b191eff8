import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import manifest from "../../package.json" with { type: "json" }
import { until } from "../lib/Client.ts"
import { startEndpoint } from "../lib/Endpoint.ts"
import { sharedRun } from "../lib/Scoped.ts"
import { serverProcess, type Settings, settingsFor, spawn } from "../lib/ServerProcess.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { fresh } from "../lib/TestDatabase.ts"
import { testTimeout } from "../lib/TestServer.ts"

/*
 * What only a process shows: how it ends and where it prints. What each command does is in `Cli.test.ts`, and what stands
 * behind it in `main.ts` in `Commands.test.ts`.
 */

setDefaultTimeout(2 * testTimeout)

const run = sharedRun()
const registry = startEndpoint()

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

  test("ends with another code than 0 when a signal cuts it off", async () => {
    const asked = Promise.withResolvers<void>()
    registry.answers(() => {
      asked.resolve()
      return new Promise(() => {})
    })
    const command = ["models", "fetch", "minilm"]
    const process = await run(serverProcess({ ...settings, NPM_CONFIG_REGISTRY: registry.url }, command))
    await Promise.race([asked.promise, process.exited])
    process.kill("SIGTERM")
    expect(await process.exited).toBe(130)
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

describe("`doctor` tells a script by its exit code", () => {
  let settings: Settings = {}
  beforeAll(async () => {
    settings = await run(Effect.flatMap(fresh, settingsFor))
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
  })
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
