import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect, Layer } from "effect"
import { Embeddings } from "../../../src/embeddings/Embeddings.ts"
import { layer as embeddingsLayer } from "../../../src/embeddings/sentences/SentenceEmbeddings.ts"
import { layer, Reranker, RerankerBounds, type RerankerShape } from "../../../src/knowledge/Reranker.ts"
import { defaults } from "../../lib/Defaults.ts"
import { platform, quiet } from "../../lib/Layers.ts"
import {
  ofTokens,
  overlapping,
  safetensors,
  SPECIAL_TOKENS,
  summing,
  tokenizers,
  weights,
  WEIGHTS,
} from "../../lib/Onnx.ts"
import { type ModelRuntime, placeRuntime, runtimes } from "../../lib/ModelLibrary.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

setDefaultTimeout(180_000)

/*
 * Cross-encoders of this server: small models, made here, on the real runtimes and in real processes.
 */

const words = ["who", "keeps", "the", "lantern", "harbour", "tide", "noise"]
const size = SPECIAL_TOKENS.length + words.length

/** Rows for all tokens: these for the words named, and zeros for the others. */
const rowsOf = (of: Readonly<Record<string, ReadonlyArray<number>>>) => {
  const zeros = (Object.values(of)[0] ?? []).map(() => 0)
  return [...SPECIAL_TOKENS, ...words].map((word) => of[word] ?? zeros)
}
const identity = rowsOf(
  Object.fromEntries(words.map((word, place) => [word, words.map((_, other) => Number(other === place))])),
)
/** One logit, which counts lanterns. */
const lanterns = rowsOf({ lantern: [1] })

type Files = Readonly<Record<string, string | Uint8Array>>

const sum = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex")

const usual: Files = { "model.onnx": overlapping(identity), "tokenizer.json": tokenizers.WordPiece(words) }

/** Makes the directory of a model, `tiny`, with these files. */
const place = Effect.fnUntraced(function* (files: Files, runtime: ModelRuntime = "library") {
  const directory = yield* temporaryDirectory("rerankers")
  yield* Effect.sync(() => {
    for (const [name, content] of Object.entries(files)) {
      const path = join(directory, "tiny", name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
    }
  })
  yield* placeRuntime(directory, runtime)
  return { ...defaults.embeddings.sentences, directory }
})

/** Runs `body` with the cross-encoder in these files, on a runtime. */
const modelOn =
  (runtime: ModelRuntime) =>
  <A, E>(
    files: Files,
    body: (reranker: RerankerShape) => Effect.Effect<A, E>,
    patience: "1 minute" | "0 seconds" = "1 minute",
  ) =>
    Effect.gen(function* () {
      const sentences = yield* place(files, runtime)
      const settings = { url: undefined, model: "local:tiny", apiKey: undefined, sentences }
      return yield* Effect.gen(function* () {
        const reranker = yield* Reranker
        return yield* body(reranker ?? (yield* Effect.die("there is no reranker")))
      }).pipe(
        Effect.provide(
          layer(settings).pipe(Layer.provide(Layer.succeed(RerankerBounds, { patience, rest: "1 minute" }))),
        ),
      )
    }).pipe(Effect.scoped, Effect.provide([platform, quiet]), Effect.runPromise)

const passages = ["the tide", "who keeps the harbour", "the lantern", "who keeps the lantern"]

/** The places of the passages, best first. */
const order = (
  { rerank }: RerankerShape,
  question = "who keeps the lantern",
  texts: ReadonlyArray<string> = passages,
) => Effect.map(rerank(question, texts), (found) => found?.map(({ index }) => index))
const scores = ({ rerank }: RerankerShape, texts: ReadonlyArray<string>) =>
  Effect.map(rerank("who", texts), (found) =>
    found?.toSorted((one, other) => one.index - other.index).map(({ score }) => score),
  )

/** The message with which a start ends. */
const failureOf = (files: Files) =>
  modelOn("library")(files, () => Effect.void).then(
    () => "started",
    (error: unknown) => {
      expect(error).toMatchObject({ _tag: "StartupError" })
      expect(String(error)).not.toContain("\n")
      return String(error)
    },
  )

describe.each(runtimes)("a cross-encoder, run by the %s,", (runtime) => {
  const withModel = modelOn(runtime)

  test("scores each passage with the question", () =>
    withModel(usual, (reranker) =>
      Effect.gen(function* () {
        expect(yield* order(reranker)).toEqual([3, 1, 2, 0])
        expect(yield* order(reranker, "the tide")).toEqual([0, 1, 2, 3])
        expect(yield* order(reranker, "lantern")).toEqual([2, 3, 0, 1])
        expect(yield* scores(reranker, ["who who", "", "tide"])).toEqual([2, 0, 0])
        expect(reranker.passages).toBe(10)
        expect(yield* reranker.probe).toBeUndefined()
      }),
    ))

  test.each(Object.entries(tokenizers))("reads a %s tokenizer", (_, tokenizer) =>
    withModel(
      {
        "model.onnx": summing([...lanterns, ...Array.from({ length: 200 }, () => [0])]),
        "tokenizer.json": tokenizer(words),
      },
      (reranker) =>
        Effect.gen(function* () {
          expect(yield* scores(reranker, ["the tide", "the lantern", "lantern lantern tide"])).toEqual([0, 1, 2])
        }),
    ),
  )

  test("may have a logit against a passage and one for it", () =>
    withModel({ ...usual, "model.onnx": summing(rowsOf({ tide: [3, 1], lantern: [1, 4] })) }, (reranker) =>
      Effect.gen(function* () {
        expect(yield* scores(reranker, passages)).toEqual([-2, 0, 3, 3])
      }),
    ))

  test("reads as many tokens as its manifest says, the end among them, and no question crowds out the passage", () =>
    withModel(
      {
        ...usual,
        "model.onnx": summing(rowsOf({ lantern: [1], "[SEP]": [100] })),
        "manifest.json": JSON.stringify({ max_tokens: 16, passages: 3 }),
      },
      (reranker) =>
        Effect.gen(function* () {
          expect(reranker.passages).toBe(3)
          const late = `${"tide ".repeat(20)}lantern`
          expect(yield* scores(reranker, [late, "lantern", "lantern ".repeat(500)])).toEqual([200, 201, 212])
          const long = yield* reranker.rerank("tide ".repeat(400), ["lantern", late])
          expect(long?.map(({ score }) => score)).toEqual([201, 200])
        }),
    ))

  test("gives no order where a score is no number", () =>
    withModel({ ...usual, "model.onnx": summing(rowsOf({ noise: [Number.NaN] })) }, (reranker) =>
      Effect.gen(function* () {
        expect(yield* order(reranker, "who", ["the noise", "the tide"])).toBeUndefined()
        expect(yield* order(reranker, "who", ["the tide", "the lantern"])).toEqual([0, 1])
      }),
    ))

  test("gives no order when its time is up, and says so when it is asked", () =>
    withModel(
      usual,
      (reranker) =>
        Effect.gen(function* () {
          expect(yield* order(reranker)).toBeUndefined()
          expect(yield* reranker.probe).toMatch(
            /^It takes too long for 10 passages of 256 tokens: ask for less in .*tiny/,
          )
        }),
      "0 seconds",
    ))

  test("has its weights in a file beside it, and its score from layers after it", () => {
    const rows = rowsOf({ tide: [1, -1], lantern: [-1, 2] })
    const files = {
      "model.onnx": ofTokens(rows),
      "tokenizer.json": tokenizers.WordPiece(words),
      "manifest.json": '{"pooling": "mean"}',
      "2_Dense/model.safetensors": safetensors({
        "linear.weight": [
          [4, 0],
          [0, 8],
        ],
      }),
      "2_Dense/config.json": '{"activation_function": "torch.nn.modules.activation.GELU"}',
      "3_LayerNorm/model.safetensors": safetensors({ "norm.weight": [1, 3], "norm.bias": [0.5, 0] }),
      "4_Dense/model.safetensors": safetensors({ "linear.bias": [10], "linear.weight": [[1, 2]] }),
      "4_Dense/config.json": '{"activation_function": "torch.nn.modules.linear.Identity"}',
    }
    return Promise.all([
      withModel(
        { ...usual, "model.onnx": summing(lanterns, { isOutside: true }), [WEIGHTS]: weights(lanterns) },
        (reranker) =>
          Effect.gen(function* () {
            expect(yield* scores(reranker, passages)).toEqual([0, 0, 1, 1])
          }),
      ),
      withModel(files, (reranker) =>
        Effect.gen(function* () {
          // Of [CLS] who [SEP] tide [SEP] the mean is (.2, -.2), and the first layer makes (.8, -1.6) of it. GELU makes
          // (.6305, -.0877), the norm (1.5, -3), and the last layer 1.5 - 6 + 10.
          const [tide = 0, lantern = 0] = (yield* scores(reranker, ["tide", "lantern"])) ?? []
          expect(tide).toBeCloseTo(5.5, 3)
          // The other way round, with (-.5 + 1, 3).
          expect(lantern).toBeCloseTo(-0.5 + 6 + 10, 3)
        }),
      ),
    ])
  })
})

test("an embedding model has the vectors of the layers after it", () =>
  Effect.gen(function* () {
    const sentences = yield* place({
      "model_quantized.onnx": ofTokens(rowsOf({ tide: [5, -5] })),
      "tokenizer.json": tokenizers.WordPiece(words),
      "manifest.json": '{"dimensions": 3, "max_tokens": 32, "pooling": "mean", "unrelated_cosine": 0}',
      "2_Dense/model.safetensors": safetensors({
        "linear.weight": [
          [1, 0],
          [0, 1],
          [0, 0],
        ],
        "linear.bias": [0, 1, 2],
      }),
      "2_Dense/config.json": '{"activation_function": "torch.nn.modules.activation.Tanh"}',
    })
    const vector = yield* Effect.flatMap(Embeddings, ({ embedQuery }) => embedQuery("tide")).pipe(
      Effect.provide(embeddingsLayer({ ...sentences, model: "tiny" })),
    )
    // Of [CLS] tide [SEP] the mean is (5/3, -5/3).
    const expected = [Math.tanh(5 / 3), Math.tanh(-5 / 3 + 1), Math.tanh(2)]
    const length = Math.hypot(...expected)
    for (const [index, value] of expected.entries()) expect(vector[index]).toBeCloseTo(value / length, 5)
  }).pipe(Effect.scoped, Effect.provide([platform, quiet]), Effect.runPromise))

describe("a server does not start with a cross-encoder", () => {
  const sums = (of: Files) =>
    Object.entries(of)
      .map(([name, content]) => `${sum(content)}  ${name}\n`)
      .join("")
  const listed = { ...usual, "tokenizer_config.json": "{}" }
  const cut = overlapping(identity).subarray(0, -40)

  test("whose files are not those of its checksums, which name the file", async () => {
    expect(await failureOf({ ...listed, SHA256SUMS: sums(listed) })).toBe("started")
    // As of `find … | xargs sha256sum -b` on Windows, and without the JSON.
    const [model = ""] = sums(listed).split("\n")
    expect(
      await failureOf({
        ...listed,
        SHA256SUMS: `${model.replace("  ", " *./").toUpperCase()}\r\n`.replace("MODEL.ONNX", "model.onnx"),
      }),
    ).toBe("started")
    const damaged = await failureOf({ ...listed, "model.onnx": cut, SHA256SUMS: sums(listed) })
    expect(damaged).toContain("tiny/model.onnx is damaged, or another file")
    expect(damaged).toContain(sum(cut))
    expect(await failureOf({ ...listed, "tokenizer.json": "{}", SHA256SUMS: sums(listed) })).toContain(
      "tiny/tokenizer.json is damaged",
    )
    expect(await failureOf({ ...listed, SHA256SUMS: `${sum("")}  other.onnx\n` })).toContain("none for it")
    expect(await failureOf({ ...listed, SHA256SUMS: "<!doctype html>" })).toContain("none for it")
  })

  const dense = (file: Files) => ({ ...usual, "model.onnx": ofTokens(identity), ...file })
  const cases: ReadonlyArray<readonly [string, Files, string]> = [
    ["that is not there", {}, "There is no model in"],
    ["that was cut off", { ...usual, "model.onnx": cut }, "tiny/model.onnx cannot be used"],
    ["without a tokenizer", { "model.onnx": summing(lanterns) }, "tokenizer.json"],
    ["with a tokenizer that is none", { ...usual, "tokenizer.json": "{}" }, "cannot be used: "],
    [
      "whose tokenizer takes no pairs",
      { ...usual, "tokenizer.json": tokenizers.WordPiece(words).replace(/"pair":\[.*?\}\}\]/, '"pair":[]') },
      "takes no pairs",
    ],
    [
      "with three logits",
      { ...usual, "model.onnx": summing(rowsOf({ tide: [1, 2, 3] })) },
      "it has 3 values for a passage",
    ],
    ["that makes vectors alone", { ...usual, "model.onnx": ofTokens(identity) }, `it has ${words.length} values`],
    ["without its weights", { ...usual, "model.onnx": summing(lanterns, { isOutside: true }) }, "cannot be used: "],
    ["with a manifest of other keys' values", { ...usual, "manifest.json": '{"passages": 1}' }, '"passages"'],
    [
      "with a layer that is cut off",
      dense({ "2_Dense/model.safetensors": safetensors({ "linear.weight": [[1]] }).subarray(0, -2) }),
      "2_Dense",
    ],
    [
      "with a layer of an activation that is not known",
      dense({
        "2_Dense/model.safetensors": safetensors({ "linear.weight": [[1]] }),
        "2_Dense/config.json": '{"activation_function": "torch.nn.Mish"}',
      }),
      "its activation torch.nn.Mish is not known",
    ],
  ]
  test.each(cases)("%s, and says so in one line", async (_, files, message) => {
    expect(size).toBe(identity.length)
    expect(await failureOf(files)).toContain(message)
  })
})
