import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PageMetadata } from "../../domain/Page.ts"
import {
  ConversationCounts,
  ConversationGroups,
  ConversationUsage,
  Day,
  UsageCounts,
  USAGE_DAYS_MAX,
  UsageGroup,
  UsageGroups,
  UsageRow,
} from "../../domain/organizations/Usage.ts"
import { Authorization, Problems, RequiredScope } from "../Middleware.ts"
import { pageQuery } from "../parts/Paging.ts"
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

const conversations = HttpApiEndpoint.get("conversations", "/api/external/usage/conversations", {
  query: {
    ...days,
    group_by: Schema.optionalKey(
      ConversationGroups.annotate({ description: "The group that each row stands for.", default: "day" }),
    ),
    ...pageQuery,
  },
  success: Schema.Struct({
    from: Day,
    to: Day,
    group_by: ConversationGroups,
    data: Schema.Array(ConversationUsage),
    total: ConversationCounts.annotate({ description: "Of all pages." }),
    metadata: PageMetadata,
  }),
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(
    described(
      "Read numbers of conversations",
      "Conversations with their questions, ratings, replies without an answer, and times to the first word. A conversation counts as a whole for the day of its latest activity, UTC, as long as it is stored: numbers of earlier days fall where conversations go on, are deleted or expire. A key that is bound to a chatbot sees that chatbot's.",
    ),
  )

/** The endpoints that report the tokens which chats have used, and the conversations. */
export class UsageApi extends HttpApiGroup.make("usage")
  .add(read, conversations)
  .annotateMerge(OpenApi.annotations({ title: "Usage", description: "Counts of tokens and of conversations." }))
  .middleware(Authorization)
  .middleware(Problems) {}
