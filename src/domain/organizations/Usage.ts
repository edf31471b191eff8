import { DateTime, Option, Schema, SchemaTransformation } from "effect"
import { ApiKeyId, ChatbotId, optionalId } from "../Ids.ts"
import { unexpressed } from "../schema/Unexpressed.ts"
import { TopicId } from "../topics/Topic.ts"

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

/** The most rows of a report that is a file: a year of a hundred chatbots by day has fewer. */
export const FILE_ROWS_MAX = 50_000

/** Groups of a report on conversations. */
export const ConversationGroups = Schema.Literals([
  "day",
  "chatbot",
  "day,chatbot",
  "language",
  "platform",
  "page",
  "hour",
  "topic",
])
export type ConversationGroups = typeof ConversationGroups.Type

/** A time zone by its name in the IANA database: offsets mean the opposite to Postgres. */
export const TimeZone = Schema.String.check(
  Schema.makeFilter(
    (name: string) =>
      (/^[A-Za-z]/u.test(name) && Option.isSome(DateTime.zoneMakeNamed(name))) ||
      "Expected a time zone such as Europe/Berlin",
    unexpressed,
  ),
).annotate({ examples: ["Europe/Berlin"] })

/** Numbers of conversations, and of what was said and thought in them. */
export const ConversationCounts = Schema.Struct({
  conversations: Count,
  questions: Count.annotate({ description: "Messages of users: half of all messages of each conversation." }),
  unanswered: Count.annotate({ description: "Replies without an answer." }),
  rated_up: Count,
  rated_down: Count,
  resolved: Count.annotate({
    description:
      "Conversations that needed no help: with a reply, without one that is no answer, and without one that was rated down.",
  }),
  first_word_ms: Schema.NullOr(Schema.Struct({ median: Count, p95: Count })).annotate({
    description:
      "Milliseconds from a message to the first word of its reply: the median and the 95th percentile of the replies that were streamed, of which the first hundred of a conversation count, to within two percent. Null where none was.",
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
      resolved: 33,
      first_word_ms: { median: 850, p95: 2_400 },
    },
  ],
})
export type ConversationCounts = typeof ConversationCounts.Type

/** The conversations of one group. There is a field for each group of the report, and no other. */
export const ConversationUsage = Schema.Struct({
  day: Schema.optionalKey(Day.annotate({ description: "Of the latest activity." })),
  chatbot_id: optionalId(ChatbotId, "Of the chatbot that answered."),
  chatbot_name: Schema.optionalKey(Schema.String),
  language: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description: "Of the questions, as ISO 639-1 has it; null where none of them shows it.",
      examples: ["de"],
    }),
  ),
  platform: Schema.optionalKey(Schema.String.annotate({ examples: ["widget"] })),
  page: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description: "The page on which the conversation began; null where it is not known.",
      examples: ["https://example.com/pricing"],
    }),
  ),
  hour: Schema.optionalKey(
    Count.check(Schema.isLessThan(24)).annotate({
      description: "The hour of the day in which the conversation began.",
    }),
  ),
  topic_id: Schema.optionalKey(
    Schema.NullOr(TopicId).annotate({ description: "Null for the questions that are not grouped yet." }),
  ),
  topic_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
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
