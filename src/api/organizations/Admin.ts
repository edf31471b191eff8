import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { allScopes, ApiKey, ApiKeyName, ApiKeyPatch, Expiry, KeyKind, Scope } from "../../domain/keys/ApiKey.ts"
import { boundedList } from "../../domain/schema/Bounded.ts"
import { AllowedOrigins } from "../../domain/widget/PublishableKey.ts"
import { ApiKeyId, ChatbotId, OrganizationId, optionalId } from "../../domain/Ids.ts"
import { BackupReport } from "../../domain/system/BackupReport.ts"
import { Organization, OrganizationName, OrganizationPatch } from "../../domain/organizations/Organization.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { cursorQuery, nextCursor, withLink } from "../parts/Paging.ts"
import { described, RequestCost } from "../parts/Annotations.ts"
import { Problem } from "../failures/Problem.ts"
import { changeDescription, ChangePayload } from "../parts/ChangePayload.ts"

const OfOrganization = optionalId(OrganizationId, "Default: the organization of the calling key.")

const onlyOperator = "Only with the scope `operator`."

const createOrganization = HttpApiEndpoint.post("createOrganization", "/api/admin/organizations", {
  payload: Schema.Struct({ name: OrganizationName }),
  success: Schema.Struct({ organization: Organization }).pipe(HttpApiSchema.status(201)),
})
  .middleware(Idempotent.inSystemTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "operator")
  .annotateMerge(described("Create an organization", onlyOperator))

const listOrganizations = HttpApiEndpoint.get("listOrganizations", "/api/admin/organizations", {
  query: cursorQuery,
  success: withLink(Schema.Struct({ organizations: Schema.Array(Organization), ...nextCursor })),
})
  .annotate(RequiredScope, "admin")
  .annotateMerge(
    described("List organizations", "All of them with the scope `operator`, else the key's own. Oldest first."),
  )

const budgetDescription =
  "Of a budget, a limit that is left out stays; `null` is the default (none for an organization), `unlimited` is none. Every server process keeps to it within a second."

const quotaDescription =
  "Of a quota, a limit that is left out stays; `null` is the default, `unlimited` is none. What exceeds a new limit stays, and nothing more is stored."

const organizationPath = "/api/admin/organizations/:organizationId"
const ofOrganization = { organizationId: OrganizationId }

const updateOrganization = HttpApiEndpoint.patch("updateOrganization", organizationPath, {
  params: ofOrganization,
  payload: ChangePayload(OrganizationPatch),
  success: Schema.Struct({ organization: Organization }),
  error: Problem.NotFound,
})
  .middleware(Idempotent.inSystemTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "operator")
  .annotateMerge(
    described(
      "Rename an organization, or set its budget, quota and retention",
      `${onlyOperator} ${budgetDescription} ${quotaDescription} ${changeDescription}`,
    ),
  )

const deleteOrganization = HttpApiEndpoint.delete("deleteOrganization", organizationPath, {
  params: ofOrganization,
  success: Schema.Struct({ message: Schema.Literal("Organization deleted successfully") }),
  error: [Problem.NotFound, Problem.Conflict],
})
  .annotate(RequiredScope, "operator")
  .annotate(RequestCost, requestCosts.bulk)
  .annotateMerge(
    described(
      "Delete an organization",
      "Only with the scope `operator`. The operator's own organization cannot be deleted (409). The organization is gone at once, and every server process refuses its keys within a second. All that it owned is deleted in the background: chatbots, documents with their files, conversations, keys and usage. Its entries of the audit log stay for the operator, without addresses, names and changes.",
    ),
  )

const Directory = Schema.String.check(
  Schema.isPattern(/^\//, { message: "Expected an absolute path" }),
  Schema.isMaxLength(4_000),
)

const makeBackup = HttpApiEndpoint.post("makeBackup", "/api/admin/backups", {
  payload: Schema.Struct({
    directory: Directory.annotate({
      description: "On the machine of the server, empty or new, or with a backup that was cut off.",
    }),
    organization_id: optionalId(OrganizationId, "Only this organization. Default: everything."),
  }),
  success: Schema.Struct({ backup: BackupReport }),
  error: Problem.Conflict,
})
  .middleware(RequestBody)
  .annotate(RequiredScope, "operator")
  .annotate(RequestCost, requestCosts.bulk)
  .annotateMerge(
    described(
      "Back up the embedded database",
      "Only for `parley backup` and `parley organizations export` on the machine of the server (403): the sender of this writes into any directory that the server may write to. It is answered at the end of the backup, which ends with its connection. 409 says why it failed.",
    ),
  )

const createApiKey = HttpApiEndpoint.post("createApiKey", "/api/admin/api-keys", {
  payload: Schema.Struct({
    name: ApiKeyName,
    kind: Schema.optionalKey(KeyKind.annotate({ description: "Default: `secret`." })),
    scopes: Schema.optionalKey(
      boundedList(
        Scope,
        { minimum: 1, maximum: allScopes.length },
        {
          description:
            "Of a secret key. No more than the calling key has itself; `operator` only in the operator's organization.",
        },
      ),
    ),
    allowed_origins: Schema.optionalKey(AllowedOrigins),
    organization_id: OfOrganization,
    chatbot_id: optionalId(ChatbotId, "Bind the key to this chatbot. A publishable key needs it."),
    expires_at: Schema.optionalKey(
      Expiry.pipe(
        Schema.annotateEncoded({
          format: "date-time",
          description:
            "ISO 8601 with offset, still to come, and not after the calling key expires itself. Absent: when the calling key expires.",
          examples: ["2027-12-31T00:00:00Z"],
        }),
      ),
    ),
  }),
  success: Schema.Struct({
    api_key: ApiKey,
    key: Schema.String.annotate({
      description: "The key. A secret one is shown this once and cannot be read again.",
    }),
  }).pipe(HttpApiSchema.status(201)),
  error: Problem.NotFound,
})
  .middleware(Idempotent.inSystemTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "admin")
  .annotateMerge(
    described(
      "Create an API key",
      'The `key` of a secret key is shown in this answer and never again; the server keeps only its hash. A publishable key (`"kind": "publishable"`) stands in the pages of a website: it needs `chatbot_id` and `allowed_origins`, has no scopes, is listed with its `public_key`, and is good for the chat widget only; the calling key needs the scope `chat` to make it. The new key has no right that the calling key lacks: it has no other scopes and does not outlive it (403), and it begins with the same budget, unless the calling key is an `operator`. It stays valid when the calling key is revoked; `created_by` tells which keys that one made.',
    ),
  )

const listApiKeys = HttpApiEndpoint.get("listApiKeys", "/api/admin/api-keys", {
  query: { organization_id: OfOrganization, ...cursorQuery },
  success: withLink(Schema.Struct({ api_keys: Schema.Array(ApiKey), ...nextCursor })),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "admin")
  .annotateMerge(described("List API keys", "Newest first, revoked ones too."))

const revokeApiKey = HttpApiEndpoint.delete("revokeApiKey", "/api/admin/api-keys/:apiKeyId", {
  params: { apiKeyId: ApiKeyId },
  success: Schema.Struct({ api_key: ApiKey }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "admin")
  .annotateMerge(
    described(
      "Revoke an API key",
      "Every server process refuses it within a second. Revoking it again changes nothing, and the keys that it made stay. A key with the scope `operator` is revoked only by another such key (403).",
    ),
  )

const updateApiKey = HttpApiEndpoint.patch("updateApiKey", "/api/admin/api-keys/:apiKeyId", {
  params: { apiKeyId: ApiKeyId },
  payload: ChangePayload(ApiKeyPatch),
  success: Schema.Struct({ api_key: ApiKey }),
  error: Problem.NotFound,
})
  .middleware(Idempotent.inSystemTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "admin")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Change an API key",
      description: `Its \`name\`, its \`budget\`, and the \`allowed_origins\` of a publishable one. The budget of its organization holds as well. Without the scope \`operator\`, a budget cannot be raised beyond the calling key's own (403). ${budgetDescription} ${changeDescription}`,
    }),
  )

/** The endpoints that administer organizations and API keys. */
export class AdminApi extends HttpApiGroup.make("admin")
  .add(
    createOrganization,
    listOrganizations,
    updateOrganization,
    deleteOrganization,
    makeBackup,
    createApiKey,
    listApiKeys,
    revokeApiKey,
    updateApiKey,
  )
  .annotateEndpoints(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "Admin", description: "Organizations, API keys and backups." }))
  .middleware(Authorization)
  .middleware(Problems) {}
