import { join } from "node:path"
import { ConfigProvider, Effect, type FileSystem, Layer } from "effect"
import { Config } from "../../../src/Config.ts"
import * as ChosenEmbeddings from "../../../src/embeddings/ChosenEmbeddings.ts"
import { layer as remoteEmbeddings } from "../../../src/embeddings/RemoteEmbeddings.ts"
import * as Reranker from "../../../src/knowledge/Reranker.ts"
import { platform } from "../../lib/Layers.ts"
import { start } from "../http/Child.ts"
import { DIMENSIONS } from "../http/FakeProvider.ts"

/*
 * The option `--embeddings` of every benchmark that starts a server: `local`, the default; `none`, which is the same,
 * because the server has no mode with words alone; `384`, `1024` or `1536` for vectors of so many dimensions from a
 * provider over HTTP, which answers at once; or `local:minilm` for the vectors of a sentence model in the server.
 */

/** The declaration of the option. */
export const embeddingsOption = { type: "string", default: "local" } as const

/** A layer of the settings of the environment, with this embedding model. */
const configured = <A, E>(
  model: string,
  make: (config: Config["Service"]) => Layer.Layer<A, E, FileSystem.FileSystem>,
) =>
  Layer.unwrap(Effect.map(Config, make)).pipe(
    Layer.provide(Config.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...process.env, EMBEDDINGS: model } }))),
    Layer.provide(platform),
  )

/** The embeddings of a model that is named as in `EMBEDDINGS`, with the other settings of the environment. */
export const embeddingsNamed = (model: string) =>
  configured(model, ({ embeddings }) => ChosenEmbeddings.layer(embeddings))

/** The reranker of the environment, with so much time that the speed of the machine does not count. */
export const benchReranker = configured("local", ({ embeddings: { sentences }, reranker }) =>
  Reranker.layer({ ...reranker, sentences }),
).pipe(Layer.provide(Layer.succeed(Reranker.RerankerBounds, { patience: "5 minutes", rest: "0 seconds" })))

/** Embeddings that a benchmark measures. */
export interface BenchEmbeddings {
  /** What a report calls them. */
  readonly title: string
  /** Whether the server itself computes vectors of a sentence model, some passages per second. */
  readonly isInServer: boolean
  /** The dimensions of the vectors that the hand-written side of a benchmark has from the provider. */
  readonly dimensions: number
  /** The settings of a server with these embeddings. */
  readonly environment: (providerUrl: string) => Readonly<Record<string, string>>
  /** The same embeddings for this process. */
  readonly layer: (providerUrl: string) => ReturnType<typeof embeddingsNamed> | ReturnType<typeof remoteEmbeddings>
}

/** Reads the value of the option. */
export const benchEmbeddings = (value: string): BenchEmbeddings => {
  if (/^[1-9]\d*$/.test(value)) {
    return {
      title: `${value} dimensions from a provider that answers at once`,
      isInServer: false,
      dimensions: Number(value),
      environment: (providerUrl) => ({
        EMBEDDINGS: "openai:bench",
        EMBEDDINGS_BASE_URL: `${providerUrl}/v1`,
        EMBEDDINGS_API_KEY: "bench",
        EMBEDDINGS_DIMENSIONS: value,
      }),
      layer: (providerUrl) =>
        remoteEmbeddings({
          provider: "openai",
          model: "bench",
          apiKey: undefined,
          baseUrl: `${providerUrl}/v1`,
          dimensions: Number(value),
        }),
    }
  }
  const model = value === "none" ? "local" : value
  const isInServer = model.startsWith("local:")
  if (model !== "local" && !isInServer) throw new Error(`--embeddings is ${value}, not ${FORMS}`)
  return {
    title: isInServer ? `the model ${model} in the server` : "words with their spelling, without a model (local)",
    isInServer,
    dimensions: DIMENSIONS,
    environment: () => ({ EMBEDDINGS: model }),
    layer: () => embeddingsNamed(model),
  }
}

const FORMS = "none, local, local:minilm or a number of dimensions"

/** Starts the provider of models and vectors. Returns its address. */
export const startProvider = (directory: string) =>
  start({
    script: join(import.meta.dir, "../http/FakeProvider.ts"),
    environment: {},
    ready: { path: "/healthz" },
    output: join(directory, "provider.log"),
  }).pipe(Effect.map(({ port }) => `http://127.0.0.1:${port}`))
