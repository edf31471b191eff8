import { Schema, SchemaTransformation } from "effect"
import { ApiKeyId, ChatbotId, optionalId } from "../Ids.ts"
import { unexpressed } from "../schema/Unexpressed.ts"

/** Tokens of one or more answers, by kind. `input` leaves out those read from or written to the provider's cache. */
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

/** The tokens that one model used. */
export interface ModelCost {
  readonly model: string
  readonly provider: string
  readonly tokens: TokenCounts
}

/** The sum of the costs of each model, in the order in which the models first occur. */
export const costsByModel = (costs: ReadonlyArray<ModelCost>): ReadonlyArray<ModelCost> => {
  const sums = new Map<string, ModelCost>()
  for (const { model, provider, tokens } of costs) {
    const key = JSON.stringify([provider, model])
    sums.set(key, { model, provider, tokens: addTokens(sums.get(key)?.tokens ?? noTokens, tokens) })
  }
  return [...sums.values()]
}

/** The longest span of one usage report, in days. */
export const USAGE_DAYS_MAX = 366

const dayForm = /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u
const isDay = (text: string): boolean => {
  const time = dayForm.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // `Date.parse` reads some days that do not exist as the day after.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

export const Day = Schema.String.check(
  Schema.isPattern(dayForm, { message: "Expected a day such as 2026-11-20" }),
  Schema.makeFilter((text: string) => isDay(text) || "Expected a day such as 2026-11-20", unexpressed),
).annotate({ format: "date", examples: ["2026-11-20"] })

/** The number of a day, counted from 1970-01-01. */
export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 86_400_000
export const dayAt = (number: number): string => new Date(number * 86_400_000).toISOString().slice(0, 10)

const usageGroups = ["day", "chatbot", "model", "provider", "key"] as const
export const UsageGroup = Schema.Literals(usageGroups)
export type UsageGroup = typeof UsageGroup.Type

/** A list of groups as a query parameter holds it, such as `day,model`. */
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

/** Groups of a report on conversations. */
export const ConversationGroups = Schema.Literals(["day", "chatbot", "day,chatbot", "language"])
export type ConversationGroups = typeof ConversationGroups.Type

/** Numbers of conversations, and of what was said and thought in them. */
export const ConversationCounts = Schema.Struct({
  conversations: Count,
  questions: Count.annotate({ description: "Messages of users: half of all messages of each conversation." }),
  unanswered: Count.annotate({ description: "Replies without an answer." }),
  rated_up: Count,
  rated_down: Count,
  first_word_ms: Schema.NullOr(Schema.Struct({ median: Count, p95: Count })).annotate({
    description:
      "Milliseconds from a message to the first word of its reply: the median and the 95th percentile of the replies that were streamed, of which the first hundred of a conversation count. Null where none was.",
  }),
}).annotate({
  identifier: "ConversationCounts",
  examples: [
    {
      conversations: 40,
      questions: 96,
      unanswered: 7,
      rated_up: 12,
      rated_down: 2,
      first_word_ms: { median: 850, p95: 2_400 },
    },
  ],
})
export type ConversationCounts = typeof ConversationCounts.Type

/** The conversations of one group. There is a field for each group of the report, and no other. */
export const ConversationUsage = Schema.Struct({
  day: Schema.optionalKey(Day.annotate({ description: "Of the latest activity." })),
  chatbot_id: optionalId(ChatbotId, "Of the chatbot that answered."),
  language: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description: "Of the questions, as ISO 639-1 has it; null where none of them shows it.",
      examples: ["de"],
    }),
  ),
  ...ConversationCounts.fields,
}).annotate({ identifier: "ConversationUsage" })
export type ConversationUsage = typeof ConversationUsage.Type

/** The usage of one group. There is a field for each group of the report, and no other. */
export const UsageRow = Schema.Struct({
  day: Schema.optionalKey(Day),
  chatbot_id: optionalId(ChatbotId, "Of a chatbot that may have been deleted since."),
  model: Schema.optionalKey(Schema.String.annotate({ examples: ["claude-sonnet-5-5"] })),
  provider: Schema.optionalKey(Schema.String.annotate({ examples: ["anthropic"] })),
  api_key_id: Schema.optionalKey(ApiKeyId),
  ...counts,
}).annotate({ identifier: "UsageRow" })
export type UsageRow = typeof UsageRow.Type
