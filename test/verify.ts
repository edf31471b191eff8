import { join } from "node:path"
import { Glob } from "bun"
import { findBrowser, screenshotDirectory } from "./browser/lib/Chromium.ts"
import { testsWithout } from "./lib/imports.ts"
import {
  type Check,
  filesInMemory,
  memoryAt,
  runChecks,
  stopRunning,
  type Surroundings,
  testCheck,
} from "./lib/verify/Checks.ts"

/*
 * `bun run verify`: every check, then the tests, and then those in a browser, until one fails.
 * `bun run verify types lint` runs only these. Tests run on the embedded database, or on the Postgres server that
 * `DATABASE_URL` names.
 */

interface Listed extends Check {
  /** Runs only when it is asked for by name. */
  readonly isExtra?: true
  /** Runs once the tests have ended: what waits for a browser on a busy machine would wait in vain. */
  readonly isLast?: true
}

const root = join(import.meta.dir, "..")
const bun = process.execPath

const stop = (code: number): void => {
  stopRunning()
  process.exit(code)
}
process.on("SIGINT", () => stop(130))
process.on("SIGTERM", () => stop(143))

const inMemory = filesInMemory()

const at: Surroundings = {
  root,
  memory: memoryAt(join(root, "node_modules", ".cache", "parley")),
  isCi: process.env["CI"] !== undefined,
  // The pictures of the screens stay.
  variables: { PARLEY_SCREENSHOTS: screenshotDirectory(process.env), ...(inMemory && { TMPDIR: inMemory }) },
}

/** A browser keeps a processor busy by itself. */
const BROWSER_PROCESSES = 2

/** The TypeScript compiler with Effect's own diagnostics built in: one run for both. */
const compiler = (): string =>
  Bun.spawnSync([bun, "node_modules/.bin/effect-tsgo", "get-exe-path"], { cwd: root }).stdout.toString().trim()

const filesOf = (pattern: string) => Array.from(new Glob(pattern).scanSync(root), (file) => `./${file}`).toSorted()

/** Tests that drive a real browser, which not every machine has. */
const BROWSER_TESTS = "test/browser/*.test.ts"
const isOutsideBrowser = (file: string): boolean => !new Glob(BROWSER_TESTS).match(file.replace("./", ""))

/** Checks what has changed since the last time, which takes seconds instead of half a minute. */
const typeCheck = (name: string, ...options: ReadonlyArray<string>): ReadonlyArray<string> => {
  const memory =
    at.memory === undefined ? [] : ["--incremental", "--tsBuildInfoFile", join(at.memory, `${name}.tsbuildinfo`)]
  return [compiler(), "--noEmit", ...memory, ...options]
}

const tests = (name: string, files: ReadonlyArray<string>, processes?: number) => testCheck(at, name, files, processes)

const browser = findBrowser(process.env)

const DATABASE = "test/lib/TestDatabase.ts"
/** What starts servers and makes databases for tests. */
const SLOW = ["test/lib/ServerProcess.ts", DATABASE]

const outsideBrowser = filesOf("test/**/*.test.ts").filter(isOutsideBrowser)
const withoutSlow = new Set(testsWithout(root, SLOW))
const withoutDatabase = new Set(testsWithout(root, [DATABASE]))

const checks: ReadonlyArray<Listed> = [
  { name: "imports", command: [bun, "test/lib/imports.ts"] },
  { name: "migrations", command: [bun, "test/lib/migrations.ts"] },
  { name: "format", command: [bun, "node_modules/.bin/oxfmt", "--check"] },
  { name: "lint", command: [bun, "node_modules/.bin/oxlint", "--deny-warnings"] },
  { name: "sizes", command: [bun, "test/lib/sizes.ts"] },
  { name: "web types", command: typeCheck("web-types", "-p", "src/web") },
  { name: "types", command: typeCheck("types") },
  tests("tests", outsideBrowser),
  {
    ...tests("browser", filesOf(BROWSER_TESTS), BROWSER_PROCESSES),
    isLast: true,
    obstacle: "why" in browser ? browser.why : undefined,
    note: `Pictures of every screen are in ${screenshotDirectory(process.env)}`,
  },
  {
    ...tests(
      "fast",
      outsideBrowser.filter((file) => withoutSlow.has(file.slice(2))),
    ),
    isExtra: true,
  },
  // What another database may change.
  {
    ...tests(
      "database",
      outsideBrowser.filter((file) => !withoutDatabase.has(file.slice(2))),
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

const asked = process.argv.slice(2)
const unknown = asked.find((name) => checks.every((check) => check.name !== name))
if (unknown !== undefined) {
  console.error(`There is no check ${unknown}; there are ${checks.map(({ name }) => name).join(", ")}.`)
  process.exit(2)
}

console.log(
  process.env["DATABASE_URL"] ? "Tests on the Postgres server of DATABASE_URL" : "Tests on the embedded database",
)
/** The browser talks to the server alone, so that it is not asked again for another database. */
const isWanted = ({ isExtra, name }: Listed) =>
  asked.length > 0 ? asked.includes(name) : isExtra !== true && (name !== "browser" || !process.env["DATABASE_URL"])

// The tests have the machine to themselves: processes that read documents give way to every other, and the compiler alone
// would keep them from their deadlines.
const wanted = checks.filter(isWanted)
const { failed } = await runChecks(
  [
    ...wanted.filter(({ files }) => !files),
    ...wanted.filter(({ files, isLast }) => files && !isLast),
    ...wanted.filter(({ isLast }) => isLast),
  ],
  at,
)
process.exitCode = failed === 0 ? 0 : 1
