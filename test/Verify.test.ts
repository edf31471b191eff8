import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from "bun:test"
import { scopedRun } from "./lib/Scoped.ts"
import { temporaryDirectory } from "./lib/TemporaryDirectory.ts"
import { runChecks, testCheck } from "./lib/verify/Checks.ts"

const PASSING = `
import { test } from "bun:test"
test("passes", () => {})`

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
test("fails", () => expect(1).toBe(2))`

const run = scopedRun()

let log: Mock<typeof console.log>
beforeEach(() => {
  log = spyOn(console, "log").mockImplementation(() => {})
})
afterEach(() => log.mockRestore())

/** The verdict of a checkout with these test files, and what was said of it. */
const verified = async (files: Readonly<Record<string, string>>, isCi: boolean) => {
  const root = await run(temporaryDirectory("verify"))
  mkdirSync(join(root, "test"))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "test", `${name}.test.ts`), text)
  const at = { root, memory: undefined, isCi }
  const paths = Object.keys(files).map((name) => `./test/${name}.test.ts`)
  const verdict = await runChecks([testCheck(at, "tests", paths)], at)
  return { verdict, said: log.mock.calls.flat().join("\n") }
}

describe("a test that fails beside others and passes alone", () => {
  const disturbed = "test/Disturbed.test.ts: a test > needs the machine"

  test("is accepted, and named at the end", async () => {
    const { said, verdict } = await verified({ Passing: PASSING, Disturbed: DISTURBED }, false)
    expect(verdict).toEqual({ passed: 2, failed: 0, onlyAlone: [disturbed] })
    expect(said).toEndWith(`\npassed only alone: 1: ${disturbed}\n\n2 passed, 0 failed`)
  })

  test("is named, and fails the run, in CI", async () => {
    const { said, verdict } = await verified({ Passing: PASSING, Disturbed: DISTURBED }, true)
    expect(verdict).toEqual({ passed: 1, failed: 1, onlyAlone: [disturbed] })
    expect(said).toEndWith(`\npassed only alone: 1: ${disturbed}\n\n1 passed, 1 failed`)
  })
})

test("a test that fails alone too fails the run, and is shown", async () => {
  const { said, verdict } = await verified({ Passing: PASSING, Failing: FAILING }, false)
  expect(verdict).toEqual({ passed: 1, failed: 1, onlyAlone: [] })
  expect(said).toContain("(fail) fails")
  expect(said).not.toContain("passed only alone")
})

test("a file that cannot be loaded fails the run", async () => {
  const { verdict } = await verified({ Passing: PASSING, Broken: 'import "./nothing.ts"' }, false)
  expect(verdict).toEqual({ passed: 1, failed: 1, onlyAlone: [] })
})
