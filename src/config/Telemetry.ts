import { Duration } from "effect"
import { samplers } from "../observability/Traces.ts"
import { METRICS_HOST, METRICS_PORT, METRICS_TOKEN } from "../system/Variables.ts"
import { fraction, httpUrl, integer, keyValues, oneOf, secret, secretKeyValues, text } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const metrics = {
  token: secret.orAbsent(
    METRICS_TOKEN,
    "Token that reads `/metrics`, sent as `Authorization: Bearer`. Absent: only API keys with the scope `operator` do.",
  ),
  port: integer(1, 65_535).orAbsent(
    METRICS_PORT,
    "Port that serves `/metrics` to everybody who reaches it, without a token. Absent: none.",
  ),
  host: text.or(
    METRICS_HOST,
    "127.0.0.1",
    `Address to listen on for \`${METRICS_PORT}\`. Change it when Prometheus is on another machine, in a network that others cannot reach.`,
  ),
}

const exporter = (variable: string, signal: string) =>
  oneOf("otlp", "none").or(
    variable,
    "otlp",
    `\`none\` sends no ${signal} to the collector, for one that does not take them.`,
  )

const collector = {
  endpoint: httpUrl.orAbsent(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "Collector of traces, metrics and logs by OTLP over HTTP, such as `http://127.0.0.1:4318`. Absent: nothing is sent, and no traces are made.",
  ),
  protocol: oneOf("http/json").or(
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "http/json",
    "How the collector is spoken to. Other protocols of OpenTelemetry are not offered.",
  ),
  headers: secretKeyValues.orAbsent(
    "OTEL_EXPORTER_OTLP_HEADERS",
    "Headers of each export, such as a key of the collector. Absent: none.",
  ),
  timeout: integer(1, 600_000)
    .or(
      "OTEL_EXPORTER_OTLP_TIMEOUT",
      "10000",
      "Milliseconds that the collector may take for an export, which is then lost.",
    )
    .map(Duration.millis),
  interval: integer(10, 600_000)
    .or(
      "OTEL_BSP_SCHEDULE_DELAY",
      "1000",
      "Milliseconds that spans and log entries wait for others, to be exported together.",
    )
    .map(Duration.millis),
  metricsInterval: integer(10, 600_000)
    .or("OTEL_METRIC_EXPORT_INTERVAL", "30000", "Milliseconds between two exports of the metrics.")
    .map(Duration.millis),
  serviceName: text.or("OTEL_SERVICE_NAME", "parley", "Name of the service in traces, metrics and logs."),
  resource: keyValues
    .orAbsent(
      "OTEL_RESOURCE_ATTRIBUTES",
      "Further attributes of the server in traces, metrics and logs, such as `deployment.environment.name=staging`. Absent: none.",
    )
    .map((attributes) => attributes ?? {}),
  traces: exporter("OTEL_TRACES_EXPORTER", "traces"),
  metrics: exporter("OTEL_METRICS_EXPORTER", "metrics"),
  logs: exporter("OTEL_LOGS_EXPORTER", "logs"),
  sampler: oneOf(...samplers).or(
    "OTEL_TRACES_SAMPLER",
    "parentbased_always_on",
    "Which requests and jobs are traced. Those of parents follow what the client says in `traceparent`: choose another one if strangers are not to decide.",
  ),
  ratio: fraction.or("OTEL_TRACES_SAMPLER_ARG", "1", "Share of requests and jobs that `traceidratio` samplers take."),
}

export const telemetry = {
  title: "Metrics and traces",
  introduction: "What the server tells of its work: see [Observability](observability.md).",
  sections: { metrics, collector },
} satisfies Group
