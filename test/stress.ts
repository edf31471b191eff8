import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { Glob } from "bun"
import { filesInMemory, logDirectory, run, stopRunning, testCheck } from "./lib/verify/Checks.ts"
import { isDeep } from "./lib/verify/Classes.ts"
import { label, print } from "./lib/verify/Progress.ts"
import { failuresIn, tally } from "./lib/verify/TestOutput.ts"

/*
 * `bun run test:stress [--rounds 20] [FILES]` runs test files many times in three surroundings, and names the tests that
 * ever failed. Without files it runs all that are everyday.
 */

const root = join(import.meta.dir, "..")
const { rounds, files: given } = ((args: ReadonlyArray<string>) => {
  const at = args.indexOf("--rounds")
  return at === -1
    ? { rounds: 20, files: args }
    : { rounds: Number(args[at + 1]), files: args.filter((_, index) => index !== at && index !== at + 1) }
})(process.argv.slice(2))

const all = Array.from(new Glob("test/**/*.test.ts").scanSync(root)).toSorted()
const files =
  given.length === 0
    ? all.filter((file) => !isDeep(file))
    : all.filter((file) => given.some((part) => file.includes(part)))
const inMemory = filesInMemory()

/** Processes that each keep one processor busy. */
const busy: Array<Bun.Subprocess> = []
const relax = (): void => busy.splice(0).forEach((child) => child.kill())
process.on("exit", relax)
const stop = (code: number): void => {
  stopRunning()
  process.exit(code)
}
process.on("SIGINT", () => stop(130))
process.on("SIGTERM", () => stop(143))

const surroundings: ReadonlyArray<{
  readonly name: string
  readonly begin?: () => void
  readonly flags?: ReadonlyArray<string>
}> = [
  { name: "quiet" },
  {
    name: "busy",
    begin: () => {
      for (let left = availableParallelism(); left > 0; left--)
        busy.push(Bun.spawn([process.execPath, "-e", "for (;;);"]))
    },
  },
  { name: "collecting", flags: ["--preload", "./test/lib/verify/Collecting.ts"] },
]

console.log(`${files.length} files, ${rounds} times in each of ${surroundings.length} surroundings`)
/** How often each test failed, by its file, title and surroundings. */
const failed = new Map<string, number>()
for (const { begin, flags = [], name } of surroundings) {
  const start = performance.now()
  begin?.()
  const check = testCheck(name, files, { flags: [`--rerun-each=${rounds}`, ...flags] })
  const { output } = await run(check, { root, variables: { ...(inMemory && { TMPDIR: inMemory }) } })
  relax()
  writeFileSync(join(logDirectory(root), `stress-${name}.log`), output)
  const failures = failuresIn(output)
  for (const { file, title = "outside of every test" } of failures) {
    const key = `${file}: ${title} (${name})`
    failed.set(key, (failed.get(key) ?? 0) + 1)
  }
  print(`${label(name, start)}${tally(output, "pass")} passed, ${failures.length} failed`)
}
for (const [test, count] of failed) console.log(`${String(count).padStart(3)} of ${rounds}  ${test}`)
if (failed.size > 0) console.log(`What they printed is in ${logDirectory(root)}.`)
process.exitCode = failed.size === 0 ? 0 : 1
