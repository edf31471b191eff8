import { Duration, Effect, Redacted } from "effect"
import { Backup } from "../../backup/Backup.ts"
import { Caller, COMMAND_LINE } from "../../domain/Caller.ts"
import { Conflict, Forbidden } from "../../domain/Errors.ts"
import { ApiKey, ApiKeyPatch } from "../../domain/keys/ApiKey.ts"
import { Organization, OrganizationPatch } from "../../domain/organizations/Organization.ts"
import { Admin } from "../../services/organizations/Admin.ts"
import { Organizations } from "../../services/organizations/Organizations.ts"
import { changes } from "../Changes.ts"
import { pageIn, rangeOf } from "../Listing.ts"
import { Server } from "../server/Server.ts"
import { group } from "../Group.ts"

const organizationChange = changes(Organization, OrganizationPatch)
const apiKeyChange = changes(ApiKey, ApiKeyPatch)

/**
 * Time for which a backup of the embedded database may read it, which answers nobody else meanwhile. Without a server it
 * may take any time, and Postgres answers while it is backed up.
 */
const BACKUP_PATIENCE = Duration.seconds(60)

const onlyHere = new Forbidden({ detail: "Only `parley backup` on the machine of the server may ask for this." })

export const layer = group("admin", function* (handlers) {
  const admin = yield* Admin
  const backup = yield* Backup
  const organizations = yield* Organizations
  const server = yield* Server

  return handlers.handleAll({
    createOrganization: ({ payload }) => Effect.bindTo(organizations.create(payload.name), "organization"),

    listOrganizations: ({ query, request }) =>
      Effect.map(
        organizations.listReached(rangeOf(query)),
        pageIn(request.url, query, (organizations) => ({ organizations })),
      ),

    updateOrganization: ({ params, payload }) =>
      Effect.bindTo(organizations.update(params.organizationId, organizationChange(payload)), "organization"),

    deleteOrganization: ({ params }) =>
      Effect.as(organizations.remove(params.organizationId), {
        message: "Organization deleted successfully" as const,
      }),

    makeBackup: Effect.fnUntraced(function* ({ payload: { directory, organization_id: organization }, request }) {
      if ((yield* Caller).apiKeyId !== COMMAND_LINE) return yield* onlyHere
      return yield* Effect.acquireUseRelease(
        // A backup may take longer than a silent connection is kept.
        Effect.sync(() => server.keepOpen(request)),
        () => Effect.bindTo(backup.run({ directory, organization, patience: BACKUP_PATIENCE }), "backup"),
        (release) => Effect.sync(release),
      ).pipe(Effect.mapError(({ message }) => new Conflict({ detail: message })))
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
      Effect.map(
        admin.listApiKeys(query.organization_id, rangeOf(query)),
        pageIn(request.url, query, (api_keys) => ({ api_keys })),
      ),

    revokeApiKey: ({ params }) => Effect.bindTo(admin.revokeApiKey(params.apiKeyId), "api_key"),

    updateApiKey: ({ params, payload }) =>
      Effect.bindTo(admin.updateApiKey(params.apiKeyId, apiKeyChange(payload)), "api_key"),
  })
})
