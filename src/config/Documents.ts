import { integer, positiveDuration, size } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const concurrency = integer(1, 64).or(
  "INGEST_CONCURRENCY",
  "2",
  "Documents that one process works on at once. Raise it on machines with more than two cores that take in many documents.",
)

const lease = positiveDuration.or(
  "INGEST_LEASE",
  "30s",
  "How long a document stays with a process that shows no sign of life.",
)

const ingestion = {
  concurrency,
  attempts: integer(1, 100).or(
    "INGEST_ATTEMPTS",
    "3",
    "Tries of a document that itself makes them fail, before it is given up.",
  ),
  lapses: integer(1, 10_000).or(
    "INGEST_LAPSES",
    "50",
    "Tries of a document that end with the server that makes them, before it is given up.",
  ),
  retryDelay: positiveDuration.or(
    "INGEST_RETRY_DELAY",
    "1h",
    "When a document that was given up is tried anew; after twice as long each time.",
  ),
  retries: integer(0, 20).or("INGEST_RETRIES", "5", "How often a document that was given up is tried anew."),
  lease,
}

const extract = {
  concurrency,
  deadline: positiveDuration.or("EXTRACT_TIMEOUT", "30s", "Longest time to read one file, of the processor."),
  memory: size.or(
    "EXTRACT_MEMORY",
    "512MiB",
    "Most memory that reading one file may take. Raise it when large files fail with `extraction_out_of_memory`.",
  ),
  textLimit: integer(1_000, 200_000_000).or(
    "EXTRACT_TEXT_LIMIT",
    "20000000",
    "Characters of text that one file may hold, at most.",
  ),
}

export const documents = {
  title: "Documents",
  introduction: "How files become knowledge: the queue, and the processes that read them.",
  sections: { ingestion, reembedding: { lease }, extract },
} satisfies Group
