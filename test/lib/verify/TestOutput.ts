/*
 * The output of `bun test`: `test/http/Chat.test.ts:` before the tests of a file, and a line for each test, such as
 * `(pass) adds [1.20ms]`.
 */

const FILE = /^(test\/.*\.(?:test|check)\.ts):$/
const FAILED = "(fail) "
/** The line before an error outside of every test, for instance of a file that cannot be loaded. */
const UNHANDLED = /^# Unhandled error /m

/** The file whose tests begin with this line. */
export const fileOf = (line: string): string | undefined => FILE.exec(line)?.[1]

/** Whether the line tells the end of a test. */
export const isTest = (line: string): boolean => /^\((?:pass|fail)\) /.test(line)

/** Whether the line tells the failure of a test. */
export const isFailure = (line: string): boolean => line.startsWith(FAILED)

/** How often the summary says this word: ` 12 pass`. */
export const tally = (output: string, word: string): number =>
  Number(new RegExp(`^ *(\\d+) ${word}$`, "m").exec(output)?.[1] ?? 0)

/** Without the tests that passed, and without the names of files that say nothing then. */
export const withoutPassed = (output: string): string =>
  output.replaceAll(/^\(pass\) .*\n/gm, "").replaceAll(/^(?:test\/\S+\.ts:\n\n*)+(?=test\/\S+\.ts:$)/gm, "")

/** Whether there was an error outside of every test. The output does not tell reliably in which file. */
export const hasStrayError = (output: string): boolean => UNHANDLED.test(output)

/** A test that failed. */
export interface Failure {
  readonly file: string
  /** The title of the test with those around it. */
  readonly title: string
}

/** The tests that failed, in the order of the output, whose end names them all again. */
export const failuresIn = (output: string): ReadonlyArray<Failure> => {
  const failures: Array<Failure> = []
  let file = ""
  for (const line of output.split(/^\d+ tests failed:$/m, 1)[0]?.split("\n") ?? []) {
    file = fileOf(line) ?? file
    if (file === "") continue
    if (isFailure(line)) failures.push({ file, title: line.slice(FAILED.length).replace(/ \[[\d.]+m?s\]$/, "") })
  }
  return failures
}
