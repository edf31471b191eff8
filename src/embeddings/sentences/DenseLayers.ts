import { readFile } from "node:fs/promises"
import { join } from "node:path"

/*
 * The layers that Sentence Transformers runs after the pooling. Its ONNX files end before them, so that some rerankers
 * make no score, and some embedding models vectors of other dimensions, without them. Each layer has a directory such as
 * `2_Dense`, with its weights in `model.safetensors`.
 */

/** A layer: makes a vector of a vector. */
type Layer = (vector: Float32Array<ArrayBuffer>) => Float32Array<ArrayBuffer>

interface Tensor {
  readonly shape: ReadonlyArray<number>
  readonly values: Float32Array
}

/** The value that PyTorch adds to the variance. */
const EPSILON = 1e-5

/** The integral of the normal distribution, with an error below 1e-7 (Abramowitz and Stegun, 26.2.17). */
const normal = (x: number): number => {
  const t = 1 / (1 + 0.2316419 * Math.abs(x))
  const polynomial = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429].reduceRight(
    (sum, factor) => t * (sum + factor),
    0,
  )
  const tail = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * polynomial
  return x < 0 ? tail : 1 - tail
}

/** The activations, by the ends of their names in PyTorch. */
const ACTIVATIONS: Readonly<Record<string, (x: number) => number>> = {
  Identity: (x) => x,
  Tanh: Math.tanh,
  ReLU: (x) => Math.max(0, x),
  GELU: (x) => x * normal(x),
}

/** Reads the tensors of a safetensors file: the length of a header, the header as JSON, and the numbers. */
const tensorsOf = (bytes: Buffer): ReadonlyMap<string, Tensor> => {
  const start = 8 + Number(bytes.readBigUInt64LE(0))
  const header: Record<string, { dtype: string; shape: Array<number>; data_offsets: [number, number] }> = JSON.parse(
    bytes.toString("utf8", 8, start),
  )
  return new Map(
    Object.entries(header)
      .filter(([name]) => name !== "__metadata__")
      .map(([name, { data_offsets: offsets, dtype, shape }]) => {
        if (dtype !== "F32") throw new Error(`${name} is of ${dtype} and not of F32`)
        const [first, end] = offsets
        const values = new Float32Array(Uint8Array.from(bytes.subarray(start + first, start + end)).buffer)
        if (values.length !== shape.reduce((product, size) => product * size, 1)) throw new Error(`${name} is cut off`)
        return [name, { shape, values }]
      }),
  )
}

const dense =
  (
    { shape: [rows = 0, columns = 0], values: weights }: Tensor,
    bias: Tensor | undefined,
    activate: (x: number) => number,
  ): Layer =>
  (vector) => {
    if (vector.length !== columns) throw new Error(`a layer takes ${columns} dimensions and gets ${vector.length}`)
    return Float32Array.from({ length: rows }, (_, row) =>
      activate(
        vector.reduce((sum, x, column) => sum + x * (weights[row * columns + column] ?? 0), bias?.values[row] ?? 0),
      ),
    )
  }

const layerNorm =
  ({ values: weight }: Tensor, bias: Tensor | undefined): Layer =>
  (vector) => {
    const mean = vector.reduce((sum, x) => sum + x, 0) / vector.length
    const variance = vector.reduce((sum, x) => sum + (x - mean) ** 2, 0) / vector.length
    const scale = 1 / Math.sqrt(variance + EPSILON)
    return vector.map((x, index) => (x - mean) * scale * (weight[index] ?? 1) + (bias?.values[index] ?? 0))
  }

const readLayer = async (directory: string): Promise<Layer> => {
  const tensors = tensorsOf(await readFile(join(directory, "model.safetensors")))
  const [linear, norm] = [tensors.get("linear.weight"), tensors.get("norm.weight")]
  if (norm !== undefined) return layerNorm(norm, tensors.get("norm.bias"))
  if (linear === undefined) throw new Error("it has neither linear.weight nor norm.weight")
  const { activation_function: name } = JSON.parse(await readFile(join(directory, "config.json"), "utf8"))
  const activate = ACTIVATIONS[String(name).split(".").at(-1) ?? ""]
  if (activate === undefined) throw new Error(`its activation ${name} is not known`)
  return dense(linear, tensors.get("linear.bias"), activate)
}

export const readLayers = (directories: ReadonlyArray<string>): Promise<ReadonlyArray<Layer>> =>
  Promise.all(
    directories.map((directory) =>
      readLayer(directory).catch((error: unknown) => {
        throw new Error(`the layer in ${directory} cannot be used: ${error instanceof Error ? error.message : error}`)
      }),
    ),
  )
