import { Effect, Redacted } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { ApiKey, ApiKeyPatch } from "../domain/ApiKey.ts"
import { Caller } from "../domain/Caller.ts"
import { Forbidden, NotFound } from "../domain/Errors.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import { Organization, OrganizationPatch } from "../domain/Organization.ts"
import { ApiKeys } from "../services/ApiKeys.ts"
import { Organizations } from "../services/Organizations.ts"
import { changes } from "./Changes.ts"
import { nextPage, rangeOf } from "./Listing.ts"

const ensureOperator = Effect.flatMap(Caller, ({ isOperator }) =>
  isOperator
    ? Effect.void
    : Effect.fail(new Forbidden({ detail: "Only the operator's organization manages organizations." })),
)

const noOrganization = new NotFound({ detail: "There is no such organization." })

const organizationChange = changes(Organization, OrganizationPatch)
const apiKeyChange = changes(ApiKey, ApiKeyPatch)

export const layer = HttpApiBuilder.group(
  Api,
  "admin",
  Effect.fn(function* (handlers) {
    const organizations = yield* Organizations
    const keys = yield* ApiKeys

    /** The organization that is meant; one that the caller may not see is not there. */
    const organizationOf = Effect.fnUntraced(function* (asked: OrganizationId | undefined) {
      const { isOperator, organizationId } = yield* Caller
      if (asked === undefined || asked === organizationId) return organizationId
      const found = isOperator ? yield* organizations.find(asked) : undefined
      return found === undefined ? yield* noOrganization : asked
    })

    return handlers.handleAll({
      createOrganization: ({ payload }) =>
        Effect.gen(function* () {
          yield* ensureOperator
          return { organization: yield* organizations.create(payload.name) }
        }),

      listOrganizations: ({ query, request }) =>
        Effect.gen(function* () {
          const { isOperator, organizationId } = yield* Caller
          const own = isOperator || query.cursor !== undefined ? undefined : yield* organizations.find(organizationId)
          const { items, next } = isOperator
            ? yield* organizations.list(rangeOf(query))
            : { items: own === undefined ? [] : [own], next: undefined }
          const { body, headers } = nextPage(request.url, query, next)
          return HttpApiSchema.withHeaders({ body: { organizations: items, ...body }, headers })
        }),

      updateOrganization: ({ params, payload }) =>
        Effect.gen(function* () {
          yield* ensureOperator
          return { organization: yield* organizations.update(params.organizationId, organizationChange(payload)) }
        }),

      deleteOrganization: ({ params }) =>
        Effect.gen(function* () {
          yield* ensureOperator
          yield* organizations.remove(params.organizationId)
          return { message: "Organization deleted successfully" as const }
        }),

      createApiKey: ({ payload }) =>
        Effect.gen(function* () {
          const { apiKey, key } = yield* keys.create({
            name: payload.name,
            scopes: payload.scopes,
            organization: yield* organizationOf(payload.organization_id),
            chatbot: payload.chatbot_id,
            expiresAt: payload.expires_at,
          })
          return { api_key: apiKey, key: Redacted.value(key) }
        }),

      listApiKeys: ({ query, request }) =>
        Effect.gen(function* () {
          const { items, next } = yield* keys.list(yield* organizationOf(query.organization_id), rangeOf(query))
          const { body, headers } = nextPage(request.url, query, next)
          return HttpApiSchema.withHeaders({ body: { api_keys: items, ...body }, headers })
        }),

      revokeApiKey: ({ params }) =>
        Effect.gen(function* () {
          const { isOperator, organizationId } = yield* Caller
          return { api_key: yield* keys.revoke(params.apiKeyId, isOperator ? undefined : organizationId) }
        }),

      updateApiKey: ({ params, payload }) =>
        Effect.gen(function* () {
          const { isOperator, organizationId } = yield* Caller
          const only = isOperator ? undefined : organizationId
          return { api_key: yield* keys.update(params.apiKeyId, only, apiKeyChange(payload)) }
        }),
    })
  }),
)
