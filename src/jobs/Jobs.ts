import { Layer } from "effect"
import { Budgets, type BudgetSettings } from "../admission/Budgets.ts"
import { TestExecution } from "../evaluation/TestExecution.ts"
import { BlobCheck, type BlobCheckSettings } from "./BlobCheck.ts"
import { Crawls } from "./Crawls.ts"
import { Ingestion, type IngestionSettings } from "./Ingestion.ts"
import { OrganizationRemoval } from "./OrganizationRemoval.ts"
import * as Mails from "./Mails.ts"
import * as Reembedding from "./Reembedding.ts"
import * as Retention from "./Retention.ts"
import * as Returns from "./Returns.ts"
import * as SessionChecks from "./SessionChecks.ts"
import * as Sealing from "./Sealing.ts"
import * as Topics from "./Topics.ts"
import { TestRuns } from "./TestRuns.ts"
import { WebhookDelivery } from "./webhooks/WebhookDelivery.ts"

export interface JobsSettings {
  readonly budgets: BudgetSettings
  readonly blobCheck: BlobCheckSettings
  readonly ingestion: IngestionSettings
  readonly mail: Mails.MailSettings
  readonly retention: Retention.RetentionSettings
}

/** Runs all background jobs as long as the layer lives, and provides the services that start such jobs. */
export const layer = (settings: JobsSettings) =>
  Layer.mergeAll(
    BlobCheck.layerRegularly(),
    Mails.layer(settings.mail),
    OrganizationRemoval.layerRegularly,
    Reembedding.layer(),
    Retention.layer(settings.retention),
    Returns.layer,
    Sealing.layer,
    SessionChecks.layer,
    Topics.layer.pipe(Layer.provide(Budgets.layer(settings.budgets))),
  ).pipe(
    Layer.provide(BlobCheck.layer(settings.blobCheck)),
    Layer.provideMerge(
      Layer.mergeAll(
        Crawls.layer,
        OrganizationRemoval.layer,
        TestRuns.layer.pipe(Layer.provide(TestExecution.layer)),
        WebhookDelivery.layer,
      ).pipe(Layer.provideMerge(Ingestion.layer(settings.ingestion))),
    ),
  )
