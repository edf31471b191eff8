import { Layer } from "effect"
import { Admin } from "./organizations/Admin.ts"
import { ApiKeys } from "./keys/ApiKeys.ts"
import { Attachments } from "./conversations/Attachments.ts"
import { AuditLog, type AuditSettings } from "./organizations/AuditLog.ts"
import { Avatars } from "./chatbots/Avatars.ts"
import type { BudgetSettings } from "../admission/Budgets.ts"
import { CannedAnswers } from "./inbox/CannedAnswers.ts"
import { Chat, type ChatSettings } from "./conversations/Chat.ts"
import { Chatbots } from "./chatbots/Chatbots.ts"
import { ChatbotTools } from "./chatbots/ChatbotTools.ts"
import { RepliesUnderWay } from "./conversations/RepliesUnderWay.ts"
import { ConsoleSessions, type ConsoleSessionsSettings } from "./people/ConsoleSessions.ts"
import { Events } from "./organizations/Events.ts"
import { VoiceServers, type VoiceSettings } from "../models/voice/VoiceServers.ts"
import * as QueueFigures from "./system/QueueFigures.ts"
import { SystemStates, type SystemStatesSettings } from "./system/SystemStates.ts"
import { Inbox } from "./inbox/Inbox.ts"
import { Conversations } from "./conversations/Conversations.ts"
import { Topics } from "./topics/Topics.ts"
import { Replies } from "./conversations/Replies.ts"
import { TestRuns } from "./evaluation/TestRuns.ts"
import { Trials } from "./conversations/Trials.ts"
import type { RateLimits, VisitorRates } from "../domain/organizations/RateLimit.ts"
import { ModelConnections } from "./models/ModelConnections.ts"
import { ModelTests } from "./models/ModelTests.ts"
import { Health } from "./system/Health.ts"
import { Uploads } from "./knowledge/Uploads.ts"
import { Idempotency } from "./Idempotency.ts"
import { Knowledge } from "./knowledge/Knowledge.ts"
import { Questions } from "./knowledge/questions/Questions.ts"
import { Organizations } from "./organizations/Organizations.ts"
import { RateLimiter } from "../admission/RateLimiter.ts"
import { Shares } from "../admission/Shares.ts"
import { Archives } from "./knowledge/Archives.ts"
import { Sources } from "./knowledge/Sources.ts"
import { SignInProviders } from "./people/SignInProviders.ts"
import { People } from "./people/People.ts"
import { PersonSessions } from "./people/PersonSessions.ts"
import { ProviderSignIn } from "./people/ProviderSignIn.ts"
import { SignIns } from "./people/SignIns.ts"
import { ServerSecrets } from "./ServerSecrets.ts"
import { Tests } from "./evaluation/Tests.ts"
import { Usage } from "./organizations/Usage.ts"
import { Webhooks } from "./webhooks/Webhooks.ts"
import { Placements } from "./widget/Placements.ts"
import { IdentitySecrets } from "./widget/IdentitySecrets.ts"
import { VisitorTokens } from "./widget/VisitorTokens.ts"
import { LiveReplies } from "./widget/LiveReplies.ts"
import { VisitorChats } from "./widget/VisitorChats.ts"
import { VisitorHandovers } from "./widget/VisitorHandovers.ts"
import { VisitorUpdates } from "./widget/VisitorUpdates.ts"
import { VoiceTurns } from "./voice/VoiceTurns.ts"
import { VisitorConversations } from "./widget/VisitorConversations.ts"

export interface ServicesSettings extends SystemStatesSettings {
  readonly audit: AuditSettings
  readonly budgets: BudgetSettings
  readonly chat: ChatSettings
  readonly consoleSessions: ConsoleSessionsSettings
  readonly rates: RateLimits
  readonly visitorRates: VisitorRates
  readonly voice: VoiceSettings
}

/** The services for organizations, their API keys and their people, as the command line uses them. */
export const tenancy = People.layer.pipe(Layer.provideMerge(Layer.mergeAll(ApiKeys.layer, Organizations.layer)))

const widget = Layer.mergeAll(VisitorUpdates.layer, VisitorHandovers.layer, VisitorChats.layer, VoiceTurns.layer).pipe(
  Layer.provideMerge(VisitorTokens.layer()),
  Layer.provideMerge(Layer.mergeAll(Placements.layer, IdentitySecrets.layer, VisitorConversations.layer)),
  Layer.provide(LiveReplies.layer),
)

/** All services of the platform. */
export const layer = (settings: ServicesSettings) =>
  Layer.mergeAll(
    Layer.mergeAll(Admin.layer(settings.budgets.key), ProviderSignIn.layer).pipe(
      Layer.provideMerge(SignIns.layer),
      Layer.provideMerge(ConsoleSessions.layer(settings.consoleSessions)),
      Layer.provideMerge(Layer.mergeAll(tenancy, PersonSessions.layer, SignInProviders.layer)),
    ),
    Layer.mergeAll(AuditLog.layer(settings.audit), Events.layer, Usage.layer, Webhooks.layer),
    Avatars.layer.pipe(Layer.provideMerge([Chatbots.layer, ChatbotTools.layer])),
    Archives.layer.pipe(Layer.provideMerge([Questions.layer, Sources.layer, Knowledge.layer, Uploads.layer])),
    Layer.merge(Inbox.layer, CannedAnswers.layer).pipe(
      Layer.provideMerge([Trials.layer, Conversations.layer, Replies.layer, Attachments.layer]),
    ),
    widget.pipe(Layer.provideMerge(Chat.layer(settings.chat))),
    Layer.mergeAll(ModelConnections.layer, ModelTests.layer, Tests.layer, TestRuns.layer, Topics.layer),
    SystemStates.layer(settings).pipe(Layer.provideMerge([Health.layer, QueueFigures.layer, Idempotency.layer])),
  ).pipe(
    Layer.provide([RepliesUnderWay.layer, VoiceServers.layer(settings.voice)]),
    Layer.provideMerge([RateLimiter.layer(settings.rates, settings.visitorRates), ServerSecrets.layer, Shares.layer]),
  )
