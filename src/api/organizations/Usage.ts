import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PageMetadata } from "../../domain/Page.ts"
import {
  ConversationCounts,
  ConversationGroups,
  ConversationUsage,
  FILE_ROWS_MAX,
  Day,
  TimeZone,
  UsageCounts,
  USAGE_DAYS_MAX,
  UsageGroup,
  UsageGroups,
  UsageRow,
} from "../../domain/organizations/Usage.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { Authorization, Problems, RequiredScope } from "../Middleware.ts"
import { Problem } from "../failures/Problem.ts"
import { pageQuery } from "../parts/Paging.ts"
import { merge } from "../../domain/schema/Merge.ts"
import { described } from "../parts/Annotations.ts"

const days = {
  from: Schema.optionalKey(Day.annotate({ description: "First day, UTC. Default: 29 days before the last." })),
  to: Schema.optionalKey(
    Day.annotate({ description: `Last day, UTC. Default: today. At most ${USAGE_DAYS_MAX} days in all.` }),
  ),
}

const read = HttpApiEndpoint.get("read", "/api/external/usage", {
  query: {
    ...days,
    group_by: Schema.optionalKey(UsageGroups),
    ...pageQuery,
  },
  success: Schema.Struct({
    from: Day,
    to: Day,
    group_by: Schema.Array(UsageGroup),
    data: Schema.Array(UsageRow),
    total: UsageCounts.annotate({ description: "Of all pages." }),
    metadata: PageMetadata,
  }),
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(
    described(
      "Read usage",
      "Tokens that the models of this organization's chats have taken, as their providers told them; of replies that failed or were cut off too, and of conversations that were deleted since. What a provider did not tell, because a reply was cut off before its end or because it tells none, is estimated: a token for four characters of what was sent and of what came. A reply counts for the day on which it ended, at once. Days without replies are left out. A key that is bound to a chatbot sees that chatbot's.",
    ),
  )

/** Two schemas of one identifier would be two types of the clients that are generated. */
const ConversationTotals = ConversationCounts.annotate({
  description: "Of all pages: of the days that were asked for, and as `previous` of as many days before.",
})

const conversations = HttpApiEndpoint.get("conversations", "/api/external/usage/conversations", {
  query: {
    ...days,
    group_by: Schema.optionalKey(
      ConversationGroups.annotate({ description: "The group that each row stands for.", default: "day" }),
    ),
    time_zone: Schema.optionalKey(
      TimeZone.annotate({
        description: "The time zone whose hours `hour` means. Days are in UTC all the same.",
        default: "UTC",
      }),
    ),
    chatbot_id: Schema.optionalKey(ChatbotId.annotate({ description: "Conversations of this chatbot only." })),
    previous: Schema.optionalKey(
      Schema.Literals(["true", "false"]).annotate({ description: "`true`: with the numbers of as many days before." }),
    ),
    format: Schema.optionalKey(
      Schema.Literals(["json", "csv"]).annotate({ description: "Absent: as `Accept` says, `text/csv` or else JSON." }),
    ),
    ...pageQuery,
  },
  success: Schema.Struct({
    from: Day,
    to: Day,
    group_by: ConversationGroups,
    data: Schema.Array(ConversationUsage),
    total: ConversationTotals,
    previous: Schema.optionalKey(ConversationTotals),
    metadata: PageMetadata,
  }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Read numbers of conversations",
      description:
        "Conversations with their questions, ratings, replies without an answer, and times to the first word. A conversation counts as a whole for the day of its latest activity, UTC, as long as it is stored: numbers of earlier days fall where conversations go on, are deleted or expire. `platform`, `page` and `topic` come with the most conversations first. By `topic`, the questions of these days count for which something was searched, and a conversation counts once for each of its topics, in `total` too; times to the first word are not known. A key that is bound to a chatbot sees that chatbot's.",
      transform: (operation) =>
        merge(operation, {
          responses: {
            200: {
              content: {
                "text/csv": {
                  schema: {
                    type: "string",
                    description: `A line for each row of all pages, at most ${FILE_ROWS_MAX.toLocaleString("en")}, in UTF-8 with a byte order mark. Cells that a spreadsheet would take for formulas begin with an apostrophe.`,
                  },
                },
              },
            },
          },
        }),
    }),
  )

/** The endpoints that report the tokens which chats have used, and the conversations. */
export class UsageApi extends HttpApiGroup.make("usage")
  .add(read, conversations)
  .annotateMerge(OpenApi.annotations({ title: "Usage", description: "Counts of tokens and of conversations." }))
  .middleware(Authorization)
  .middleware(Problems) {}
