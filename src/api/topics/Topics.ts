import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ChatbotId } from "../../domain/Ids.ts"
import { Day } from "../../domain/organizations/Usage.ts"
import { PageMetadata } from "../../domain/Page.ts"
import { SuggestedQuestion, Topic, TopicId, TopicPatch, TopicQuestion, TopicState } from "../../domain/topics/Topic.ts"
import { Problem } from "../failures/Problem.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { AlsoRequires, described } from "../parts/Annotations.ts"
import { pageQuery } from "../parts/Paging.ts"

const topicsPath = "/api/external/chatbot/:chatbotId/topics"
const topicPath = `${topicsPath}/:topicId` as const
const ofChatbot = { chatbotId: ChatbotId }
const ofTopic = { chatbotId: ChatbotId, topicId: TopicId }

const days = {
  from: Schema.optionalKey(Day.annotate({ description: "First day, UTC. Default: 83 days before the last." })),
  to: Schema.optionalKey(Day.annotate({ description: "Last day, UTC. Default: today." })),
}
const gaps = Schema.optionalKey(
  Schema.Literals(["true", "false"]).annotate({
    description: "`true`: only what shows a gap of the knowledge. `false`: all, as when it is absent.",
  }),
)

const listTopics = HttpApiEndpoint.get("listTopics", topicsPath, {
  params: ofChatbot,
  query: { ...days, gaps, state: Schema.optionalKey(TopicState), ...pageQuery },
  success: Schema.Struct({
    from: Day,
    to: Day,
    data: Schema.Array(Topic),
    ungrouped: Schema.Int.annotate({ description: "Questions that are not grouped yet." }),
    metadata: PageMetadata,
  }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(
    described(
      "List topics",
      "What users ask, grouped by subject in the background. With `gaps`: topics that first appeared within a week come first, then those with the most gaps. Without: those with the most questions first.",
    ),
  )

const listTopicQuestions = HttpApiEndpoint.get("listTopicQuestions", `${topicPath}/questions`, {
  params: ofTopic,
  query: { gaps, ...pageQuery },
  success: Schema.Struct({ data: Schema.Array(TopicQuestion), metadata: PageMetadata }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(described("List the questions of a topic", "Newest first, each with what was found nearest."))

const updateTopic = HttpApiEndpoint.patch("updateTopic", topicPath, {
  params: ofTopic,
  payload: TopicPatch,
  success: Schema.Struct({ topic: Topic }),
  error: Problem.NotFound,
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "conversations:write")
  .annotate(AlsoRequires, ["conversations:read"])
  .annotateMerge(
    described(
      "Update a topic",
      "Its name, or what is to become of its gaps. The key needs `conversations:read` as well.",
    ),
  )

const suggestQuestions = HttpApiEndpoint.get(
  "suggestQuestions",
  "/api/external/chatbot/:chatbotId/suggested-questions",
  {
    params: ofChatbot,
    success: Schema.Struct({ questions: Schema.Array(SuggestedQuestion) }),
    error: Problem.NotFound,
  },
)
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(
    described(
      "Suggest starter questions",
      "Questions that could be offered before the first message, at most 20: what users ask most and is answered, and what the headings of the documents say. Nothing of it is offered until it is in `suggestions` of the chat widget's look. The key needs `knowledge:read` as well for the headings.",
    ),
  )

/** The endpoints of what the users of a chatbot ask. */
export class TopicsApi extends HttpApiGroup.make("topics")
  .add(listTopics, listTopicQuestions, updateTopic, suggestQuestions)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "Topics", description: "What users ask, and what has no answer." }))
  .middleware(Authorization)
  .middleware(Problems) {}
