import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { changeOf, CONCEALED, concealed } from "../../../src/domain/audit/AuditChange.ts"

describe("a change in the audit log", () => {
  test("has the fields that differ, before and after, and no others", () => {
    const before = { name: "A", budget: { tokens_per_day: null, concurrent_chats: 3 }, active: true }
    const after = { name: "A", budget: { tokens_per_day: "unlimited", concurrent_chats: 3 }, active: false }
    expect(changeOf(before, after)).toEqual({
      before: { budget: { tokens_per_day: null }, active: true },
      after: { budget: { tokens_per_day: "unlimited" }, active: false },
    })
    expect(changeOf(before, { ...before })).toBeUndefined()
  })

  test("shows that a field was removed", () => {
    expect(changeOf({ name: "A", model: "m" }, { name: "A" })).toEqual({ before: { model: "m" }, after: {} })
  })

  test("says of a secret or a prompt only that it differs", () => {
    const tool = (value: string) => ({
      name: "crm",
      headers: [{ name: "authorization", value }],
      url: `https://a/${value}`,
    })
    expect(changeOf(tool("s3cret-1"), tool("s3cret-2"))).toEqual({
      before: { headers: [{ name: "authorization", value: CONCEALED }], url: CONCEALED },
      after: { headers: [{ name: "authorization", value: CONCEALED }], url: CONCEALED },
    })
  })

  test("never holds a text of a field that is not listed, however deep, and is of bounded size", () => {
    const texts = fc.string({ minLength: 1 }).map((text) => `canary ${text}`)
    const field = fc.constantFrom("prompt", "value", "description", "url", "a", "__proto__")
    const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
      leaf: fc.oneof(texts, fc.integer(), fc.constant(null)),
      tree: fc.oneof(
        { maxDepth: 4 },
        tie("leaf"),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(field, tie("tree"), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(tree, (state) => {
        const text = JSON.stringify(concealed({ contents: JSON.parse(JSON.stringify(state)) }))
        expect(text).not.toContain("canary")
        expect(text.length).toBeLessThan(2_100)
      }),
    )
    const large = { name: "x".repeat(200), scopes: Array.from({ length: 1_000 }, () => "scope") }
    expect(concealed(large)).toEqual({ name: CONCEALED, scopes: CONCEALED })
  })
})
