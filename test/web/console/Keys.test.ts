import { describe, expect, test } from "bun:test"
import { stateOf } from "../../../src/web/console/data/Admin.ts"
import { limitsOf, limitTexts, limitWords } from "../../../src/web/console/parts/LimitFields.tsx"
import { endOf, grantable, makerOf } from "../../../src/web/console/screens/keys/KeyForm.ts"

const now = Date.parse("2026-11-20T12:00:00Z")
const forever = { expires_at: null, revoked_at: null }

describe("a limit", () => {
  test("is the same after it was shown in a form", () => {
    const limits = { none: null, all: "unlimited", zero: 0, some: 1_200 } as const
    expect(limitsOf(limitTexts(limits))).toEqual(limits)
    expect(([null, "unlimited", 5] as const).map((limit) => limitWords(limit, String))).toEqual([
      "Server default",
      "Unlimited",
      "5",
    ])
  })
})

describe("a key", () => {
  test("gets no scope that its maker lacks, and none of the operator in another organization", () => {
    expect(grantable(["chat", "admin", "operator"], false).map(({ scope }) => scope)).toEqual(["chat", "admin"])
    expect(grantable(["chat", "operator"], true).map(({ scope }) => scope)).toEqual(["chat", "operator"])
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
