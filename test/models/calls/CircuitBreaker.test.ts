import { describe, expect, test } from "bun:test"
import { Duration } from "effect"
import * as fc from "fast-check"
import { type Admission, type CallOutcome, CircuitBreaker } from "../../../src/models/calls/CircuitBreaker.ts"

const limits = { failuresMax: 3, window: Duration.seconds(10), openFor: Duration.seconds(5) }

/** A circuit breaker, with functions that call it at times in seconds. */
const make = () => {
  const breaker = new CircuitBreaker(limits)
  const admit = (at: number) => breaker.admit(at * 1_000)
  const enter = (at: number): Admission => {
    const admission = admit(at)
    if (!admission.admitted) throw new Error("It is held back")
    return admission
  }
  const call = (at: number, outcome: CallOutcome) => breaker.record(enter(at), outcome, at * 1_000)
  const record = (admission: Admission, outcome: CallOutcome, at: number) =>
    breaker.record(admission, outcome, at * 1_000)
  return { admit, call, enter, record }
}

const opened = () => {
  const made = make()
  for (const at of [0, 1, 2]) made.call(at, "failure")
  return made
}

describe("a circuit", () => {
  test("opens after the maximum of failures within the window, and says for how long", () => {
    expect(opened().admit(3)).toEqual({ admitted: false, retryAfter: 4_000 })
  })

  test("forgets failures that are older than the window", () => {
    const { admit, call } = make()
    for (const at of [0, 1, 12, 13]) call(at, "failure")
    expect(admit(13)).toMatchObject({ admitted: true })
  })

  test("stays closed while most calls succeed", () => {
    const { admit, call } = make()
    for (let at = 0; at < 9; at++) call(at, at % 3 === 0 ? "failure" : "success")
    expect(admit(9)).toMatchObject({ admitted: true })
  })

  test("admits one call after its time, and closes when that succeeds", () => {
    const { admit, enter, record } = opened()
    const probe = enter(8)
    expect(admit(8)).toMatchObject({ admitted: false })
    record(probe, "success", 9)
    expect([admit(9), admit(9)]).toMatchObject([{ admitted: true }, { admitted: true }])
  })

  test("opens again when that call fails", () => {
    const { admit, enter, record } = opened()
    record(enter(8), "failure", 9)
    expect(admit(10)).toEqual({ admitted: false, retryAfter: 4_000 })
  })

  test("admits another call when that one was cancelled", () => {
    const { admit, enter, record } = opened()
    record(enter(8), "neutral", 8)
    expect(admit(8)).toMatchObject({ admitted: true })
  })

  test("is not changed by the outcomes of calls that it admitted in an earlier state", () => {
    const { admit, call, enter, record } = make()
    const [early, late] = [enter(0), enter(0)]
    for (const at of [0, 1, 2]) call(at, "failure")
    record(early, "success", 3)
    expect(admit(3)).toMatchObject({ admitted: false })
    const probe = enter(8)
    record(late, "failure", 8)
    record(probe, "success", 8)
    expect(admit(8)).toMatchObject({ admitted: true })
  })

  test("always closes again once calls succeed, and never asks for a longer wait than its time", () => {
    const outcome = fc.constantFrom<CallOutcome>("success", "failure", "neutral")
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(4_000), outcome)), (calls) => {
        const breaker = new CircuitBreaker(limits)
        let now = 0
        for (const [pause, outcome] of calls) {
          now += pause
          const admission = breaker.admit(now)
          if (admission.admitted) breaker.record(admission, outcome, now)
          else expect(admission.retryAfter).toBeLessThanOrEqual(5_000)
        }
        const admission = breaker.admit(now + 5_000)
        expect(admission.admitted).toBe(true)
      }),
    )
  })
})
