import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PageMetadata } from "../../domain/Page.ts"
import {
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

const read = HttpApiEndpoint.get("read", "/api/external/usage", {
  query: {
    from: Schema.optionalKey(Day.annotate({ description: "First day, UTC. Default: 29 days before the last." })),
    to: Schema.optionalKey(
      Day.annotate({ description: `Last day, UTC. Default: today. At most ${USAGE_DAYS_MAX} days in all.` }),
    ),
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

/** The endpoint that reports the tokens which chats have used. */
export class UsageApi extends HttpApiGroup.make("usage")
  .add(read)
  .annotateMerge(OpenApi.annotations({ title: "Usage", description: "What chats have taken." }))
  .middleware(Authorization)
  .middleware(Problems) {}
