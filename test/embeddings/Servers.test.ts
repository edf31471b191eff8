import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { TextRefused } from "../../src/embeddings/Embeddings.ts"
import { broken, shortTexts, smallBatches, withoutBase64 } from "./EmbeddingServers.ts"
import { type Answer, type FakeEmbeddings, fakeEmbeddingsKey, runWithEmbeddings as run } from "../lib/FakeEmbeddings.ts"

setDefaultTimeout(180_000)

/** Plays a server, and counts the requests that it refuses. */
const playing = (fake: FakeEmbeddings, server: (typeof smallBatches)[string]) => {
  const counts = { refused: 0 }
  fake.answer((request) => {
    const answer = server(request)
    if (answer !== undefined) counts.refused++
    return answer
  })
  return counts
}

const sentences = (number: number, words: number) => `${number}: ${"the lantern keeps the harbour ".repeat(words / 5)}`
/** The passages of a dozen documents. */
const documents = Array.from({ length: 12 }, (_, document) =>
  Array.from({ length: 100 }, (_, passage) => sentences(100 * document + passage, 50)),
)

test.each(Object.entries(smallBatches))("the texts that %s takes at once are learned", (_, server) =>
  run(function* (embeddings, fake) {
    const counts = playing(fake, server)
    for (const texts of documents) {
      const vectors = yield* embeddings.embedDocuments(texts)
      expect(vectors).toHaveLength(100)
    }
    expect(counts.refused).toBeLessThanOrEqual(10)
    expect(fake.requests.length - counts.refused).toBeLessThanOrEqual(12 * 25)
  }),
)

describe("a text that is too long for", () => {
  const texts = Array.from({ length: 100 }, (_, number) => sentences(number, number % 10 === 7 ? 500 : 50))
  test.each(Object.entries(shortTexts))("%s is divided, and the length is learned", (_, server) =>
    run(function* (embeddings, fake) {
      const counts = playing(fake, server)
      for (let document = 0; document < 6; document++) {
        const vectors = yield* embeddings.embedDocuments(texts)
        expect(vectors).toHaveLength(100)
        for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      }
      expect(counts.refused).toBeLessThanOrEqual(16)
      const before = counts.refused
      expect(yield* embeddings.embedQuery(sentences(1, 300))).toHaveLength(8)
      expect(counts.refused).toBe(before)
    }),
  )
})

test.each(Object.entries(withoutBase64))("%s is asked for base64 no more once it has refused it", (_, server) =>
  run(function* (embeddings, fake) {
    const counts = playing(fake, server)
    yield* embeddings.embedDocuments(documents[0] ?? [])
    expect(counts.refused).toBeLessThanOrEqual(4)
    const before = counts.refused
    for (const texts of documents) yield* embeddings.embedDocuments(texts)
    yield* embeddings.embedQuery("the lantern")
    expect(counts.refused).toBe(before)
    expect(fake.requests.at(-1)?.body["encoding_format"]).not.toBe("base64")
  }),
)

describe("documents wait with the reason, after a few requests, while there is", () => {
  test.each(Object.entries(broken))("%s", (_, { answer, reason }) =>
    run(function* (embeddings, fake) {
      fake.answer(() => answer)
      const failure = yield* Effect.flip(embeddings.embedDocuments(documents[0] ?? []))
      const said = Bun.inspect(failure)
      expect(said).toContain("The embedding provider cannot be used right now.")
      expect(said.replaceAll('\\"', '"')).toContain(reason)
      expect(said).not.toContain(fakeEmbeddingsKey)
      expect(fake.requests.length).toBeLessThanOrEqual(6)
    }),
  )

  test.each<[string, Answer]>([
    ["loads its model", { kind: "says", status: 503, body: { error: { code: 503, message: "Loading model" } } }],
    ["loads its model, with a success", { kind: "says", status: 200, body: { detail: "Model is loading" } }],
    ["is restarted behind a proxy", { kind: "says", status: 502, body: "<html><title>502 Bad Gateway</title></html>" }],
    ["fails for a moment", { kind: "says", status: 500, body: "Internal Server Error" }],
  ])("a server that %s, until it answers", (_, answer) =>
    run(function* (embeddings, fake) {
      const reasons: Array<string> = []
      fake.answer((_request, number) => (number === 1 ? answer : undefined))
      expect(yield* embeddings.embedDocuments(["one"], (reason) => void reasons.push(reason))).toHaveLength(1)
      expect(reasons.join()).toMatch(/Loading model|Model is loading|502 Bad Gateway|Internal Server Error/)
      expect(fake.requests.length).toBeLessThanOrEqual(3)
    }),
  )
})

test("a dimension that the model does not offer is named with its setting", () =>
  run(
    function* (embeddings, fake) {
      const message =
        'Model "bge-m3" does not support matryoshka representation, changing output dimensions will lead to poor results.'
      fake.answer(() => ({ kind: "says", status: 400, body: { object: "error", message, code: 400 } }))
      const failure = yield* Effect.flip(embeddings.embedDocuments(["one"]))
      expect(failure).toMatchObject({ detail: expect.stringMatching(/EMBEDDINGS_DIMENSIONS.*matryoshka/) })
      expect(fake.requests).toHaveLength(1)
    },
    { dimensions: 512 },
  ))

test.each<[string, Answer]>([
  ["400", { kind: "says", status: 400, body: { error: { message: "Input must be polite" } } }],
  ["500", { kind: "says", status: 500, body: { error: "failed to encode response: json: unsupported value: NaN" } }],
])("a text that makes a server fail with %s stops no other one, and says why", (_, answer) =>
  run(function* (embeddings, fake) {
    fake.answer(({ texts }) => (texts.includes("poison") ? answer : undefined))
    const failure = yield* Effect.flip(embeddings.embedDocuments(["one", "poison", "two"]))
    expect(failure).toBeInstanceOf(TextRefused)
    expect(failure).toMatchObject({ reason: expect.stringMatching(/polite|NaN/) })
    yield* embeddings.embedDocuments(documents[0] ?? [])
    expect(fake.requests.at(-1)?.texts).toHaveLength(100)
  }),
)

test("what repeats a text is not said to others", () =>
  run(function* (embeddings, fake) {
    const secret = "The board will sell the harbour in June, and nobody may know."
    fake.answer(() => ({ kind: "says", status: 403, body: { error: `Not allowed: ${secret}` } }))
    const failure = yield* Effect.flip(embeddings.embedDocuments([secret]))
    expect(Bun.inspect(failure)).not.toContain("harbour")
  }))
