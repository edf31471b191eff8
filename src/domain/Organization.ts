import { Schema } from "effect"
import { Budget, BudgetPatch } from "./Budget.ts"
import { OrganizationId } from "./Ids.ts"
import { Holdings, Quota, QuotaPatch } from "./Quota.ts"
import { Name } from "./schema/Text.ts"
import { Timestamp } from "./schema/Timestamp.ts"

export const OrganizationName = Name

/** A change of an organization. A field that is absent stays as it is. */
export const OrganizationPatch = Schema.Struct({
  name: Schema.optionalKey(OrganizationName),
  budget: Schema.optionalKey(BudgetPatch),
  quota: Schema.optionalKey(QuotaPatch),
  used: Schema.optionalKey(
    Schema.Unknown.annotate({
      description: "Ignored, so that what was read can be sent back although it has changed.",
    }),
  ),
})
export type OrganizationPatch = typeof OrganizationPatch.Type

/** A tenant: it owns chatbots and keys, and sees nothing of any other organization. */
export const Organization = Schema.Struct({
  id: OrganizationId,
  name: Schema.String,
  is_operator: Schema.Boolean.annotate({
    description: "The organization of whoever runs the server: only its admin keys manage other organizations.",
  }),
  budget: Budget,
  quota: Quota.annotate({ description: "How much it may store." }),
  used: Holdings.annotate({ description: "What it stores now." }),
  created_at: Timestamp,
}).annotate({ identifier: "Organization" })
export type Organization = typeof Organization.Type
