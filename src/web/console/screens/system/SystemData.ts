import { call } from "../../server/Api.ts"
import type { Answer } from "../../server/Endpoints.ts"
import { resources } from "../../server/Resource.ts"
import { type AuditFilters, auditQuery } from "./Audit.ts"

export type ServerState = Answer<"GET /api/admin/system">["system"]
export type Finding = Answer<"GET /api/admin/system/checks">["checks"][number]
export type AuditEntry = Answer<"GET /api/admin/audit-log">["entries"][number]

/** The state of the server that answers. */
export const serverState = resources(async () => (await call("GET /api/admin/system")).system)

/** The findings of the server's checks. */
export const serverChecks = resources(async () => (await call("GET /api/admin/system/checks")).checks)

/** Entries of the audit log as far as they have been fetched, newest first. */
export interface AuditPage {
  readonly entries: ReadonlyArray<AuditEntry>
  readonly next: string | undefined
}

const PAGE = "50"

/** A page of the audit log after a position, or the first. */
export const fetchAudit = async (filters: AuditFilters, cursor?: string): Promise<AuditPage> => {
  const { entries, next_cursor } = await call("GET /api/admin/audit-log", {
    query: { ...auditQuery(filters), limit: PAGE, ...(cursor !== undefined && { cursor }) },
  })
  return { entries, next: next_cursor ?? undefined }
}

/** The newest entries of the audit log with an action, of an organization, on some days; an empty text is no condition. */
export const auditLog = resources((action: string, organization: string, from: string, to: string) =>
  fetchAudit({ action, organization, from, to }),
)
