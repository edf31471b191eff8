import { Effect, Layer } from "effect"
import { Config } from "./Config.ts"
import * as Log from "./observability/Log.ts"
import { layerOff } from "./observability/Traces.ts"
import { workerNumber } from "./system/Seat.ts"

/*
 * The settings of a process with the log that they describe, apart from `Layers.ts`, which loads the whole server.
 */

/** Makes a layer from the settings. */
export const configured = <A, E, R>(make: (config: Config["Service"]) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(Config, make))

export const logged = configured(({ log }) =>
  Log.layer(log, workerNumber === undefined ? {} : { worker: workerNumber }),
).pipe(Layer.provideMerge(Config.layer))

/** The settings of a supervisor or a command, which exports no telemetry. */
export const settingsWithoutTraces = Layer.provideMerge(layerOff, logged)
