import { describe, expect, test } from "bun:test"
import { Duration, Effect, Layer, Logger, Redacted, type Schema } from "effect"
import { httpTool, type HttpToolSpec } from "../../../src/agent/tools/HttpTool.ts"
import { FetchFailed } from "../../../src/outbound/FetchFailed.ts"
import { type SafeRequest, type SafeResponse } from "../../../src/outbound/SafeFetch.ts"
import { SecretUnreadable } from "../../../src/system/Secrets.ts"

const spec: HttpToolSpec = {
  name: "orderStatus",
  description: "Tells where an order is.",
  input_schema: {
    type: "object",
    properties: {
      id: { type: "string", minLength: 1 },
      lang: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      limit: { type: "integer", minimum: 1 },
      at: { type: "object" },
    },
    required: ["id"],
  },
  method: "GET",
  url: "https://shop.example/orders/{id}?v=1",
  headers: Effect.succeed(Redacted.make({ authorization: "Bearer s3cr3t-t0ken" })),
  timeout_ms: null,
}

const reply = (body: string | Uint8Array, more: Partial<SafeResponse> = {}): SafeResponse => ({
  status: 200,
  contentType: "application/json",
  body: typeof body === "string" ? new TextEncoder().encode(body) : body,
  isCut: false,
  ...more,
})

/** Runs one call of an endpoint that gives `answer`, and returns the outcome with the requests that were sent. */
const call = async (
  input: unknown,
  answer: SafeResponse | FetchFailed = reply("{}"),
  more: Partial<HttpToolSpec> = {},
  logging: Layer.Layer<never> = Layer.empty,
) => {
  const requests: Array<SafeRequest> = []
  const tool = httpTool(
    { ...spec, ...more },
    {
      resultMaxLength: 100,
      fetch: (request) =>
        Effect.suspend(() => {
          requests.push(request)
          return answer instanceof FetchFailed ? Effect.fail(answer) : Effect.succeed(answer)
        }),
    },
  )
  const outcome = await Effect.runPromise(Effect.provide(tool.run(input), logging))
  return { outcome, requests }
}

describe("a call", () => {
  test("by GET puts the input into the path and the query", async () => {
    const { requests } = await call({ id: "A/1", lang: "de&v=2", tags: ["a", "b"], limit: 3, at: { x: 1 } })
    expect(requests).toMatchObject([
      { method: "GET", body: undefined, secrets: { authorization: "Bearer s3cr3t-t0ken" } },
    ])
    expect(requests[0]?.url.href).toBe(
      "https://shop.example/orders/A%2F1?v=1&lang=de%26v%3D2&tags=a&tags=b&limit=3&at=%7B%22x%22%3A1%7D",
    )
  })

  test.each(["POST", "PUT", "PATCH"] as const)(
    "by %s puts the fields that fill no placeholder into a JSON body",
    async (method) => {
      const { requests } = await call({ id: "1", tags: [], lang: "de" }, reply("{}"), { method })
      expect(requests[0]).toMatchObject({ method, headers: { "content-type": "application/json" } })
      expect(requests[0]?.url.href).toBe("https://shop.example/orders/1?v=1")
      expect(JSON.parse(requests[0]?.body ?? "")).toEqual({ tags: [], lang: "de" })
    },
  )

  test.each<readonly [string, unknown, RegExp]>([
    ["no input", undefined, /expected an object/],
    ["a text as input", "id", /expected an object/],
    ["a list as input", [], /expected an object/],
    ["a required field missing", {}, /"id"/],
    ["a field of another type", { id: 1 }, /^Invalid input: id: /],
    ["a number below the minimum", { id: "1", limit: 0 }, /^Invalid input: limit: /],
    ["a wrong item in a list", { id: "1", tags: ["a", 1] }, /^Invalid input: tags\/1: /],
    ["an unknown field", { id: "1", url: "https://evil.example" }, /url/],
    ["a prototype as field", JSON.parse('{"id":"1","__proto__":{"a":1}}'), /__proto__/],
    ["a parent folder as segment", { id: ".." }, /Invalid input: id: /],
    ["far too long an input", { id: "x".repeat(20_000) }, /at most 16384/],
  ])("with %s is not sent, and the model learns why", async (_, input, why) => {
    const { outcome, requests } = await call(input)
    expect(requests).toEqual([])
    expect(outcome.isFailure).toBe(true)
    expect(outcome.result).toEqual({ error: expect.stringMatching(why) })
  })

  const tags = Array.from({ length: 2_000 }, (_, index) => index)
  test.each<readonly [string, Schema.JsonObject]>([
    ["thousands of values that have to differ", { uniqueItems: true }],
    ["two hundred schemas for each of its values", { allOf: Array.from({ length: 200 }, () => ({ items: true })) }],
  ])("with %s is not checked for long", async (_, schema) => {
    const input_schema = { type: "object", properties: { tags: schema } }
    const { outcome, requests } = await call({ tags }, reply("{}"), { input_schema, url: "https://shop.example/" })
    expect([outcome.result, requests]).toEqual([{ error: expect.stringContaining("fewer values") }, []])
    const few = { tags: tags.slice(0, 100) }
    expect((await call(few, reply("{}"), { input_schema, url: "https://shop.example/" })).requests).toHaveLength(1)
  })

  test("cannot replace a parameter that is in the URL", async () => {
    const open = { type: "object", properties: { id: {} }, required: ["id"], additionalProperties: true }
    const { outcome, requests } = await call({ id: "1", v: "2" }, reply("{}"), { input_schema: open })
    expect([outcome.isFailure, requests]).toEqual([true, []])
    expect((await call({ id: { a: 1 } }, reply("{}"), { input_schema: open })).outcome.isFailure).toBe(true)
  })

  test.each(["unknown key", "changed"] as const)(
    "whose headers cannot be decrypted (%s) is not sent, and the model learns that the operator is at fault",
    async (why) => {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => logged.push(message))
      const headers = new SecretUnreadable({ key: "k1", why })
      const { outcome, requests } = await call({ id: "1" }, reply("{}"), { headers }, Logger.layer([logger]))
      expect(requests).toEqual([])
      expect(outcome).toMatchObject({
        isFailure: true,
        result: { error: "The tool is out of order until its operator has set it up again." },
      })
      expect(logged).toEqual([["The headers of a tool cannot be decrypted", { tool: "orderStatus", key: "k1", why }]])
    },
  )

  test("has the time limit of the tool, if it declares one", () => {
    const fetch = () => Effect.succeed(reply(""))
    expect(httpTool(spec, { fetch, resultMaxLength: 1 }).timeout).toBeUndefined()
    expect(httpTool({ ...spec, timeout_ms: 700 }, { fetch, resultMaxLength: 1 }).timeout).toEqual(Duration.millis(700))
  })
})

describe("the result for the model", () => {
  test.each<readonly [string, SafeResponse, unknown]>([
    ["the value of JSON", reply('{"a":[1,"x",null]}'), { a: [1, "x", null] }],
    [
      "the value of JSON with another media type",
      reply("[1]", { contentType: "application/hal+json; charset=utf-8" }),
      [1],
    ],
    ["text as it is", reply("hello", { contentType: "text/plain" }), "hello"],
    ["text in another encoding", reply(Uint8Array.of(0xfc), { contentType: "text/plain; charset=iso-8859-1" }), "ü"],
    ["text for invalid JSON", reply("{oops"), "{oops"],
    [
      "text for JSON that is nested too deeply",
      reply(`${"[".repeat(40)}${"]".repeat(40)}`),
      `${"[".repeat(40)}${"]".repeat(40)}`,
    ],
    [
      "text for JSON that no database can store",
      reply(String.raw`["\u0000","\ud800"]`),
      String.raw`["\u0000","\ud800"]`,
    ],
    [
      "text for JSON with an escaped half of a surrogate pair",
      reply(String.raw`["\\ud83d\ude00"]`),
      String.raw`["\\ud83d\ude00"]`,
    ],
    [
      "the value of JSON that only writes about escapes",
      reply(String.raw`["\\u0000 and \\ud800"]`),
      [String.raw`\u0000 and \ud800`],
    ],
    ["the value of JSON with escaped characters", reply(String.raw`["\ud83d\ude00"]`), ["😀"]],
    ["text without NUL", reply("a\0b", { contentType: "text/plain" }), "a\uFFFDb"],
    ["null for an empty body", reply("", { status: 204, contentType: "" }), null],
    [
      "the beginning of a long answer",
      reply("x".repeat(101), { contentType: "text/plain" }),
      { text: "x".repeat(100), truncated: true },
    ],
    ["the beginning of JSON that was cut off", reply('{"a":', { isCut: true }), { text: '{"a":', truncated: true }],
    [
      "free of secrets that the server repeats",
      reply('{"you":"Bearer s3cr3t-t0ken","t":"s3cr3t-t0ken"}'),
      { you: "[secret]", t: "[secret]" },
    ],
  ])("is %s", async (_, answer, result) => {
    expect((await call({ id: "1" }, answer)).outcome).toEqual({ result: result as never, isFailure: false })
  })

  const written = String.raw`Basic a/b+c=="d\e`
  const inJson = JSON.stringify(written)
  test.each([
    ["unchanged", written, "text/plain"],
    ["as JSON", inJson, "application/json"],
    ["in JSON with escaped slashes", inJson.replaceAll("/", String.raw`\/`), "application/json"],
    [
      "in JSON with escaped code points",
      inJson.replaceAll("+", String.raw`\u002b`).replaceAll("=", String.raw`\u003D`),
      "application/json",
    ],
    ["in text that is JSON", inJson, "text/plain"],
    ["without its scheme", inJson.replace("Basic ", ""), "application/json"],
  ])("is free of a secret that the server repeats %s", async (_, body, contentType) => {
    const headers = Effect.succeed(Redacted.make({ authorization: `${written} ` }))
    const { outcome } = await call({ id: "1" }, reply(body, { contentType }), { headers })
    expect(outcome.result).toBe(contentType === "text/plain" && body === inJson ? '"[secret]"' : "[secret]")
  })

  test("is only the first mistake of an input with very many", async () => {
    const texts = { type: "array", items: { anyOf: Array.from({ length: 200 }, () => ({ type: "string" })) } }
    const schema = { type: "object", properties: { a: texts } }
    const { outcome, requests } = await call({ a: Array(400).fill(1_000) }, reply("{}"), { input_schema: schema })
    expect(requests).toEqual([])
    expect(outcome.result).toEqual({ error: expect.stringMatching(/^Invalid input: a\/0: /) })
  })

  test.each<readonly [string, SafeResponse | FetchFailed, unknown]>([
    [
      "an error status",
      reply('{"detail":"gone"}', { status: 404 }),
      { error: "The server answered with status 404.", answer: { detail: "gone" } },
    ],
    [
      "an error status without a body",
      reply("", { status: 500 }),
      { error: "The server answered with status 500.", answer: null },
    ],
    [
      "an answer that is not text",
      reply("\u0089PNG", { contentType: "image/png" }),
      { error: "The answer is neither text nor JSON." },
    ],
    [
      "an answer without a media type",
      reply("x", { contentType: "" }),
      { error: "The answer is neither text nor JSON." },
    ],
    [
      "a server that cannot be reached",
      new FetchFailed({ reason: "unreachable", detail: "The server cannot be reached." }),
      { error: "The server cannot be reached." },
    ],
  ])("is a failure for %s", async (_, answer, result) => {
    expect((await call({ id: "1" }, answer)).outcome).toEqual({ result: result as never, isFailure: true })
  })
})
