import { Clock, Context, Duration, Effect, Layer, Logger, Redacted, Tracer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { OtlpExporter, OtlpMetrics, OtlpResource, OtlpSerialization, OtlpTracer } from "effect/observability"
import { bounded } from "./Export.ts"
import { collected } from "./Exposition.ts"
import { metrics } from "./Instruments.ts"
import { entryOf } from "./Log.ts"
import { layerOff, makeTraces, onlyTraces, type Sampler, Traces } from "./Traces.ts"
import { regularly } from "../system/Background.ts"

/*
 * The export of traces, metrics and logs to a collector, by OTLP over HTTP in JSON, which takes a third of the processor
 * time of protobuf here.
 */

export interface TelemetrySettings {
  /** The address of the collector; undefined for none. */
  readonly endpoint: string | undefined
  /** Headers of each export, such as a key of the collector. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>> | undefined
  readonly serviceName: string
  /** Further attributes of this process. */
  readonly resource: Readonly<Record<string, string>> | undefined
  readonly sampler: Sampler
  /** The share of traces that the samplers by ratio take. */
  readonly ratio: number
}

/** Times of the exports: those that OpenTelemetry recommends, except for metrics, which Prometheus reads as often. */
export const ExportTimes = Context.Reference<{
  /** Time that the collector may take for an export, which is then lost. */
  readonly timeout: Duration.Input
  /** Time that spans and log entries wait for others, to be exported together. */
  readonly interval: Duration.Input
  /** Time between two exports of the metrics. */
  readonly metricsInterval: Duration.Input
}>("parley/observability/ExportTimes", {
  defaultValue: () => ({ timeout: "10 seconds", interval: "1 second", metricsInterval: "30 seconds" }),
})

/** The most spans or log entries of an export, which is serialized at one go and so keeps the event loop busy. */
const BATCH_SIZE = 256
/** Longest time for which each export may delay the end of the process. */
const SHUTDOWN_TIMEOUT = "1 second"

/** The numbers of OpenTelemetry for the levels of log entries. */
const severities: Readonly<Record<string, number>> = { Trace: 1, Debug: 5, Info: 9, Warn: 13, Error: 17, Fatal: 21 }

const SCOPE = { name: "parley" }

/** Makes a logger that exports entries with the fields that the log shows. */
const makeLogger = Effect.fnUntraced(function* (
  url: string,
  resource: OtlpResource.Resource,
  interval: Duration.Input,
  options: Options,
) {
  const serialization = yield* OtlpSerialization.OtlpSerialization
  const clock = yield* Clock.Clock
  const exporter = yield* OtlpExporter.make({
    ...options,
    url,
    label: "OtlpLogger",
    exportInterval: interval,
    maxBatchSize: BATCH_SIZE,
    body: (logRecords) => [
      serialization.logs({ resourceLogs: [{ resource, scopeLogs: [{ scope: SCOPE, logRecords }] }] }),
      Effect.void,
    ],
  })
  return Logger.make<unknown, void>((entry) => {
    const { fields, message } = entryOf(entry)
    const { span_id: spanId, trace_id: traceId, ...attributes } = fields
    exporter.push({
      timeUnixNano: `${entry.date.getTime()}000000`,
      observedTimeUnixNano: String(clock.currentTimeNanosUnsafe()),
      severityNumber: severities[entry.logLevel] ?? 0,
      severityText: entry.logLevel,
      body: { stringValue: message },
      attributes: OtlpResource.entriesToAttributes(Object.entries(attributes)),
      droppedAttributesCount: 0,
      ...(traceId !== undefined && { traceId, spanId }),
    })
  })
})

interface Options {
  readonly headers: Readonly<Record<string, string>>
  readonly shutdownTimeout: Duration.Input
}

/** Exports to the collector of the settings, if there is one. It has to be built above the layer of the log. */
export const layer = (settings: TelemetrySettings, version: string): Layer.Layer<never> =>
  Layer.unwrap(Effect.map(ExportTimes, (times) => layerWith(settings, version, times)))

const layerWith = (
  { endpoint, headers, ratio, resource: attributes, sampler, serviceName }: TelemetrySettings,
  version: string,
  { interval, metricsInterval, timeout }: (typeof ExportTimes)["Service"],
): Layer.Layer<never> => {
  if (endpoint === undefined) return layerOff
  const options: Options = {
    headers: headers === undefined ? {} : Redacted.value(headers),
    shutdownTimeout: SHUTDOWN_TIMEOUT,
  }
  const resource = {
    serviceName,
    serviceVersion: version,
    attributes: { "service.instance.id": Bun.randomUUIDv7(), ...attributes },
  }
  const urlOf = (signal: string) => `${endpoint}/v1/${signal}`

  const traces = Layer.effectContext(
    Effect.map(
      OtlpTracer.make({
        ...options,
        url: urlOf("traces"),
        resource,
        exportInterval: interval,
        maxBatchSize: BATCH_SIZE,
      }),
      (exporting) => {
        const tracer = onlyTraces(exporting)
        return Context.make(Tracer.Tracer, tracer).pipe(Context.add(Traces, makeTraces(tracer, sampler, ratio)))
      },
    ),
  )

  const figures = Layer.effectDiscard(
    Effect.gen(function* () {
      yield* OtlpMetrics.make({ ...options, url: urlOf("metrics"), resource, exportInterval: metricsInterval })
      yield* Effect.forkScoped(
        regularly(
          Duration.fromInputUnsafe(metricsInterval),
          "The processes' metrics could not be collected",
          collected,
        ),
      )
    }).pipe(Effect.provideContext(metrics)),
  )

  const logs = Logger.layer([makeLogger(urlOf("logs"), OtlpResource.make(resource), interval, options)], {
    mergeWithExisting: true,
  })

  const client = Layer.effect(
    HttpClient.HttpClient,
    Effect.flatMap(HttpClient.HttpClient, (client) => bounded(client, Duration.fromInputUnsafe(timeout))),
  ).pipe(Layer.provide(FetchHttpClient.layer))

  return Layer.mergeAll(traces, figures, logs).pipe(
    Layer.provide([client, OtlpExporter.layerFlusher, OtlpSerialization.layerJson]),
  )
}
