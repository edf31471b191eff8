import Client from "@anthropic-ai/sdk"
import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages"
import type { Stream as EventStream } from "@anthropic-ai/sdk/streaming"
import { Array as Arr, Cause, Clock, Duration, Effect, Option, type Pull, Redacted, type Scope, Stream } from "effect"
import { LanguageModel, type Response } from "effect/ai"
import { abortable } from "./Abortable.ts"
import { AnthropicEvents } from "./AnthropicEvents.ts"
import { type AnthropicFailure, classify, cutOff, malformed, timedOut, toAiError } from "./AnthropicFailure.ts"
import { decodeMessage, type Event, messageParts, readEvent } from "./AnthropicReply.ts"
import type { Exchange } from "./Exchange.ts"
import { messagesRequest } from "./MessagesRequest.ts"
import { type RetryLimits, retrying } from "./Retrying.ts"

/** A stream is never tried again once it has begun. */
export interface AnthropicLimits extends RetryLimits {
  /** Most tokens of one reply, thinking included. */
  readonly outputTokensMax: number
  /** How long one attempt at a whole, not streamed reply may take. */
  readonly replyTimeout: Duration.Duration
  /** How long a stream may take to its headers, and from there to its first event. */
  readonly firstEventTimeout: Duration.Duration
  /** How long a stream may pause between two events. */
  readonly stallTimeout: Duration.Duration
}

export const anthropicLimits: AnthropicLimits = {
  outputTokensMax: 8_192,
  replyTimeout: Duration.seconds(100),
  firstEventTimeout: Duration.seconds(30),
  stallTimeout: Duration.seconds(30),
  attemptsMax: 3,
  retryDelay: Duration.millis(500),
  retryAfterMax: Duration.seconds(20),
  retryWindow: Duration.seconds(60),
}

export interface AnthropicSettings {
  readonly apiKey: Redacted.Redacted
  readonly baseUrl?: string | undefined
  readonly limits?: Partial<AnthropicLimits> | undefined
}

/** A connection to Anthropic's API, and the language models behind it. */
export interface Anthropic {
  /** The model of this id, whether Anthropic knows it or not. Failures are `AiError`s, as `ProviderErrors.ts` reads. */
  readonly languageModel: (model: string) => Effect.Effect<LanguageModel.LanguageModel>
}

export const makeAnthropic = (settings: AnthropicSettings): Anthropic => {
  const limits = { ...anthropicLimits, ...settings.limits }
  const client = new Client({
    // A key that is a string shows up when the client is inspected.
    apiKey: async () => Redacted.value(settings.apiKey),
    baseURL: settings.baseUrl ?? "https://api.anthropic.com",
    maxRetries: 0,
    logLevel: "off",
    openTelemetry: false,
  })
  const connection: Connection = { client, limits }
  return {
    languageModel: (model) =>
      LanguageModel.make({
        generateText: (options) => generate(connection, createParams(model, limits, options)),
        streamText: (options) => stream(connection, createParams(model, limits, options)),
      }),
  }
}

interface Connection {
  readonly client: Client
  readonly limits: AnthropicLimits
}

const cached = { cache_control: { type: "ephemeral" } } as const

/**
 * The cache is marked after the tools, after the system text and, by the mark at top level, after the last message: a
 * prefix is read again as long as it stays the same, so nothing that changes from call to call may stand in it.
 */
const createParams = (
  model: string,
  limits: AnthropicLimits,
  options: LanguageModel.ProviderOptions,
): MessageCreateParams => {
  const { system, tools, ...request } = messagesRequest(model, options)
  const lastTool = tools?.at(-1)
  return {
    max_tokens: limits.outputTokensMax,
    ...cached,
    ...request,
    ...(system === undefined ? {} : { system: [{ type: "text", text: system, ...cached }] }),
    ...(tools === undefined || lastTool === undefined
      ? {}
      : { tools: [...tools.slice(0, -1), { ...lastTool, ...cached }] }),
  }
}

const generate = (connection: Connection, params: MessageCreateParams) =>
  Effect.mapError(retrying(attempt(connection, JSON.stringify(params)), connection.limits), (failure) =>
    toAiError(failure, "generateText"),
  )

const attempt = Effect.fnUntraced(function* (
  connection: Connection,
  body: string,
): Effect.fn.Return<Array<Response.PartEncoded>, AnthropicFailure> {
  const { data, response } = yield* post<unknown>(connection.client, body, {
    controller: new AbortController(),
    millis: Duration.toMillis(connection.limits.replyTimeout),
  })
  const message = decodeMessage(data)
  if (Option.isNone(message)) return yield* malformed("The response is not a message")
  return messageParts(message.value, exchangeOf(body, response.headers), yield* timestamp)
})

const stream = (connection: Connection, params: MessageCreateParams) =>
  retrying(open(connection, JSON.stringify({ ...params, stream: true })), connection.limits).pipe(
    Effect.map((pull) => Stream.fromPull(Effect.succeed(pull))),
    Stream.unwrap,
    Stream.mapError((failure) => toAiError(failure, "streamText")),
  )

type PartsPull = Pull.Pull<Arr.NonEmptyReadonlyArray<Response.StreamPartEncoded>, AnthropicFailure>

/** Succeeds with the first event, since until then another attempt does no harm. Closing the scope hangs up. */
const open = Effect.fnUntraced(function* (
  { client, limits }: Connection,
  body: string,
): Effect.fn.Return<PartsPull, AnthropicFailure, Scope.Scope> {
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort()),
  )
  const { data, response } = yield* post<EventStream<unknown>>(client, body, {
    controller,
    millis: Duration.toMillis(limits.firstEventTimeout),
    stream: true,
  })
  const iterator = data[Symbol.asyncIterator]()
  const next = (wait: Duration.Duration) =>
    abortable({
      controller,
      millis: Duration.toMillis(wait),
      start: () => iterator.next(),
      onTimeout: () => timedOut("The stream stalled"),
      onError: (error) => classify(error, Date.now()),
    }).pipe(Effect.flatMap(readNext))
  const events = new AnthropicEvents(exchangeOf(body, response.headers), yield* timestamp)
  const first = yield* next(limits.firstEventTimeout)
  if (first === "end") return yield* cutOff
  return pullParts({ events, first, next: next(limits.stallTimeout), drain: next(drainTimeout) })
})

const pullParts = (source: {
  readonly events: AnthropicEvents
  readonly first: Event | undefined
  readonly next: Effect.Effect<Event | undefined | "end", AnthropicFailure>
  readonly drain: Effect.Effect<unknown, AnthropicFailure>
}): PartsPull => {
  let waiting = source.first
  return Effect.gen(function* () {
    while (!source.events.finished) {
      const event: Event | undefined | "end" = waiting ?? (yield* source.next)
      waiting = undefined
      if (event === "end") return yield* cutOff
      const parts = event === undefined ? [] : source.events.read(event)
      if (Arr.isArrayNonEmpty(parts)) return parts
    }
    // A body that is read to its end leaves its connection for the next call.
    yield* Effect.ignore(source.drain)
    return yield* Cause.done()
  })
}

/** How long a finished answer may take to close. */
const drainTimeout = Duration.millis(250)

const readNext = (
  result: IteratorResult<unknown, unknown>,
): Effect.Effect<Event | undefined | "end", AnthropicFailure> => {
  if (result.done === true) return Effect.succeed("end")
  return Effect.mapError(Effect.fromOption(readEvent(result.value)), () =>
    malformed("An event of the stream is broken"),
  )
}

/** The body is serialised by us, so that what a step shows is what was sent. */
const post = <A>(
  client: Client,
  body: string,
  options: { readonly controller: AbortController; readonly millis: number; readonly stream?: true },
) =>
  abortable({
    controller: options.controller,
    millis: options.millis,
    start: () =>
      client
        .post<A>("/v1/messages", {
          body,
          headers: { "content-type": "application/json" },
          signal: options.controller.signal,
          timeout: options.millis,
          ...(options.stream === undefined ? {} : { stream: true }),
        })
        .withResponse(),
    onTimeout: () => timedOut("No reply in time"),
    onError: (error) => classify(error, Date.now()),
  })

const timestamp = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())

const shownHeaders: ReadonlySet<string> = new Set(["content-type", "date", "request-id", "retry-after"])

const exchangeOf = (body: string, responseHeaders: Headers): Exchange => {
  const headers: Record<string, string> = {}
  responseHeaders.forEach((value, name) => {
    if (shownHeaders.has(name) || name.startsWith("anthropic-ratelimit-")) headers[name] = value
  })
  return { body, headers, warnings: [] }
}
