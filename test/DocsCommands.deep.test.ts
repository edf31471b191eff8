import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Context, Effect } from "effect"
import { UploadWaits } from "../src/http/knowledge/UploadWait.ts"
import { engines } from "../package.json" with { type: "json" }
import { type Block, blocksOf, pages, root, textOf } from "./lib/docs/Markdown.ts"
import { operatorKey, type ServerProcess, serverProcess, type Settings, settingsFor } from "./lib/ServerProcess.ts"
import { fresh } from "./lib/TestDatabase.ts"
import { testTimeout } from "./lib/TestServer.ts"
import { sharedRun } from "./lib/Scoped.ts"
import { temporaryDirectory } from "./lib/TemporaryDirectory.ts"

/*
 * Runs the commands of the documentation like a reader who copies them all, in the order of the pages, into one shell
 * in the checkout. Like a newcomer, the reader has Node.js and has done what README says, and no Bun on the search path.
 * Values that a reader takes from an answer, such as an id, are taken from the answers.
 */

setDefaultTimeout(testTimeout)

const run = sharedRun()

interface Command extends Block {
  readonly title: string
  /** The example of its output: the block of another language that follows in the same section. */
  readonly example: Block | undefined
}

/** The page of those who have Bun. */
const DEVELOPMENT = "docs/development.md"

const isShell = ({ language }: Block): boolean => language === "sh" || language === "bash"

const commands: ReadonlyArray<Command> = pages.flatMap((page) => {
  const blocks = blocksOf(page)
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1]
    const example = next?.section === block.section && !isShell(next) ? next : undefined
    return isShell(block) ? [{ ...block, example, title: `${page}: ${block.text.split("\n")[0]}` }] : []
  })
})

/**
 * Whether a command opens the database itself. The embedded database serves one process, so the server must have ended.
 */
const opensDatabase = ({ text }: Command): boolean => /^(?:env .+ )?src\/parley /m.test(text)

const toRun = commands.filter(({ notRun }) => notRun === undefined)

/** The output of all commands so far. */
let output = ""
const lastOf = (pattern: RegExp): string =>
  Array.from(output.matchAll(pattern), ([, value]) => value ?? "").at(-1) ?? ""

let url = ""
/** The values that a reader puts in place of the examples. */
const values: Readonly<Record<string, () => string>> = {
  URL: () => url,
  KEY: () => `x-api-key: ${operatorKey}`,
  ORGANIZATION: () => lastOf(/"organization":\{"id":"([^"]+)"/g),
  WEBSITE: () => lastOf(/"api_key":\{"id":"([^"]+)"[^}]*"name":"website"/g),
}

/** Matches the assignment of an example of an address, a key or an id. */
const EXAMPLE = /^([A-Z]+)=(http:\/\/127\.0\.0\.1:3000|'x-api-key: prl_…'|[0-9a-f]{8}-[0-9a-f-]{27})/gm

/** Replaces the examples in a command by real values. */
const asTyped = (text: string): string =>
  text.replaceAll(EXAMPLE, (_, name: string) => {
    const value = values[name]?.() ?? ""
    if (value === "") throw new Error(`No output so far has the value of ${name}.`)
    return `${name}='${value}'`
  })

/** The directory of the commands: the checkout. */
let directory = ""
/** The directories of the search path, in which there is no Bun. */
let searchPath: ReadonlyArray<string> = []
let settings: Settings = {}
let server: ServerProcess | undefined

beforeAll(async () => {
  directory = await run(temporaryDirectory("docs"))
  for (const name of readdirSync(root)) symlinkSync(join(root, name), join(directory, name))
  searchPath = (process.env["PATH"] ?? "").split(delimiter).map(withoutBun)
  mkdirSync(join(directory, "bin"))
  mkdirSync(join(directory, "bun"))
  symlinkSync(process.execPath, join(directory, "bun", "bun"))
  writeFileSync(join(directory, "bin", "npx"), npx(join(directory, "bun")), { mode: 0o755 })
  // On a busy machine a document takes longer than an upload usually waits, and the next command would find nothing.
  settings = await run(Effect.flatMap(fresh, settingsFor))
  const waits = Context.make(UploadWaits, { usual: "60 seconds", longest: "60 seconds" })
  server = await run(serverProcess(settings, [], waits))
  url = await server.listening
})

/** What npx does with the version of Bun that README names, without asking the network: Bun is on its search path. */
const npx = (directoryOfBun: string): string => `#!/bin/sh
if [ "$1 $2" != "--yes bun@${engines.bun.replace(/^\D+/, "")}" ]; then echo "npx: unexpected: $*" >&2; exit 1; fi
shift 2
PATH="${directoryOfBun}:$PATH" exec bun "$@"
`

/** A directory of the search path, or one that has all of its programs but Bun. */
const withoutBun = (place: string, index: number): string => {
  if (!existsSync(join(place, "bun"))) return place
  const others = join(directory, `path-${index}`)
  mkdirSync(others)
  for (const name of readdirSync(place)) if (!/^bunx?$/.test(name)) symlinkSync(join(place, name), join(others, name))
  return others
}

/** Runs a command in bash. Variables and functions are kept for the next one, and an HTTP error is a failure. */
const runCommand = async (text: string, page = "") => {
  const { HOME = "", TMPDIR = "/tmp" } = process.env
  const path = [join(directory, page === DEVELOPMENT ? "bun" : "bin"), ...searchPath].join(delimiter)
  const state = join(directory, "state")
  const script = `
    set -euo pipefail
    if [[ -e ${state} ]]; then source ${state}; fi
    PATH='${path}'
    curl() { command curl --fail-with-body "$@"; }
    set -a
    ${asTyped(text)}
    set +a
    { export -p; declare -f; } >${state}`
  const child = Bun.spawn(["bash", "-c", script], {
    cwd: directory,
    env: { HOME, TMPDIR, ...settings, PATH: path },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  output += out
  return { out, error, code }
}

/** The names of the fields in an answer, and the types of the events in a stream. */
const namesIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/"([A-Za-z_]+)"\s*:|"type":"([a-z-]+)"/g), ([, field, type]) => field ?? type ?? "")

const succeeds = async ({ text, example, page }: Command) => {
  const { code, error, out } = await runCommand(text, page)
  expect({ code, error, out }).toEqual({ code: 0, error: expect.any(String), out: expect.any(String) })
  const missing = namesIn(example?.text ?? "").filter((name) => !namesIn(out).includes(name))
  expect(missing).toEqual([])
}

test("more than twenty commands of the documentation are run", () => {
  expect(toRun.length).toBeGreaterThan(20)
})

test("every command of the documentation that is not run says why, in a sentence", () => {
  for (const { notRun } of commands) if (notRun !== undefined) expect(notRun).toMatch(/^[A-Z].*\.$/)
})

test("no command needs Bun on the search path, except those of whoever develops Parley", () => {
  const needing = commands.filter(({ page, text }) => page !== DEVELOPMENT && /(?:^|[|(]\s*)bun /m.test(text))
  expect(needing.map(({ title }) => title)).toEqual([])
})

test.each(commands.map(({ text, title }) => [title, text]))("%s is valid in bash", (_, text) => {
  const { exitCode, stderr } = Bun.spawnSync(["bash", "-n", "-c", text])
  expect({ exitCode, error: stderr.toString() }).toEqual({ exitCode: 0, error: "" })
})

describe("with a running server, the command succeeds with the output that is documented", () => {
  const requests = toRun.filter((command) => !opensDatabase(command))
  test.each(requests.map((command) => [command.title, command] as const))("%s", (_, command) => succeeds(command))
})

describe("whoever follows the guide again, with a second chatbot of the same name, sees the command succeed", () => {
  const again = toRun.filter(({ page }) => page === "docs/guide.md")
  test.each(again.map((command) => [command.title, command] as const))("%s", (_, command) => succeeds(command))
})

test("docs/keys-and-budgets.md lists every command", async () => {
  const groups = ["keys", "organizations"]
  const helps = await Promise.all(groups.map((group) => runCommand(`src/parley ${group} --help`)))
  const offered = helps.flatMap(({ out }, index) => {
    const [, subcommands = ""] = out.split("SUBCOMMANDS")
    return Array.from(subcommands.matchAll(/^ {2}(\w+) /gm), ([, name]) => `${groups[index]} ${name}`)
  })
  const listed = textOf("docs/keys-and-budgets.md").matchAll(/^\| `parley (\w+ \w+)/gm)
  expect(Array.from(listed, ([, name]) => name).toSorted()).toEqual(offered.toSorted())
})

describe("after the server has ended, the command succeeds with the output that is documented", () => {
  beforeAll(async () => {
    server?.kill("SIGTERM")
    await server?.exited
  })

  const commandLine = toRun.filter(opensDatabase)
  test.each(commandLine.map((command) => [command.title, command] as const))("%s", (_, command) => succeeds(command))
})
