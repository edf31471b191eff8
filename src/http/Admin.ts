import { Effect, Redacted } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Caller } from "../domain/Caller.ts"
import { Forbidden, NotFound } from "../domain/Errors.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import { ApiKeys } from "../services/ApiKeys.ts"
import { Organizations } from "../services/Organizations.ts"
import { nextPage, rangeOf } from "./Listing.ts"

const noOrganization = new NotFound({ detail: "There is no such organization." })

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
          if (!(yield* Caller).isOperator) {
            return yield* new Forbidden({ detail: "Only the operator's organization can create organizations." })
          }
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

      setOrganizationBudget: ({ params, payload }) =>
        Effect.gen(function* () {
          if (!(yield* Caller).isOperator) {
            return yield* new Forbidden({
              detail: "Only the operator's organization sets what organizations may spend.",
            })
          }
          return { organization: yield* organizations.setBudget(params.organizationId, payload.budget) }
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

      setApiKeyBudget: ({ params, payload }) =>
        Effect.gen(function* () {
          const { isOperator, organizationId } = yield* Caller
          const only = isOperator ? undefined : organizationId
          return { api_key: yield* keys.setBudget(params.apiKeyId, only, payload.budget) }
        }),
    })
  }),
)
