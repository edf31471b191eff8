import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect, Exit, Scope } from "effect"
import { type Block, blocksOf, pages, root, textOf } from "./lib/docs/Markdown.ts"
import { fixturePath } from "./lib/Fixtures.ts"
import { operatorKey, type ServerProcess, serverProcess, type Settings, settingsFor } from "./lib/ServerProcess.ts"
import { fresh, temporaryDirectory } from "./lib/TestDatabase.ts"
import { testTimeout } from "./lib/TestServer.ts"

/*
 * A reader who copies every command of the documentation, in the order of the pages, into one shell in the checkout. What
 * a reader takes from an answer, such as an id, is taken from the answers here as well.
 */

setDefaultTimeout(testTimeout)

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Scope.provide(effect, scope))

interface Command extends Block {
  readonly title: string
  /** What its answer looks like: the block of another language that follows in the same section. */
  readonly shown: Block | undefined
}

const isShell = ({ language }: Block): boolean => language === "sh" || language === "bash"

const commands: ReadonlyArray<Command> = pages.flatMap((page) => {
  const blocks = blocksOf(page)
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1]
    const shown = next?.section === block.section && !isShell(next) ? next : undefined
    return isShell(block) ? [{ ...block, shown, title: `${page}: ${block.text.split("\n")[0]}` }] : []
  })
})

/** On the command line the embedded database serves one process at a time, so these come when the server has ended. */
const isAlone = ({ text }: Command): boolean => /^bun run parley /m.test(text)

const toRun = commands.filter(({ notRun }) => notRun === undefined)

/** All that commands have written so far. */
let written = ""
const lastOf = (pattern: RegExp): string =>
  Array.from(written.matchAll(pattern), ([, value]) => value ?? "").at(-1) ?? ""

let url = ""
/** What a reader puts in the place of an example. */
const taken: Readonly<Record<string, () => string>> = {
  URL: () => url,
  KEY: () => `x-api-key: ${operatorKey}`,
  BOT: () => lastOf(/"chatbot":\{"id":"([^"]+)"/g),
  DOC: () => lastOf(/"documents":\[\{"id":"([^"]+)"/g),
  REPLY: () => lastOf(/"id":"([^"]+)"[^{}]*"sender_type":"bot"/g),
  ORGANIZATION: () => lastOf(/"organization":\{"id":"([^"]+)"/g),
  WEBSITE: () => lastOf(/"api_key":\{"id":"([^"]+)"[^}]*"name":"website"/g),
}

/** An address, a key or an id that no server has. */
const EXAMPLE = /^([A-Z]+)=(http:\/\/127\.0\.0\.1:3000|'x-api-key: prl_…'|[0-9a-f]{8}-[0-9a-f-]{27})/gm

const asTyped = (text: string): string =>
  text.replaceAll(EXAMPLE, (_, name: string) => {
    const value = taken[name]?.() ?? ""
    if (value === "") throw new Error(`No answer so far holds what a reader would put into ${name}.`)
    return `${name}='${value}'`
  })

/** Where they are typed: the checkout, with the pictures and files that a reader has. */
let directory = ""
let settings: Settings = {}
let server: ServerProcess | undefined

beforeAll(async () => {
  directory = await run(temporaryDirectory("docs"))
  for (const name of readdirSync(root)) symlinkSync(join(root, name), join(directory, name))
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  await Bun.write(join(directory, "face.png"), Buffer.from(pixel, "base64"))
  cpSync(fixturePath("handbook.pdf"), join(directory, "handbook-2.pdf"))
  mkdirSync(join(directory, "bin"))
  symlinkSync(process.execPath, join(directory, "bin", "bun"))
  settings = await run(Effect.flatMap(fresh, settingsFor))
  server = await run(serverProcess(settings))
  url = await server.listening
})

/** Variables live on from command to command, as in a shell; what fails ends it, also an answer that is no success. */
const type = async (text: string) => {
  const state = join(directory, "state")
  const script = `
    set -euo pipefail
    curl() { command curl --fail-with-body "$@"; }
    if [[ -e ${state} ]]; then source ${state}; fi
    set -a
    ${asTyped(text)}
    set +a
    export -p >${state}`
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env
  const child = Bun.spawn(["bash", "-c", script], {
    cwd: directory,
    env: { HOME, TMPDIR, ...settings, PATH: `${join(directory, "bin")}:${PATH}` },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  written += out
  return { out, error, code }
}

/** Names of fields in an answer, and the types of a stream's events. */
const namesIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/"([A-Za-z_]+)"\s*:|"type":"([a-z-]+)"/g), ([, field, type]) => field ?? type ?? "")

const succeeds = async ({ text, shown }: Command) => {
  const { code, error, out } = await type(text)
  expect({ code, error, out }).toEqual({ code: 0, error: expect.any(String), out: expect.any(String) })
  const missing = namesIn(shown?.text ?? "").filter((name) => !namesIn(out).includes(name))
  expect(missing).toEqual([])
}

test("there are commands on the pages, and most of them are run", () => {
  expect(toRun.length).toBeGreaterThan(20)
})

test("every block that is not run says why, in a sentence", () => {
  for (const { notRun } of commands) if (notRun !== undefined) expect(notRun).toMatch(/^[A-Z].*\.$/)
})

test.each(commands.map(({ text, title }) => [title, text]))("%s is written as bash wants it", (_, text) => {
  const { exitCode, stderr } = Bun.spawnSync(["bash", "-n", "-c", text])
  expect({ exitCode, error: stderr.toString() }).toEqual({ exitCode: 0, error: "" })
})

describe("against a running server", () => {
  const asked = toRun.filter((command) => !isAlone(command))
  test.each(asked.map((command) => [command.title, command] as const))("%s", (_, command) => succeeds(command))
})

test("the table of commands has every one that there is", async () => {
  const groups = ["keys", "organizations"]
  const helps = await Promise.all(groups.map((group) => type(`bun src/main.ts ${group} --help`)))
  const offered = helps.flatMap(({ out }, index) => {
    const [, subcommands = ""] = out.split("SUBCOMMANDS")
    return Array.from(subcommands.matchAll(/^ {2}(\w+) /gm), ([, name]) => `${groups[index]} ${name}`)
  })
  const listed = textOf("docs/keys-and-budgets.md").matchAll(/^\| `parley (\w+ \w+)/gm)
  expect(Array.from(listed, ([, name]) => name).toSorted()).toEqual(offered.toSorted())
})

describe("on the command line, when it has ended", () => {
  beforeAll(async () => {
    server?.kill("SIGTERM")
    await server?.exited
  })

  const alone = toRun.filter(isAlone)
  test.each(alone.map((command) => [command.title, command] as const))("%s", (_, command) => succeeds(command))
})
