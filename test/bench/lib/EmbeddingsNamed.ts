import { ConfigProvider, Effect, Layer } from "effect"
import { Config } from "../../../src/Config.ts"
import * as ChosenEmbeddings from "../../../src/embeddings/ChosenEmbeddings.ts"
import { platform } from "../../lib/Layers.ts"

/** The embeddings of a model that is named as in `EMBEDDINGS`, with the other settings of the environment. */
export const embeddingsNamed = (model: string) =>
  Layer.unwrap(Effect.map(Config, ({ embeddings }) => ChosenEmbeddings.layer(embeddings))).pipe(
    Layer.provide(Config.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...process.env, EMBEDDINGS: model } }))),
    Layer.provide(platform),
  )
