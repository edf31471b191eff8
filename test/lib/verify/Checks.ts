import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { label, print, show } from "./Progress.ts"
import { type Failure, failuresIn, fileOf, isFailure, isSummary, isTest, tally } from "./TestOutput.ts"

/*
 * Runs checks until one fails, says in a line each how they ended, and counts what passed. What commands print stays in
 * files; of tests that fail, it is shown.
 */

export interface Check {
  readonly name: string
  readonly command: ReadonlyArray<string>
  /** The test files that the command runs, which count their tests themselves; any other command counts as one. */
  readonly files?: ReadonlyArray<string>
  /** Lines that are said once it has ended. */
  readonly notes?: ReadonlyArray<string>
}

/** Where checks run. */
export interface Surroundings {
  /** The checkout. */
  readonly root: string
  /** Variables of the checks' environment beside those of this process. */
  readonly variables?: Readonly<Record<string, string>>
}

/** How all checks ended. */
export interface Verdict {
  readonly passed: number
  readonly failed: number
}

/** Test files that run at once: more than processors, since many wait for a process or a time-out. */
const TEST_PROCESSES = 4
/** The most failed files that run once more, alone. More have a cause in common. */
const SECOND_TRIES = 3
/** Keeps what a test prints before its end. */
const PRINTED = join(import.meta.dir, "Printed.ts")
/** A test that hangs, on a machine that is busy with other things. */
export const TEST_TIMEOUT_MILLIS = 180_000
/** The most lines of what a failed test printed that are shown; the file of the check has all. */
const PRINTED_LINES = 300
/** The most characters of such a line that are shown. */
const LINE_CHARACTERS = 2_000

const ENVIRONMENT = {
  ...process.env,
  NO_COLOR: "1",
  FORCE_COLOR: undefined,
  // Servers of tests log what they do, which is shown where a test fails.
  PARLEY_TEST_LOGS: "1",
  // As servers have it: what tests leave hanging in a process keeps no request of the next test from being sent.
  BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
  // In processes as short as those of tests, the embedded database's last stage of compilation costs more than it
  // saves: a quarter of all the time.
  BUN_JSC_useOMGJIT: "0",
}

/** A directory that can be written, made if need be; else undefined, as among the packages of Nix. */
export const writableDirectory = (directory: string): string | undefined => {
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
  name: string,
  files: ReadonlyArray<string>,
  {
    processes = TEST_PROCESSES,
    flags = [],
  }: { readonly processes?: number | undefined; readonly flags?: ReadonlyArray<string> } = {},
): Check & { readonly files: ReadonlyArray<string> } => ({
  name,
  command: [
    process.execPath,
    "test",
    `--timeout=${TEST_TIMEOUT_MILLIS}`,
    `--parallel=${processes}`,
    "--no-isolate",
    "--preload",
    PRINTED,
    ...flags,
    ...files.map((file) => `./${file}`),
  ],
  files,
})

/** Reads the output of `bun test` while it is written. */
const watchTests = ({ name, files = [] }: Check) => {
  const start = performance.now()
  const begun = new Set<string>()
  let last = ""
  let isOver = false
  let count = 0
  let failed = 0
  let rest = ""
  return (text: string): void => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const file = fileOf(line)
      if (file !== undefined) begun.add((last = file))
      if (isTest(line)) count += 1
      isOver ||= isSummary(line)
      if (isOver || !isFailure(line)) continue
      failed += 1
      // Said at once, for whoever waits, or stops waiting.
      print(`${last}: ${line}`)
    }
    const failures = failed === 0 ? "" : `, ${failed} failed`
    const at = last.replace(/^test\/|\.\w+\.ts$/g, "")
    show(`${label(name, start)}file ${begun.size} of ${files.length}, ${count} tests${failures}: ${at}`)
  }
}

const running = new Set<Bun.Subprocess>()

/** Ends the commands that are under way. */
export const stopRunning = (): void => running.forEach((child) => child.kill())

/** Runs the command of a check, and returns what it printed. */
export const run = async (check: Check, { root, variables }: Surroundings) => {
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

const nameOf = ({ file, title }: Failure): string => `(fail) ${file}: ${title ?? "outside of every test"}`

const cut = (line: string): string =>
  line.length <= LINE_CHARACTERS ? line : `${line.slice(0, LINE_CHARACTERS)}… (${line.length} characters)`

/** What is shown of a failure: the last of what was printed, and its name. */
const shown = (failure: Failure, log: string): string => {
  const lines = failure.printed.trim().split("\n")
  const left = lines.length - PRINTED_LINES
  return [
    "",
    ...(left > 0 ? [`(${left} lines before these are in ${log})`] : []),
    ...lines.slice(-PRINTED_LINES).map(cut),
    nameOf(failure),
  ].join("\n")
}

/** Runs the files of failed tests once more, alone, and returns a hint at what it shows. */
const hintAt = async (name: string, failures: ReadonlyArray<Failure>, at: Surroundings): Promise<string> => {
  const files = Array.from(new Set(failures.map(({ file }) => file)))
  if (files.length === 0 || files.length > SECOND_TRIES) return ""
  const { ok } = await run(testCheck(`${name} again`, files, { processes: 1 }), at)
  return ok ? `\n${files.join(" ")} passes alone: look for what it shares.` : ""
}

/** The directory of what checks print. */
export const logDirectory = (root: string): string =>
  writableDirectory(join(root, "node_modules", ".cache", "parley", "logs")) ??
  mkdtempSync(join(tmpdir(), "parley-logs-"))

/** Runs a check and says how it ended. */
const runCheck = async (check: Check, at: Surroundings): Promise<Verdict> => {
  const start = performance.now()
  const notes = (check.notes ?? []).map((note) => `\n${note}`).join("")
  if (check.files?.length === 0) {
    if (notes !== "") print(`${label(check.name, start)}not run${notes}`)
    return { passed: 0, failed: 0 }
  }
  const { cpuSeconds, ok, output } = await run(check, at)
  const { failed, passed } = countsOf(check, ok, output)
  const log = join(logDirectory(at.root), `${check.name.replaceAll(" ", "-")}.log`)
  writeFileSync(log, output)
  const tests = check.files === undefined ? "" : `, ${passed} tests, ${cpuSeconds.toFixed(0)} s of processors`
  const verdict = `${label(check.name, start)}${failed === 0 ? "ok" : `${failed} failed`}${tests}`
  if (failed === 0) {
    print(verdict + notes)
    return { passed, failed }
  }
  const failures = check.files === undefined ? [] : failuresIn(output)
  // What has failed comes first, and then why.
  print([verdict, ...failures.map(nameOf)].join("\n"))
  print(failures.length > 0 ? failures.map((failure) => shown(failure, log)).join("\n") : output.trimEnd())
  print(`\nEverything that ${check.name} printed is in ${log}.${await hintAt(check.name, failures, at)}`)
  return { passed, failed }
}

/**
 * Runs groups of checks one after the other, and the checks of a group beside each other, until one fails. Says at the
 * end how many passed.
 */
export const runChecks = async (groups: ReadonlyArray<ReadonlyArray<Check>>, at: Surroundings): Promise<Verdict> => {
  let [passed, failed] = [0, 0]
  for (const group of groups) {
    if (failed > 0) break
    for (const verdict of await Promise.all(group.map((check) => runCheck(check, at)))) {
      passed += verdict.passed
      failed += verdict.failed
    }
  }
  console.log(`\n${passed} passed, ${failed} failed`)
  return { passed, failed }
}
