import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, type Mock, spyOn, test } from "bun:test"
import { scopedRun } from "./lib/Scoped.ts"
import { temporaryDirectory } from "./lib/TemporaryDirectory.ts"
import { runChecks, testCheck } from "./lib/verify/Checks.ts"
import { isDeep, ROTATION, shareOf } from "./lib/verify/Classes.ts"

const PASSING = `
import { test } from "bun:test"
test("passes", () => console.log("what a passing test printed"))`

/** Fails the first time that it runs. */
const DISTURBED = `
import { existsSync, writeFileSync } from "node:fs"
import { describe, expect, test } from "bun:test"
describe("a test", () => {
  test("needs the machine", () => {
    const mark = import.meta.dir + "/mark"
    const isAgain = existsSync(mark)
    writeFileSync(mark, "")
    expect(isAgain).toBe(true)
  })
})`

const FAILING = `
import { expect, test } from "bun:test"
test("fails", () => {
  console.log("what the server of the failing test logged")
  console.log("x".repeat(20_000))
  expect(1).toBe(2)
})`

/** Fails a hundred times, and each time prints its own number. */
const TALKATIVE = `
import { expect, test } from "bun:test"
for (let number = 100; number < 200; number++)
  test("number " + number, () => {
    console.log("printed by " + number)
    expect(number).toBe(0)
  })`

const run = scopedRun()

let log: Mock<typeof console.log>
beforeEach(() => {
  log = spyOn(console, "log").mockImplementation(() => {})
})
afterEach(() => log.mockRestore())

/** The verdict of a checkout with these test files, and what was said of it. */
const verified = async (files: Readonly<Record<string, string>>) => {
  const root = await run(temporaryDirectory("verify"))
  mkdirSync(join(root, "test"))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "test", `${name}.test.ts`), text)
  const verdict = await runChecks(
    [
      [
        testCheck(
          "tests",
          Object.keys(files).map((name) => `test/${name}.test.ts`),
        ),
      ],
    ],
    { root },
  )
  return { verdict, said: log.mock.calls.flat().join("\n") }
}

test("a test that fails beside others has failed, with a hint where it passes alone", async () => {
  const { said, verdict } = await verified({ Passing: PASSING, Disturbed: DISTURBED })
  expect(verdict).toEqual({ passed: 1, failed: 1 })
  expect(said).toContain("(fail) test/Disturbed.test.ts: a test > needs the machine")
  expect(said).toContain("test/Disturbed.test.ts passes alone: look for what it shares.")
  expect(said).toEndWith("\n1 passed, 1 failed")
})

test("a test that fails is shown with what was printed while it ran, and with nothing else", async () => {
  const { said, verdict } = await verified({ Passing: PASSING, Failing: FAILING })
  expect(verdict).toEqual({ passed: 1, failed: 1 })
  expect(said).toContain("what the server of the failing test logged")
  expect(said).toContain("(fail) test/Failing.test.ts: fails")
  expect(said).not.toContain("what a passing test printed")
  expect(said).not.toContain("passes alone")
  expect(said).toContain("xxx… (20000 characters)")
  expect(said.length).toBeLessThan(5_000)
  expect(said).toMatch(/Everything that tests printed is in .*tests\.log/)
})

test("of many tests that fail side by side, each is shown with its own error and what it printed", async () => {
  const { said, verdict } = await verified({ One: TALKATIVE, Two: TALKATIVE, Three: TALKATIVE })
  expect(verdict).toEqual({ passed: 0, failed: 300 })
  const shown = Array.from(said.matchAll(/printed by (\d+)\n[^]*?Received: (\d+)[^]*?\n\(fail\) \S+: number (\d+)/g))
  expect(shown).toHaveLength(300)
  for (const [, printed, received, title] of shown) expect([printed, received]).toEqual([title, title])
})

test("a file that cannot be loaded fails the run, and is shown", async () => {
  const { said, verdict } = await verified({ Passing: PASSING, Broken: 'import "./nothing.ts"' })
  expect(verdict).toEqual({ passed: 1, failed: 1 })
  expect(said).toContain("Cannot find module './nothing.ts'")
})

test("of deep files, each commit runs a share, and every file has its turn", () => {
  const files = Array.from({ length: 40 }, (_, index) => `test/${index}.deep.test.ts`)
  const turns = Array.from({ length: ROTATION }, (_, turn) =>
    shareOf(files, turn.toString(16).padStart(8, "0").padEnd(40, "0")),
  )
  expect(new Set(turns.flat())).toEqual(new Set(files))
  expect(turns.flat()).toHaveLength(files.length)
  const commit = "48e0b7ea6900769b762375df5e921a5062e64cb2"
  expect(shareOf(files, commit)).toEqual(shareOf(files.toReversed(), commit))
})

test("the class of a test file follows from its path", () => {
  expect(isDeep("test/http/Chat.test.ts")).toBe(false)
  expect(isDeep("test/http/Fuzz.deep.test.ts")).toBe(true)
  expect(isDeep("test/browser/Talk.test.ts")).toBe(true)
})
