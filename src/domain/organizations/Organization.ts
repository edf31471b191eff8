import { Schema, SchemaTransformation } from "effect"
import { Budget, BudgetPatch } from "./Budget.ts"
import { OrganizationId } from "../Ids.ts"
import { Holdings, Quota, QuotaPatch } from "./Quota.ts"
import { Name } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"

export const OrganizationName = Name

/** The days after its last activity when a conversation is deleted; null leaves that to the server's settings. */
export const RetentionDays = Schema.NullOr(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 36_500 })),
).annotate({
  description:
    "Days after their last activity when conversations are deleted, within the hour. `null`: what the server's settings say.",
  examples: [90],
})

/** Those days as the command line takes them: a number, or `default`. */
export const RetentionText = Schema.String.pipe(
  Schema.decodeTo(
    RetentionDays,
    SchemaTransformation.transform({
      decode: (text) => (text === "default" ? null : Number(text || Number.NaN)),
      encode: (days) => String(days ?? "default"),
    }),
  ),
)

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
  retention_days: Schema.optionalKey(RetentionDays),
})
export type OrganizationPatch = typeof OrganizationPatch.Type

/** A tenant: it owns chatbots and keys, and sees nothing of any other organization. */
export const Organization = Schema.Struct({
  id: OrganizationId,
  name: Schema.String,
  is_operator: Schema.Boolean.annotate({
    description:
      "The organization of those who run the server: only its keys can have the scope `operator`, and manage other organizations.",
  }),
  budget: Budget,
  quota: Quota.annotate({ description: "Limits of what it may store." }),
  used: Holdings.annotate({ description: "Amounts that it stores now." }),
  retention_days: RetentionDays,
  created_at: Timestamp,
}).annotate({ identifier: "Organization" })
export type Organization = typeof Organization.Type
