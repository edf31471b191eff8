import { describe, expect, test } from "bun:test"
import { ServiceHealth } from "../../src/outbound/ServiceHealth.ts"

const make = () => new ServiceHealth(3, 5_000)

const failed = () => {
  const health = make()
  for (const at of [0, 1_000, 2_000]) health.fail(at)
  return health
}

describe("a service", () => {
  test("is left alone after the maximum of failures in a row, for its time", () => {
    expect([2_000, 3_000, 7_000].map((now) => failed().restAt(now))).toEqual([5_000, 4_000, 0])
  })

  test("is asked as long as a success stands between its failures", () => {
    const health = make()
    for (let at = 0; at < 9; at++) {
      if (at % 3 === 0) health.succeed()
      else health.fail(at)
    }
    expect([health.isDown, health.restAt(9)]).toEqual([false, 0])
  })

  test("is left alone again after one more failure, and not once it has served", () => {
    const health = failed()
    health.fail(8_000)
    expect(health.restAt(8_000)).toBe(5_000)
    health.succeed()
    health.fail(14_000)
    expect([health.isDown, health.restAt(14_000)]).toEqual([false, 0])
  })

  test("is left alone no longer because of requests that were under way when its rest began", () => {
    const health = failed()
    health.fail(6_000)
    expect(health.restAt(7_000)).toBe(0)
  })
})
