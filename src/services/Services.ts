import { Layer } from "effect"
import { Admin } from "./Admin.ts"
import { AllConversations, type AllConversationsSettings } from "./console/AllConversations.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { AuditLog, type AuditSettings } from "./AuditLog.ts"
import { Avatars } from "./Avatars.ts"
import { Budgets, type BudgetSettings } from "./Budgets.ts"
import { Chat, type ChatSettings } from "./Chat.ts"
import { Chatbots } from "./Chatbots.ts"
import { ChatbotTools, type ChatbotToolsSettings } from "./ChatbotTools.ts"
import { Checkpoints, type CheckpointSettings } from "./Checkpoints.ts"
import { ConsoleSessions, type ConsoleSessionsSettings } from "./console/ConsoleSessions.ts"
import { ChatbotCopies } from "./console/ChatbotCopies.ts"
import { DocumentPassages } from "./console/DocumentPassages.ts"
import { Events, type EventsSettings } from "./console/Events.ts"
import * as QueueFigures from "./console/QueueFigures.ts"
import { Overview } from "./console/Overview.ts"
import { SystemStates, type SystemStatesSettings } from "./console/SystemStates.ts"
import { SearchExplanations } from "./console/SearchExplanations.ts"
import { ToolTrials, type ToolTrialsSettings } from "./console/ToolTrials.ts"
import { Conversations } from "./Conversations.ts"
import type { RateLimits } from "../domain/rates/RateLimit.ts"
import { Health } from "./Health.ts"
import { Uploads, type UploadsSettings } from "./Uploads.ts"
import { Erasures } from "./Erasures.ts"
import { Idempotency } from "./Idempotency.ts"
import { Knowledge } from "./Knowledge.ts"
import { Organizations } from "./Organizations.ts"
import { Shares, type SharesSettings } from "./Shares.ts"
import { AddressLimiter } from "./rates/AddressLimiter.ts"
import { RateLimiter } from "./rates/RateLimiter.ts"
import { ServerSecrets } from "./ServerSecrets.ts"
import { VisitorLimiter, type VisitorRates } from "./rates/VisitorLimiter.ts"
import { Usage, type UsageSettings } from "./Usage.ts"
import { Webhooks, type WebhooksSettings } from "./webhooks/Webhooks.ts"
import { Placements } from "./widget/Placements.ts"
import { IdentitySecrets } from "./widget/IdentitySecrets.ts"
import { VisitorTokens, type VisitorTokensSettings } from "./widget/VisitorTokens.ts"
import { LiveReplies, type LiveRepliesSettings } from "./widget/LiveReplies.ts"
import { VisitorChats } from "./widget/VisitorChats.ts"
import { VisitorConversations } from "./widget/VisitorConversations.ts"

export interface ServicesSettings extends SystemStatesSettings {
  readonly allConversations: AllConversationsSettings
  readonly audit: AuditSettings
  readonly budgets: BudgetSettings
  readonly chat: ChatSettings
  readonly chatbotTools: ChatbotToolsSettings
  readonly checkpoints: CheckpointSettings
  readonly consoleSessions: ConsoleSessionsSettings
  readonly events: EventsSettings
  readonly toolTrials: ToolTrialsSettings
  readonly liveReplies: LiveRepliesSettings
  readonly rates: RateLimits
  readonly shares: SharesSettings
  readonly uploads: UploadsSettings
  readonly usage: UsageSettings
  readonly visitorRates: VisitorRates
  readonly visitorTokens: VisitorTokensSettings
  readonly webhooksOfOrganization: WebhooksSettings
}

/** The services for organizations and their API keys, as the command line uses them. */
export const tenancy = Layer.mergeAll(ApiKeys.layer, Organizations.layer)

/** The services of the chat widget. */
const widget = (settings: ServicesSettings) =>
  Layer.mergeAll(VisitorTokens.layer(settings.visitorTokens), VisitorChats.layer(settings.liveReplies)).pipe(
    Layer.provideMerge(Layer.mergeAll(Placements.layer, IdentitySecrets.layer, VisitorConversations.layer)),
    Layer.provide(LiveReplies.layer(settings.liveReplies)),
    Layer.provideMerge(VisitorLimiter.layer(settings.visitorRates)),
  )

/** All services of the platform. */
export const layer = (settings: ServicesSettings) =>
  Layer.mergeAll(
    Layer.mergeAll(
      Admin.layer(settings.budgets.key),
      ConsoleSessions.layer(settings.consoleSessions).pipe(Layer.provideMerge(AddressLimiter.layer(settings.rates))),
    ).pipe(Layer.provideMerge(tenancy)),
    AllConversations.layer(settings.allConversations),
    AuditLog.layer(settings.audit),
    Layer.merge(Avatars.layer, ChatbotCopies.layer).pipe(Layer.provideMerge(Chatbots.layer)),
    ToolTrials.layer(settings.toolTrials).pipe(Layer.provideMerge(ChatbotTools.layer(settings.chatbotTools))),
    DocumentPassages.layer,
    Events.layer(settings.events),
    SearchExplanations.layer,
    Overview.layer,
    QueueFigures.layer,
    Conversations.layer,
    Erasures.layer,
    SystemStates.layer(settings).pipe(Layer.provideMerge(Health.layer)),
    Uploads.layer(settings.uploads),
    Idempotency.layer,
    Knowledge.layer,
    Usage.layer(settings.usage),
    Webhooks.layer(settings.webhooksOfOrganization),
    widget(settings).pipe(Layer.provideMerge(Chat.layer(settings.chat))),
  ).pipe(
    Layer.provide([Budgets.layer(settings.budgets), Checkpoints.layer(settings.checkpoints)]),
    Layer.provideMerge([RateLimiter.layer(settings.rates), ServerSecrets.layer, Shares.layer(settings.shares)]),
  )
