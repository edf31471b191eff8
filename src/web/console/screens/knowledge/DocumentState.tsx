import { Badge } from "../../parts/Badge.tsx"
import type { Document } from "./Documents.ts"

const words = { queued: "Waiting", extracting: "Reading", embedding: "Indexing" } as const

/** How far a document has been read, or why it could not be. */
export const DocumentState = ({ document: { error, name, progress, status } }: { readonly document: Document }) => (
  <span class="row">
    {status === "ready" && (
      <Badge kind={error === null ? "good" : "warn"}>{error === null ? "Ready" : "Ready, not replaced"}</Badge>
    )}
    {status === "failed" && <Badge kind="bad">Failed</Badge>}
    {status !== "ready" && status !== "failed" && (
      <>
        <Badge kind="busy">{words[status]}</Badge>
        <progress max={1} value={status === "queued" ? undefined : progress} aria-label={`Progress of ${name}`} />
      </>
    )}
    {error !== null && <span class="soft small anywhere">{error.message}</span>}
  </span>
)
