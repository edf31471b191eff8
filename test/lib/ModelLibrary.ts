import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, Layer, Logger } from "effect"
import { ModelPackage } from "../../src/embeddings/sentences/ModelPackage.ts"

/** Where the packages are kept from run to run: the library is 114 MB to fetch. */
const cache = join(import.meta.dir, "../../node_modules/.cache/parley-models")

/** What runs models: onnxruntime's library for this machine, and its WebAssembly. */
export const runtimes = ["library", "WebAssembly"] as const
export type ModelRuntime = (typeof runtimes)[number]

/** Makes a directory of models have the library, or leaves it out, so that models run in WebAssembly. */
export const placeRuntime = Effect.fnUntraced(function* (directory: string, runtime: ModelRuntime) {
  if (runtime === "WebAssembly") return
  yield* ModelPackage.use(({ fetch }) => fetch).pipe(
    Effect.provide(Layer.provide(ModelPackage.layer(cache), [NodeFileSystem.layer, Logger.layer([])])),
  )
  yield* Effect.sync(() => {
    mkdirSync(directory, { recursive: true })
    symlinkSync(join(cache, "onnxruntime"), join(directory, "onnxruntime"))
  })
})
