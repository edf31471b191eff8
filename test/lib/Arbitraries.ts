import { Arbitrary, Effect } from "effect"
import * as fc from "fast-check"

/**
 * Checks a property of generated values, and fails with the smallest counterexample that is found. Schemas with checks
 * that generated text seldom passes (addresses, language tags) discard many values before enough are left.
 */
export const holds = async <A, E>(
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => boolean | Effect.Effect<boolean, E>,
  runs = 50,
): Promise<void> => {
  const result = await Effect.runPromise(
    Arbitrary.checkEffect(arbitrary, property, { runs, maxDiscards: DISCARDS_PER_RUN * runs }),
  )
  const failure = Arbitrary.formatCheckFailure(result)
  if (failure !== undefined) throw new Error(failure)
}

const DISCARDS_PER_RUN = 200

/** Text of any UTF-16 code units, lone surrogates and NUL among them. */
export const anyString = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
    fc.constantFrom("/", "\\", ".", "-", " ", '"', "\u0000", "\u202e", "\u061c", "\ud800"),
  ),
})

/** Like `anyString`, but up to some hundreds of code units long. */
export const anyLongString = fc.oneof(
  anyString,
  fc.array(anyString, { maxLength: 60 }).map((parts) => parts.join("")),
  fc.tuple(anyString, fc.integer({ min: 1, max: 400 })).map(([part, times]) => part.slice(0, 3).repeat(times)),
)
