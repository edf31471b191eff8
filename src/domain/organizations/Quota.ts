import { ByteSize, Schema, Struct, Record } from "effect"
import { Limit, limitOf } from "./Budget.ts"
import { QuotaReached } from "../Errors.ts"

/*
 * How much an organization may store, of several kinds of things.
 */

/** The limits that are set for an organization; `null` leaves one to `defaultQuota`. */
export const Quota = Schema.Struct({
  chatbots: Limit.annotate({ description: "Chatbots.", examples: [100] }),
  tools: Limit.annotate({ description: "HTTP tools of all chatbots together.", examples: [1_000] }),
  documents: Limit.annotate({ description: "Documents of all chatbots together.", examples: [10_000] }),
  bytes: Limit.annotate({ description: "Bytes of all documents together.", examples: [1_073_741_824] }),
  chunks: Limit.annotate({ description: "Passages of all documents together.", examples: [500_000] }),
  conversations: Limit.annotate({ description: "Conversations of all chatbots together.", examples: [1_000_000] }),
}).annotate({ identifier: "Quota" })
export type Quota = typeof Quota.Type

/** A kind of things that an organization stores. */
export type QuotaKind = keyof Quota

/** A change of a quota. A field that is absent stays as it is. */
export const QuotaPatch = Quota.mapFields(Struct.map(Schema.optionalKey))
export type QuotaPatch = typeof QuotaPatch.Type

/** Amounts that an organization stores now. */
export const Holdings = Schema.Struct(Record.map(Quota.fields, () => Schema.Finite)).annotate({
  identifier: "Holdings",
})
export type Holdings = typeof Holdings.Type

/** The limits in force, with the defaults filled in. `Infinity` stands for no limit. */
export type QuotaLimits = Readonly<Record<QuotaKind, number>>

/** The limits of an organization for which none are set: far beyond a team, and an end for a program that runs wild. */
export const defaultQuota: QuotaLimits = {
  chatbots: 10_000,
  tools: 10_000,
  documents: 100_000,
  bytes: 50 * 1024 ** 3,
  chunks: 5_000_000,
  conversations: 10_000_000,
}

export const quotaLimitsOf = (quota: Quota): QuotaLimits =>
  Record.map(defaultQuota, (limit, kind) => limitOf(quota[kind], limit))

/** The kinds in the order in which they are shown. */
export const quotaKinds: ReadonlyArray<QuotaKind> = Struct.keys(Quota.fields)

/** Words that follow the limit in the failure of a quota. */
const nouns: Readonly<Record<QuotaKind, string>> = {
  chatbots: "chatbots",
  tools: "tools",
  documents: "documents",
  bytes: "in documents",
  chunks: "passages",
  conversations: "conversations",
}

/** Things to be stored, by kind. */
export type Amounts = Partial<QuotaLimits>

/** The failure of storing more than an organization may; undefined when there is room. */
export const excess = (limits: QuotaLimits, held: Holdings, more: Amounts): QuotaReached | undefined => {
  for (const kind of quotaKinds) {
    const added = more[kind] ?? 0
    if (added <= 0 || held[kind] + added <= limits[kind]) continue
    const limit = kind === "bytes" ? ByteSize.format(ByteSize.bytes(limits.bytes)) : limits[kind].toLocaleString("en")
    return new QuotaReached({ detail: `The organization's quota of ${limit} ${nouns[kind]} is reached.` })
  }
  return undefined
}
