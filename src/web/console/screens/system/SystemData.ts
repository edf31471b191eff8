import { call } from "../../server/Api.ts"
import type { Answer } from "../../server/Endpoints.ts"
import { resources } from "../../server/Resource.ts"
import { type AuditFilters, auditQuery } from "./Audit.ts"

export type ServerState = Answer<"GET /api/admin/system">["system"]
/** The state of the server that answers. */
export const serverState = resources(async () => (await call("GET /api/admin/system")).system)

/** Entries of the audit log, newest first. */
export const fetchAudit = async (filters: AuditFilters, cursor?: string) => {
  const { entries, next_cursor } = await call("GET /api/admin/audit-log", {
    query: { ...auditQuery(filters), limit: "50", cursor },
  })
  return { items: entries, next: next_cursor }
}

/** The newest entries of the audit log with an action, of an organization, on some days; an empty text is no condition. */
export const auditLog = resources((action: string, organization: string, from: string, to: string) =>
  fetchAudit({ action, organization, from, to }),
)
