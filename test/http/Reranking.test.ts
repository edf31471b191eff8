import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { Schema } from "effect"
import { read } from "../lib/Client.ts"
import { fakeReranker, fakeRerankerKey } from "../lib/FakeReranker.ts"
import { SPECIAL_TOKENS, summing, tokenizers } from "../lib/Onnx.ts"
import { sharedRun } from "../lib/Scoped.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { startServer } from "../lib/TestServer.ts"

const run = sharedRun()
const fake = await run(fakeReranker("cohere"))
const { client } = await startServer({
  RERANK_URL: fake.url,
  RERANK_MODEL: "rerank-v3.5",
  RERANK_API_KEY: fakeRerankerKey,
})

const Explained = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      content: Schema.String,
      reranked: Schema.NullOr(Schema.Struct({ from: Schema.Int, score: Schema.Finite })),
    }),
  ),
})

/** The number of successful calls of the reranker in this process, also by other tests and by the probe of a start. */
const successes = async (): Promise<number> =>
  Number(
    /parley_rerank_duration_seconds_count\{outcome="ok"\} (\d+)/.exec((await client.get("/metrics")).text)?.[1] ?? 0,
  )

test("a search is reranked, says so when it is explained, and goes on without the service", async () => {
  const { id } = await client.newChatbot()
  await client.learn(id, {
    "harbour.md": "# Harbour\n\nThe harbour master keeps the lantern of the harbour.",
    "lantern.md": "# Lantern\n\nA lantern hangs in the harbour.",
  })
  const ask = () => client.search(id, "Who keeps the lantern of the harbour?", { explain: true })
  fake.scoreOf = (text) => (text.includes("hangs") ? 0.9 : 0.2)
  const before = await successes()
  const reply = await ask()
  const { results } = read(Explained, reply)
  expect(results[0]?.content).toContain("hangs")
  expect(results.map(({ reranked }) => reranked)).toEqual([
    { from: 2, score: 0.9 },
    { from: 1, score: 0.2 },
  ])
  expect(reply.headers.get("server-timing")).toMatch(/rerank;dur=/)
  expect(await successes()).toBeGreaterThan(before)

  fake.misbehave = () => new Response("", { status: 500 })
  const without = read(Explained, await ask()).results
  expect(without[0]?.content).toContain("keeps")
  expect(without.map(({ reranked }) => reranked)).toEqual([null, null])
})

test("a search is reranked by a model in the server", async () => {
  const words = ["harbour", "lantern", "hangs"]
  const rows = [...SPECIAL_TOKENS, ...words].map((word) => [Number(word === "hangs")])
  const dataDirectory = await run(temporaryDirectory("reranking"))
  const directory = join(dataDirectory, "models/tiny")
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, "model.onnx"), summing(rows))
  writeFileSync(join(directory, "tokenizer.json"), tokenizers.WordPiece(words))
  const { client } = await startServer({ RERANK_MODEL: "local:tiny", DATA_DIR: dataDirectory })
  const { id } = await client.newChatbot()
  await client.learn(id, {
    "harbour.md": "# Harbour\n\nThe harbour master keeps the lantern of the harbour.",
    "lantern.md": "# Lantern\n\nA lantern hangs in the harbour.",
  })
  const { results } = read(
    Explained,
    await client.search(id, "Who keeps the lantern of the harbour?", { explain: true }),
  )
  expect(results.map(({ reranked }) => reranked)).toEqual([
    { from: 2, score: 1 },
    { from: 1, score: 0 },
  ])
})
