import { Schema } from "effect"
import { Budget, BudgetPatch } from "./Budget.ts"
import { OrganizationId } from "./Ids.ts"
import { Name } from "./schema/Text.ts"
import { Timestamp } from "./schema/Timestamp.ts"

export const OrganizationName = Name

/** A change of an organization. A field that is absent stays as it is. */
export const OrganizationPatch = Schema.Struct({
  name: Schema.optionalKey(OrganizationName),
  budget: Schema.optionalKey(BudgetPatch),
})
export type OrganizationPatch = typeof OrganizationPatch.Type

/** A tenant: it owns chatbots and keys, and sees nothing of any other organization. */
export const Organization = Schema.Struct({
  id: OrganizationId,
  name: Schema.String,
  is_operator: Schema.Boolean.annotate({
    description:
      "The organization of whoever runs the server: only its keys can have the scope `operator`, and manage other organizations.",
  }),
  budget: Budget,
  created_at: Timestamp,
}).annotate({ identifier: "Organization" })
export type Organization = typeof Organization.Type
