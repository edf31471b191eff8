import { EXTRACT_SANDBOX } from "../system/Variables.ts"
import { integer, oneOf, positiveDuration, size } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const concurrency = integer(1, 64).or(
  "INGEST_CONCURRENCY",
  "2",
  "Documents that one process works on at once. Raise it on machines with more than two cores that take in many documents.",
)

const lease = positiveDuration.or(
  "INGEST_LEASE",
  "30s",
  "How long a document stays with a process that shows no sign of life. Raise it if processes may pause for longer, as on machines that are suspended.",
)

const ingestion = {
  concurrency,
  attempts: integer(1, 100).or(
    "INGEST_ATTEMPTS",
    "3",
    "Attempts at a document that fail because of the document itself, before it is given up.",
  ),
  lapses: integer(1, 10_000).or(
    "INGEST_LAPSES",
    "50",
    "Attempts at a document that end with their server, before the document is given up: it may be what kills the server.",
  ),
  retryDelay: positiveDuration.or(
    "INGEST_RETRY_DELAY",
    "1h",
    "Time after which a document that was given up is tried anew; it doubles each time.",
  ),
  retries: integer(0, 20).or("INGEST_RETRIES", "5", "How often a document that was given up is tried anew."),
  lease,
}

const extract = {
  concurrency: concurrency.elsewhere,
  deadline: positiveDuration.or(
    "EXTRACT_TIMEOUT",
    "30s",
    "Most processor time that reading one file may take. Raise it when large files fail with `extraction_timed_out`.",
  ),
  memory: size.or(
    "EXTRACT_MEMORY",
    "512MiB",
    "Most memory that reading one file may take. Raise it when large files fail with `extraction_out_of_memory`.",
  ),
  sandbox: oneOf("auto", "required", "off").or(
    EXTRACT_SANDBOX,
    "auto",
    "How the operating system confines the processes that read files; Linux only. `auto`: by the best that works of `bwrap`, `unshare` and `setpriv`; `required`: no start unless one hides the network and other processes.",
  ),
  textLimit: integer(1_000, 200_000_000).or("EXTRACT_TEXT_LIMIT", "20000000", "Most characters of text in one file."),
}

export const documents = {
  title: "Documents",
  introduction: "How files become knowledge: the queue, and the processes that read them.",
  sections: { ingestion, reembedding: { lease }, extract },
} satisfies Group
