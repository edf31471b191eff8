import { Badge } from "../../parts/Layout.tsx"
import type { Document } from "./Documents.ts"

const words = { queued: "Queued", extracting: "Reading", embedding: "Indexing" } as const

/** The state of a document, with its progress or its failure. */
export const DocumentState = ({
  document: { chunk_count: chunks, error, name, progress, status },
}: {
  readonly document: Document
}) => (
  <span class="document-state row">
    {status === "ready" && (
      <Badge kind={error === null ? "good" : "warn"}>{error === null ? "Ready" : "Replacement failed"}</Badge>
    )}
    {status === "failed" && <Badge kind="bad">Failed</Badge>}
    {status !== "ready" && status !== "failed" && (
      <>
        <Badge kind="busy">{words[status]}</Badge>
        <progress max={1} value={status === "queued" ? undefined : progress} aria-label={`Progress: ${name}`} />
        {status === "embedding" && chunks > 0 && <span class="soft small">Already searchable</span>}
      </>
    )}
    {error !== null && <span class="soft small anywhere">{error.message}</span>}
  </span>
)
