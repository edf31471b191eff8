import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Finding, type PartSettings, runParts } from "./lib/Parts.ts"
import { type PlantedFault, plantedFaults } from "./safety/PlantedFaults.ts"

const root = join(import.meta.dir, "..", "..")
/** The share of the faults that have to be noticed: 18 of 20. */
const SHARE_NOTICED = 0.9
/** Longer than everything that `bun run verify` runs takes on a busy machine. A fault may make tests hang. */
const TIMEOUT_MILLIS = 20 * 60_000

const pathOf = (test: string): string => `test/${test}.test.ts`

/** What keeps a fault from being planted; undefined when nothing does. */
export const obstacleOf = ({ file, tests, text, what }: PlantedFault): string | undefined => {
  const found = readFileSync(join(root, file), "utf8").split(text).length - 1
  if (found !== 1) return `${what}: ${file} has the text ${found} times, and not once: ${text}`
  const missing = tests
    .map(pathOf)
    .find((path) => !readdirSync(join(root, path, "..")).includes(path.replace(/.*\//, "")))
  return missing === undefined ? undefined : `${what}: there is no ${missing}`
}

const runBun = async (directory: string, command: ReadonlyArray<string>, postgres: string | undefined) => {
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: directory,
    env: { ...process.env, NO_COLOR: "1", ...(postgres !== undefined && { DATABASE_URL: postgres }) },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: TIMEOUT_MILLIS,
    killSignal: "SIGKILL",
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { isPassed: code === 0, output: stdout + stderr }
}

/** The title of the first test that failed; undefined where the tests ended in another way. */
const failedIn = (output: string): string | undefined => /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/m.exec(output)?.[1]

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

const part = async ({ postgres, scale, seed }: PartSettings): Promise<ReadonlyArray<Finding>> => {
  const obstacles = plantedFaults.flatMap((fault) => obstacleOf(fault) ?? [])
  if (obstacles.length > 0) throw new Error(`Faults cannot be planted:\n${obstacles.join("\n")}`)
  const step = Math.max(1, Math.round(1 / scale))
  const chosen = plantedFaults.filter((_, index) => (index + seed) % step === 0)

  const directory = mkdtempSync(join(tmpdir(), "parley-faults-"))
  /** Runs the tests that should notice a fault: all of them, or the one with this title. */
  const tests = (fault: PlantedFault, title = "") => {
    const flags = ["--timeout=60000", "--bail", "--parallel=3", "--no-isolate"]
    const pattern = escape(title.split(" > ").at(-1) ?? "")
    const only = pattern === "" ? [] : [`--test-name-pattern=${pattern}`]
    return runBun(directory, ["test", ...flags, ...only, ...fault.tests.map(pathOf)], postgres)
  }

  /** The test that fails because of the fault in the copy; undefined where none does. `mend` removes the fault. */
  const noticedBy = async (fault: PlantedFault, mend: () => void): Promise<string | undefined> => {
    let { isPassed, output } = await tests(fault)
    if (isPassed && scale === 1) ({ isPassed, output } = await runBun(directory, ["test/verify.ts"], postgres))
    mend()
    if (isPassed) return undefined
    const title = failedIn(output)
    // A busy machine fails tests, too.
    return (await tests(fault, title)).isPassed ? (title ?? "tests that hang or cannot run") : undefined
  }

  try {
    for (const name of readdirSync(root)) {
      if (name === "node_modules") symlinkSync(join(root, name), join(directory, name))
      else if (name !== ".git" && name !== "data") cpSync(join(root, name), join(directory, name), { recursive: true })
    }
    const findings: Array<Finding> = []
    let noticed = 0
    for (const fault of chosen) {
      const path = join(directory, fault.file)
      const source = readFileSync(path, "utf8")
      writeFileSync(
        path,
        source.replace(fault.text, () => fault.replacement),
      )
      const title = await noticedBy(fault, () => writeFileSync(path, source))
      if (title !== undefined) noticed++
      const value = title === undefined ? "NOT NOTICED" : `noticed by "${title}"`
      process.stderr.write(`  ${fault.what}: ${value}\n`)
      findings.push({ name: `${fault.area}: ${fault.what}`, value })
    }
    const least = Math.ceil(SHARE_NOTICED * chosen.length)
    return [
      ...findings,
      { name: "faults that were noticed", value: `${noticed} of ${chosen.length}`, isKept: noticed >= least },
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * `bun run bench faults [--seed N] [--postgres URL] [--scale 0.1]`: plants one fault after the other in a copy of the
 * checkout, and runs the tests that should notice it; where these pass, all that `bun run verify` runs. With a smaller
 * scale it plants fewer faults, and runs the first tests alone. It fails when fewer than nine of ten are noticed.
 */
export const run = (args: ReadonlyArray<string>): Promise<void> =>
  runParts({ faults: () => Promise.resolve({ part }) }, args)
