import { accessSync, constants, mkdirSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { findBrowser, screenshotDirectory } from "./browser/lib/Chromium.ts"
import { testsWithout } from "./lib/imports.ts"

/*
 * `bun run verify`: every check, then the tests, and then those in a browser, until one fails.
 * `bun run verify types lint` runs only these. Tests run on the embedded database, or on the Postgres server that
 * `DATABASE_URL` names.
 */

interface Check {
  readonly name: string
  readonly command: ReadonlyArray<string>
  /** The test files that the command runs, which count their tests themselves; any other command counts as one. */
  readonly files?: ReadonlyArray<string>
  /** Runs only when it is asked for by name. */
  readonly isExtra?: true
  /** Runs once the tests have ended: what waits for a browser on a busy machine would wait in vain. */
  readonly isLast?: true
  /** Why it cannot run here; it is then not counted, but for CI, where it fails. */
  readonly obstacle?: string | undefined
  /** What is printed once it has passed. */
  readonly note?: string
}

interface Outcome {
  readonly passed: number
  readonly failed: number
}

const root = join(import.meta.dir, "..")
const bun = process.execPath

/** Test files that run at once: more than processors, since many wait for the disk or for a time to pass. */
const TEST_PROCESSES = 3
/** A browser keeps a processor busy by itself. */
const BROWSER_PROCESSES = 2
/**
 * The most test files that are run once more, alone, after a test in them failed: a deadline may have passed only because
 * the machine was busy. More are no chance.
 */
const SECOND_TRIES = 3
/** A test that hangs, on a machine that is busy with other things. */
const TEST_TIMEOUT_MILLIS = 60_000
/** The directory of what is remembered of earlier runs. */
const CACHE = join(root, "node_modules", ".cache", "parley")

const ENVIRONMENT = {
  ...process.env,
  NO_COLOR: "1",
  FORCE_COLOR: undefined,
  // As servers have it: what tests leave hanging in a process keeps no request of the next test from being sent.
  BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
  // In processes as short as those of tests, the embedded database's last stage of compilation costs more than it
  // saves: a quarter of all the time.
  BUN_JSC_useOMGJIT: "0",
}

/** The TypeScript compiler with Effect's own diagnostics built in: one run for both. */
const compiler = (): string =>
  Bun.spawnSync([bun, "node_modules/.bin/effect-tsgo", "get-exe-path"], { cwd: root }).stdout.toString().trim()

const filesOf = (pattern: string) => Array.from(new Glob(pattern).scanSync(root), (file) => `./${file}`).toSorted()

/** Tests that drive a real browser, which not every machine has. */
const BROWSER_TESTS = "test/browser/*.test.ts"
const isOutsideBrowser = (file: string): boolean => !new Glob(BROWSER_TESTS).match(file.replace("./", ""))

/** Whether anything can be remembered for the next time, unlike among the packages of Nix. */
const remembers = (() => {
  try {
    mkdirSync(CACHE, { recursive: true })
    accessSync(CACHE, constants.W_OK)
    return true
  } catch {
    return false
  }
})()

/** Lets the test files of a check that took longest begin first. */
const timings = (name: string): ReadonlyArray<string> =>
  remembers ? [`--timings=${join(CACHE, `timings-${name}.json`)}`, "--update-timings"] : []

/** Checks what has changed since the last time, which takes seconds instead of half a minute. */
const typeCheck = (name: string, ...options: ReadonlyArray<string>): ReadonlyArray<string> => {
  const memory = ["--incremental", "--tsBuildInfoFile", join(CACHE, `${name}.tsbuildinfo`)]
  return [compiler(), "--noEmit", ...(remembers ? memory : []), ...options]
}

/** In a few processes, of which each keeps the modules that it has loaded for its next file. */
const tests = (
  name: string,
  files: ReadonlyArray<string>,
  processes = TEST_PROCESSES,
): Pick<Check, "name" | "command" | "files"> => ({
  name,
  command: [
    bun,
    "test",
    `--timeout=${TEST_TIMEOUT_MILLIS}`,
    `--parallel=${processes}`,
    "--no-isolate",
    ...timings(name),
    ...files,
  ],
  files,
})

const browser = findBrowser(process.env)

/** What starts servers and makes databases for tests. */
const SLOW = ["test/lib/ServerProcess.ts", "test/lib/TestDatabase.ts"]

const checks: ReadonlyArray<Check> = [
  { name: "imports", command: [bun, "test/lib/imports.ts"] },
  { name: "migrations", command: [bun, "test/lib/migrations.ts"] },
  { name: "format", command: [bun, "node_modules/.bin/oxfmt", "--check"] },
  { name: "lint", command: [bun, "node_modules/.bin/oxlint", "--deny-warnings"] },
  { name: "sizes", command: [bun, "test/lib/sizes.ts"] },
  { name: "web types", command: typeCheck("web-types", "-p", "src/web") },
  { name: "types", command: typeCheck("types") },
  tests("tests", filesOf("test/**/*.test.ts").filter(isOutsideBrowser)),
  {
    ...tests("browser", filesOf(BROWSER_TESTS), BROWSER_PROCESSES),
    isLast: true,
    obstacle: "why" in browser ? browser.why : undefined,
    note: `Pictures of every screen are in ${screenshotDirectory(process.env)}`,
  },
  {
    ...tests(
      "fast",
      testsWithout(root, SLOW)
        .map((file) => `./${file}`)
        .filter(isOutsideBrowser),
    ),
    isExtra: true,
  },
  // They need a real S3 server, such as `.ci/radosgw.sh` starts.
  { ...tests("s3", filesOf("test/s3/*.check.ts")), isExtra: true },
  // `.ci/image.sh` builds what these need first.
  { ...tests("image", filesOf("test/image/*.check.ts")), isExtra: true },
  // `bun run conformance` installs what these need first. Their names keep them from `bun test`.
  { ...tests("conformance", filesOf("test/conformance/*.check.ts")), isExtra: true },
]

/** One line at the end of the terminal that is written again and again; elsewhere a line now and then. */
const progress = (() => {
  const isTerminal = process.stdout.isTTY && process.env["CI"] === undefined
  const ELSEWHERE_EVERY_MILLIS = 30_000
  let written = performance.now()
  return {
    show: (line: string) => {
      if (isTerminal) return void process.stdout.write(`\r\u001B[K${line.slice(0, process.stdout.columns - 1)}`)
      if (performance.now() - written < ELSEWHERE_EVERY_MILLIS) return
      written = performance.now()
      console.log(line)
    },
    print: (line: string) => console.log(isTerminal ? `\r\u001B[K${line}` : line),
  }
})()

const label = (name: string, start: number) =>
  `${name.padEnd(11)}${((performance.now() - start) / 1_000).toFixed(1).padStart(6)} s  `

/** Reads what `bun test` writes while it runs: `test/http/Chat.test.ts:`, and a line for each test. */
const watchTests = ({ name, files = [] }: Check) => {
  const start = performance.now()
  const begun = new Set<string>()
  let count = 0
  let failed = 0
  let rest = ""
  return (text: string): void => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const file = /^(test\/.*)\.(?:test|check)\.ts:$/.exec(line)?.[1]
      if (file !== undefined) begun.add(file)
      if (/^\((?:pass|fail)\) /.test(line)) count += 1
      if (!line.startsWith("(fail) ")) continue
      failed += 1
      progress.print(line)
    }
    const at = Array.from(begun).at(-1)?.slice("test/".length) ?? ""
    const failures = failed === 0 ? "" : `, ${failed} failed`
    progress.show(`${label(name, start)}file ${begun.size} of ${files.length}, ${count} tests${failures}: ${at}`)
  }
}

const running = new Set<Bun.Subprocess>()
const stopRunning = (): void => running.forEach((child) => child.kill())
process.on("SIGTERM", () => {
  stopRunning()
  process.exit(143)
})

const run = async (check: Check) => {
  const child = Bun.spawn([...check.command], {
    cwd: root,
    env: ENVIRONMENT,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  running.add(child)
  const watch = check.files === undefined ? () => {} : watchTests(check)
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    let text = ""
    for await (const bytes of stream) {
      const more = decoder.decode(bytes, { stream: true })
      text += more
      watch(more)
    }
    return text
  }
  const [stdout, stderr, code] = await Promise.all([read(child.stdout), read(child.stderr), child.exited])
  running.delete(child)
  return { output: stdout + stderr, ok: code === 0 }
}

/** How often the summary of `bun test` says this: ` 12 pass`. */
const tally = (output: string, word: string): number =>
  Number(new RegExp(`^ *(\\d+) ${word}$`, "m").exec(output)?.[1] ?? 0)

/** Without the tests that passed, and without the names of files that say nothing then. */
const withoutPassed = (output: string): string =>
  output.replaceAll(/^\(pass\) .*\n/gm, "").replaceAll(/^(?:test\/\S+\.ts:\n\n*)+(?=test\/\S+\.ts:$)/gm, "")

/** The files in which a test failed, or that could not begin. */
const filesThatFailed = (output: string): ReadonlyArray<string> => {
  const failed = new Set<string>()
  let file = ""
  for (const line of output.split(/^\d+ tests failed:$/m, 1)[0]?.split("\n") ?? []) {
    file = /^(test\/.*\.(?:test|check)\.ts):$/.exec(line)?.[1] ?? file
    if (/^(?:\(fail\)|# Unhandled error) /.test(line) && file !== "") failed.add(`./${file}`)
  }
  return Array.from(failed)
}

/** A check counts as one, but for the tests, which count themselves. One that was skipped has not passed. */
const outcomeOf = ({ files }: Check, ok: boolean, output: string): Outcome => {
  if (files === undefined) return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
  const failed = tally(output, "fail") + tally(output, "skip") + tally(output, "todo")
  return { passed: tally(output, "pass"), failed: ok ? failed : Math.max(1, failed) }
}

const asked = process.argv.slice(2)
const unknown = asked.find((name) => checks.every((check) => check.name !== name))
if (unknown !== undefined) {
  console.error(`There is no check ${unknown}; there are ${checks.map(({ name }) => name).join(", ")}.`)
  process.exit(2)
}

console.log(
  process.env["DATABASE_URL"] ? "Tests on the Postgres server of DATABASE_URL" : "Tests on the embedded database",
)
const total = { passed: 0, failed: 0 }
/** The browser talks to the server alone, so that it is not asked again for another database. */
const isWanted = ({ isExtra, name }: Check) =>
  asked.length > 0 ? asked.includes(name) : isExtra !== true && (name !== "browser" || !process.env["DATABASE_URL"])

/** Runs the tests of the files that failed once more, and returns whether they pass then. */
const passAlone = async ({ name }: Check, files: ReadonlyArray<string>): Promise<boolean> => {
  if (files.length === 0 || files.length > SECOND_TRIES) return false
  progress.print(`${name}: ${files.join(" ")} once more, alone`)
  const { ok, output } = await run({ ...tests("again", files, 1), name })
  return ok && tally(output, "skip") + tally(output, "todo") === 0
}

/** Runs a check and says how it ended. */
const verify = async (check: Check): Promise<void> => {
  const start = performance.now()
  if (check.obstacle !== undefined && process.env["CI"] === undefined) {
    return progress.print(`${label(check.name, start)}not run: ${check.obstacle}`)
  }
  const { ok, output } = await run(check)
  let { passed, failed } = outcomeOf(check, ok, output)
  if (failed > 0) console.log(`\n${withoutPassed(output)}`)
  if (failed > 0 && (await passAlone(check, filesThatFailed(output)))) [passed, failed] = [passed + failed, 0]
  progress.print(
    `${label(check.name, start)}${failed === 0 ? "ok" : "failed"}${check.files === undefined ? "" : `, ${passed} tests`}`,
  )
  total.passed += passed
  total.failed += failed
  if (failed === 0 && check.note !== undefined) progress.print(check.note)
}

/** One after the other, until one fails. */
const inTurn = async (some: ReadonlyArray<Check>): Promise<void> => {
  for (const check of some) if (total.failed === 0) await verify(check)
}

// The tests have the machine to themselves: processes that read documents give way to every other, and the compiler alone
// would keep them from their deadlines.
const wanted = checks.filter(isWanted)
await inTurn([
  ...wanted.filter(({ files }) => !files),
  ...wanted.filter(({ files, isLast }) => files && !isLast),
  ...wanted.filter(({ isLast }) => isLast),
])
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1
