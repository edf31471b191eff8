import { call, everyPage } from "./Api.ts"
import type { Answer } from "./Endpoints.ts"
import { resources } from "./Resource.ts"

export type Organization = Answer<"GET /api/admin/organizations">["organizations"][number]
export type ApiKey = Answer<"GET /api/admin/api-keys">["api_keys"][number]

/** The organizations that the key which is signed in may see. */
export const allOrganizations = resources(() =>
  everyPage(
    (cursor) =>
      call("GET /api/admin/organizations", { query: { limit: "200", ...(cursor !== undefined && { cursor }) } }),
    ({ organizations }) => organizations,
  ),
)

/** The keys of an organization, revoked ones too, newest first. */
export const allKeys = resources((organizationId: string) =>
  everyPage(
    (cursor) =>
      call("GET /api/admin/api-keys", {
        query: { organization_id: organizationId, limit: "200", ...(cursor !== undefined && { cursor }) },
      }),
    ({ api_keys }) => api_keys,
  ),
)
