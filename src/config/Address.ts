import { HOST, PORT, PUBLIC_URL, TRUSTED_PROXIES, WORKERS } from "../system/Variables.ts"
import { autoOr, duration, httpUrl, integer, oneOf, proxies, text } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

/** Shared by the sections whose layers make addresses of this server. */
export const publicUrl = httpUrl.orAbsent(
  PUBLIC_URL,
  "Base of the addresses in answers. Set it behind a proxy. Absent: host and port.",
)

const server = {
  host: text.or(HOST, "127.0.0.1", "Address to listen on; `0.0.0.0` for clients or a proxy on other machines."),
  port: integer(0, 65_535).or(PORT, "3000", "Port to listen on; 0 picks a free one."),
  publicUrl,
  drainTimeout: duration.or(
    "DRAIN_TIMEOUT",
    "30s",
    "Time for running requests after SIGTERM. Keep it below your supervisor's time to kill.",
  ),
}

const workers = {
  /** Infinite for `auto`. */
  count: autoOr(256).or(
    WORKERS,
    "auto",
    `[Server processes](scaling.md#several-workers) that share the port; \`auto\` is one for each core, up to four. The embedded database has one.`,
  ),
}

const clients = {
  trustedProxies: proxies
    .orAbsent(
      TRUSTED_PROXIES,
      "[Reverse proxies](operations.md#reverse-proxy) whose `X-Forwarded-For` gives the client's address; `private` is 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and fc00::/7.",
    )
    .map((ranges) => ranges ?? []),
}

const log = {
  level: oneOf("trace", "debug", "info", "warn", "error", "none").or(
    "LOG_LEVEL",
    "info",
    "Lowest level that is logged.",
  ),
  format: oneOf("pretty", "json").orAbsent("LOG_FORMAT", "Absent: `pretty` on a terminal, else `json`."),
}

export const address = {
  title: "Address and log",
  introduction: "",
  sections: { server, crawler: { publicUrl }, workers, clients, log },
} satisfies Group
