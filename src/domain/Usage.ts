import { Schema, SchemaTransformation } from "effect"
import { ApiKeyId, ChatbotId } from "./Ids.ts"
import { unexpressed } from "./schema/Unexpressed.ts"

/** Tokens of all kinds. `input` leaves out those read from or written to the provider's cache. */
export type TokenCounts = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export const noTokens: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export const addTokens = (a: TokenCounts, b: TokenCounts): TokenCounts => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
})

/** What a model took. */
export interface ModelCost {
  readonly model: string
  readonly provider: string
  readonly tokens: TokenCounts
}

/** What each model took, in the order in which they were first asked. */
export const costsByModel = (costs: ReadonlyArray<ModelCost>): ReadonlyArray<ModelCost> => {
  const sums = new Map<string, ModelCost>()
  for (const { model, provider, tokens } of costs) {
    const key = JSON.stringify([provider, model])
    sums.set(key, { model, provider, tokens: addTokens(sums.get(key)?.tokens ?? noTokens, tokens) })
  }
  return [...sums.values()]
}

/** Days that one request can ask for. */
export const USAGE_DAYS_MAX = 366

const dayForm = /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u
const isDay = (text: string): boolean => {
  const time = dayForm.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Some days that do not exist are read as the one after.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

export const Day = Schema.String.check(
  Schema.isPattern(dayForm, { message: "Expected a day such as 2026-11-20" }),
  Schema.makeFilter((text: string) => isDay(text) || "Expected a day such as 2026-11-20", unexpressed),
).annotate({ format: "date", examples: ["2026-11-20"] })

/** Midnight, UTC, in days since 1970. */
export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 86_400_000
export const dayAt = (number: number): string => new Date(number * 86_400_000).toISOString().slice(0, 10)

export const usageGroups = ["day", "chatbot", "model", "provider", "key"] as const
export const UsageGroup = Schema.Literals(usageGroups)
export type UsageGroup = typeof UsageGroup.Type

/** `day,model`: some of the groups, each at most once. */
export const UsageGroups = Schema.String.check(
  Schema.isPattern(new RegExp(`^(?:${usageGroups.join("|")})(?:,(?:${usageGroups.join("|")}))*$`, "u"), {
    message: `Expected some of ${usageGroups.join(", ")}, with commas between`,
  }),
)
  .annotate({
    description: `What each row stands for: some of ${usageGroups.map((group) => `\`${group}\``).join(", ")}, with commas between.`,
    default: "day",
    examples: ["day,model"],
  })
  .pipe(
    Schema.decodeTo(
      Schema.Array(UsageGroup),
      SchemaTransformation.transform({
        decode: (text): ReadonlyArray<UsageGroup> => usageGroups.filter((group) => text.split(",").includes(group)),
        encode: (groups) => groups.join(","),
      }),
    ),
  )

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const counts = {
  replies: Count.annotate({
    description:
      "Replies of a model; those that were cut off count too. One that several models made counts for the last.",
  }),
  input_tokens: Count.annotate({ description: "Without those that were read from or written to a cache." }),
  output_tokens: Count,
  cache_read_tokens: Count,
  cache_write_tokens: Count,
  total_tokens: Count.annotate({ description: "Of all four kinds." }),
}

export const UsageCounts = Schema.Struct(counts).annotate({
  identifier: "UsageCounts",
  examples: [
    {
      replies: 2,
      input_tokens: 1_050,
      output_tokens: 310,
      cache_read_tokens: 2_048,
      cache_write_tokens: 512,
      total_tokens: 3_920,
    },
  ],
})
export type UsageCounts = typeof UsageCounts.Type

/** What was taken in one group: of each group that was asked for, there is one field. */
export const UsageRow = Schema.Struct({
  day: Schema.optionalKey(Day),
  chatbot_id: Schema.optionalKey(
    ChatbotId.pipe(Schema.annotateEncoded({ description: "Of a chatbot that may have been deleted since." })),
  ),
  model: Schema.optionalKey(Schema.String.annotate({ examples: ["claude-sonnet-5-5"] })),
  provider: Schema.optionalKey(Schema.String.annotate({ examples: ["anthropic"] })),
  api_key_id: Schema.optionalKey(ApiKeyId),
  ...counts,
}).annotate({ identifier: "UsageRow" })
export type UsageRow = typeof UsageRow.Type
