import { Effect, Redacted } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { ApiKey, ApiKeyPatch } from "../domain/ApiKey.ts"
import { Organization, OrganizationPatch } from "../domain/Organization.ts"
import { Admin } from "../services/Admin.ts"
import { changes } from "./Changes.ts"
import { nextPage, rangeOf } from "./Listing.ts"

const organizationChange = changes(Organization, OrganizationPatch)
const apiKeyChange = changes(ApiKey, ApiKeyPatch)

export const layer = HttpApiBuilder.group(
  Api,
  "admin",
  Effect.fn(function* (handlers) {
    const admin = yield* Admin

    return handlers.handleAll({
      createOrganization: ({ payload }) =>
        Effect.map(admin.createOrganization(payload.name), (organization) => ({ organization })),

      listOrganizations: ({ query, request }) =>
        Effect.map(admin.listOrganizations(rangeOf(query)), ({ items, next }) => {
          const { body, headers } = nextPage(request.url, query, next)
          return HttpApiSchema.withHeaders({ body: { organizations: items, ...body }, headers })
        }),

      updateOrganization: ({ params, payload }) =>
        Effect.map(admin.updateOrganization(params.organizationId, organizationChange(payload)), (organization) => ({
          organization,
        })),

      deleteOrganization: ({ params }) =>
        Effect.as(admin.removeOrganization(params.organizationId), {
          message: "Organization deleted successfully" as const,
        }),

      createApiKey: ({ payload }) => {
        const { allowed_origins, chatbot_id, expires_at, kind = "secret", name, organization_id, scopes } = payload
        return Effect.map(
          admin.createApiKey({
            name,
            kind,
            scopes,
            allowedOrigins: allowed_origins,
            organization: organization_id,
            chatbot: chatbot_id,
            expiresAt: expires_at,
          }),
          ({ apiKey, key }) => ({ api_key: apiKey, key: Redacted.value(key) }),
        )
      },

      listApiKeys: ({ query, request }) =>
        Effect.map(admin.listApiKeys(query.organization_id, rangeOf(query)), ({ items, next }) => {
          const { body, headers } = nextPage(request.url, query, next)
          return HttpApiSchema.withHeaders({ body: { api_keys: items, ...body }, headers })
        }),

      revokeApiKey: ({ params }) => Effect.map(admin.revokeApiKey(params.apiKeyId), (api_key) => ({ api_key })),

      updateApiKey: ({ params, payload }) =>
        Effect.map(admin.updateApiKey(params.apiKeyId, apiKeyChange(payload)), (api_key) => ({ api_key })),
    })
  }),
)
