import { Badge } from "../../parts/Badge.tsx"
import type { Document } from "./Documents.ts"

const words = { queued: "Waiting", extracting: "Reading", embedding: "Indexing" } as const

/** How far a document has been read, or why it could not be. */
export const DocumentState = ({ document: { error, name, progress, status } }: { readonly document: Document }) => {
  if (status === "ready")
    return error === null ? (
      <Badge kind="good">Ready</Badge>
    ) : (
      <span class="document-state">
        <Badge kind="warn">Ready, not replaced</Badge>
        <span class="small">{error.message}</span>
      </span>
    )
  if (status === "failed")
    return (
      <span class="document-state">
        <Badge kind="bad">Failed</Badge>
        <span class="small">{error?.message}</span>
      </span>
    )
  return (
    <span class="document-state">
      <Badge kind="busy">{words[status]}</Badge>
      <progress max={1} value={status === "queued" ? undefined : progress} aria-label={`Progress of ${name}`} />
    </span>
  )
}
