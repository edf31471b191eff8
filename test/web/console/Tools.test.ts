import { describe, expect, test } from "bun:test"
import {
  draftOf,
  newDraft,
  payloadOf,
  placeholdersIn,
  problemsOf,
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
  test("finds nothing wrong with what the template becomes, nor with a stored tool", () => {
    expect(problemsOf(draft)).toEqual({})
    expect(problemsOf(draftOf(stored))).toEqual({})
  })

  test("says what is wrong, by field", () => {
    const wrong = problemsOf({
      ...draft,
      name: "1st",
      description: " ",
      url: "https://shop.example.com/{other}",
      headers: [{ id: 0, name: "x-a", value: "", isStored: false }],
      timeout: "10",
    })
    expect(Object.keys(wrong).toSorted()).toEqual(["description", "headers", "name", "timeout", "url"])
    expect(wrong.url).toContain("“other”")
    expect(problemsOf({ ...draft, schema: "{" }).schema).toStartWith("This is no JSON yet")
    expect(problemsOf({ ...draft, schema: "[]" }).schema).toBe("Expected an object in braces")
    expect(problemsOf({ ...draft, schema: "{}" }).schema).toContain('"type": "object"')
    const twice = ["X-A", "x-a"].map((name, id) => ({ id, name, value: "1", isStored: false }))
    expect(problemsOf({ ...draft, headers: twice }).headers).toBe("A header is there twice")
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

describe("an address with placeholders", () => {
  test("names each of them once", () => {
    expect(placeholdersIn("https://x.example/{a}/{b}?c={a}")).toEqual(["a", "b"])
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
