import { Layer } from "effect"
import { Secrets, type SecretsSettings } from "../system/Secrets.ts"
import { AfterCommit } from "./sql/AfterCommit.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { Auditing } from "./audit/Auditing.ts"
import { AuditLog } from "./audit/AuditLog.ts"
import { Backups } from "./backup/Backups.ts"
import { Restoration } from "./backup/Restoration.ts"
import { Snapshots } from "./backup/Snapshots.ts"
import { BlobGarbage } from "./BlobGarbage.ts"
import { BlobOwners } from "./BlobOwners.ts"
import { Budgets } from "./Budgets.ts"
import { Chatbots } from "./Chatbots.ts"
import { ChatbotTools } from "./ChatbotTools.ts"
import { Chunks } from "./search/Chunks.ts"
import { KeyOwners } from "./console/KeyOwners.ts"
import { ChatbotCopies } from "./console/ChatbotCopies.ts"
import { OrganizationChanges } from "./console/OrganizationChanges.ts"
import { ServerState } from "./console/ServerState.ts"
import { Totals } from "./console/Totals.ts"
import { Passages } from "./console/Passages.ts"
import { ConversationLists } from "./console/ConversationLists.ts"
import { Conversations } from "./Conversations.ts"
import { DatabaseHealth } from "./inspection/DatabaseHealth.ts"
import { Documents } from "./Documents.ts"
import { Erasures } from "./Erasures.ts"
import { IdempotencyKeys } from "./IdempotencyKeys.ts"
import { Ingestions } from "./Ingestions.ts"
import { ServerList } from "./console/ServerList.ts"
import { Inspection } from "./inspection/Inspection.ts"
import { LexemeIndexes } from "./search/LexemeIndexes.ts"
import { Messages } from "./Messages.ts"
import { OrganizationRemains } from "./OrganizationRemains.ts"
import { Organizations } from "./Organizations.ts"
import type { QuotaLimits } from "../domain/Quota.ts"
import { Ping } from "./sql/Ping.ts"
import { Quotas } from "./Quotas.ts"
import { RateCounts } from "./RateCounts.ts"
import { Reembeddings } from "./Reembeddings.ts"
import { Retention } from "./Retention.ts"
import { ServerSecrets } from "./ServerSecrets.ts"
import { ToolHeaders } from "./ToolHeaders.ts"
import { UnfinishedReplies } from "./UnfinishedReplies.ts"
import { Usage } from "./Usage.ts"
import { VectorIndexes } from "./search/VectorIndexes.ts"
import { WebhookDeliveries } from "./webhooks/WebhookDeliveries.ts"
import { WebhookFigures } from "./webhooks/WebhookFigures.ts"
import { WebhookQueue } from "./webhooks/WebhookQueue.ts"
import { Webhooks } from "./webhooks/Webhooks.ts"
import { WebhookUpkeep } from "./webhooks/WebhookUpkeep.ts"
import { IdentitySecrets } from "./widget/IdentitySecrets.ts"
import { PublicChatbots } from "./widget/PublicChatbots.ts"
import { VisitorConversations } from "./widget/VisitorConversations.ts"

/**
 * Every repository, over the two SQL clients of a database. Secrets are encrypted with the keys of the settings, and
 * `quotas` are the limits of organizations without a quota of their own.
 */
export const layer = (secrets: SecretsSettings, quotas: QuotaLimits) =>
  Layer.mergeAll(
    AfterCommit.layer,
    ApiKeys.layer,
    AuditLog.layer,
    Backups.layer,
    BlobGarbage.layer,
    BlobOwners.layer,
    Budgets.layer,
    Chatbots.layer,
    ChatbotCopies.layer,
    ChatbotTools.layer,
    Chunks.layer,
    ConversationLists.layer,
    Conversations.layer,
    DatabaseHealth.layer,
    Documents.layer,
    Erasures.layer,
    IdempotencyKeys.layer,
    IdentitySecrets.layer,
    Ingestions.layer,
    Inspection.layer,
    ServerList.layer,
    KeyOwners.layer,
    LexemeIndexes.layer,
    Messages.layer,
    OrganizationChanges.layer.pipe(Layer.provide(Documents.layer)),
    OrganizationRemains.layer,
    Organizations.layer,
    Passages.layer,
    Ping.layer,
    PublicChatbots.layer,
    RateCounts.layer,
    Reembeddings.layer,
    Restoration.layer,
    Retention.layer,
    ServerSecrets.layer,
    ServerState.layer,
    Snapshots.layer,
    ToolHeaders.layer,
    Totals.layer,
    UnfinishedReplies.layer,
    Usage.layer,
    VectorIndexes.layer(),
    VisitorConversations.layer,
    WebhookDeliveries.layer,
    WebhookFigures.layer,
    WebhookQueue.layer,
    Webhooks.layer,
    WebhookUpkeep.layer,
  ).pipe(Layer.provideMerge([Auditing.layer, Quotas.layer(quotas)]), Layer.provide(Secrets.layer(secrets)))
