import { Layer } from "effect"
import { Secrets, type SecretsSettings } from "../system/Secrets.ts"
import { AfterCommit } from "./sql/AfterCommit.ts"
import { ApiKeys } from "./keys/ApiKeys.ts"
import { Auditing } from "./audit/Auditing.ts"
import { Attachments } from "./conversations/Attachments.ts"
import { AuditLog } from "./audit/AuditLog.ts"
import { Backups } from "./backup/Backups.ts"
import { Restoration } from "./backup/Restoration.ts"
import { SignInProviders } from "./people/SignInProviders.ts"
import { Snapshots } from "./backup/Snapshots.ts"
import { BlobGarbage } from "./blobs/BlobGarbage.ts"
import { BlobOwners } from "./blobs/BlobOwners.ts"
import { FileStores } from "./blobs/FileStores.ts"
import { Budgets } from "./usage/Budgets.ts"
import { CannedAnswers } from "./inbox/CannedAnswers.ts"
import { Chatbots } from "./chatbots/Chatbots.ts"
import { Questions } from "./sources/Questions.ts"
import { ChatbotTools } from "./tools/ChatbotTools.ts"
import { Chunks } from "./search/Chunks.ts"
import { ChatbotCopies } from "./chatbots/ChatbotCopies.ts"
import { OrganizationChanges } from "./OrganizationChanges.ts"
import { CrawledHosts } from "./sources/CrawledHosts.ts"
import { SourceFrontier } from "./sources/SourceFrontier.ts"
import { Archives } from "./sources/Archives.ts"
import { SourcePages } from "./sources/SourcePages.ts"
import { SourceQueue } from "./sources/SourceQueue.ts"
import { SourceRuns } from "./sources/SourceRuns.ts"
import { Sources } from "./sources/Sources.ts"
import { TestPlans } from "./evaluation/TestPlans.ts"
import { Tests } from "./evaluation/Tests.ts"
import { TopicRuns } from "./topics/TopicRuns.ts"
import { Topics } from "./topics/Topics.ts"
import { Totals } from "./chatbots/Totals.ts"
import { Passages } from "./documents/Passages.ts"
import { ConversationLists } from "./conversations/ConversationLists.ts"
import { ConversationSums } from "./conversations/ConversationSums.ts"
import { Conversations } from "./conversations/Conversations.ts"
import { Documents } from "./documents/Documents.ts"
import { Erasures } from "./conversations/Erasures.ts"
import { IdempotencyKeys } from "./IdempotencyKeys.ts"
import { Inbox } from "./inbox/Inbox.ts"
import { Presences } from "./inbox/Presences.ts"
import { Ingestions } from "./documents/Ingestions.ts"
import { Inspection } from "./inspection/Inspection.ts"
import { LexemeIndexes } from "./search/LexemeIndexes.ts"
import { Mails } from "./inbox/Mails.ts"
import { ModelConnections } from "./models/ModelConnections.ts"
import { Messages } from "./conversations/Messages.ts"
import { OrganizationRemains } from "./organizations/OrganizationRemains.ts"
import { Organizations } from "./organizations/Organizations.ts"
import { Quotas } from "./organizations/Quotas.ts"
import { People } from "./people/People.ts"
import { PersonSessions } from "./people/PersonSessions.ts"
import { ProviderPeople } from "./people/ProviderPeople.ts"
import { SignIns } from "./people/SignIns.ts"
import { RateCounts } from "./RateCounts.ts"
import { Reembeddings } from "./documents/Reembeddings.ts"
import { Replies } from "./conversations/Replies.ts"
import { SpokenReplies } from "./conversations/SpokenReplies.ts"
import { Returns } from "./inbox/Returns.ts"
import { Retention } from "./conversations/Retention.ts"
import { ServerSecrets } from "./ServerSecrets.ts"
import { TestQueue } from "./evaluation/TestQueue.ts"
import { TestRuns } from "./evaluation/TestRuns.ts"
import { ToolHeaders } from "./tools/ToolHeaders.ts"
import { UnfinishedReplies } from "./conversations/UnfinishedReplies.ts"
import { Usage } from "./usage/Usage.ts"
import { VectorIndexes } from "./search/VectorIndexes.ts"
import { WebhookDeliveries } from "./webhooks/WebhookDeliveries.ts"
import { WebhookQueue } from "./webhooks/WebhookQueue.ts"
import { Webhooks } from "./webhooks/Webhooks.ts"
import { WebhookUpkeep } from "./webhooks/WebhookUpkeep.ts"
import { IdentitySecrets } from "./widget/IdentitySecrets.ts"
import { PublicChatbots } from "./chatbots/PublicChatbots.ts"
import { VisitorConversations } from "./widget/VisitorConversations.ts"
import { VisitorHandovers } from "./widget/VisitorHandovers.ts"

/**
 * Every repository, over the two SQL clients of a database. Secrets are encrypted with the keys of the settings, and
 * `quotas` are the limits of organizations without a quota of their own.
 */
export const layer = (secrets: SecretsSettings) =>
  Layer.mergeAll(
    Layer.mergeAll(AfterCommit.layer, IdempotencyKeys.layer, Inspection.layer, RateCounts.layer, ServerSecrets.layer),
    Layer.mergeAll(Organizations.layer, OrganizationRemains.layer, ApiKeys.layer, AuditLog.layer),
    Layer.mergeAll(Budgets.layer, Usage.layer, ModelConnections.layer),
    ProviderPeople.layer.pipe(Layer.provideMerge([People.layer, SignIns.layer])),
    Layer.mergeAll(PersonSessions.layer, SignInProviders.layer),
    Layer.mergeAll(Chatbots.layer, ChatbotCopies.layer, PublicChatbots.layer, Totals.layer),
    Layer.mergeAll(ChatbotTools.layer, ToolHeaders.layer),
    Layer.provideMerge(
      Layer.mergeAll(OrganizationChanges.layer, Archives.layer, Questions.layer, Sources.layer, SourceFrontier.layer),
      [Documents.layer, SourceQueue.layer],
    ),
    Layer.mergeAll(SourcePages.layer, SourceRuns.layer, CrawledHosts.layer),
    Layer.mergeAll(Ingestions.layer, Passages.layer, Reembeddings.layer),
    Layer.mergeAll(Chunks.layer, LexemeIndexes.layer, VectorIndexes.layer()),
    Layer.mergeAll(
      Attachments.layer,
      ConversationLists.layer,
      ConversationSums.layer,
      Messages.layer,
      Erasures.layer,
      Retention.layer,
    ),
    Layer.mergeAll(Replies.layer, SpokenReplies.layer, UnfinishedReplies.layer),
    Layer.mergeAll(CannedAnswers.layer, Inbox.layer, Mails.layer, Presences.layer, Returns.layer),
    Layer.provideMerge(VisitorHandovers.layer, Conversations.layer),
    Layer.mergeAll(IdentitySecrets.layer, VisitorConversations.layer),
    Layer.mergeAll(TestPlans.layer, Tests.layer, TestQueue.layer, TestRuns.layer, TopicRuns.layer, Topics.layer),
    Layer.mergeAll(Webhooks.layer, WebhookDeliveries.layer, WebhookQueue.layer, WebhookUpkeep.layer),
    Layer.mergeAll(BlobGarbage.layer, BlobOwners.layer, FileStores.layer),
    Layer.mergeAll(Backups.layer, Restoration.layer, Snapshots.layer),
  ).pipe(Layer.provideMerge([Auditing.layer, Quotas.layer]), Layer.provide(Secrets.layer(secrets)))
