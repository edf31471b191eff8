import { join } from "node:path"
import { Glob } from "bun"

/*
 * `bun run verify`: every check, in order, until one fails. `bun run verify types lint` runs only these. Tests run on
 * the embedded database, or on the Postgres server that `DATABASE_URL` names.
 */

interface Check {
  readonly name: string
  readonly command: ReadonlyArray<string>
  /** Absent: one check. Tests count themselves; extra ones run only when they are asked for. */
  readonly kind?: "tests" | "extra tests"
}

interface Outcome {
  readonly passed: number
  readonly failed: number
}

const root = join(import.meta.dir, "..")
const bun = process.execPath

/** Test files that run at once. Two hide each other's waiting for the disk; more only take memory. */
const TEST_PROCESSES = 2
/** A test that hangs, on a machine that is busy with other things. */
const TEST_TIMEOUT_MILLIS = 60_000

/** The TypeScript compiler with Effect's own diagnostics built in: one run for both. */
const compiler = (): string =>
  Bun.spawnSync([bun, "node_modules/.bin/effect-tsgo", "get-exe-path"], { cwd: root }).stdout.toString().trim()

const tests = (...asked: ReadonlyArray<string>) => [bun, "test", `--timeout=${TEST_TIMEOUT_MILLIS}`, ...asked]

/** By their paths, since their names keep them from `bun test`. */
const checkFiles = Array.from(new Glob("test/conformance/*.check.ts").scanSync(root), (file) => `./${file}`)

const checks: ReadonlyArray<Check> = [
  { name: "types", command: [compiler(), "--noEmit"] },
  { name: "lint", command: [bun, "node_modules/.bin/oxlint", "--deny-warnings"] },
  { name: "format", command: [bun, "node_modules/.bin/oxfmt", "--check"] },
  { name: "imports", command: [bun, "test/lib/imports.ts"] },
  { name: "tests", command: tests(`--parallel=${TEST_PROCESSES}`), kind: "tests" },
  // Only when it is asked for: `bun run conformance` installs what these need first.
  { name: "conformance", command: tests(...checkFiles), kind: "extra tests" },
]

const run = async (command: ReadonlyArray<string>) => {
  const child = Bun.spawn([...command], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { output: stdout + stderr, ok: code === 0 }
}

/** How often the summary of `bun test` says this: ` 12 pass`. */
const tally = (output: string, word: string): number =>
  Number(new RegExp(`^ *(\\d+) ${word}$`, "m").exec(output)?.[1] ?? 0)

/** A check counts as one, but for the tests, which count themselves. One that was skipped has not passed. */
const outcomeOf = ({ kind }: Check, ok: boolean, output: string): Outcome => {
  if (kind === undefined) return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
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
const isWanted = ({ kind, name }: Check) => (asked.length === 0 ? kind !== "extra tests" : asked.includes(name))
for (const check of checks.filter(isWanted)) {
  process.stdout.write(`${check.name} `.padEnd(8))
  const start = performance.now()
  const { ok, output } = await run(check.command)
  const { passed, failed } = outcomeOf(check, ok, output)
  const time = `${((performance.now() - start) / 1_000).toFixed(1)} s`.padStart(8)
  console.log(`${time}  ${failed === 0 ? "ok" : "failed"}${passed > 1 ? `, ${passed} tests` : ""}`)
  total.passed += passed
  total.failed += failed
  if (failed > 0) {
    console.log(`\n${output}`)
    break
  }
}
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1
