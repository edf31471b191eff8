import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AuditAction, AuditEntry } from "../../domain/audit/AuditEntry.ts"
import { AnyUuid, ApiKeyId, OrganizationId, optionalId } from "../../domain/Ids.ts"
import { Authorization, Problems, RequiredScope } from "../Middleware.ts"
import { Problem } from "../failures/Problem.ts"
import { momentParameter } from "../parts/Moment.ts"
import { cursorQuery, nextCursor, withLink } from "../parts/Paging.ts"
import { described } from "../parts/Annotations.ts"

const list = HttpApiEndpoint.get("list", "/api/admin/audit-log", {
  query: {
    organization_id: optionalId(
      OrganizationId,
      "Default: the organization of the calling key; with the scope `operator`, all of them.",
    ),
    action: Schema.optionalKey(AuditAction).annotate({ description: "Only entries of this action." }),
    api_key_id: optionalId(ApiKeyId, "Only what this key has done."),
    target_id: Schema.optionalKey(
      AnyUuid.annotate({ description: "Only what was done to this, such as a key or a chatbot." }),
    ),
    from: momentParameter("The first moment, ISO 8601 with offset, such as `2026-11-20T00:00:00Z`."),
    to: momentParameter("The moment before which entries were made, likewise."),
    ...cursorQuery,
  },
  success: withLink(Schema.Struct({ entries: Schema.Array(AuditEntry), ...nextCursor })),
  error: Problem.NotFound,
}).annotateMerge(
  described(
    "List the audit log",
    "Who did what to what, from where and when: keys, organizations, budgets, chatbots, tools, deletions, exports and erasures. Newest first. Entries are made together with the change, cannot be changed, and are kept as long as the server's settings say.",
  ),
)

export class AuditLogApi extends HttpApiGroup.make("auditLog")
  .add(list)
  .annotateEndpoints(RequiredScope, "admin")
  .annotateMerge(OpenApi.annotations({ title: "Audit log", description: "The record of who changed what." }))
  .middleware(Authorization)
  .middleware(Problems) {}
