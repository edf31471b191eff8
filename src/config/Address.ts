import { HOST, PORT, PUBLIC_URL } from "../system/Variables.ts"
import { replyDeadline } from "./Chats.ts"
import { duration, httpUrl, integer, oneOf, text } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const server = {
  host: text.or(
    HOST,
    "127.0.0.1",
    "Address to listen on; `0.0.0.0` for all. Change it when clients, or a proxy, ask from other machines.",
  ),
  port: integer(0, 65_535).or(PORT, "3000", "Port to listen on; 0 picks a free one."),
  publicUrl: httpUrl.orAbsent(
    PUBLIC_URL,
    "Base of the addresses that the server gives out, such as those of avatars. Set it when clients reach the server by another name, as behind a proxy. Absent: made of host and port.",
  ),
  drainTimeout: duration.or(
    "DRAIN_TIMEOUT",
    "30s",
    "How long SIGTERM lets running requests finish. Keep it below the time that whatever stops the server grants it.",
  ),
  patience: replyDeadline.elsewhere,
}

const log = {
  level: oneOf("trace", "debug", "info", "warn", "error", "none").or(
    "LOG_LEVEL",
    "info",
    "Least level that is logged. `debug` for looking into something, `warn` for a log that only speaks of trouble.",
  ),
  format: oneOf("pretty", "json").orAbsent(
    "LOG_FORMAT",
    "Form of the lines of the log: `json` for machines, `pretty` for people. Absent: `pretty` on a terminal, else `json`.",
  ),
}

export const address = {
  title: "Address and log",
  introduction: "Where the server listens, how it ends, and what it says meanwhile.",
  sections: { server, log },
} satisfies Group
