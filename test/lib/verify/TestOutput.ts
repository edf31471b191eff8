/*
 * The output of `bun test`: `test/http/Chat.test.ts:` before what a file prints and before its tests, which each end with
 * a line such as `(pass) adds [1.20ms]`. What tests of several processes print arrives file by file.
 */

const FILE = /^(test\/.*\.(?:test|check)\.tsx?):$/
const FAILED = "(fail) "
const END = /^\((?:pass|fail|skip|todo)\) /
/** The line before an error outside of every test, for instance of a file that cannot be loaded. */
const UNHANDLED = /^# Unhandled error /
/** The line above and below the text of such an error. */
const RULE = "-------------------------------"
/** Where all failures are named once more. */
const SUMMARY = /^\d+ tests? failed:$/

/** The file whose output begins with this line. */
export const fileOf = (line: string): string | undefined => FILE.exec(line)?.[1]

/** Whether the line tells the end of a test. */
export const isTest = (line: string): boolean => /^\((?:pass|fail)\) /.test(line)

/** Whether the line tells the failure of a test. */
export const isFailure = (line: string): boolean => line.startsWith(FAILED)

/** Whether all failures are named once more after this line. */
export const isSummary = (line: string): boolean => SUMMARY.test(line)

/** How often the summary says this word: ` 12 pass`. */
export const tally = (output: string, word: string): number =>
  Number(new RegExp(`^ *(\\d+) ${word}$`, "m").exec(output)?.[1] ?? 0)

/** A test that failed, or a file with an error outside of its tests. */
export interface Failure {
  readonly file: string
  /** The title of the test with those around it; undefined for an error outside of every test. */
  readonly title: string | undefined
  /** What was printed while the test ran: the error, and the logs of its servers. */
  readonly printed: string
}

/** The failures in the order of the output. */
export const failuresIn = (output: string): ReadonlyArray<Failure> => {
  const failures: Array<Failure> = []
  /** What each file has printed since its last test ended. */
  const printed = new Map<string, Array<string>>()
  let file = ""
  /** The rules that are still to come around an error outside of every test. */
  let rules = 0
  for (const line of output.split("\n")) {
    if (isSummary(line)) break
    const begun = fileOf(line)
    file = begun ?? file
    if (file === "" || begun !== undefined) continue
    const lines = printed.get(file) ?? []
    printed.set(file, lines)
    const isEnd = END.test(line)
    if (!isEnd) lines.push(line)
    if (UNHANDLED.test(line)) rules = 2
    else if (rules > 0 && line === RULE) rules -= 1
    else if (!isEnd) continue
    if (rules > 0) continue
    if (!isEnd || isFailure(line))
      failures.push({ file, title: isEnd ? titleOf(line) : undefined, printed: lines.join("\n") })
    lines.length = 0
  }
  return failures
}

/** `(fail) adds [1.20ms]` → `adds`. */
const titleOf = (line: string): string => line.slice(FAILED.length).replace(/ \[[\d.]+m?s\]$/, "")
