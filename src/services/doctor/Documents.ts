import { Effect } from "effect"
import type { Finding } from "../../domain/console/SystemState.ts"
import { isStrict, ReaderSandbox } from "../../knowledge/process/ReaderSandbox.ts"
import { describe, type Sandbox } from "../../knowledge/process/Sandbox.ts"
import { Inspection } from "../../storage/inspection/Inspection.ts"
import { count, note, ok, wrong } from "./Check.ts"
import { ofQueue } from "./Queue.ts"

/** Codes of failures of documents that are the server's fault, not the document's. */
const OUR_FAILURES: ReadonlySet<string> = new Set([
  "ingestion_failed",
  "gave_up",
  "file_damaged",
  "file_missing",
  "unknown",
])

/** Reports the queue of documents, how the processes that read them are confined, and documents that failed. */
export const documentsCheck = Effect.gen(function* () {
  const inspection = yield* Inspection
  const readers = yield* ReaderSandbox

  const { failures, ingestions } = yield* inspection.documents
  return [
    ofQueue("ingestion", ingestions, "document"),
    ofReaders(yield* readers.chosen),
    ...failures.map(({ code, documents }) =>
      (OUR_FAILURES.has(code) ? wrong : note)("documents", `${count(documents, "document")} failed: ${code}`),
    ),
  ]
})

/** Reports what the system takes from the processes that read documents. */
const ofReaders = (sandbox: Sandbox): Finding => (isStrict(sandbox) ? ok : note)("readers", describe(sandbox))
