import { availableParallelism } from "node:os"
import { join } from "node:path"
import { Glob } from "bun"
import { screenshotDirectory } from "./browser/lib/Chromium.ts"
import { testsWith } from "./lib/imports.ts"
import { missingForBrowser, missingForSpeech } from "./lib/Programs.ts"
import {
  type Check,
  filesInMemory,
  runChecks,
  stopRunning,
  type Surroundings,
  testCheck,
  writableDirectory,
} from "./lib/verify/Checks.ts"
import { commitOf, isDeep, isOfBrowser, shareOf } from "./lib/verify/Classes.ts"

/*
 * `bun run verify` runs every check, the everyday tests and a share of the deep ones, until a stage fails; with `--deep` it
 * runs all tests. `bun run verify types lint` runs only these stages. Tests run on the embedded database, or on the
 * Postgres server that `DATABASE_URL` names.
 */

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
  // The pictures of screens on which a test has failed stay. All screens are photographed for whoever asks alone.
  variables: { PARLEY_FAILURE_SCREENSHOTS: screenshotDirectory(process.env), ...(inMemory && { TMPDIR: inMemory }) },
}

/** A browser keeps a processor busy by itself. */
const BROWSER_PROCESSES = 2

/** The TypeScript compiler with Effect's own diagnostics built in: one run for both. */
const compiler = (): string =>
  Bun.spawnSync([bun, "node_modules/.bin/effect-tsgo", "get-exe-path"], { cwd: root }).stdout.toString().trim()

/** The most threads that check types. More than processors check the same types again. */
const CHECKERS_MAX = 4
const memory = writableDirectory(join(root, "node_modules", ".cache", "parley"))

/** Checks what has changed since the last time, which takes seconds instead of half a minute. */
const typeCheck = (name: string, ...options: ReadonlyArray<string>): ReadonlyArray<string> => {
  const checkers = ["--checkers", String(Math.min(CHECKERS_MAX, availableParallelism()))]
  const incremental =
    memory === undefined ? [] : ["--incremental", "--tsBuildInfoFile", join(memory, `${name}.tsbuildinfo`)]
  return [compiler(), "--noEmit", ...checkers, ...incremental, ...options]
}

const filesOf = (pattern: string) => Array.from(new Glob(pattern).scanSync(root)).toSorted()
const all = filesOf("test/**/*.test.ts")
const everyday = all.filter((file) => !isDeep(file))
const deep = all.filter((file) => isDeep(file) && !isOfBrowser(file))
const browser = all.filter(isOfBrowser)
const share = shareOf([...deep, ...browser], commitOf(root))
/**
 * What another database may change: what opens one by its repositories and services, and of the tests of whole servers,
 * whose statements are the same, one of eight.
 */
const ofServer = testsWith(root, ["test/lib/TestServer.ts"])
const ofDatabase = [
  ...testsWith(root, ["test/lib/TestDatabase.ts"]).filter((file) => !ofServer.includes(file)),
  ...shareOf(ofServer, commitOf(root), 8),
].filter((file) => !isOfBrowser(file))

/** Files of tests that need a program beside Bun, and why they cannot run here. CI has to have every program. */
const obstacles = [
  { files: new Set(browser), why: missingForBrowser },
  { files: new Set(testsWith(root, ["test/lib/files/Scans.ts"])), why: missingForBrowser },
  { files: new Set(testsWith(root, ["test/lib/RecognitionServer.ts"])), why: missingForSpeech },
].filter(({ why }) => why !== undefined && process.env["CI"] === undefined)

/** The tests of these files, but for those that cannot run here, of which one line for each reason says so. */
const tests = (name: string, files: ReadonlyArray<string>, processes?: number): Check => {
  const left = obstacles.map((obstacle) => ({
    ...obstacle,
    count: files.filter((file) => obstacle.files.has(file)).length,
  }))
  const able = files.filter((file) => obstacles.every((obstacle) => !obstacle.files.has(file)))
  const notes = left.flatMap(({ count, why }) => (count === 0 ? [] : [`left out: ${count} files of tests: ${why}`]))
  return { ...testCheck(name, able, { processes }), notes }
}

const stages: ReadonlyArray<Check> = [
  { name: "imports", command: [bun, "test/lib/imports.ts"] },
  { name: "migrations", command: [bun, "test/lib/migrations.ts"] },
  { name: "format", command: [bun, "node_modules/.bin/oxfmt", "--check"] },
  { name: "lint", command: [bun, "node_modules/.bin/oxlint", "--deny-warnings"] },
  { name: "sizes", command: [bun, "test/lib/sizes.ts"] },
  { name: "web types", command: typeCheck("web-types", "-p", "src/web") },
  { name: "types", command: typeCheck("types") },
  // The share of deep files has its turn with the others, so that no processor waits for the last of them.
  tests("tests", [...share.filter((file) => !isOfBrowser(file)), ...everyday]),
  tests("browser share", share.filter(isOfBrowser), BROWSER_PROCESSES),
  tests("deep", deep),
  tests("browser", browser, BROWSER_PROCESSES),
  tests("database", ofDatabase),
  // What a change of nothing but documentation needs.
  tests("documentation", ["test/Docs.test.ts", "test/DocsCommands.deep.test.ts", "test/Security.test.ts"]),
  // They need a real S3 server, such as `.ci/radosgw.sh` starts.
  tests("s3", filesOf("test/s3/*.check.ts")),
  // `.ci/image.sh` builds what these need first.
  tests("image", filesOf("test/image/*.check.ts")),
  // `bun run conformance` installs what these need first. Their names keep them from `bun test`.
  tests("conformance", filesOf("test/conformance/*.check.ts")),
]

/** Stages that run by themselves, in groups whose members run beside each other. */
const usual = [["imports", "migrations", "format", "lint", "sizes", "web types"], ["types"], ["tests", "browser share"]]
const whole = [...usual.slice(0, 2), ["tests"], ["deep"], ["browser"]]

const asked = process.argv.slice(2)
const names = asked.filter((name) => name !== "--deep")
const unknown = names.find((name) => stages.every((stage) => stage.name !== name))
if (unknown !== undefined) {
  console.error(`There is no stage ${unknown}; there are ${stages.map(({ name }) => name).join(", ")}.`)
  process.exit(2)
}
const wanted = names.length > 0 ? names.map((name) => [name]) : asked.includes("--deep") ? whole : usual

console.log(
  process.env["DATABASE_URL"] ? "Tests on the Postgres server of DATABASE_URL" : "Tests on the embedded database",
)
const { failed } = await runChecks(
  wanted.map((group) => stages.filter(({ name }) => group.includes(name))),
  at,
)
process.exitCode = failed === 0 ? 0 : 1
