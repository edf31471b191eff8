import { expect, test } from "bun:test"
import { Duration } from "effect"
import * as fc from "fast-check"
import { UploadWaits, waitOf } from "../../src/http/knowledge/UploadWait.ts"
import { anyString } from "../lib/Arbitraries.ts"

const waits = UploadWaits.defaultValue()
const secondsOf = (prefer: string | undefined) => Duration.toSeconds(waitOf(prefer, waits))

test.each([
  [undefined, 20],
  ["", 20],
  ["respond-async", 0],
  ["Respond-Async", 0],
  ["wait=0", 0],
  ["wait=7", 7],
  ["WAIT = 7", 7],
  ['wait="7"', 7],
  ["wait=61", 60],
  ["wait=999999999", 60],
  ["return=minimal, wait=7", 7],
  ["wait=7; foo=bar", 7],
  ["handling=lenient,wait=7 ,respond-later", 7],
  ["wait=7, wait=9", 7],
  ["wait", 20],
  ["wait=", 20],
  ["wait=-1", 20],
  ["wait=1.5", 20],
  ["wait=soon", 20],
  ["await=7", 20],
  ["respond-asynchronously", 20],
])("Prefer: %p waits %d seconds", (prefer, seconds) => expect(secondsOf(prefer)).toBe(seconds))

test("the wait is between zero and the limit for any header", () =>
  fc.assert(
    fc.property(
      fc.array(fc.oneof(anyString, fc.constantFrom("wait", "=", ",", ";", " ", '"', "respond-async"), fc.nat()), {
        maxLength: 8,
      }),
      (parts) => {
        const seconds = secondsOf(parts.join(""))
        expect(seconds).toBeGreaterThanOrEqual(0)
        expect(seconds).toBeLessThanOrEqual(60)
      },
    ),
  ))
