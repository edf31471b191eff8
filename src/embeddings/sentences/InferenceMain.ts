/*
 * The script of a thread that runs a sentence-embedding model on onnxruntime's WebAssembly. It computes one text at a
 * time: the models quantize by what is in a batch, so that a text would have another vector in every batch. It is a
 * plain script without Effect, database or settings.
 */
import { readFile } from "node:fs/promises"
import { setPriority } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { parentPort, workerData } from "node:worker_threads"
import { Tokenizer } from "@huggingface/tokenizers"
import { scaleToUnit } from "../UnitVector.ts"

/** The files of a model, and how its vectors are made of them. */
export interface InferenceModel {
  /** The paths of the model, of its tokenizer, of the tokenizer's settings if it has any, and of onnxruntime's directory. */
  readonly files: {
    readonly model: string
    readonly tokenizer: string
    readonly tokenizerConfig: string | undefined
    readonly runtime: string
  }
  /** The vector of a text among those of its tokens: their mean, that of the first token, or that of the last one. */
  readonly pooling: "mean" | "cls" | "last"
  readonly dimensions: number
  /** The most tokens of a text, the model's own included. The rest of a longer text is left out. */
  readonly maxTokens: number
}

/** A reply of the thread. It replies `ready` or `failed` once, and then to each text in turn. */
export type InferenceReply =
  | { readonly kind: "ready" }
  | { readonly kind: "vector"; readonly vector: Float32Array<ArrayBuffer> }
  /** The model makes no vector of this text. */
  | { readonly kind: "refused" }
  /** The thread is of no more use. */
  | { readonly kind: "failed"; readonly message: string }

/** The parts of onnxruntime's interface that are used here. */
interface Runtime {
  readonly env: { readonly wasm: { numThreads: number; wasmBinary: Uint8Array; wasmPaths: { mjs: string } } }
  readonly Tensor: new (type: "int64", data: BigInt64Array, dims: ReadonlyArray<number>) => object
  readonly InferenceSession: { readonly create: (model: Uint8Array) => Promise<Session> }
}

interface Session {
  readonly inputNames: ReadonlyArray<string>
  readonly outputNames: ReadonlyArray<string>
  readonly run: (
    inputs: Readonly<Record<string, object>>,
    outputs: ReadonlyArray<string>,
  ) => Promise<Readonly<Record<string, { readonly data: Float32Array; readonly dims: ReadonlyArray<number> }>>>
}

/** A low scheduling priority, so that requests come first. On Linux each thread has a priority of its own. */
const NICE = 5
/**
 * The characters that are read for each token that a model takes. Some tokenizers take more than linear time for long
 * texts without spaces.
 */
const CHARACTERS_PER_TOKEN = 16
/** The values of the inputs that sentence models have, for each token. */
const INPUTS: Readonly<Record<string, (id: number) => bigint>> = {
  input_ids: BigInt,
  attention_mask: () => 1n,
  token_type_ids: () => 0n,
}
/** The outputs that models have, best first: the vector of the text, or those of its tokens. */
const OUTPUTS = ["sentence_embedding", "last_hidden_state", "token_embeddings"]
/** A text with which a model is tried. */
const TRIAL = "A harmless text."

const load = async ({ dimensions, files, maxTokens, pooling }: InferenceModel) => {
  const [model, tokenizerJson, configJson, wasm] = await Promise.all([
    readFile(files.model),
    readFile(files.tokenizer, "utf8"),
    files.tokenizerConfig === undefined ? "{}" : readFile(files.tokenizerConfig, "utf8"),
    readFile(join(files.runtime, "ort-wasm-simd-threaded.wasm")),
  ])
  const tokenizer = new Tokenizer(JSON.parse(tokenizerJson), JSON.parse(configJson))
  const runtime: Runtime = await import(pathToFileURL(join(files.runtime, "ort.wasm.min.mjs")).href)
  runtime.env.wasm.numThreads = 1
  runtime.env.wasm.wasmBinary = wasm
  runtime.env.wasm.wasmPaths = { mjs: pathToFileURL(join(files.runtime, "ort-wasm-simd-threaded.mjs")).href }
  const session = await runtime.InferenceSession.create(model)
  const foreign = session.inputNames.find((name) => !(name in INPUTS))
  if (foreign !== undefined || !session.inputNames.includes("input_ids")) {
    throw new Error(`its inputs are ${session.inputNames.join(", ")} and not ${Object.keys(INPUTS).join(", ")}`)
  }
  const output = OUTPUTS.find((name) => session.outputNames.includes(name))
  if (output === undefined) {
    throw new Error(`its outputs are ${session.outputNames.join(", ")} and none of ${OUTPUTS.join(", ")}`)
  }
  /** The tokens that the model wants around every text. */
  const around = tokenizer.encode("").ids

  const tokensOf = (text: string): ReadonlyArray<number> => {
    const { ids } = tokenizer.encode(text.slice(0, maxTokens * CHARACTERS_PER_TOKEN).toWellFormed())
    if (ids.length <= maxTokens) return ids
    const end = around.at(-1)
    return end !== undefined && end === ids.at(-1) ? [...ids.slice(0, maxTokens - 1), end] : ids.slice(0, maxTokens)
  }

  return async (text: string): Promise<Float32Array<ArrayBuffer> | undefined> => {
    const ids = tokensOf(text)
    // Some models want nothing around a text, so that an empty one has no token.
    if (ids.length === 0) return undefined
    const inputs = Object.fromEntries(
      session.inputNames.map((name) => [
        name,
        new runtime.Tensor("int64", BigInt64Array.from(ids, INPUTS[name] ?? BigInt), [1, ids.length]),
      ]),
    )
    const found = (await session.run(inputs, [output]))[output]
    const width = found?.dims.at(-1)
    if (found === undefined || width !== dimensions) {
      throw new Error(`its vectors have ${width} dimensions and not ${dimensions} as its manifest says`)
    }
    const rows = found.data.length / width
    const vector = new Float32Array(width)
    const [first, end] = pooling === "mean" ? [0, rows] : pooling === "cls" ? [0, 1] : [rows - 1, rows]
    for (let row = first; row < end; row++) {
      for (let index = 0; index < width; index++) {
        vector[index] = (vector[index] ?? 0) + (found.data[row * width + index] ?? 0)
      }
    }
    return scaleToUnit(vector) ? vector : undefined
  }
}

const reply = (message: InferenceReply): void =>
  parentPort?.postMessage(message, message.kind === "vector" ? [message.vector.buffer] : [])

const fail = (error: unknown): void =>
  reply({ kind: "failed", message: error instanceof Error ? error.message : String(error) })

const serve = async (model: InferenceModel): Promise<void> => {
  const embed = await load(model)
  if ((await embed(TRIAL)) === undefined) throw new Error("its vectors are zero, or not of finite numbers")
  parentPort?.on("message", (text: string) => {
    embed(text).then((vector) => reply(vector === undefined ? { kind: "refused" } : { kind: "vector", vector }), fail)
  })
  reply({ kind: "ready" })
}

if (process.platform === "linux") setPriority(0, NICE)
serve(workerData).catch(fail)
