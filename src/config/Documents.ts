import { EXTRACT_SANDBOX } from "../system/Variables.ts"
import { uploadsDirectory, webDirectory } from "./Data.ts"
import { duration, integer, oneOf, size } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const requests = {
  jsonBodyLimit: size.or(
    "JSON_BODY_LIMIT",
    "1MiB",
    "Largest JSON body. Raise it for clients that send long conversations.",
  ),
}

const uploads = {
  directory: uploadsDirectory,
  fileLimit: size.or(
    "UPLOAD_FILE_LIMIT",
    "25MiB",
    "Largest knowledge base file. A proxy in front has to let bodies of ten times this size through.",
  ),
}

const concurrency = integer(1, 64).or(
  "INGEST_CONCURRENCY",
  "2",
  "Documents that one process works on at once. Raise it on machines with more than two cores that take in many documents.",
)

const ingestion = { concurrency }

const extract = {
  concurrency: concurrency,
  deadline: duration.or(
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
  title: "Requests and documents",
  introduction: "The sizes of requests, and how files become knowledge.",
  sections: { requests, uploads, web: { cache: webDirectory }, ingestion, extract },
} satisfies Group
