import { Redacted } from "effect"
import { samplers } from "../observability/Traces.ts"
import { METRICS_TOKEN } from "../system/Variables.ts"
import { fraction, httpUrl, keyValues, oneOf, secret, text } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const metrics = {
  token: secret.orAbsent(
    METRICS_TOKEN,
    "Token for [`/metrics`](observability.md#metrics), sent as `Authorization: Bearer`. Absent: only API keys with the scope `operator`.",
  ),
}

const collector = {
  endpoint: httpUrl.orAbsent(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "[Collector](observability.md#traces) of traces, metrics and logs by OTLP over HTTP.",
  ),
  headers: keyValues.orAbsent("OTEL_EXPORTER_OTLP_HEADERS", "Headers of each export."),
  serviceName: text.or("OTEL_SERVICE_NAME", "parley", "Name of the service in traces, metrics and logs."),
  resource: keyValues
    .orAbsent(
      "OTEL_RESOURCE_ATTRIBUTES",
      "Further attributes in traces, metrics and logs, such as `deployment.environment.name=staging`.",
    )
    .map((attributes) => attributes && Redacted.value(attributes)),
  sampler: oneOf(...samplers).or(
    "OTEL_TRACES_SAMPLER",
    "parentbased_always_on",
    "Sampler of requests and jobs. `parentbased_…` follow the client's [`traceparent`](observability.md#traces).",
  ),
  ratio: fraction.or("OTEL_TRACES_SAMPLER_ARG", "1", "Share of requests and jobs that `traceidratio` samplers take."),
}

export const telemetry = {
  title: "Metrics and traces",
  introduction: "See [Observability](observability.md).",
  sections: { metrics, collector },
} satisfies Group
