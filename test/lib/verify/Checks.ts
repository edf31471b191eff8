import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { failuresIn, hasStrayError, fileOf, isFailure, isTest, tally, withoutPassed } from "./TestOutput.ts"

/*
 * Runs checks one after the other until one fails, shows how far they are, and counts what passed. Test files in which a
 * test fails are run once more, alone.
 */

export interface Check {
  readonly name: string
  readonly command: ReadonlyArray<string>
  /** The test files that the command runs, which count their tests themselves; any other command counts as one. */
  readonly files?: ReadonlyArray<string>
  /** Why it cannot run here; it is then not counted, but for CI, where it fails. */
  readonly obstacle?: string | undefined
  /** Said once it has passed. */
  readonly note?: string
}

/** Where checks run, and how strictly. */
export interface Surroundings {
  /** The checkout. */
  readonly root: string
  /** The directory of what is remembered of earlier runs; undefined if nothing can be. */
  readonly memory: string | undefined
  /** Whether a test that passes only alone is a failure. */
  readonly isCi: boolean
  /** Variables of the checks' environment beside those of this process. */
  readonly variables?: Readonly<Record<string, string>>
}

/** How all checks ended. */
export interface Verdict {
  readonly passed: number
  readonly failed: number
  /** The titles of the tests that failed beside others and passed alone. In CI they have failed. */
  readonly onlyAlone: ReadonlyArray<string>
}

/** Test files that run at once: more than processors, since many wait for the disk or for a time to pass. */
const TEST_PROCESSES = 3
/**
 * The most test files that are run once more, alone, after a test in them failed: a deadline may have passed only because
 * the machine was busy. More are no chance.
 */
const SECOND_TRIES = 3
/** A test that hangs, on a machine that is busy with other things. */
const TEST_TIMEOUT_MILLIS = 60_000

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

/** A directory for what checks remember for the next time; undefined among the packages of Nix, which nothing may write. */
export const memoryAt = (directory: string): string | undefined => {
  try {
    mkdirSync(directory, { recursive: true })
    accessSync(directory, constants.W_OK)
    return directory
  } catch {
    return undefined
  }
}

/** A directory of files in memory, on Linux. */
const MEMORY_FILES = "/dev/shm"
/** Free bytes that the files of all tests at a time need, several times over. */
const MEMORY_NEEDED = 4 * 1024 ** 3

/**
 * A directory for temporary files in memory, which is deleted at the end; undefined where there is little memory. A copy
 * of a database costs a fifth of the processor time there that it costs on a disk, and no commit waits.
 */
export const filesInMemory = (): string | undefined => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FILES)
    if (bavail * bsize < MEMORY_NEEDED) return undefined
    const directory = mkdtempSync(join(MEMORY_FILES, "parley-verify-"))
    process.on("exit", () => rmSync(directory, { recursive: true, force: true }))
    return directory
  } catch {
    return undefined
  }
}

/** A check that runs test files in a few processes, of which each keeps the modules that it has loaded for its next file. */
export const testCheck = (
  { memory }: Surroundings,
  name: string,
  files: ReadonlyArray<string>,
  processes = TEST_PROCESSES,
): Check & { readonly files: ReadonlyArray<string> } => ({
  name,
  command: [
    process.execPath,
    "test",
    `--timeout=${TEST_TIMEOUT_MILLIS}`,
    `--parallel=${processes}`,
    "--no-isolate",
    // The files that took longest begin first.
    ...(memory === undefined ? [] : [`--timings=${join(memory, `timings-${name}.json`)}`, "--update-timings"]),
    ...files,
  ],
  files,
})

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

/** Reads the output of `bun test` while it is written. */
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
      const file = fileOf(line)
      if (file !== undefined) begun.add(file)
      if (isTest(line)) count += 1
      if (!isFailure(line)) continue
      failed += 1
      progress.print(line)
    }
    const at =
      Array.from(begun)
        .at(-1)
        ?.replace(/^test\/|\.\w+\.ts$/g, "") ?? ""
    const failures = failed === 0 ? "" : `, ${failed} failed`
    progress.show(`${label(name, start)}file ${begun.size} of ${files.length}, ${count} tests${failures}: ${at}`)
  }
}

const running = new Set<Bun.Subprocess>()

/** Ends the commands that are under way. */
export const stopRunning = (): void => running.forEach((child) => child.kill())

const run = async (check: Check, { root, variables }: Surroundings) => {
  const child = Bun.spawn([...check.command], {
    cwd: root,
    env: { ...ENVIRONMENT, ...variables },
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
  return {
    output: stdout + stderr,
    ok: code === 0,
    cpuSeconds: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6,
  }
}

/** A check counts as one, but for the tests, which count themselves. One that was skipped has not passed. */
const countsOf = ({ files }: Check, ok: boolean, output: string) => {
  if (files === undefined) return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
  const failed = tally(output, "fail") + tally(output, "skip") + tally(output, "todo")
  return { passed: tally(output, "pass"), failed: ok ? failed : Math.max(1, failed) }
}

/** Runs the tests of the files that failed once more, and returns whether they pass then. */
const passAlone = async (name: string, files: ReadonlyArray<string>, at: Surroundings): Promise<boolean> => {
  if (files.length === 0 || files.length > SECOND_TRIES) return false
  progress.print(`${name}: ${files.join(" ")} once more, alone`)
  const { ok, output } = await run({ ...testCheck({ ...at, memory: undefined }, name, files, 1) }, at)
  return ok && tally(output, "skip") + tally(output, "todo") === 0
}

/** Runs a check and says how it ended. */
const runCheck = async (check: Check, at: Surroundings): Promise<Verdict> => {
  const start = performance.now()
  if (check.obstacle !== undefined && !at.isCi) {
    progress.print(`${label(check.name, start)}not run: ${check.obstacle}`)
    return { passed: 0, failed: 0, onlyAlone: [] }
  }
  const { cpuSeconds, ok, output } = await run(check, at)
  const counts = countsOf(check, ok, output)
  let { failed, passed } = counts
  let onlyAlone: ReadonlyArray<string> = []
  if (failed > 0) {
    console.log(`\n${withoutPassed(output)}`)
    const failures = failuresIn(output)
    const files = Array.from(new Set(failures.map(({ file }) => `./${file}`)))
    if (!hasStrayError(output) && (await passAlone(check.name, files, at))) {
      onlyAlone = failures.map(({ file, title }) => `${file}: ${title}`)
      if (!at.isCi) [passed, failed] = [passed + failed, 0]
    }
  }
  const tests = check.files === undefined ? "" : `, ${passed} tests, ${cpuSeconds.toFixed(0)} s of processors`
  progress.print(`${label(check.name, start)}${failed === 0 ? "ok" : "failed"}${tests}`)
  if (failed === 0 && check.note !== undefined) progress.print(check.note)
  return { passed, failed, onlyAlone }
}

/** Runs checks one after the other until one fails, and says at the end how many passed, and which tests only alone. */
export const runChecks = async (checks: ReadonlyArray<Check>, at: Surroundings): Promise<Verdict> => {
  let all: Verdict = { passed: 0, failed: 0, onlyAlone: [] }
  for (const check of checks) {
    if (all.failed > 0) break
    const { failed, onlyAlone, passed } = await runCheck(check, at)
    all = {
      passed: all.passed + passed,
      failed: all.failed + failed,
      onlyAlone: [...all.onlyAlone, ...onlyAlone],
    }
  }
  const { failed, onlyAlone, passed } = all
  if (onlyAlone.length > 0) console.log(`\npassed only alone: ${onlyAlone.length}: ${onlyAlone.join("; ")}`)
  console.log(`\n${passed} passed, ${failed} failed`)
  return all
}
