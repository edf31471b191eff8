import { HttpApi, OpenApi } from "effect/http-api"
import { AdminApi } from "./organizations/Admin.ts"
import { AttachmentsApi } from "./conversations/Attachments.ts"
import { AuditLogApi } from "./organizations/AuditLog.ts"
import { CannedAnswersApi } from "./inbox/CannedAnswers.ts"
import { ChatApi } from "./conversations/Chat.ts"
import { ChatbotsApi, OverviewApi } from "./chatbots/Chatbots.ts"
import { ChatbotToolsApi } from "./chatbots/ChatbotTools.ts"
import { ConsoleAccessApi, ConsoleApi } from "./organizations/ConsoleSession.ts"
import { EventsApi } from "./organizations/Events.ts"
import { AllConversationsApi, ConversationsApi } from "./conversations/Conversations.ts"
import { IdentitySecretsApi } from "./widget/IdentitySecrets.ts"
import { InboxApi, InboxCountsApi } from "./inbox/Inbox.ts"
import { KnowledgeApi } from "./knowledge/Knowledge.ts"
import { ColleaguesApi, PeopleApi } from "./people/People.ts"
import { OpenAiApi } from "./OpenAi.ts"
import { completeDocument } from "./OpenApiDocument.ts"
import { QuestionsApi } from "./knowledge/Questions.ts"
import { RepliesApi } from "./conversations/Replies.ts"
import { ProviderSignInApi } from "./people/ProviderSignIn.ts"
import { ModelsApi } from "./models/Models.ts"
import { SignInProvidersApi } from "./people/SignInProviders.ts"
import { SourcesApi } from "./knowledge/Sources.ts"
import { SystemApi, SystemStateApi } from "./system/System.ts"
import { TestsApi } from "./evaluation/Tests.ts"
import { TopicsApi } from "./topics/Topics.ts"
import { TestRunsApi } from "./evaluation/TestRuns.ts"
import { UsageApi } from "./organizations/Usage.ts"
import { VoiceApi } from "./voice/Voice.ts"
import { WebhooksApi } from "./webhooks/Webhooks.ts"
import { WidgetAccessApi, WidgetApi } from "./widget/Widget.ts"

/** The version of the HTTP API that this server implements. */
export const apiVersion = "1.0.0"

/** The beginning of the paths of the operations that the source specification shows. */
export const specifiedPath = "/api/external/"

/** The HTTP API that the OpenAPI document describes: every group of endpoints. */
export class Api extends HttpApi.make("parley")
  .add(ChatbotsApi, OverviewApi, ChatbotToolsApi)
  .add(KnowledgeApi, SourcesApi, QuestionsApi)
  .add(ChatApi, OpenAiApi, ConversationsApi, AttachmentsApi, AllConversationsApi, RepliesApi)
  .add(InboxApi, InboxCountsApi, CannedAnswersApi)
  .add(TestsApi, TestRunsApi, TopicsApi, VoiceApi, ModelsApi, WebhooksApi)
  .add(AdminApi, AuditLogApi, UsageApi, EventsApi)
  .add(PeopleApi, ColleaguesApi, SignInProvidersApi, ProviderSignInApi, ConsoleAccessApi, ConsoleApi)
  .add(IdentitySecretsApi, WidgetAccessApi, WidgetApi)
  .add(SystemStateApi, SystemApi)
  // The compiler has checked that handlers return the declared types.
  .annotate(HttpApi.SuccessParseOptions, { disableChecks: true })
  .annotateMerge(
    OpenApi.annotations({
      title: "Parley",
      version: apiVersion,
      description: [
        "Chatbots with a knowledge base, on your own machines.",
        "The [guide](/docs/guide) leads through this API with curl; beside it are pages about [errors](/docs/errors), [keys and budgets](/docs/keys-and-budgets) and running a server.",
        "Errors are RFC 9457 problems (`application/problem+json`): `code` is stable and meant for programs, `detail` for people, `request_id` finds the line in the server's log. Below `/v1` they have OpenAI's form.",
        "Every response carries `x-request-id` (a well-formed incoming one is kept) and `X-Api-Version`. `Accept-Version` may ask for `1`, `1.0` or `1.0.0`.",
        "429 and 503 carry `Retry-After`. `RateLimit-Policy` and `RateLimit` say what an API key may ask for, and what remains of it.",
      ].join("\n\n"),
      license: { name: "MIT", identifier: "MIT" },
      servers: [{ url: "/", description: "The server that this document comes from." }],
      transform: completeDocument,
    }),
  ) {}
