import manifest from "../package.json" with { type: "json" }
import { Console, Context, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import { Budgets } from "./admission/Budgets.ts"
import { Agent } from "./agent/Agent.ts"
import { Backup } from "./backup/Backup.ts"
import { Blobs } from "./blobs/Blobs.ts"
import * as Cli from "./cli/Cli.ts"
import { Config } from "./Config.ts"
import * as App from "./http/App.ts"
import { Lifecycle } from "./http/edge/Lifecycle.ts"
import { LocalOperator } from "./http/access/LocalOperator.ts"
import { Server } from "./http/server/Server.ts"
import { ReceivedForms } from "./http/ReceivedForms.ts"
import * as Jobs from "./jobs/Jobs.ts"
import * as Knowledge from "./knowledge/Knowledge.ts"
import { onStopSignal, watchSurroundings } from "./Launcher.ts"
import * as ProcessFigures from "./observability/ProcessFigures.ts"
import * as Telemetry from "./observability/Telemetry.ts"
import * as Bootstrap from "./services/organizations/Bootstrap.ts"
import { HasPublicUrl, PublicUrl } from "./services/PublicUrl.ts"
import * as Services from "./services/Services.ts"
import * as SettingsWarnings from "./SettingsWarnings.ts"
import { workerNumber } from "./system/Seat.ts"
import * as Mailer from "./outbound/Mailer.ts"
import * as Sources from "./sources/Sources.ts"
import * as Database from "./storage/sql/Database.ts"
import { serverCount, serveSeveral } from "./supervisor/Supervisor.ts"
import * as WorkerSeat from "./supervisor/WorkerSeat.ts"
import { configured, logged, settingsWithoutTraces } from "./Logged.ts"
import * as CommandLayers from "./CommandLayers.ts"
import { runProgram } from "./cli/Program.ts"
import {
  connectedModels,
  database,
  embeddings,
  examinationOf,
  models,
  outbound,
  platform,
  provenStore,
  reranker,
  storage,
} from "./Layers.ts"

const settingsOfServer = configured(({ collector }) => Telemetry.layer(collector, manifest.version)).pipe(
  Layer.provideMerge(logged),
)

const agent = configured((config) => Agent.layer(config.agent))

const services = configured(Services.layer).pipe(
  Layer.provideMerge(configured(Jobs.layer)),
  Layer.provide(configured(({ budgets }) => Budgets.layer(budgets))),
  Layer.provide(configured(Sources.layer)),
  Layer.provide([agent, examinationOf(storage, provenStore), outbound]),
  Layer.provide(Layer.provide(configured(Knowledge.layer), reranker)),
  Layer.provide([Blobs.layer, configured(({ mail }) => Mailer.layer(mail))]),
  Layer.provide(Layer.provide(connectedModels, [storage, outbound])),
  Layer.provide([embeddings, storage, provenStore, FetchHttpClient.layer]),
)

const backupOfServer = Layer.provide(Backup.layer, [storage, provenStore])

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
  return yield* Effect.provide(serveSeveral(count, import.meta.filename), settingsWithoutTraces)
}).pipe(Effect.provide(Config.layer))

/** Every command, over the real layers. */
export const commands = Cli.make({ ...CommandLayers, serve })

/** Runs the command of the command line. Tests replace constants that are references, such as pauses. */
export const main = (constants: Context.Context<never> = Context.empty()): void =>
  runProgram(Effect.provide(Command.run(commands, { version: manifest.version }), constants), () => isServer)

if (import.meta.main) main()
