import { createHash, type Hash } from "node:crypto"
import { basename, join } from "node:path"
import { Effect, FileSystem, Schema } from "effect"
import { StartupError } from "../../system/StartupError.ts"
import { wordsOf } from "../../system/SystemError.ts"
import { DIMENSIONS_MAX } from "../UnitVector.ts"
import type { InferenceModel } from "./InferenceMain.ts"
import { libraryIn, MINILM, packageRoot, pathsIn } from "./ModelPackage.ts"

/**
 * The names of the files of a model in its directory. The tokenizer's settings and the checksums may be missing. Some
 * models have weights beside them (`.onnx_data`), to which they refer by their names, and layers in directories.
 */
export const MODEL = "model.onnx"
const QUANTIZED = "model_quantized.onnx"
export const TOKENIZER = "tokenizer.json"
export const TOKENIZER_CONFIG = "tokenizer_config.json"
export const MANIFEST = "manifest.json"
const CHECKSUMS = "SHA256SUMS"
export const WEIGHTS = /^[\w.-]+\.onnx_data(?:_\d+)?$/
const LAYER = /^\d+_(?:Dense|LayerNorm)$/

const Prefix = Schema.String.check(Schema.isMaxLength(500))
const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.99 }))

const MaxTokens = Schema.Int.check(Schema.isBetween({ minimum: 16, maximum: 8_192 }))
/** The vector of a text among those of its tokens: their mean, that of the first token, or that of the last one. */
const Pooling = Schema.Literals(["mean", "cls", "last"])

/** Says how a model wants texts, and how the vector of a text is made. */
const Manifest = Schema.Struct({
  dimensions: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: DIMENSIONS_MAX })),
  max_tokens: MaxTokens,
  pooling: Pooling,
  query_prefix: Schema.optionalKey(Prefix),
  passage_prefix: Schema.optionalKey(Prefix),
  /** The cosine that unrelated texts reach. Without it, it is measured when the server starts. */
  unrelated_cosine: Schema.optionalKey(Share),
})
type Manifest = typeof Manifest.Type

/** The passages that are scored for a question, and the tokens of each: what one thread does in about a second. */
const PASSAGES = 10
const PAIR_TOKENS = 256

/** Says how a cross-encoder wants questions with passages. It may be missing. */
const RerankManifest = Schema.Struct({
  max_tokens: Schema.optionalKey(MaxTokens),
  pooling: Schema.optionalKey(Pooling),
  passages: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 30 }))),
})

const EMBEDDING_EXAMPLE =
  '{"dimensions": 384, "max_tokens": 512, "pooling": "mean", "query_prefix": "query: ", "passage_prefix": "passage: "}'
const RERANK_EXAMPLE = '{"max_tokens": 512, "passages": 20}'

/**
 * The manifest of all-MiniLM-L6-v2, which was trained with at most 256 tokens. With its cosine of unrelated texts, no
 * answerable question on XQuAD in English finds nothing (1 % by words alone), and 3 % in German do (13 %), while 46 % of
 * those about missing articles find something (33 %). A higher cosine moves all three towards words alone.
 */
const MINILM_MANIFEST: Manifest = { dimensions: 384, max_tokens: 256, pooling: "mean", unrelated_cosine: 0.2 }

/** A model that is ready to be run. */
export interface SentenceModel {
  /** The name that is stored with vectors, such as `local:minilm#1f0c3a5b`. It identifies the content of the files. */
  readonly name: string
  readonly manifest: Manifest
  readonly inference: InferenceModel
}

const manifestOf = Effect.fnUntraced(function* <A>(path: string, schema: Schema.Codec<A, unknown>, example: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(
    Effect.flatMap(files.readFileString(path), Schema.decodeEffect(Schema.fromJsonString(schema))),
    (error) =>
      new StartupError({
        what: `${path} is no manifest of a model: ${error._tag === "SchemaError" ? error.message.replaceAll(/\s+/g, " ") : wordsOf(error)}.`,
        doThis: `Write one such as ${example}, with what the model's description says.`,
      }),
  )
})

/** The names in the directory of a model that somebody brought. */
const namesIn = Effect.fnUntraced(function* (own: string, more: string) {
  const files = yield* FileSystem.FileSystem
  const missing = () =>
    new StartupError({
      what: `There is no model in ${own}.`,
      doThis: `Put ${MODEL}, ${TOKENIZER}${more} there, by \`parley models fetch ${basename(own)} <url>\` or by hand.`,
    })
  return yield* Effect.mapError(files.readDirectory(own), missing)
})

/** The files of a model that somebody brought. */
const filesIn = (own: string, names: ReadonlyArray<string>): Omit<InferenceModel["files"], "runtime"> => ({
  model: join(own, !names.includes(MODEL) && names.includes(QUANTIZED) ? QUANTIZED : MODEL),
  tokenizer: join(own, TOKENIZER),
  tokenizerConfig: names.includes(TOKENIZER_CONFIG) ? join(own, TOKENIZER_CONFIG) : undefined,
  weights: names.filter((name) => WEIGHTS.test(name)).map((name) => join(own, name)),
  layers: names
    .filter((name) => LAYER.test(name))
    .toSorted((one, other) => Number.parseInt(one) - Number.parseInt(other))
    .map((name) => join(own, name)),
})

/** The paths of what runs models, and of the packaged model. */
const packagedIn = Effect.fnUntraced(function* (directory: string) {
  const packaged = pathsIn(yield* packageRoot(directory))
  const native = yield* libraryIn(directory)
  return { packaged, runtimes: { runtime: packaged.runtime, ...(native !== undefined && { native }) } }
})

/** The checksums that are beside a model, by the paths of the files, as `sha256sum` writes them. */
const checksumsIn = Effect.fnUntraced(function* (own: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.orElseSucceed(files.readFileString(join(own, CHECKSUMS)), () => "")
  return new Map(
    Array.from(text.matchAll(/^([0-9a-f]{64}) [ *](.+?)\r?$/gim), ([, sum = "", path = ""]) => [join(own, path), sum]),
  )
})

/**
 * Reads the files of a model, and adds them to its hash. Fails where one is missing, or is not that of the checksums,
 * which may leave out JSON: cut off, it cannot be read.
 */
const readFiles = Effect.fnUntraced(function* (
  own: string,
  names: ReadonlyArray<string>,
  of: InferenceModel["files"],
  hash: Hash,
) {
  const files = yield* FileSystem.FileSystem
  const again = `Fetch it by \`parley models fetch ${basename(own)} <url>\`, or put it there.`
  const checksums = names.includes(CHECKSUMS) ? yield* checksumsIn(own) : undefined
  const layers = (of.layers ?? []).flatMap((layer) => [
    join(layer, "model.safetensors"),
    ...(layer.endsWith("Dense") ? [join(layer, "config.json")] : []),
  ])
  for (const path of [of.model, of.tokenizer, of.tokenizerConfig ?? [], of.weights ?? [], layers].flat()) {
    const bytes = yield* Effect.mapError(
      files.readFile(path),
      (error) => new StartupError({ what: `The model cannot be read from ${path}: ${wordsOf(error)}.`, doThis: again }),
    )
    const sum = createHash("sha256").update(bytes).digest("hex")
    const expected = checksums?.get(path) ?? (checksums === undefined || path.endsWith(".json") ? sum : undefined)
    if (expected?.toLowerCase() !== sum) {
      return yield* new StartupError({
        what: `${path} is damaged, or another file: its SHA-256 is ${sum}, and ${join(own, CHECKSUMS)} has ${expected ?? "none for it"}.`,
        doThis: `${again} Where the new file is right, write its sum into ${CHECKSUMS}.`,
      })
    }
    hash.update(bytes)
  }
})

/** Finds the files of a model. Those of `minilm` are fetched if they are missing. */
export const findModel = Effect.fn("SentenceModel.find")(function* (model: string, directory: string) {
  const own = join(directory, model)
  const names = model === MINILM ? [] : yield* namesIn(own, ` and ${MANIFEST}`)
  const { packaged, runtimes } = yield* packagedIn(directory)
  const manifest =
    model === MINILM ? MINILM_MANIFEST : yield* manifestOf(join(own, MANIFEST), Manifest, EMBEDDING_EXAMPLE)
  const inference: InferenceModel = {
    files: { ...(model === MINILM ? packaged : filesIn(own, names)), ...runtimes },
    dimensions: manifest.dimensions,
    maxTokens: manifest.max_tokens,
    pooling: manifest.pooling,
  }
  const hash = createHash("sha256").update(
    JSON.stringify([manifest.max_tokens, manifest.pooling, manifest.passage_prefix ?? ""]),
  )
  yield* readFiles(own, names, inference.files, hash)
  return { name: `local:${model}#${hash.digest("hex").slice(0, 8)}`, manifest, inference } satisfies SentenceModel
})

/** Finds the files of a cross-encoder, and the number of passages that it scores for a question. */
export const findReranker = Effect.fn("SentenceModel.findReranker")(function* (model: string, directory: string) {
  const own = join(directory, model)
  const names = yield* namesIn(own, "")
  const path = join(own, MANIFEST)
  const manifest = names.includes(MANIFEST) ? yield* manifestOf(path, RerankManifest, RERANK_EXAMPLE) : {}
  const inference: InferenceModel = {
    files: { ...filesIn(own, names), ...(yield* packagedIn(directory)).runtimes },
    dimensions: undefined,
    maxTokens: manifest.max_tokens ?? PAIR_TOKENS,
    pooling: manifest.pooling ?? "cls",
  }
  yield* readFiles(own, names, inference.files, createHash("sha256"))
  return { inference, passages: manifest.passages ?? PASSAGES, manifest: path }
})
