import { Context } from "effect"
import type { OrganizationId } from "./Ids.ts"

/**
 * The organization on whose behalf the current fiber works. The HTTP layer provides it from the API key, a job from its
 * row. The tenant `SqlClient` reads it for every statement, and the database shows only that organization's rows.
 *
 * @effect-leakable-service methods require it, because it differs from call to call
 */
export class CurrentOrganization extends Context.Service<CurrentOrganization, OrganizationId>()(
  "parley/domain/CurrentOrganization",
) {}
