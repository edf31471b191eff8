import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import * as ChosenBlobStore from "./blobs/ChosenBlobStore.ts"
import * as MeasuredBlobStore from "./blobs/MeasuredBlobStore.ts"
import * as ProvenBlobStore from "./blobs/ProvenBlobStore.ts"
import { configured, settingsWithoutTraces } from "./Logged.ts"
import * as ChosenEmbeddings from "./embeddings/ChosenEmbeddings.ts"
import { BlobCheck } from "./jobs/BlobCheck.ts"
import { OpenId } from "./identity/OpenId.ts"
import { Ocr } from "./readers/ocr/Ocr.ts"
import { ReaderSandbox } from "./readers/process/ReaderSandbox.ts"
import * as Reranker from "./knowledge/Reranker.ts"
import { ConnectedModels } from "./models/connections/ConnectedModels.ts"
import { ModelSources } from "./models/connections/ModelSources.ts"
import { Models, type ModelsSettings } from "./models/Models.ts"
import { ProviderProbes } from "./models/ProviderProbes.ts"
import { SafeFetch } from "./outbound/SafeFetch.ts"
import { WebhookSender } from "./outbound/WebhookSender.ts"
import * as Bootstrap from "./services/organizations/Bootstrap.ts"
import { Doctor } from "./services/doctor/Doctor.ts"
import * as SettingsWarnings from "./SettingsWarnings.ts"
import * as Database from "./storage/sql/Database.ts"
import * as Storage from "./storage/Storage.ts"

/*
 * The layers of which servers and commands are made, each with its settings.
 */

export const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, SecureRandom.layerWebCrypto)

/** The settings of a command, which exports no telemetry, and says which variables are no settings. */
export const settings = Layer.provideMerge(SettingsWarnings.layerOfCommand, settingsWithoutTraces)

export const database = configured((config) => Database.layer(config.database))

export const repositories = configured(({ secrets }) => Storage.layer(secrets))

export const storage = Layer.provide(repositories, database)

export const blobStore = MeasuredBlobStore.layer.pipe(
  Layer.provide(configured(({ blobs }) => ChosenBlobStore.layer(blobs))),
)

/** The store of files, which has to be that of the database. */
export const provenStoreOf = (data: typeof storage) => Layer.provide(ProvenBlobStore.layer, [data, blobStore])

export const provenStore = provenStoreOf(storage)

export const embeddings = configured((config) => ChosenEmbeddings.layer(config.embeddings))

/** One for searches and `doctor`, as it may have a model in memory. */
export const reranker = configured(({ embeddings: { sentences }, reranker }) =>
  Reranker.layer({ ...reranker, sentences }),
)

const modelsWith = <A, E, R>(make: (settings: ModelsSettings) => Layer.Layer<A, E, R>) =>
  Layer.provide(
    configured((config) => make({ ...config.models, local: config.retriever })),
    FetchHttpClient.layer,
  )

/** The models of the settings alone. */
export const models = modelsWith(Models.layer)

/** The models of the settings, and those that organizations have connected. */
export const connectedModels = modelsWith(ModelSources.layer).pipe(
  Layer.provideMerge(Layer.provide(models, ConnectedModels.ownModels)),
  Layer.provideMerge(modelsWith(ConnectedModels.layer)),
)

const safeFetch = configured((config) => SafeFetch.layer(config.safeFetch))

export const outbound = Layer.provideMerge(Layer.merge(WebhookSender.layer, OpenId.layer), safeFetch)

export const examinationOf = (data: typeof storage, files: typeof provenStore = blobStore) =>
  configured(({ database }) => Doctor.layer(database)).pipe(
    Layer.provide(configured((config) => ProviderProbes.layer(config.models))),
    Layer.provide(reranker),
    Layer.provide(
      configured(({ extract }) => Layer.provideMerge(Ocr.layer(extract), ReaderSandbox.layer(extract.sandbox))),
    ),
    Layer.provide(configured((config) => BlobCheck.layer(config.blobCheck))),
    Layer.provide([embeddings, files, FetchHttpClient.layer]),
    Layer.provide(Layer.provide(connectedModels, safeFetch)),
    // Built first: where it is not there, nothing else is made in the data directory.
    Layer.provide(data),
  )

export const bootstrap = configured((config) => Bootstrap.layer(config.bootstrap))
