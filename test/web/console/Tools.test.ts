import { describe, expect, test } from "bun:test"
import {
  draftOf,
  headersProblem,
  newDraft,
  objectIn,
  payloadOf,
  refusalsOf,
  sampleOf,
} from "../../../src/web/console/screens/tools/ToolForm.ts"

const draft = { ...newDraft, name: "orderStatus", description: "Tells.", url: "https://shop.example.com/{orderId}" }

const stored = {
  name: "orderStatus",
  description: "Tells.",
  method: "GET" as const,
  url: "https://shop.example.com/{orderId}",
  input_schema: { type: "object", properties: { orderId: { type: "string" } }, required: ["orderId"] },
  headers: { authorization: null, "x-shop": null },
  timeout_ms: 5_000,
}

describe("the form of a tool", () => {
  test("says why a schema is no JSON object while it is typed", () => {
    expect(objectIn(newDraft.schema)).toHaveProperty("object")
    expect(objectIn("{")).toMatchObject({ problem: expect.stringContaining("This is no JSON yet") })
    expect(objectIn("[]")).toEqual({ problem: "Expected an object in braces" })
  })

  test("says that a header is there twice, or lacks its name or value", () => {
    const header = { id: 0, name: "x-a", value: "1", isStored: false }
    expect(
      headersProblem([header, { ...header, name: "x-b" }, { ...header, name: "x-c", value: "", isStored: true }]),
    ).toBeUndefined()
    expect(headersProblem([header, { ...header, name: " X-A" }])).toBe("A header is there twice")
    for (const unfinished of [{ name: "" }, { value: "" }])
      expect(headersProblem([{ ...header, ...unfinished }])).toContain("needs a name and a value")
  })

  test("shows what the server refuses at the field that it is about", () => {
    expect(
      refusalsOf([
        { path: "input_schema.properties.a.pattern", message: "Not a keyword that is checked" },
        { path: "url", message: "Expected an http(s) URL" },
      ]),
    ).toEqual({ schema: "properties.a.pattern: Not a keyword that is checked", url: "Expected an http(s) URL" })
  })

  test("sends header values that were typed, keeps stored ones and removes those that were taken away", () => {
    const [authorization] = draftOf(stored).headers
    if (authorization === undefined) throw new Error("No header")
    const added = { id: 9, name: " x-new ", value: "n", isStored: false }
    const { headers, timeout_ms } = payloadOf({ ...draftOf(stored), headers: [authorization, added] }, stored)
    expect(headers).toEqual({ "x-shop": "", "x-new": "n" })
    expect(timeout_ms).toBe(5_000)
    const replaced = { id: 9, name: "x-shop", value: "new", isStored: false }
    expect(payloadOf({ ...draftOf(stored), headers: [authorization, replaced] }, stored).headers).toEqual({
      "x-shop": "new",
    })
    expect(payloadOf(draft).timeout_ms).toBeNull()
  })
})

describe("a sample input", () => {
  test("has every property of the schema", () => {
    expect(
      sampleOf({
        type: "object",
        properties: {
          id: { type: "string", examples: ["A-4711"] },
          count: { type: "integer", minimum: 1 },
          kind: { enum: ["a", "b"] },
          tags: { type: "array", items: { type: "string" } },
          deep: { type: "object", properties: { on: { type: "boolean" } } },
          either: { anyOf: [] },
        },
      }),
    ).toEqual({ id: "A-4711", count: 1, kind: "a", tags: [""], deep: { on: false }, either: null })
  })
})
