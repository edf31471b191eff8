import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Duration, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Unavailable } from "../../src/domain/Errors.ts"
import { divided } from "../../src/embeddings/DividedTexts.ts"
import { TextRefused } from "../../src/embeddings/Embeddings.ts"
import { endpointOf } from "../../src/embeddings/Provider.ts"
import { textBatches } from "../../src/embeddings/TextBatches.ts"
import { type Answer, fakeEmbeddingsKey, fakeVector, runWithEmbeddings, type Spoil } from "../lib/FakeEmbeddings.ts"

setDefaultTimeout(180_000)

const lines: Array<string> = []
const log = Logger.layer([Logger.make(({ message, fiber }) => void lines.push(Bun.inspect([message, fiber.context])))])

const run: typeof runWithEmbeddings = (body, settings) => runWithEmbeddings(body, settings, log)

const unit = (text: string, dimensions = 8) => {
  const vector = fakeVector(text, dimensions)
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
const expectVectors = (vectors: ReadonlyArray<Float32Array>, texts: ReadonlyArray<string>, dimensions = 8) => {
  expect(vectors).toHaveLength(texts.length)
  for (const [index, text] of texts.entries()) {
    const expected = unit(text, dimensions)
    expect(vectors[index]).toHaveLength(dimensions)
    for (const [place, value] of vectors[index]?.entries() ?? []) expect(value).toBeCloseTo(expected[place] ?? 2, 5)
  }
}
const texts = ["the harbour", "a lantern", "three captains"]
const soon = { "retry-after-ms": "20" }

describe("vectors", () => {
  test.each<[string, Answer]>([
    ["in base64", { kind: "vectors" }],
    ["as numbers, although base64 was requested", { kind: "vectors", as: "floats" }],
    ["in another order", { kind: "vectors", order: "shuffled" }],
  ])("are understood %s", (_, answer) =>
    run(function* (embeddings, fake) {
      fake.answer(() => answer)
      expectVectors(yield* embeddings.embedDocuments(texts), texts)
      expect(fake.requests[0]?.body).toEqual({ model: "small", input: texts, encoding_format: "base64" })
      expect(fake.requests[0]?.headers).not.toHaveProperty("traceparent")
    }),
  )

  test("have the dimension of the setting, which is part of the model's name", () =>
    run(
      function* (embeddings, fake) {
        expectVectors([yield* embeddings.embedQuery("x")], ["x"], 4_096)
        expect(fake.requests[0]?.body["dimensions"]).toBe(4_096)
        expect(embeddings.model).toBe("openai:small@4096")
      },
      { dimensions: 4_096 },
    ))

  test("of Voyage are requested for the purpose of a question or of a document", () =>
    run(
      function* (embeddings, fake) {
        yield* embeddings.embedQuery("q")
        yield* embeddings.embedDocuments(["d"])
        expect(fake.requests.map(({ body }) => [body["input_type"], body["output_dimension"]])).toEqual([
          ["query", 16],
          ["document", 16],
        ])
        expect(embeddings.model).toBe("voyage:voyage-4@16")
      },
      { provider: "voyage", model: "voyage-4", dimensions: 16 },
    ))

  test("of many texts are requested in several batches of at most 128", () =>
    run(function* (embeddings, fake) {
      const many = Array.from({ length: 300 }, (_, index) => `text ${index}`)
      expectVectors(yield* embeddings.embedDocuments(many), many)
      expect(fake.requests.map((request) => request.texts.length)).toEqual([128, 128, 44])
    }))
})

test("batches contain every text once, in order, within both limits", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 50 }).map((text) => text.repeat(1_000))), (all) => {
      const batches = textBatches(all)
      expect(batches.flat()).toEqual(all)
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(128)
        if (batch.length > 1) expect(Buffer.byteLength(batch.join(""))).toBeLessThanOrEqual(180_000)
      }
    }),
    { numRuns: 20 },
  )
  expect(textBatches(Array.from({ length: 129 }, () => "a")).map((batch) => batch.length)).toEqual([128, 1])
})

test("a text is divided into parts that lose nothing, of at most so many bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 500 }), fc.integer({ min: 4, max: 200 }), (text, bytesMax) => {
      const parts = divided(text, bytesMax)
      expect(parts.join("")).toBe(text)
      for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(bytesMax)
    }),
  )
  expect(divided("keeping lanterns", 12)).toEqual(["keeping", " lanterns"])
})

test.each([
  ["http://localhost:11434", "http://localhost:11434/v1/embeddings"],
  ["http://localhost:11434/v1/", "http://localhost:11434/v1/embeddings"],
  ["https://host/proxy", "https://host/proxy/v1/embeddings"],
  ["https://host/v1beta/openai", "https://host/v1beta/openai/embeddings"],
])("the base URL %s becomes %s", (base, endpoint) => expect(endpointOf(base)).toBe(endpoint))

describe("documents wait for a provider", () => {
  test.each<[string, Answer]>([
    ["that limits the rate", { kind: "status", status: 429, headers: soon }],
    ["that has an internal error", { kind: "status", status: 500, headers: soon }],
    ["that has no capacity", { kind: "status", status: 529, headers: soon }],
    ["that drops the connection", { kind: "reset" }],
    ["that cuts its answer off", { kind: "raw", body: '{"data": [{"ind' }],
  ])("%s", (_, answer) =>
    run(function* (embeddings, fake) {
      fake.answer((_request, number) => (number === 1 ? answer : undefined))
      expectVectors(yield* embeddings.embedDocuments(texts), texts)
      const asked = fake.requests.filter((request) => request.texts.length === texts.length)
      expect(asked).toHaveLength(2)
    }),
  )

  test("that does not answer in time", () =>
    run(
      function* (embeddings, fake) {
        fake.answer((_request, number) => (number === 1 ? { kind: "hang" } : undefined))
        expectVectors(yield* embeddings.embedDocuments(texts), texts)
      },
      { timeout: Duration.millis(200) },
    ))

  test("together: no request is sent while the provider asks to wait, and questions fail at once", () =>
    run(function* (embeddings, fake) {
      yield* Effect.gen(function* () {
        fake.answer((_request, number) =>
          number === 1 ? { kind: "status", status: 429, headers: { "retry-after": "60" } } : undefined,
        )
        lines.length = 0
        const first = yield* Effect.forkScoped(embeddings.embedDocuments(["first"]))
        const look = TestClock.withLive(Effect.sleep("5 millis"))
        yield* Effect.repeat(look, { until: () => lines.some((line) => line.includes("are paused")) })
        yield* Effect.forEach(["second text", "third text", "fourth text"], (text) =>
          Effect.forkScoped(embeddings.embedDocuments([text])),
        )
        expect(yield* Effect.flip(embeddings.embedQuery("question"))).toBeInstanceOf(Unavailable)
        yield* TestClock.adjust("59 seconds")
        expect(fake.requests).toHaveLength(1)
        yield* TestClock.adjust("1 second")
        expectVectors(yield* Fiber.join(first), ["first"])
        yield* Effect.repeat(look, { until: () => fake.requests.length === 5 })
        expect(yield* embeddings.embedQuery("question")).toHaveLength(8)
      }).pipe(Effect.provide(TestClock.layer()))
    }))
})

describe("documents fail after a wait with the reason, without the key, when the provider", () => {
  test.each<[string, Answer, string]>([
    ["refuses the key", { kind: "status", status: 401 }, "EMBEDDINGS_API_KEY"],
    ["refuses the model", { kind: "status", status: 403 }, "403"],
    ["does not know the model", { kind: "status", status: 404 }, "EMBEDDINGS_BASE_URL"],
    ["refuses every text", { kind: "status", status: 400 }, "400"],
    ["is a website", { kind: "raw", body: "<!doctype html>" }, "not JSON"],
    ["omits vectors", { kind: "vectors", spoil: (items) => items.slice(1) }, "0 vectors for 1 texts"],
    ["sends too much", { kind: "oversize" }, "bytes"],
  ])("%s", (_, answer, reason) =>
    run(function* (embeddings, fake) {
      lines.length = 0
      fake.answer(() => answer)
      const failure = yield* Effect.flip(embeddings.embedDocuments(["one"]))
      expect(failure).toBeInstanceOf(Unavailable)
      expect(failure).toMatchObject({ retry_after_seconds: 60 })
      expect(Bun.inspect(failure)).toContain(reason)
      expect(lines.join("\n")).toContain(reason)
      expect(Bun.inspect(failure) + lines.join("\n")).not.toContain(fakeEmbeddingsKey)
    }),
  )

  test("requires a key and none is set", () =>
    run(
      function* (embeddings, fake) {
        fake.answer(() => ({ kind: "status", status: 401 }))
        const failure = yield* Effect.flip(embeddings.embedDocuments(["one"]))
        expect(Bun.inspect(failure)).toContain("EMBEDDINGS_API_KEY is not set")
      },
      { apiKey: undefined },
    ))

  test("makes vectors of another dimension than the setting", () =>
    run(
      function* (embeddings, fake) {
        fake.answer(() => ({
          kind: "vectors",
          spoil: (items) => items.map((item) => ({ ...item, embedding: [1, 2] })),
        }))
        const failure = yield* Effect.flip(embeddings.embedDocuments(["one"]))
        expect(Bun.inspect(failure)).toContain("2 dimensions and not of EMBEDDINGS_DIMENSIONS, 4")
      },
      { dimensions: 4 },
    ))
})

describe("a single text fails, and the others of its batch can be embedded, when it", () => {
  const items =
    (change: (item: { index: number; embedding: Array<number> }) => unknown): Spoil =>
    (all) =>
      all.map(change)
  test.each<[string, Answer]>([
    ["is refused", { kind: "status", status: 400 }],
    ["is too long", { kind: "status", status: 413 }],
    [
      "becomes a vector that is not of numbers",
      { kind: "vectors", spoil: items((item) => ({ ...item, embedding: [Number.NaN, 1] })) },
    ],
    [
      "becomes a vector of infinite length",
      { kind: "vectors", spoil: items((item) => ({ ...item, embedding: [1e300, 1] })) },
    ],
    ["becomes a vector of length zero", { kind: "vectors", spoil: items((item) => ({ ...item, embedding: [0, 0] })) }],
    ["becomes no vector", { kind: "vectors", spoil: items(({ index }) => ({ index, embedding: null })) }],
    [
      "becomes a vector with the index of no text",
      { kind: "vectors", spoil: items((item) => ({ ...item, index: 7 })) },
    ],
  ])("%s", (_, answer) =>
    run(function* (embeddings, fake) {
      fake.answer((request) => (request.texts.includes("poison") ? answer : undefined))
      const failure = yield* Effect.flip(embeddings.embedDocuments([...texts, "poison", ...texts]))
      expect(failure).toBeInstanceOf(TextRefused)
      expectVectors(yield* embeddings.embedDocuments(texts), texts)
    }),
  )
})

test("a provider with neither a key nor a base URL stops the start", async () => {
  const start = run(function* () {}, { apiKey: undefined, baseUrl: undefined })
  await expect(start).rejects.toThrow("EMBEDDINGS is openai:small, and there is no key for it. Set EMBEDDINGS_API_KEY")
})

test("an answer whose vectors differ in dimension is refused", () =>
  run(function* (embeddings, fake) {
    let asked = 0
    fake.answer(() => ({
      kind: "vectors",
      spoil: (items) =>
        asked++ === 0 ? items.map((item, index) => (index === 1 ? { ...item, embedding: [1] } : item)) : items,
    }))
    expectVectors(yield* embeddings.embedDocuments(texts), texts)
    expect(fake.requests).toHaveLength(2)
  }))
