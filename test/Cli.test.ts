import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect, Exit, Scope } from "effect"
import manifest from "../package.json" with { type: "json" }
import { allScopes } from "../src/domain/ApiKey.ts"
import { SystemSql } from "../src/storage/sql/Database.ts"
import { Client } from "./lib/Client.ts"
import { operatorKey, serverProcess, type Settings, settingsFor, spawn } from "./lib/ServerProcess.ts"
import { fresh, freshDirectory, layerOf, temporaryDirectory } from "./lib/TestDatabase.ts"
import { testTimeout } from "./lib/TestServer.ts"

setDefaultTimeout(testTimeout)

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Scope.provide(effect, scope))

const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"

const parleyWith = async (settings: Settings, command: string) => {
  const process = await run(serverProcess(settings, command.split(" ")))
  return { code: await process.exited, out: process.stdout(), error: process.stderr() }
}

let settings: Settings = {}
beforeAll(async () => {
  settings = await run(Effect.flatMap(fresh, settingsFor))
})
const parley = (command: string) => parleyWith(settings, command)

/** A key that it prints, and its id. */
const made = (out: string) => ({
  key: /^(prl_\w+)$/m.exec(out)?.[1] ?? "",
  id: /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(out)?.[0] ?? "",
})

describe("an id of nothing is told in one line", () => {
  test.each([
    [`keys revoke ${nowhere}`, /no such API key/],
    [`keys create website --scope chat --chatbot ${nowhere}`, /no such chatbot/],
    [`keys create website --scope chat --organization ${nowhere}`, /no such organization/],
    [`keys list --organization ${nowhere}`, /no such organization/],
    [`keys budget ${nowhere} --concurrent-chats 1`, /no such API key/],
    [`organizations budget ${nowhere}`, /no such organization/],
  ])("%s", async (command, words) => {
    const { code, error, out } = await parley(command)
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(error).toMatch(/^parley: [^\n]+\.\n$/)
    expect(error).toMatch(words)
  })

  test("and what is no id at all, by saying what one is", async () => {
    const { code, error } = await parley("keys revoke seven")
    expect(code).toBe(1)
    expect(error).toContain('"seven". Expected: the id of an API key, a UUID')
  })
})

describe("`keys create`", () => {
  test("wants to be told what the key may do", async () => {
    const { code, error } = await parley("keys create website")
    expect(code).toBe(1)
    expect(error).toContain("--scope")
    expect((await parley("keys list")).out).not.toContain("website")
  })

  test("says what it gave, to the one scope or to all", async () => {
    const one = await parley("keys create widget --scope chat --expires 2999-12-31")
    expect(one.code).toBe(0)
    expect(one.out).toContain("widget  [chat]  all chatbots  expires 2999-12-31")
    const all = await parley("keys create backup --scope all")
    expect(all.out).toContain(`backup  [${allScopes.join(" ")}]  all chatbots  never expires`)
    expect(made(all.out).key).not.toBe("")
  })

  test("makes no key that is dead already", async () => {
    const { code, error, out } = await parley("keys create late --scope chat --expires 2001-01-01")
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(error).toMatch(/^parley: .*still to come.*\n$/)
    expect((await parley("keys list")).out).not.toContain("late")
  })
})

test("`keys list` tells which keys are expired, revoked or bound to a chatbot", async () => {
  const database = await run(fresh)
  const own = await run(settingsFor(database))
  const server = await run(serverProcess(own))
  const { id: chatbot } = await new Client(await server.listening, operatorKey).newChatbot()
  server.kill("SIGTERM")
  await server.exited
  await parleyWith(own, `keys create bound --scope chat --chatbot ${chatbot}`)
  const revoked = made((await parleyWith(own, "keys create gone --scope chat")).out).id
  await parleyWith(own, `keys revoke ${revoked}`)
  await parleyWith(own, "keys create old --scope chat --expires 2999-12-31")
  const expire = SystemSql.use((sql) => sql`update api_keys set expires_at = '2001-01-01' where name = 'old'`)
  const moved =
    database.kind === "embedded" ? { ...database, directory: join(own["DATA_DIR"] ?? "", "database") } : database
  await Effect.runPromise(Effect.provide(expire, layerOf(moved)))
  const { out } = await parleyWith(own, "keys list")
  expect(out).toMatch(new RegExp(`bound  \\[chat\\]  chatbot ${chatbot}  never expires`))
  expect(out).toMatch(/gone {2}\[chat\] {2}all chatbots {2}revoked \d{4}-/)
  expect(out).toMatch(/old {2}\[chat\] {2}all chatbots {2}expired 2001-01-01/)
})

describe("where a running server has the embedded database", () => {
  let own: Settings = {}
  let url = ""
  beforeAll(async () => {
    own = await run(Effect.flatMap(freshDirectory, settingsFor))
    url = await (await run(serverProcess(own))).listening
  })

  test.each([
    ["keys list", "", "api-keys"],
    [`keys revoke ${nowhere}`, "-X DELETE ", "api-keys/$ID"],
    ["organizations list", "", "organizations"],
  ])("%s names the request that does the same", async (command, method, path) => {
    const { code, error } = await parleyWith({ ...own, PORT: new URL(url).port }, command)
    expect(code).toBe(1)
    expect(error).toMatch(/^parley: [^\n]+ is in use by process \d+\. [^\n]+\n$/)
    expect(error).toContain(`curl ${method}${url}/api/admin/${path} -H "x-api-key: $KEY"`)
    expect(error).not.toContain("another directory")
  })

  test.each(["doctor", "migrate"])("%s asks to stop it", async (command) => {
    const { code, error } = await parleyWith(own, command)
    expect(code).toBe(1)
    expect(error).toContain("Stop that process first.")
  })
})

describe("a start is refused in one line", () => {
  /** What `bun run start` says in a checkout where nothing is installed. */
  const startIn = async (manifest: object) => {
    const checkout = await run(temporaryDirectory("checkout"))
    for (const name of ["bunfig.toml", "src", "sql"]) {
      cpSync(join(import.meta.dir, "..", name), join(checkout, name), { recursive: true })
    }
    writeFileSync(join(checkout, "package.json"), JSON.stringify(manifest))
    const { exited, stderr, stdout } = spawn(settings, [process.execPath, "run", "start"], checkout)
    expect(await exited).toBe(1)
    expect(stdout()).toBe("")
    return stderr()
  }

  test("after a forgotten `bun install`", async () => {
    expect(await startIn(manifest)).toMatch(/^parley: [^\n]*not installed. Run `bun install`[^\n]*\n$/)
  })

  test("on an engine that is too old, which is said first", async () => {
    expect(await startIn({ ...manifest, engines: { bun: ">=99.1.2" } })).toBe(
      `parley: This is Bun ${Bun.version}, and Parley needs 99.1.2 or later: \`npx --yes bun@99.1.2 …\` runs it.\n`,
    )
  })
})
