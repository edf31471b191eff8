import { describe, expect, test } from "bun:test"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { isUnlimited, limitsOf, secondsToMidnight } from "../../../src/domain/organizations/Budget.ts"
import { tokensAtMost } from "../../../src/domain/chat/Tokens.ts"
import { Day, dayAt, dayNumber, UsageGroups } from "../../../src/domain/organizations/Usage.ts"

const none = Number.POSITIVE_INFINITY
const defaults = { tokensPerDay: 5, concurrentChats: none }

describe("the limits of a budget", () => {
  test("are those that are set, or else the default", () => {
    expect(limitsOf({ tokens_per_day: null, concurrent_chats: 0 }, defaults)).toEqual({
      tokensPerDay: 5,
      concurrentChats: 0,
    })
    expect(isUnlimited(limitsOf({ tokens_per_day: "unlimited", concurrent_chats: null }, defaults))).toBe(true)
    expect(isUnlimited(limitsOf({ tokens_per_day: "unlimited", concurrent_chats: 1 }, defaults))).toBe(false)
    expect(isUnlimited(limitsOf({ tokens_per_day: 1, concurrent_chats: null }, defaults))).toBe(false)
  })
})

test("the time until midnight is in whole seconds, a day at most", () => {
  expect(secondsToMidnight(Date.parse("2026-11-20T00:00:00.000Z"))).toBe(86_400)
  expect(secondsToMidnight(Date.parse("2026-11-20T23:59:59.999Z"))).toBe(1)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (now) => {
      const wait = secondsToMidnight(now)
      expect(wait).toBeWithin(1, 86_401)
      expect((Math.floor(now / 1_000) + wait) % 86_400).toBe(0)
    }),
  )
})

test("the tokens of a text are estimated from its bytes", () => {
  expect(tokensAtMost([])).toBe(0)
  expect(tokensAtMost(["abc", "def"])).toBe(2)
  expect(tokensAtMost(["退款"])).toBe(2)
})

test("a day is valid when it exists in the calendar", () => {
  const isDay = Schema.is(Day)
  for (const day of ["2026-11-20", "2024-02-29", "1970-01-01", "9999-12-31"])
    expect([day, isDay(day)]).toEqual([day, true])
  for (const day of [
    "2026-02-29",
    "2026-13-01",
    "2026-1-1",
    "0000-01-01",
    "1969-12-31",
    "26-01-01",
    "2026-11-20T00:00:00Z",
    "",
  ]) {
    expect([day, isDay(day)]).toEqual([day, false])
  }
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_900_000 }), (number) => {
      expect(isDay(dayAt(number))).toBe(true)
      expect(dayNumber(dayAt(number))).toBe(number)
    }),
  )
})

test("groups have one order, and each occurs once", () => {
  const decode = Schema.decodeUnknownResult(UsageGroups)
  expect(decode("model,day,model")).toEqual(Result.succeed(["day", "model"]))
  expect(Result.isFailure(decode("model, day"))).toBe(true)
})
