import type { Layer } from "effect"
import type { StartupError } from "../system/StartupError.ts"
import { Embeddings } from "./Embeddings.ts"
import * as RemoteEmbeddings from "./RemoteEmbeddings.ts"

/** The settings of the server's embedding model. All but `model` are ignored for the local one. */
export interface EmbeddingsSettings extends Omit<RemoteEmbeddings.RemoteSettings, "provider" | "model"> {
  readonly model: { readonly provider: "local" } | Pick<RemoteEmbeddings.RemoteSettings, "provider" | "model">
}

/** The embedding model of the settings. */
export const layer = ({ model, ...settings }: EmbeddingsSettings): Layer.Layer<Embeddings, StartupError> =>
  model.provider === "local" ? Embeddings.layerLocal : RemoteEmbeddings.layer({ ...model, ...settings })
