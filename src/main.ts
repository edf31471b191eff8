import { resolve } from "node:path"
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import { Cause, Console, Context, Duration, Effect, Exit, Layer, Redacted } from "effect"
import { CliError, Command } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import { Agent } from "./agent/Agent.ts"
import { Models, type ModelsSettings } from "./models/Models.ts"
import { ProviderProbes } from "./models/ProviderProbes.ts"
import { SafeFetch } from "./outbound/SafeFetch.ts"
import * as LocalBlobStore from "./blobs/LocalBlobStore.ts"
import * as Cli from "./Cli.ts"
import { Config } from "./Config.ts"
import type { ChatbotId } from "./domain/Ids.ts"
import { noPrivateNetworks } from "./outbound/PrivateNetworks.ts"
import { StartupError } from "./system/StartupError.ts"
import { Embeddings } from "./embeddings/Embeddings.ts"
import * as RemoteEmbeddings from "./embeddings/RemoteEmbeddings.ts"
import * as App from "./http/App.ts"
import { Lifecycle } from "./http/edge/Lifecycle.ts"
import { Server, urlOf } from "./http/server/Server.ts"
import { Uploads } from "./http/Uploads.ts"
import { defaultExtractSettings, Extract } from "./knowledge/Extract.ts"
import { Indexer } from "./knowledge/Indexer.ts"
import { chunksThatFit, KnowledgeIndexes } from "./knowledge/search/KnowledgeIndexes.ts"
import { Retriever } from "./knowledge/Retriever.ts"
import { notingSignals, watchLauncher, watchTerminal } from "./Launcher.ts"
import { Snapshots } from "./knowledge/segments/Snapshots.ts"
import * as Log from "./observability/Log.ts"
import * as Traces from "./observability/Traces.ts"
import * as SettingsReview from "./SettingsReview.ts"
import { Admin } from "./services/Admin.ts"
import { ApiKeys } from "./services/ApiKeys.ts"
import { BlobCheck } from "./jobs/BlobCheck.ts"
import { Blobs } from "./blobs/Blobs.ts"
import { Avatars } from "./services/Avatars.ts"
import { Budgets } from "./services/Budgets.ts"
import { Chat } from "./services/Chat.ts"
import { Chatbots } from "./services/Chatbots.ts"
import { ChatbotTools } from "./services/ChatbotTools.ts"
import { Checkpoints } from "./services/Checkpoints.ts"
import { Conversations } from "./services/Conversations.ts"
import { Doctor } from "./services/Doctor.ts"
import { EmbedFiles } from "./services/EmbedFiles.ts"
import { Health } from "./services/Health.ts"
import { Ingestion } from "./jobs/Ingestion.ts"
import { Knowledge } from "./services/Knowledge.ts"
import { OrganizationRemoval } from "./jobs/OrganizationRemoval.ts"
import { Organizations } from "./services/Organizations.ts"
import * as Reembedding from "./jobs/Reembedding.ts"
import * as Sealing from "./jobs/Sealing.ts"
import { PublicUrl } from "./services/PublicUrl.ts"
import { Usage } from "./services/Usage.ts"
import { DatabaseLoss, layerEmbedded, layerPostgres } from "./storage/sql/Database.ts"
import { LexemeIndexes } from "./storage/search/LexemeIndexes.ts"
import * as Storage from "./storage/Storage.ts"
import { Secrets } from "./system/Secrets.ts"
import { VectorIndexes } from "./storage/search/VectorIndexes.ts"

/** A layer that is made from the settings. */
const configured = <A, E, R>(make: (config: Config["Service"]) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(Config, make))

const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, SecureRandom.layerWebCrypto)

const settings = Layer.merge(Log.layer, Traces.layer).pipe(Layer.provideMerge(Config.layer))

const database = configured((config) =>
  config.databaseUrl === undefined
    ? layerEmbedded({ directory: resolve(config.dataDir, "database"), diskReserve: config.diskReserve })
    : layerPostgres({
        url: config.databaseUrl,
        maxConnections: config.databaseConnections,
        pipeline: config.databasePipeline,
        timeLimit: config.databaseTimeout,
      }),
)

/**
 * A knowledge base that has come so far is soon too large for an index in memory, and the database's takes its time. The
 * embedded one answers nobody meanwhile, so there it is not made before it is needed.
 */
const SHARE_INDEXED_AHEAD = 0.5

const storage = configured(({ databaseUrl, indexMemory, secretsKey: keys }) => {
  const share = databaseUrl === undefined ? 1 : SHARE_INDEXED_AHEAD
  return Layer.provide(
    Storage.layer({ leastChunks: Math.floor(share * chunksThatFit(indexMemory)) }),
    Secrets.layer({ keys }),
  )
}).pipe(Layer.provide(database))

const blobStore = configured(({ dataDir }) => LocalBlobStore.layer(resolve(dataDir, "files")))

const blobCheck = configured(({ orphanAge }) => BlobCheck.layer({ strangerAge: orphanAge }))

const embeddings = configured((config) => {
  const { embeddings: chosen } = config
  return chosen.provider === "local"
    ? Embeddings.layerLocal
    : RemoteEmbeddings.layer({
        ...chosen,
        apiKey: config.embeddingsApiKey,
        baseUrl: config.embeddingsBaseUrl,
        dimensions: config.embeddingsDimensions,
        timeout: config.embeddingsTimeout,
        queryTimeout: config.embeddingsQueryTimeout,
        concurrency: config.embeddingsConcurrency,
      })
})

/** The providers of language models that the settings configure. */
const providersIn = (config: Config["Service"]): ModelsSettings => {
  const limits = {
    outputTokensMax: config.chatMaxTokens,
    replyTimeout: config.providerReplyTimeout,
    firstByteTimeout: config.providerFirstByteTimeout,
    stallTimeout: config.providerStallTimeout,
    answerBytesMax: config.providerAnswerLimit,
    attemptsMax: config.providerAttempts,
    turnWait: config.providerTurnWait,
    failuresMax: config.circuitFailures,
    window: config.circuitWindow,
    openFor: config.circuitRest,
  }
  const { anthropicApiKey, openaiApiKey, openaiBaseUrl } = config
  return {
    anthropic: anthropicApiKey && {
      apiKey: anthropicApiKey,
      baseUrl: config.anthropicBaseUrl,
      limits: { ...limits, concurrency: config.anthropicConcurrency },
    },
    openai:
      openaiApiKey === undefined && openaiBaseUrl === undefined
        ? undefined
        : {
            apiKey: openaiApiKey,
            baseUrl: openaiBaseUrl,
            limits: { ...limits, concurrency: config.openaiConcurrency },
          },
  }
}

const models = configured((config) => Models.layer(providersIn(config))).pipe(Layer.provide(FetchHttpClient.layer))

const agent = configured(({ chatStepsLimit, chatDeadline, chatPromptTokens, toolTimeout, toolConcurrency }) =>
  Agent.layer({
    stepsMax: chatStepsLimit,
    replyDeadline: chatDeadline,
    promptTokensMax: chatPromptTokens,
    callTimeout: toolTimeout,
    concurrency: toolConcurrency,
  }),
)

const safeFetch = configured(({ toolPrivateNetworks, toolResponseLimit }) =>
  SafeFetch.layer({ allowed: toolPrivateNetworks ?? noPrivateNetworks, responseLimit: toolResponseLimit }),
)

const snapshots = configured(({ dataDir, indexDisk }) =>
  Snapshots.layer({ directory: resolve(dataDir, "indexes"), bytes: indexDisk }),
)

const retriever = configured(({ similarityThreshold }) => Retriever.layer({ threshold: similarityThreshold })).pipe(
  Layer.provide(configured(({ indexMemory }) => KnowledgeIndexes.layer({ bytes: indexMemory }))),
)

/**
 * The embedded database answers nobody while it builds an index. Of words that takes as long as a few searches without
 * it; of vectors, far too long.
 */
const chunkIndexing = configured(({ databaseUrl }) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      yield* Effect.forkScoped((yield* LexemeIndexes).keep)
      yield* Effect.forkScoped((yield* Snapshots).keep)
      const { model, isSemantic } = yield* Embeddings
      if (databaseUrl !== undefined && isSemantic) yield* Effect.forkScoped((yield* VectorIndexes).keep(model))
    }),
  ),
)

const extract = configured(({ ingestConcurrency, extractTimeout, extractMemory, extractTextLimit }) =>
  Extract.layerWith({
    ...defaultExtractSettings,
    concurrency: ingestConcurrency,
    deadline: extractTimeout,
    memory: extractMemory,
    textLimit: extractTextLimit,
  }),
)

const ingestion = configured((config) =>
  Ingestion.layer({
    concurrency: config.ingestConcurrency,
    attempts: config.ingestAttempts,
    lapses: config.ingestLapses,
    retryDelay: config.ingestRetryDelay,
    retries: config.ingestRetries,
    lease: config.ingestLease,
    // Nobody else has the embedded database, so whatever is leased there was left by a process that is gone.
    isAlone: config.databaseUrl === undefined,
  }),
)

/** A model that no new chatbot could use stops the start, not each of them. */
const defaultModelCheck = Layer.effectDiscard(
  Effect.gen(function* () {
    const { defaultModel } = yield* Config
    if (defaultModel === undefined) return
    yield* Effect.mapError(
      (yield* Models).check(defaultModel),
      ({ detail }) =>
        new StartupError({
          what: `DEFAULT_MODEL is ${JSON.stringify(defaultModel)}, which cannot be used: ${detail}`,
          doThis: "Set it to a model whose provider is configured.",
        }),
    )
  }),
).pipe(Layer.provide(models))

const reembedding = configured(({ ingestLease, databaseUrl }) =>
  Reembedding.layer({ lease: ingestLease, isAlone: databaseUrl === undefined }),
)

const budgets = configured((config) =>
  Budgets.layer({
    organization: {
      tokensPerDay: config.organizationTokensPerDay,
      concurrentChats: config.organizationConcurrentChats,
    },
    key: { tokensPerDay: config.keyTokensPerDay, concurrentChats: config.keyConcurrentChats },
    outputMax: config.chatMaxTokens,
    replyDeadline: config.chatDeadline,
    isAlone: config.databaseUrl === undefined,
  }),
)

const checkpoints = configured(({ databaseUrl, replyCheckpoint }) =>
  Checkpoints.layer({
    interval: replyCheckpoint,
    // Three times in a row, and longer than a busy machine or database holds anybody up.
    lease: Duration.max(Duration.times(replyCheckpoint, 3), Duration.seconds(15)),
    isAlone: databaseUrl === undefined,
  }),
)

const tenancy = Admin.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(ApiKeys.layer, Organizations.layer)),
  Layer.provideMerge(OrganizationRemoval.layer),
)

const organizationRemoval = Layer.effectDiscard(
  Effect.gen(function* () {
    const blobs = yield* Blobs
    const snapshots = yield* Snapshots
    const removeFiles = (chatbot: ChatbotId) => Effect.andThen(blobs.nudge, Effect.ignore(snapshots.tidy(chatbot)))
    yield* Effect.forkScoped((yield* OrganizationRemoval).keep(removeFiles))
  }),
)

const services = Layer.mergeAll(
  organizationRemoval.pipe(Layer.provideMerge(tenancy)),
  configured(({ chatHistoryLimit, chatPromptTokens }) =>
    Chat.layer({ historyLimit: chatHistoryLimit, promptTokensMax: chatPromptTokens }),
  ),
  configured(({ defaultModel, anthropicApiKey }) =>
    Layer.provideMerge(
      Avatars.layer,
      Chatbots.layer({
        defaultModel: defaultModel ?? (anthropicApiKey === undefined ? "local/extractive" : "claude-sonnet-5-5"),
      }),
    ),
  ),
  configured(({ toolsLimit }) => ChatbotTools.layer({ toolsLimit })),
  Conversations.layer,
  Health.layer,
  Knowledge.layer,
  configured(({ uploadFileLimit, uploadFilesLimit }) =>
    EmbedFiles.layer({ fileLimit: uploadFileLimit, filesLimit: uploadFilesLimit }),
  ),
  configured(({ usageRetention }) => Usage.layer({ retentionDays: usageRetention })),
  reembedding,
  Sealing.layer,
  chunkIndexing,
  configured(({ filesCheckInterval }) => BlobCheck.layerRegularly({ interval: filesCheckInterval })),
).pipe(
  Layer.provide([ingestion, blobCheck]),
  Layer.provide([agent, budgets, checkpoints, retriever, safeFetch, Blobs.layer, Indexer.layer, extract]),
  Layer.provide(snapshots),
  Layer.provide([models, embeddings, storage, blobStore]),
)

const listener = configured((config) =>
  Server.layer({
    host: config.host,
    port: config.port,
    patience: config.chatDeadline,
    drainTimeout: config.drainTimeout,
  }),
).pipe(Layer.provideMerge(Lifecycle.layer))

const uploads = configured(({ dataDir, databaseUrl, requestBodyTimeout }) =>
  Uploads.layer({
    directory: resolve(dataDir, "uploads"),
    // The embedded database is open by now, and nobody else has it, nor the directory.
    isAlone: databaseUrl === undefined,
    pause: requestBodyTimeout,
  }),
)

const publicUrl = Layer.effect(
  PublicUrl,
  Effect.gen(function* () {
    return (yield* Config).publicUrl ?? (yield* Server).url
  }),
)

/** The first organization and its key, before anybody can ask. */
const bootstrap = Layer.effectDiscard(
  Effect.gen(function* () {
    const key = yield* (yield* Organizations).bootstrap((yield* Config).bootstrapApiKey)
    if (key !== undefined) {
      yield* Console.log(`Your API key, shown this once:\n\n  ${Redacted.value(key)}\n`)
    }
  }),
)

/** The whole server. It listens once everything else is there. */
export const server = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* Console.log(`Listening on ${(yield* Server).url}`)
  }),
).pipe(
  Layer.provide(App.layer),
  Layer.provide(uploads),
  Layer.provide(bootstrap),
  Layer.provideMerge(services),
  Layer.provide(publicUrl),
  Layer.provideMerge(database),
  Layer.provide(defaultModelCheck),
  Layer.provideMerge(listener),
  Layer.provide(SettingsReview.layer),
  Layer.provideMerge(settings),
  Layer.provideMerge(platform),
)

/** What commands beside `serve` work with. */
const administration = bootstrap.pipe(
  Layer.provideMerge(tenancy),
  Layer.provide(storage),
  Layer.provide(settings),
  Layer.provide(platform),
)

/** Where a server with these settings is asked. */
const serverUrl = Effect.map(Config, ({ host, port, publicUrl }) => publicUrl ?? urlOf(host, port))

/** Says what to do instead, given the address of a server, where a running one has the embedded database. */
const whenInUse =
  (instead: (url: string) => string) =>
  <A, E, R>(layer: Layer.Layer<A, E, R>) =>
    Layer.catch(layer, (error) =>
      Layer.effectContext<A, E | StartupError, Config>(
        Effect.flatMap(serverUrl, (url) =>
          Effect.fail(
            error instanceof StartupError && error.isInUse === true
              ? new StartupError({ what: error.what, doThis: instead(url) })
              : error,
          ),
        ),
      ).pipe(Layer.provide(Config.layer)),
    )

const needsItAlone = whenInUse(
  (url) => `Stop that process first. Whether a server there is ready, ${url}/readyz tells.`,
)

const doctor = Doctor.layer.pipe(
  Layer.provide(configured((config) => ProviderProbes.layer(providersIn(config)))),
  Layer.provide(blobCheck),
  Layer.provide([embeddings, storage, blobStore, FetchHttpClient.layer]),
  Layer.provide(settings),
  Layer.provide(platform),
)

/**
 * Runs until it is told to stop, until what launched it or its terminal is gone, or until the database is gone for good:
 * then it must not limp on.
 */
const serve = Effect.scoped(
  Effect.gen(function* () {
    const launcherEnded = yield* watchLauncher
    const terminalClosed = yield* watchTerminal
    const built = yield* Layer.build(server)
    const lifecycle = Context.get(built, Lifecycle)
    yield* notingSignals((signal) => (lifecycle.stoppedBy ??= signal))
    lifecycle.stoppedBy = yield* Effect.raceAllFirst([
      Context.get(built, DatabaseLoss).lost,
      Effect.as(launcherEnded, "what launched it has ended"),
      Effect.as(terminalClosed, "its terminal was closed"),
    ])
  }),
)

const command = Cli.make({
  serve,
  migrate: Effect.andThen(
    Effect.scoped(Layer.build(needsItAlone(administration))),
    Console.log("The database is up to date."),
  ),
  tenancy: (request) => whenInUse((url) => `A running server does the same: ${request(url)}`)(administration),
  doctor: needsItAlone(doctor),
})

/** Why it ends, for the one who started it: one line where something can be done about it. */
const explain = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  if (error instanceof StartupError) return Console.error(`parley: ${error.message}`)
  // The command line has explained itself, and being told to stop needs no explanation.
  return CliError.isCliError(error) || Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(Cause.pretty(cause))
}

const program = Command.run(command, { version: "0.1.0" }).pipe(
  Effect.tapCause(explain),
  Effect.provide([
    NodeFileSystem.layer,
    NodePath.layer,
    NodeStdio.layer,
    NodeTerminal.layer,
    NodeChildProcessSpawner.layer.pipe(Layer.provide([NodeFileSystem.layer, NodePath.layer])),
  ]),
)

if (import.meta.main) {
  NodeRuntime.runMain(program, {
    disableErrorReporting: true,
    // A server that was told to stop, and has drained, has done what it should.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1),
  })
}
