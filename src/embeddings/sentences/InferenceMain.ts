/*
 * The script of a process that runs a sentence-embedding model, or a cross-encoder, on onnxruntime: on the library of this
 * machine where it is there and can be loaded, which is some seven times as fast, and else on its WebAssembly. It computes
 * one text at a time: the models quantize by what is in a batch, so that a text would have another vector in every batch.
 * It is a plain script without Effect, database or settings, and a process because a crash of the library would take a
 * server with it.
 */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { setPriority } from "node:os"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { Tokenizer } from "@huggingface/tokenizers"
import { priorityBelow } from "../../system/Priority.ts"
import { scaleToUnit } from "../UnitVector.ts"
import { readLayers } from "./DenseLayers.ts"

/** The files of a model, and how its vectors are made of them. */
export interface InferenceModel {
  /**
   * The paths of the model, of its tokenizer, of the tokenizer's settings if it has any, of weights beside the model, of
   * the directories of layers after it, of the directory of onnxruntime's WebAssembly, and of its library for Node.js if
   * it is there.
   */
  readonly files: {
    readonly model: string
    readonly tokenizer: string
    readonly tokenizerConfig: string | undefined
    readonly weights?: ReadonlyArray<string>
    readonly layers?: ReadonlyArray<string>
    readonly runtime: string
    readonly native?: string
  }
  /** The vector of a text among those of its tokens: their mean, that of the first token, or that of the last one. */
  readonly pooling: "mean" | "cls" | "last"
  /** Undefined for a cross-encoder, which scores a question with a passage. */
  readonly dimensions: number | undefined
  /** The most tokens of a text, or of a question and a passage, the model's own included. The rest is left out. */
  readonly maxTokens: number
}

/** A text, or a question and a passage for a cross-encoder. */
export type InferenceInput = string | readonly [question: string, passage: string]

/** What the process is asked: first for a model on so many threads, then for the vectors of texts. */
export type InferenceRequest =
  | { readonly model: InferenceModel; readonly threads: number }
  | ReadonlyArray<InferenceInput>

/** A reply of the process. It replies `ready` or `failed` once, and then to each request in turn. */
export type InferenceReply =
  | { readonly kind: "ready"; readonly isNative: boolean }
  /** The vectors of texts, or the one number that is the score of a passage; undefined where the model makes none. */
  | { readonly kind: "vectors"; readonly vectors: ReadonlyArray<Float32Array<ArrayBuffer> | undefined> }
  /** The process is of no more use. */
  | { readonly kind: "failed"; readonly message: string }

/** The parts of onnxruntime's interface that are used here. */
interface Runtime {
  readonly env: { readonly wasm: object }
  readonly Tensor: new (type: "int64", data: BigInt64Array, dims: ReadonlyArray<number>) => object
  readonly InferenceSession: {
    readonly create: (
      model: Uint8Array,
      options: { readonly externalData: ReadonlyArray<{ readonly path: string; readonly data: Uint8Array }> },
    ) => Promise<Session>
  }
}

type Tensors = Readonly<Record<string, { readonly data: unknown; readonly dims: ReadonlyArray<number> }>>

interface Session {
  readonly inputNames: ReadonlyArray<string>
  readonly outputNames: ReadonlyArray<string>
  readonly run: (inputs: Readonly<Record<string, object>>, outputs: ReadonlyArray<string>) => Promise<Tensors>
}

/** The parts of onnxruntime's library for Node.js that are used here: what the JavaScript of its package calls. */
interface Library {
  readonly initOrtOnce: (logLevel: number, tensor: Runtime["Tensor"], isMainThread: boolean) => void
  readonly InferenceSession: new () => {
    readonly loadModel: (path: string, options: object) => void
    readonly inputMetadata: ReadonlyArray<{ readonly name: string }>
    readonly outputMetadata: ReadonlyArray<{ readonly name: string }>
    readonly run: (inputs: object, outputs: Readonly<Record<string, null>>, options: object) => Tensors
  }
}

/** The level of the library's messages from which on they are written: errors. */
const LOG_ERRORS = 3

/** A session of the library of this machine; undefined where it cannot be loaded, for example beside another libc. */
const nativeSession = (path: string, { Tensor }: Runtime, model: string, threads: number): Session | undefined => {
  let library: Library
  try {
    library = createRequire(import.meta.url)(path)
    library.initOrtOnce(LOG_ERRORS, Tensor, true)
  } catch {
    return undefined
  }
  const session = new library.InferenceSession()
  session.loadModel(model, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    extra: {
      session: {
        // Threads that wait take no processor time from the server.
        intra_op: { allow_spinning: "0" },
        // Without it, sums overflow on processors without instructions for 8-bit numbers (VNNI).
        x64quantprecision: "1",
      },
    },
  })
  return {
    inputNames: session.inputMetadata.map(({ name }) => name),
    outputNames: session.outputMetadata.map(({ name }) => name),
    run: async (inputs, outputs) => session.run(inputs, Object.fromEntries(outputs.map((name) => [name, null])), {}),
  }
}

/** A session of the WebAssembly, which computes on one thread. */
const wasmSession = async (runtime: Runtime, directory: string, model: string, weights: ReadonlyArray<string>) => {
  const wasmBinary = await readFile(join(directory, "ort-wasm-simd-threaded.wasm"))
  const wasmPaths = { mjs: pathToFileURL(join(directory, "ort-wasm-simd-threaded.mjs")).href }
  Object.assign(runtime.env.wasm, { numThreads: 1, wasmBinary, wasmPaths })
  const externalData = await Promise.all(
    weights.map(async (path) => ({ path: basename(path), data: await readFile(path) })),
  )
  return runtime.InferenceSession.create(await readFile(model), { externalData })
}

/** Steps of priority below the server, so that requests come first. */
const STEPS_BELOW = 5
/**
 * The characters that are read for each token that a model takes. Some tokenizers take more than linear time for long
 * texts without spaces.
 */
const CHARACTERS_PER_TOKEN = 16
/** The values of the inputs that models have, for each token, by its id and the number of the text that it is of. */
const INPUTS: Readonly<Record<string, (id: number, text: number) => number>> = {
  input_ids: (id) => id,
  attention_mask: () => 1,
  token_type_ids: (_, text) => text,
}
/** The output of a cross-encoder: the score, or what speaks against and for the passage. */
const LOGITS = "logits"
/** The output that is the vector of the text. */
const POOLED = "sentence_embedding"
/** The outputs that hold a vector for each token. */
const OF_TOKENS = ["last_hidden_state", "token_embeddings"]
/** A text with which a model is tried. */
const TRIAL = "A harmless text."

const load = async ({ dimensions, files, maxTokens, pooling }: InferenceModel, threads: number) => {
  const [tokenizerJson, configJson, layers] = await Promise.all([
    readFile(files.tokenizer, "utf8"),
    files.tokenizerConfig === undefined ? "{}" : readFile(files.tokenizerConfig, "utf8"),
    readLayers(files.layers ?? []),
  ])
  const tokenizer = new Tokenizer(JSON.parse(tokenizerJson), JSON.parse(configJson))
  const runtime: Runtime = await import(pathToFileURL(join(files.runtime, "ort.wasm.min.mjs")).href)
  const native = files.native === undefined ? undefined : nativeSession(files.native, runtime, files.model, threads)
  const session = native ?? (await wasmSession(runtime, files.runtime, files.model, files.weights ?? []))
  const foreign = session.inputNames.find((name) => !(name in INPUTS))
  if (foreign !== undefined || !session.inputNames.includes("input_ids")) {
    throw new Error(`its inputs are ${session.inputNames.join(", ")} and not ${Object.keys(INPUTS).join(", ")}`)
  }
  const outputs = [dimensions === undefined ? LOGITS : POOLED, ...OF_TOKENS]
  const output = outputs.find((name) => session.outputNames.includes(name))
  if (output === undefined) {
    throw new Error(`its outputs are ${session.outputNames.join(", ")} and none of ${outputs.join(", ")}`)
  }
  if (
    dimensions === undefined &&
    tokenizer.encode("one", { text_pair: "two" }).ids.length <= tokenizer.encode("one").ids.length
  ) {
    throw new Error("its tokenizer takes no pairs of texts")
  }
  /** The tokens that the model wants around every text. */
  const around = tokenizer.encode("").ids

  const bounded = (text: string): string => text.slice(0, maxTokens * CHARACTERS_PER_TOKEN).toWellFormed()

  /** A question that leaves half of the tokens to the passage. */
  const shortened = (question: string): string => {
    const excess = tokenizer.encode(question).ids.length / (maxTokens / 2)
    return excess <= 1 ? question : question.slice(0, question.length / excess).toWellFormed()
  }

  /** The tokens of a text, or of two, and for each token the number of the text that it is of. */
  const tokensOf = (input: InferenceInput) => {
    const [text, pair] =
      typeof input === "string" ? [bounded(input), null] : [shortened(bounded(input[0])), bounded(input[1])]
    const { ids, token_type_ids: texts = [] } = tokenizer.encode(text, {
      text_pair: pair,
      return_token_type_ids: pair !== null,
    })
    if (ids.length <= maxTokens) return { ids, texts }
    const end = around.at(-1)
    const isEnded = end !== undefined && end === ids.at(-1)
    return { ids: isEnded ? [...ids.slice(0, maxTokens - 1), end] : ids.slice(0, maxTokens), texts }
  }

  /** The vector of a text among those of its tokens. */
  const pooled = (tokens: Float32Array, width: number): Float32Array<ArrayBuffer> => {
    const rows = tokens.length / width
    const vector = new Float32Array(width)
    const [first, end] = pooling === "mean" ? [0, rows] : pooling === "cls" ? [0, 1] : [rows - 1, rows]
    for (let row = first; row < end; row++) {
      for (let index = 0; index < width; index++) {
        vector[index] = (vector[index] ?? 0) + (tokens[row * width + index] ?? 0)
      }
    }
    // A sum has the direction of a mean, which is enough without layers.
    return layers.length === 0
      ? vector
      : layers.reduce(
          (values, layer) => layer(values),
          vector.map((value) => value / (end - first)),
        )
  }

  const compute = async (input: InferenceInput): Promise<Float32Array<ArrayBuffer> | undefined> => {
    const { ids, texts } = tokensOf(input)
    // Some models want nothing around a text, so that an empty one has no token.
    if (ids.length === 0) return undefined
    const inputs = Object.fromEntries(
      session.inputNames.map((name) => [
        name,
        new runtime.Tensor(
          "int64",
          BigInt64Array.from(ids, (id, index) => BigInt(INPUTS[name]?.(id, texts[index] ?? 0) ?? 0)),
          [1, ids.length],
        ),
      ]),
    )
    const found = (await session.run(inputs, [output]))[output]
    if (!(found?.data instanceof Float32Array)) throw new Error("its output is not of 32-bit numbers")
    const vector = OF_TOKENS.includes(output) ? pooled(found.data, found.dims.at(-1) ?? 0) : found.data.slice()
    if (dimensions === undefined) return scoreOf(vector)
    if (vector.length !== dimensions) {
      throw new Error(`its vectors have ${vector.length} dimensions and not ${dimensions} as its manifest says`)
    }
    return scaleToUnit(vector) ? vector : undefined
  }
  return { compute, isNative: native !== undefined }
}

/** The score of a passage, of a model that has one logit or two; undefined where it is no number. */
const scoreOf = (logits: Float32Array): Float32Array<ArrayBuffer> | undefined => {
  const [first = Number.NaN, second] = logits
  if (logits.length !== 1 && logits.length !== 2) {
    throw new Error(`it has ${logits.length} values for a passage, and a cross-encoder has one or two`)
  }
  const score = second === undefined ? first : second - first
  return Number.isFinite(score) ? Float32Array.of(score) : undefined
}

const reply = (message: InferenceReply): void => void process.send?.(message)

const fail = (error: unknown): void =>
  reply({ kind: "failed", message: error instanceof Error ? error.message : String(error) })

const serve = async (model: InferenceModel, threads: number): Promise<void> => {
  const { compute, isNative } = await load(model, threads)
  if ((await compute(model.dimensions === undefined ? [TRIAL, TRIAL] : TRIAL)) === undefined) {
    throw new Error(`its ${model.dimensions === undefined ? "scores" : "vectors"} are zero, or not of finite numbers`)
  }
  process.on("message", async (inputs: ReadonlyArray<InferenceInput>) => {
    try {
      const vectors: Array<Float32Array<ArrayBuffer> | undefined> = []
      for (const input of inputs) vectors.push(await compute(input))
      reply({ kind: "vectors", vectors })
    } catch (error) {
      fail(error)
    }
  })
  reply({ kind: "ready", isNative })
}

// A terminal or a service manager signals every process of the server, which still answers what is under way.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {})
process.on("disconnect", () => process.exit())
if (process.platform === "linux") setPriority(0, priorityBelow(STEPS_BELOW))
process.once("message", ({ model, threads }: Exclude<InferenceRequest, ReadonlyArray<InferenceInput>>) =>
  serve(model, threads).catch(fail),
)
