import { METRICS_HOST, METRICS_PORT, METRICS_TOKEN } from "../system/Variables.ts"
import { integer, secret, text } from "./Kinds.ts"
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
    "Address to listen on for `METRICS_PORT`. Change it when Prometheus is on another machine, in a network that others cannot reach.",
  ),
}

export const telemetry = {
  title: "Metrics and traces",
  introduction: "What the server tells of its work: see [Observability](observability.md).",
  sections: { metrics },
} satisfies Group
