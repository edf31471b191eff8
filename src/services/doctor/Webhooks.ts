import { Effect } from "effect"
import { WebhookFigures } from "../../storage/webhooks/WebhookFigures.ts"
import { count, note, ok } from "./Check.ts"
import { ofQueue } from "./Queue.ts"

/** Examines the webhooks of all organizations: endpoints that fail or are dead, and what waits to be sent. */
export const webhooksCheck = Effect.gen(function* () {
  const figures = yield* WebhookFigures
  const { active, dead, dropped, failing } = yield* figures.numbers
  if (active + dead === 0) return [ok("webhooks", "none")]
  return [
    ofQueue("webhooks", yield* figures.queue, "webhook"),
    ...(failing > 0 ? [note("webhooks", `${count(failing, "endpoint")} of ${active} fail and are tried again`)] : []),
    ...(dead > 0
      ? [
          note(
            "webhooks",
            `${count(dead, "webhook")} switched off, because the endpoint is gone or failed for too long`,
          ),
        ]
      : []),
    ...(dropped > 0 ? [note("webhooks", `${count(dropped, "event")} dropped, because too many were waiting`)] : []),
  ]
}).pipe(Effect.withSpan("Doctor.webhooks"))
