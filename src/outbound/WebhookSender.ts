import { Clock, Context, Duration, Effect, type Redacted } from "effect"
import { signedHeaders } from "../domain/webhook/WebhookSignature.ts"
import { Service } from "../domain/Service.ts"
import { SafeFetch } from "./SafeFetch.ts"

/** Longest time of one attempt: an endpoint should note an event, answer, and work on it afterwards. */
export const WebhookTimeout: Context.Reference<Duration.Input> = Context.Reference<Duration.Input>(
  "parley/outbound/WebhookTimeout",
  { defaultValue: () => "15 seconds" },
)

/** Most bytes of an answer that are read and kept, enough for a sentence that says what is wrong. */
const EXCERPT_BYTES = 1024

/** An event to send to the endpoint of a webhook. */
export interface WebhookRequest {
  readonly url: string
  /** Identifies the event; the same for every attempt. */
  readonly id: string
  readonly body: string
  /** The secrets that sign: the present one, and the one before while it is being replaced. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

/** Sends events to webhooks, signed as Standard Webhooks 1.0.0 says, through the protection of `SafeFetch`. */
export class WebhookSender extends Service<WebhookSender>()("parley/outbound/WebhookSender", function* () {
  const timeout = Duration.fromInputUnsafe(yield* WebhookTimeout)
  const { fetch } = yield* SafeFetch
  const tooSlow = `There was no answer within ${Duration.toSeconds(timeout)} seconds.`

  return {
    /** Makes one attempt. Every failure is part of the result; 2xx alone is a success. */
    send: Effect.fn("WebhookSender.send")(function* ({ body, id, secrets, url }: WebhookRequest) {
      const at = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      const request = fetch({
        method: "POST",
        url: new URL(url),
        headers: { "content-type": "application/json", "user-agent": "Parley" },
        secrets: signedHeaders({ id, at, body }, secrets),
        body,
        followsRedirects: false,
        excerpt: EXCERPT_BYTES,
      })
      const [took, answer] = yield* request.pipe(
        Effect.map(({ body: read, status }) => ({ status, text: readable(read), error: null })),
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.succeed({ status: null, text: null, error: tooSlow }),
        }),
        Effect.catch(({ detail }) => Effect.succeed({ status: null, text: null, error: detail })),
        Effect.timed,
      )
      return {
        is_delivered: answer.status !== null && answer.status >= 200 && answer.status < 300,
        response_status: answer.status,
        response: answer.text,
        error: answer.error,
        duration_ms: Math.round(Duration.toMillis(took)),
      }
    }),
  }
}) {}

/** The text of an answer as the database can store it; null when there is none. */
const readable = (body: Uint8Array): string | null =>
  new TextDecoder().decode(body).replaceAll("\u0000", "\uFFFD").trim() || null
