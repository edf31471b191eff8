import { Effect, Schema, type Scope } from "effect"
import { listening } from "./Listening.ts"

/*
 * A collector of OpenTelemetry that keeps what it is sent, by OTLP over HTTP in JSON.
 */

const Value = Schema.Record(Schema.String, Schema.Unknown)
const Attributes = Schema.Array(Schema.Struct({ key: Schema.String, value: Value }))
const Resource = Schema.Struct({ attributes: Attributes })

const Span = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String),
  name: Schema.String,
  kind: Schema.Int,
  startTimeUnixNano: Schema.String,
  endTimeUnixNano: Schema.String,
  attributes: Attributes,
  status: Schema.Struct({ code: Schema.Int, message: Schema.optionalKey(Schema.String) }),
})
export type Span = typeof Span.Type

const LogRecord = Schema.Struct({
  severityText: Schema.String,
  body: Schema.Struct({ stringValue: Schema.String }),
  attributes: Attributes,
  traceId: Schema.optionalKey(Schema.String),
})

const Export = Schema.fromJsonString(
  Schema.Struct({
    resourceSpans: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({ resource: Resource, scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) })) }),
      ),
    ),
    resourceLogs: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          resource: Resource,
          scopeLogs: Schema.Array(Schema.Struct({ logRecords: Schema.Array(LogRecord) })),
        }),
      ),
    ),
    resourceMetrics: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          resource: Resource,
          scopeMetrics: Schema.Array(Schema.Struct({ metrics: Schema.Array(Schema.Struct({ name: Schema.String })) })),
        }),
      ),
    ),
  }),
)
const decode = Schema.decodeUnknownSync(Export)

/** Attributes as an object, with their bare values. */
export const attributesOf = ({
  attributes,
}: {
  readonly attributes: typeof Attributes.Type
}): Record<string, unknown> => Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** How a collector answers: as it should, with this status, or never. */
export type Manner = "well" | "never" | number

export interface FakeCollector {
  readonly url: string
  /** The bodies of all exports, as they were received. */
  readonly bodies: () => ReadonlyArray<string>
  readonly headers: () => ReadonlyArray<Headers>
  readonly spans: () => ReadonlyArray<Span>
  readonly logs: () => ReadonlyArray<typeof LogRecord.Type>
  readonly metrics: () => ReadonlyArray<string>
  readonly resources: () => ReadonlyArray<typeof Resource.Type>
  /** The number of requests that wait for an answer. */
  readonly open: () => number
}

export const fakeCollector = (manner: Manner = "well"): Effect.Effect<FakeCollector, never, Scope.Scope> =>
  Effect.gen(function* () {
    const bodies: Array<string> = []
    const headers: Array<Headers> = []
    let open = 0
    const url = yield* listening(async (request) => {
      open++
      request.signal.addEventListener("abort", () => open--)
      headers.push(request.headers)
      bodies.push(await request.text())
      if (manner === "never") return await new Promise<Response>(() => {})
      open--
      return new Response("{}", { status: manner === "well" ? 200 : manner })
    })
    const exports = () => bodies.map((body) => decode(body))
    return {
      url,
      bodies: () => bodies,
      headers: () => headers,
      open: () => open,
      spans: () =>
        exports().flatMap(({ resourceSpans = [] }) =>
          resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
        ),
      logs: () =>
        exports().flatMap(({ resourceLogs = [] }) =>
          resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
        ),
      metrics: () =>
        exports().flatMap(({ resourceMetrics = [] }) =>
          resourceMetrics.flatMap(({ scopeMetrics }) =>
            scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name)),
          ),
        ),
      resources: () =>
        exports().flatMap(({ resourceLogs = [], resourceMetrics = [], resourceSpans = [] }) =>
          [...resourceSpans, ...resourceLogs, ...resourceMetrics].map(({ resource }) => resource),
        ),
    }
  })
