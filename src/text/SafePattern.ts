import { RE2JS } from "re2js"
import { Result } from "effect"

/*
 * Regular expressions that users write, matched in linear time by RE2's algorithm: without backreferences and
 * lookaround. RE2 repeats a part in braces as often in its program, so that the program's size is limited as well:
 * within these limits, the worst pattern that was found takes 0.1 seconds for the longest text.
 */

/** The most instructions of a pattern's program. */
const PROGRAM_MAX_SIZE = 1_000
/** The longest text that is looked at, in UTF-16 code units. */
const TEXT_MAX_LENGTH = 20_000

/** Matches the repetition of a group, and any repetition in braces with its highest number. */
const REPEATED_GROUP = /\)[?*+]?\{\d/
const REPETITION = /\{(?:\d+,)?(\d+),?\}/g

const tooLarge = "It repeats too much: try lower numbers in braces."

/** An estimate of the size of a pattern's program, since making a large one takes long. */
const estimated = (pattern: string): number => {
  const counts = Array.from(pattern.matchAll(REPETITION), ([, count]) => Number(count))
  return REPEATED_GROUP.test(pattern)
    ? counts.reduce((size, count) => size * Math.max(1, count), pattern.length)
    : counts.reduce((size, count) => size + count, 0)
}

const compiled = (pattern: string): Result.Result<RE2JS, string> => {
  if (estimated(pattern) > 5 * PROGRAM_MAX_SIZE) return Result.fail(tooLarge)
  return Result.try({
    try: () => RE2JS.compile(pattern),
    catch: (error) => (error instanceof Error ? error.message : String(error)),
  }).pipe(
    Result.filterOrFail(
      (program) => program.programSize() <= PROGRAM_MAX_SIZE,
      () => tooLarge,
    ),
  )
}

/** Returns why a pattern is refused; undefined where it can be used. */
export const patternProblem = (pattern: string): string | undefined =>
  Result.match(compiled(pattern), { onSuccess: () => undefined, onFailure: (problem) => problem })

/** Whether a pattern matches somewhere in the first 20,000 characters of a text. One that is refused matches nothing. */
export const patternMatches = (pattern: string, text: string): boolean =>
  Result.match(compiled(pattern), {
    onSuccess: (program) => program.test(text.slice(0, TEXT_MAX_LENGTH)),
    onFailure: () => false,
  })
