import { uploadsDirectory, webDirectory } from "./Data.ts"
import { duration, integer, positiveDuration, size } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const bodyTimeout = positiveDuration.or(
  "REQUEST_BODY_TIMEOUT",
  "20s",
  "How long a JSON body may take to arrive, and within which an upload has to bring 4 KiB for each second, before the request fails with 408. Raise it for clients with slow connections.",
)

const requests = {
  jsonBodyLimit: size.or(
    "JSON_BODY_LIMIT",
    "1MiB",
    "Largest JSON body. Raise it for clients that send long conversations.",
  ),
  jsonDepthLimit: integer(1, 1_000).or("JSON_DEPTH_LIMIT", "32", "Deepest nesting of a JSON body."),
  bodyTimeout,
  avatarLimit: size.or("AVATAR_LIMIT", "10MiB", "Largest avatar."),
}

const uploads = {
  directory: uploadsDirectory,
  pause: bodyTimeout.elsewhere,
  fileLimit: size.or(
    "UPLOAD_FILE_LIMIT",
    "25MiB",
    "Largest knowledge base file. A proxy in front has to let bodies of this size times the number of files through.",
  ),
  filesLimit: integer(1, 1_000).or("UPLOAD_FILES_LIMIT", "10", "Files of one upload, at most."),
  wait: duration.or(
    "UPLOAD_WAIT",
    "20s",
    "How long an upload waits for its files to be searchable unless `Prefer` has a wait.",
  ),
  waitLimit: duration.or("UPLOAD_WAIT_LIMIT", "60s", "The longest wait that `Prefer: wait=N` can ask for."),
}

const web = {
  cache: webDirectory,
  buildTimeout: positiveDuration.or(
    "WEB_BUILD_TIMEOUT",
    "60s",
    "How long building the pages of the widget and the console may take on the first request for one, unless `bun run web` has built them in advance.",
  ),
}

const idempotency = {
  retention: positiveDuration.or(
    "IDEMPOTENCY_RETENTION",
    "24h",
    "How long the answer to a request with an `Idempotency-Key` is kept, to be sent again.",
  ),
  lease: positiveDuration.or(
    "IDEMPOTENCY_LEASE",
    "30s",
    "How long an `Idempotency-Key` stays taken when the server that ran its request hangs or cannot be reached. That of a server that has ended is free within some seconds.",
  ),
  answerLimit: size.or(
    "IDEMPOTENCY_ANSWER_LIMIT",
    "4MiB",
    "Largest answer that is kept. The request of a larger one is not repeated either: sent again, it fails with 409.",
  ),
  storedLimit: size.or(
    "IDEMPOTENCY_STORED_LIMIT",
    "1GiB",
    "Most bytes of all kept answers of an organization. Every few minutes, the oldest ones beyond it are dropped.",
  ),
}

export const requestsAndUploads = {
  title: "Requests and uploads",
  introduction:
    "The sizes of requests, how long they may take to arrive, and how long answers are kept for those who ask again.",
  sections: { requests, uploads, web, idempotency },
} satisfies Group
