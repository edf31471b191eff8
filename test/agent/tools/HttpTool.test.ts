import { describe, expect, test } from "bun:test"
import { Duration, Effect, Redacted } from "effect"
import { httpTool, type HttpToolSpec } from "../../../src/agent/tools/HttpTool.ts"
import { FetchFailed, type SafeRequest, type SafeResponse } from "../../../src/outbound/SafeFetch.ts"

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

/** Runs one call; the endpoint answers with this, and what it was asked comes along. */
const call = async (
  input: unknown,
  answer: SafeResponse | FetchFailed = reply("{}"),
  more: Partial<HttpToolSpec> = {},
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
  const outcome = await Effect.runPromise(tool.run(input))
  return { outcome, requests }
}

describe("a call", () => {
  test("of GET puts the input into the address and the query", async () => {
    const { requests } = await call({ id: "A/1", lang: "de&v=2", tags: ["a", "b"], limit: 3, at: { x: 1 } })
    expect(requests).toMatchObject([
      { method: "GET", body: undefined, secrets: { authorization: "Bearer s3cr3t-t0ken" } },
    ])
    expect(requests[0]?.url.href).toBe(
      "https://shop.example/orders/A%2F1?v=1&lang=de%26v%3D2&tags=a&tags=b&limit=3&at=%7B%22x%22%3A1%7D",
    )
  })

  test.each(["POST", "PUT", "PATCH"] as const)("of %s puts what is left into a JSON body", async (method) => {
    const { requests } = await call({ id: "1", tags: [], lang: "de" }, reply("{}"), { method })
    expect(requests[0]).toMatchObject({ method, headers: { "content-type": "application/json" } })
    expect(requests[0]?.url.href).toBe("https://shop.example/orders/1?v=1")
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({ tags: [], lang: "de" })
  })

  test.each<readonly [string, unknown, RegExp]>([
    ["nothing", undefined, /expected an object/],
    ["text", "id", /expected an object/],
    ["a list", [], /expected an object/],
    ["nothing that is required", {}, /"id"/],
    ["another type", { id: 1 }, /^Invalid input: id: /],
    ["too little", { id: "1", limit: 0 }, /^Invalid input: limit: /],
    ["a wrong item", { id: "1", tags: ["a", 1] }, /^Invalid input: tags\/1: /],
    ["what nobody asked for", { id: "1", url: "https://evil.example" }, /url/],
    ["a prototype", JSON.parse('{"id":"1","__proto__":{"a":1}}'), /__proto__/],
    ["a step up", { id: ".." }, /Invalid input: id: /],
    ["far too much", { id: "x".repeat(20_000) }, /at most 16384/],
  ])("with %s is not made, and the model is told why", async (_, input, why) => {
    const { outcome, requests } = await call(input)
    expect(requests).toEqual([])
    expect(outcome.isFailure).toBe(true)
    expect(outcome.result).toEqual({ error: expect.stringMatching(why) })
  })

  test("cannot give a parameter that the address gives already", async () => {
    const open = { type: "object", properties: { id: {} }, required: ["id"], additionalProperties: true }
    const { outcome, requests } = await call({ id: "1", v: "2" }, reply("{}"), { input_schema: open })
    expect([outcome.isFailure, requests]).toEqual([true, []])
    expect((await call({ id: { a: 1 } }, reply("{}"), { input_schema: open })).outcome.isFailure).toBe(true)
  })

  test("has the time of the tool, or none of its own", () => {
    const fetch = () => Effect.succeed(reply(""))
    expect(httpTool(spec, { fetch, resultMaxLength: 1 }).timeout).toBeUndefined()
    expect(httpTool({ ...spec, timeout_ms: 700 }, { fetch, resultMaxLength: 1 }).timeout).toEqual(Duration.millis(700))
  })
})

describe("what a model is told", () => {
  test.each<readonly [string, SafeResponse, unknown]>([
    ["JSON as it is", reply('{"a":[1,"x",null]}'), { a: [1, "x", null] }],
    ["JSON of another name", reply("[1]", { contentType: "application/hal+json; charset=utf-8" }), [1]],
    ["text", reply("hello", { contentType: "text/plain" }), "hello"],
    ["text in another encoding", reply(Uint8Array.of(0xfc), { contentType: "text/plain; charset=iso-8859-1" }), "ü"],
    ["text for what is no JSON", reply("{oops"), "{oops"],
    [
      "text for JSON that nests too deep",
      reply(`${"[".repeat(40)}${"]".repeat(40)}`),
      `${"[".repeat(40)}${"]".repeat(40)}`,
    ],
    ["text for JSON that no database keeps", reply(String.raw`["\u0000","\ud800"]`), String.raw`["\u0000","\ud800"]`],
    ["text for JSON with half a character", reply(String.raw`["\\ud83d\ude00"]`), String.raw`["\\ud83d\ude00"]`],
    ["JSON whose characters are escaped", reply(String.raw`["\ud83d\ude00"]`), ["😀"]],
    ["no NUL", reply("a\0b", { contentType: "text/plain" }), "a\uFFFDb"],
    ["nothing for nothing", reply("", { status: 204, contentType: "" }), null],
    [
      "the begin of what is long",
      reply("x".repeat(101), { contentType: "text/plain" }),
      { text: "x".repeat(100), truncated: true },
    ],
    ["the begin of JSON that was cut", reply('{"a":', { isCut: true }), { text: '{"a":', truncated: true }],
    [
      "no secret that is sent back",
      reply('{"you":"Bearer s3cr3t-t0ken","t":"s3cr3t-t0ken"}'),
      { you: "[secret]", t: "[secret]" },
    ],
  ])("is %s", async (_, answer, result) => {
    expect((await call({ id: "1" }, answer)).outcome).toEqual({ result: result as never, isFailure: false })
  })

  const written = String.raw`Basic a/b+c=="d\e`
  const inJson = JSON.stringify(written)
  test.each([
    ["as it is", written, "text/plain"],
    ["as JSON", inJson, "application/json"],
    ["with signs escaped", inJson.replaceAll("/", String.raw`\/`), "application/json"],
    [
      "with signs as codes",
      inJson.replaceAll("+", String.raw`\u002b`).replaceAll("=", String.raw`\u003D`),
      "application/json",
    ],
    ["in text that is JSON", inJson, "text/plain"],
    ["without its scheme", inJson.replace("Basic ", ""), "application/json"],
  ])("has no secret that is sent back %s", async (_, body, contentType) => {
    const headers = Effect.succeed(Redacted.make({ authorization: `${written} ` }))
    const { outcome } = await call({ id: "1" }, reply(body, { contentType }), { headers })
    expect(outcome.result).toBe(contentType === "text/plain" && body === inJson ? '"[secret]"' : "[secret]")
  })

  test("of more mistakes than anybody counts is the first", async () => {
    const texts = { type: "array", items: { anyOf: Array.from({ length: 200 }, () => ({ type: "string" })) } }
    const schema = { type: "object", properties: { a: texts } }
    const { outcome, requests } = await call({ a: Array(8_000).fill(1) }, reply("{}"), { input_schema: schema })
    expect(requests).toEqual([])
    expect(outcome.result).toEqual({ error: expect.stringMatching(/^Invalid input: a\/0: /) })
  })

  test.each<readonly [string, SafeResponse | FetchFailed, unknown]>([
    [
      "a status",
      reply('{"detail":"gone"}', { status: 404 }),
      { error: "The server answered with status 404.", answer: { detail: "gone" } },
    ],
    [
      "a status without words",
      reply("", { status: 500 }),
      { error: "The server answered with status 500.", answer: null },
    ],
    [
      "what is no text",
      reply("\u0089PNG", { contentType: "image/png" }),
      { error: "The answer is neither text nor JSON." },
    ],
    ["no type", reply("x", { contentType: "" }), { error: "The answer is neither text nor JSON." }],
    [
      "a server out of reach",
      new FetchFailed({ detail: "The server cannot be reached." }),
      { error: "The server cannot be reached." },
    ],
  ])("of %s is a failure", async (_, answer, result) => {
    expect((await call({ id: "1" }, answer)).outcome).toEqual({ result: result as never, isFailure: true })
  })
})

test("a secret that is sent back is none of the answer in its JSON form either", async () => {
  const headers = { authorization: String.raw`Basic a"quoted\secret` }
  const { outcome } = await call({ id: "A" }, reply(JSON.stringify({ you: headers.authorization })), {
    headers: Effect.succeed(Redacted.make(headers)),
  })
  expect(outcome).toEqual({ result: { you: "[secret]" }, isFailure: false })
})
