import { EXTRACT_SANDBOX } from "../system/Variables.ts"
import { integer, oneOf, positiveDuration, size } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const concurrency = integer(1, 64).or(
  "INGEST_CONCURRENCY",
  "2",
  "Documents that one process works on at once. Raise it on machines with more than two cores that take in many documents.",
)

const ingestion = { concurrency }

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
}

export const documents = {
  title: "Documents",
  introduction: "How files become knowledge: the queue, and the processes that read them.",
  sections: { ingestion, extract },
} satisfies Group
