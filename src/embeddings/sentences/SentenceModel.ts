import { createHash } from "node:crypto"
import { join } from "node:path"
import { Effect, FileSystem, Schema } from "effect"
import { StartupError } from "../../system/StartupError.ts"
import { wordsOf } from "../../system/SystemError.ts"
import { DIMENSIONS_MAX } from "../UnitVector.ts"
import type { InferenceModel } from "./InferenceMain.ts"
import { MINILM, type ModelPlaces, packageRoot, pathsIn } from "./ModelPackage.ts"

/** The names of the files of a model in its directory. The tokenizer's settings may be missing. */
export const MODEL = "model.onnx"
export const TOKENIZER = "tokenizer.json"
export const TOKENIZER_CONFIG = "tokenizer_config.json"
export const MANIFEST = "manifest.json"

const Prefix = Schema.String.check(Schema.isMaxLength(500))
const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.99 }))

/** Says how a model wants texts, and how the vector of a text is made. */
const Manifest = Schema.Struct({
  dimensions: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: DIMENSIONS_MAX })),
  max_tokens: Schema.Int.check(Schema.isBetween({ minimum: 16, maximum: 8_192 })),
  /** The vector of a text among those of its tokens: their mean, that of the first token, or that of the last one. */
  pooling: Schema.Literals(["mean", "cls", "last"]),
  query_prefix: Schema.optionalKey(Prefix),
  passage_prefix: Schema.optionalKey(Prefix),
  /** The cosine that unrelated texts reach. Without it, it is measured when the server starts. */
  unrelated_cosine: Schema.optionalKey(Share),
})
type Manifest = typeof Manifest.Type

const decodeManifest = Schema.decodeEffect(Schema.fromJsonString(Manifest))

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

const manifestOf = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(
    Effect.flatMap(files.readFileString(path), decodeManifest),
    (error) =>
      new StartupError({
        what: `${path} is no manifest of a model: ${error._tag === "SchemaError" ? error.message.replaceAll(/\s+/g, " ") : wordsOf(error)}.`,
        doThis:
          'Write one such as {"dimensions": 384, "max_tokens": 512, "pooling": "mean", "query_prefix": "query: ", "passage_prefix": "passage: "}, with what the model\'s description says.',
      }),
  )
})

/** Finds the files of a model. Those of `minilm` are fetched if they are missing. */
export const findModel = Effect.fn("SentenceModel.find")(function* (model: string, places: ModelPlaces) {
  const files = yield* FileSystem.FileSystem
  const own = join(places.directory, model)
  if (model !== MINILM && !(yield* Effect.orElseSucceed(files.exists(own), () => false))) {
    return yield* new StartupError({
      what: `There is no model in ${own}.`,
      doThis: `Put ${MODEL}, ${TOKENIZER} and ${MANIFEST} there, by \`parley models fetch ${model} <url>\` or by hand.`,
    })
  }
  const packaged = pathsIn(yield* packageRoot(places))
  const manifest = model === MINILM ? MINILM_MANIFEST : yield* manifestOf(join(own, MANIFEST))
  const config = join(own, TOKENIZER_CONFIG)
  const hasConfig = yield* Effect.orElseSucceed(files.exists(config), () => false)
  const inference: InferenceModel = {
    files:
      model === MINILM
        ? packaged
        : {
            model: join(own, MODEL),
            tokenizer: join(own, TOKENIZER),
            tokenizerConfig: hasConfig ? config : undefined,
            runtime: packaged.runtime,
          },
    dimensions: manifest.dimensions,
    maxTokens: manifest.max_tokens,
    pooling: manifest.pooling,
  }
  const hash = createHash("sha256").update(
    JSON.stringify([manifest.max_tokens, manifest.pooling, manifest.passage_prefix ?? ""]),
  )
  for (const path of [inference.files.model, inference.files.tokenizer, inference.files.tokenizerConfig ?? []].flat()) {
    const bytes = yield* Effect.mapError(
      files.readFile(path),
      (error) =>
        new StartupError({
          what: `The model cannot be read from ${path}: ${wordsOf(error)}.`,
          doThis: `Fetch it by \`parley models fetch ${model} <url>\`, or put it there.`,
        }),
    )
    hash.update(bytes)
  }
  return { name: `local:${model}#${hash.digest("hex").slice(0, 8)}`, manifest, inference } satisfies SentenceModel
})
