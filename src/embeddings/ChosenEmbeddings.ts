import type { FileSystem, Layer } from "effect"
import type { StartupError } from "../system/StartupError.ts"
import { Embeddings } from "./Embeddings.ts"
import * as RemoteEmbeddings from "./RemoteEmbeddings.ts"
import * as SentenceEmbeddings from "./sentences/SentenceEmbeddings.ts"

type RemoteModel = Pick<RemoteEmbeddings.RemoteSettings, "provider" | "model">

/** The settings of the server's embedding model. */
export interface EmbeddingsSettings extends Omit<RemoteEmbeddings.RemoteSettings, keyof RemoteModel> {
  readonly model:
    /** The model that compares spelling, or the name of a sentence model. */
    { readonly provider: "local"; readonly model: string | undefined } | RemoteModel
  /** The settings of a sentence model, ignored for all others. */
  readonly sentences: Omit<SentenceEmbeddings.SentenceSettings, "model">
}

/** The embedding model of the settings. */
export const layer = ({
  model,
  sentences,
  ...settings
}: EmbeddingsSettings): Layer.Layer<Embeddings, StartupError, FileSystem.FileSystem> => {
  if (model.provider !== "local") return RemoteEmbeddings.layer({ ...model, ...settings })
  return model.model === undefined
    ? Embeddings.layerLocal
    : SentenceEmbeddings.layer({ ...sentences, model: model.model })
}
