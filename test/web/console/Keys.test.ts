import { describe, expect, test } from "bun:test"
import { limitOf, limitProblem, limitText, limitWords } from "../../../src/web/console/data/Limits.ts"
import { endOf, expiryOf, grantable, makerOf, stateOf } from "../../../src/web/console/screens/keys/KeyForm.ts"

const now = Date.parse("2026-11-20T12:00:00Z")
const forever = { expires_at: null, revoked_at: null }

describe("a limit", () => {
  test("is the same after it was shown in a form", () => {
    for (const limit of [null, "unlimited", 0, 1_200] as const) {
      expect(limitProblem(limitText(limit))).toBeUndefined()
      expect(limitOf(limitText(limit))).toBe(limit)
    }
    expect(["none", "1.5", "-1", "x", "9999999999999"].map(limitProblem)).not.toContain(undefined)
    expect(([null, "unlimited", 5] as const).map((limit) => limitWords(limit, String))).toEqual([
      "Server's default",
      "No limit",
      "5",
    ])
  })
})

describe("a key", () => {
  test("gets no scope that its maker lacks, and none of the operator in another organization", () => {
    expect(grantable(["chat", "admin", "operator"], false).map(({ scope }) => scope)).toEqual(["chat", "admin"])
    expect(grantable(["chat", "operator"], true).map(({ scope }) => scope)).toEqual(["chat", "operator"])
  })

  test("expires when its maker has chosen, on a day at its end", () => {
    expect(expiryOf("never", "", now)).toBeUndefined()
    expect(expiryOf("30", "", now)).toBe("2026-12-20T12:00:00.000Z")
    expect(expiryOf("day", "2027-01-31", now)).toBe("2027-01-31T23:59:59Z")
  })

  test("is told by its state, its end and its maker", () => {
    const expired = { ...forever, expires_at: "2026-11-20T11:00:00Z" }
    const revoked = { ...expired, revoked_at: "2026-11-01T00:00:00Z" }
    expect([forever, expired, revoked].map((key) => stateOf(key, now))).toEqual(["active", "expired", "revoked"])
    expect([forever, expired, revoked].map((key) => endOf(key, now))).toEqual([
      "Never",
      "Expired 20 Nov 2026",
      "Revoked 1 Nov 2026",
    ])
    expect([null, "operator", "bootstrap", "k1"].map((maker) => makerOf(maker, (id) => `Key ${id}`))).toEqual([
      "unknown",
      "the operator",
      "the first start",
      "Key k1",
    ])
  })
})
