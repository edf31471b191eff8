import { Clock, Context, Duration, Effect, Exit, type Redacted, type Scope } from "effect"
import { Prompt, type Response } from "effect/ai"
import { isLocalHost } from "../../outbound/PrivateNetworks.ts"
import { type RetryLimits, retrying } from "../../outbound/Retrying.ts"
import { currentMonotonicMillis, monotonicMillis } from "../../system/Monotonic.ts"
import type { Exchange } from "../Exchange.ts"
import { Gate, type GateLimits } from "./Gate.ts"
import { countedLength, imagesIn, withoutImages } from "../Images.ts"
import type { ModelCalls, ModelRequest, OnParts } from "../ModelCalls.ts"
import { emptyAnswer, explained, isGivenUp, ProviderFailure } from "./ProviderFailure.ts"
import { isTooLong, mended, ModelTraits, refusesTools } from "./Remedies.ts"
import { EventBody } from "./ResponseBody.ts"
import { readTokens, TokenCount } from "../TokenCount.ts"
import { type AnswerEvents, readAnswer, type StreamLimits } from "./StreamedAnswer.ts"

/*
 * The calls of providers over HTTP: attempts, time limits, size limits and concurrency, which are the same for all of
 * them. The format of a provider's requests and answers is its `Dialect`.
 */

/** The limits of the calls of a provider. A stream is not retried once its answer has begun. */
export interface CallLimits extends RetryLimits, GateLimits, StreamLimits {
  /** The most tokens of one answer, including reasoning. */
  readonly outputTokensMax: number
  /** The longest time to the first byte of a model that has not answered lately, which may have to be loaded first. */
  readonly loadTimeout: Duration.Input
  /** The longest time from an attempt's request to the end of its answer. */
  readonly replyTimeout: Duration.Input
  /** The longest body of an answer, in bytes. */
  readonly answerBytesMax: number
}

/** The settings of a provider's calls. What they leave out has a default. */
export interface CallSettings extends Partial<CallLimits> {
  readonly concurrency: number
  readonly outputTokensMax: number
  /** Longest time that a provider may be silent, before its answer and in it. */
  readonly silence: Duration.Duration
  /** Longest time for a reply, which may need several calls. */
  readonly replyDeadline: Duration.Duration
}

/** Part of a reply's deadline that one attempt may take, so that there is time for `fallbackModels`. */
const REPLY_PART = 5 / 6

/** Limits that no provider and no operator has a reason to have otherwise. */
export const defaultLimits = {
  retryDelay: Duration.millis(500),
  retryAfterMax: Duration.seconds(20),
  retryWindow: Duration.seconds(60),
  // Enough for what passes within a minute; a provider that is down should fail soon, and by its fallbacks.
  attemptsMax: 3,
  // A call that waits longer for others would leave too little of its reply's time.
  turnWait: Duration.seconds(10),
  // Far above the longest answer of any model.
  answerBytesMax: 16 * 1024 * 1024,
  failuresMax: 5,
  restFor: Duration.seconds(15),
} satisfies Partial<CallLimits>

/** Limits in place of those of the settings and of the defaults, for tests. */
export const CallBounds: Context.Reference<Partial<CallLimits>> = Context.Reference<Partial<CallLimits>>(
  "parley/models/calls/CallBounds",
  { defaultValue: () => ({}) },
)

/** The data of an attempt that are known when its answer begins. */
export interface Attempt {
  readonly exchange: Exchange
  /** The time when the answer began, in ISO 8601. */
  readonly timestamp: string
  readonly thoughts: Thoughts
}

/** What is known of the reasoning that a model writes into its text. */
export interface Thoughts {
  /** What ends the reasoning by which its answers begin, where its beginning is not sent. */
  readonly end: string | undefined
  /** Remembers what has ended reasoning without a beginning, or that nothing has. */
  readonly note: (end: string | undefined) => void
}

/** The format of a provider's requests and answers. */
export interface Dialect {
  /** The name of the provider, such as `anthropic`. */
  readonly provider: string
  /** The key that is sent with every request, and removed from every message. */
  readonly apiKey: Redacted.Redacted | undefined
  /** The environment variable of the key, for messages to the operator. */
  readonly keySetting: string
  /** The name by which the provider knows the model. */
  readonly model: string
  readonly body: (request: ModelRequest) => string
  /**
   * Sends a body, and returns a successful response within `millis` milliseconds. Closing the scope closes the
   * connection, unless it closes with success, when the answer was read to its end.
   */
  readonly send: (body: string, millis: number) => Effect.Effect<Response, ProviderFailure, Scope.Scope>
  /** Whether a response header, by its name in lower case, is safe to show to clients. */
  readonly showsHeader: (name: string) => boolean
  /** The fields that every exchange with the provider has. */
  readonly exchange?: Partial<Exchange>
  /** Makes a reader for an answer. */
  readonly events: (attempt: Attempt, request: ModelRequest) => AnswerEvents
}

/** The gate and the limits of one provider, which all its models share, and what is known of these. */
export interface Connection {
  readonly gate: Gate
  readonly traits: ModelTraits
  readonly limits: CallLimits
}

export const makeConnection = (provider: string, url: string, settings: CallSettings): Connection => {
  const { replyDeadline, silence } = settings
  const limits = {
    ...defaultLimits,
    replyTimeout: Duration.times(replyDeadline, REPLY_PART),
    firstByteTimeout: silence,
    stallTimeout: silence,
    ...settings,
  }
  // A server of one's own loads a model when it is asked for, for a minute or more, and would begin anew after a pause.
  const loadTimeout = isLocalHost(new URL(url).hostname) ? limits.replyTimeout : limits.firstByteTimeout
  return { limits: { loadTimeout, ...limits }, gate: new Gate(provider, limits), traits: new ModelTraits() }
}

export const makeCalls = ({ gate, limits, traits }: Connection, dialect: Dialect): ModelCalls => {
  const { apiKey, keySetting, model, provider } = dialect
  const answerTo: ModelCalls["answer"] = (request, onParts, onGivenUp) =>
    Effect.clockWith((clock) => {
      const now = () => monotonicMillis(clock)
      const { body, whats } = traits.applied(model, dialect.body(request), now())
      const bodyLength = countedLength(body, request.prompt)
      const thoughts: Thoughts = {
        end: (traits.of(model, now()).thoughtEnd ?? thoughtEndOf(model)) || undefined,
        note: (thoughtEnd = "") => traits.learn(model, now(), { thoughtEnd }),
      }
      const sending: Sending = { dialect, limits, traits, request, bodyLength, body, thoughts, leftOut: [...whats] }
      let hasBegun = false
      /** The parts before the first of the answer itself, as far as an attempt has got. */
      let before: Array<Response.StreamPartEncoded> = []
      const onFirstParts: OnParts = (parts) => {
        if (hasBegun) return onParts(parts)
        before.push(...parts)
        if (!parts.some(isContent)) return undefined
        hasBegun = true
        // Releases the body, which is not sent again, for the minutes that a stream may take.
        sending.body = ""
        return onParts(before.splice(0))
      }
      const make = (each: OnParts) => answerOnce(sending, each)
      const answer = request.isWhole === true ? inOnePiece(make, onFirstParts) : make(onFirstParts)
      const attempt: Effect.Effect<void, ProviderFailure> = Effect.suspend(() => {
        before = []
        return Effect.scoped(answer)
      }).pipe(
        Effect.andThen(Effect.suspend(() => (hasBegun ? Effect.void : emptyOf(before, onParts)))),
        Effect.onExit((exit) =>
          onGivenUp !== undefined && !hasBegun && (isGivenUp(exit) || isEmpty(exit))
            ? onGivenUp({ tokens: tokensIn(before, bodyLength) })
            : Effect.void,
        ),
        Effect.catch((failure) => (hasBegun ? Effect.fail(failure) : remedied(failure))),
      )
      /** Makes an attempt without what the server has refused, which is remembered once the model answers. */
      const remedied = (failure: ProviderFailure): Effect.Effect<void, ProviderFailure> => {
        if (refusesTools(failure, sending.body))
          return Effect.fail(new ProviderFailure({ ...failure, kind: "tools-refused", retryable: false }))
        const found = mended(failure, sending.body)
        if (found === undefined || sending.leftOut.length >= REMEDIES_MAX)
          return Effect.fail(
            isTooLong(failure, sending.body)
              ? new ProviderFailure({ ...failure, kind: "too-long", retryable: false })
              : failure,
          )
        const { remedy, said } = found
        sending.body = found.body
        sending.leftOut.push(remedy.what)
        return Effect.tap(attempt, () => {
          traits.addRemedy(model, remedy, said, now())
          return Effect.logInfo("A model's server refused a part of a request, which is left out for a day").pipe(
            Effect.annotateLogs({ model, part: remedy.what }),
          )
        })
      }
      const call = gate.guard(
        retrying(gate.limit(attempt), limits, () => !hasBegun),
        model,
      )
      const answered = Effect.mapError(call, (failure) => explained(failure, provider, apiKey, keySetting))
      // A model that has nothing to say with tools may have without.
      const spoken = Effect.catchIf(
        answered,
        ({ kind }) => kind === "empty" && request.toolChoice === "auto" && request.tools.length > 0,
        () => answerTo({ ...request, toolChoice: "none" }, onParts, onGivenUp),
      )
      const hasImages = request.prompt.content.some((message) => imagesIn(message).length > 0)
      // A model that sees no images, or cannot read one of these, answers the words. One that refuses a message would
      // refuse the whole conversation from then on, in which that one stays without a reply.
      const prompt = hasImages ? withoutImages(request.prompt) : withoutUnanswered(request.prompt)
      return Effect.catchIf(
        spoken,
        ({ kind }) => prompt !== undefined && (kind === "refused" || (hasImages && kind === "failed")) && !hasBegun,
        () => answerTo({ ...request, prompt: prompt ?? request.prompt }, onParts, onGivenUp),
      )
    })
  return {
    answer: answerTo,
    traits: {
      known: Effect.map(currentMonotonicMillis, (now) => traits.of(model, now)),
      refused: Effect.map(currentMonotonicMillis, (now) => traits.refused(model, now)),
      refusals: Effect.map(currentMonotonicMillis, (now) => traits.refusals(now)),
      learn: (learned) => Effect.map(currentMonotonicMillis, (now) => traits.learn(model, now, learned)),
    },
  }
}

/** Matches the names of models that reason, some of whose servers send no beginning of that. */
const REASONS = /(?:^|[^a-z])r1(?:$|[^a-z])|deepseek|glm|magistral|minimax|nemotron|qwen-?3|qwq|reason|think/iu

/** The end of reasoning that is expected of a model of which nothing is known: its first answer is held until then. */
const thoughtEndOf = (model: string): string | undefined => (REASONS.test(model) ? "</think>" : undefined)

/** A prompt without the messages of the user that the next one has followed at once; undefined where there are none. */
const withoutUnanswered = ({ content }: Prompt.Prompt): Prompt.Prompt | undefined => {
  const answered = content.filter(({ role }, index) => role !== "user" || content[index + 1]?.role !== "user")
  return answered.length === content.length ? undefined : Prompt.fromMessages(answered)
}

/** Whether a part belongs to the answer itself, and not to what surrounds it or was thought before. */
const isContent = (part: Response.StreamPartEncoded): boolean =>
  (part.type === "text-delta" && /\S/u.test(part.delta)) || part.type.startsWith("tool-")

/** Ends an answer of nothing but these parts: with a failure, unless it goes on in the next step. */
const emptyOf = (parts: ReadonlyArray<Response.StreamPartEncoded>, onParts: OnParts) => {
  const finish = parts.find((part) => part.type === "finish")
  return finish?.reason === "pause"
    ? (onParts(parts) ?? Effect.void)
    : Effect.fail(emptyAnswer(`The answer has neither text nor calls (${finish?.reason ?? "no reason"})`))
}

const isEmpty = (exit: Exit.Exit<unknown, ProviderFailure>): boolean =>
  Exit.isFailure(exit) && exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error.kind === "empty")

/** The tokens of an answer that is not shown, as reported or as estimated. */
const tokensIn = (parts: ReadonlyArray<Response.StreamPartEncoded>, bodyLength: number) => {
  const count = new TokenCount()
  for (const part of parts) {
    if (part.type === "reasoning-delta" || part.type === "text-delta") count.addCharacters(part.delta.length)
    const reported = part.type === "response-metadata" ? part.metadata?.parley?.tokens : undefined
    if (reported !== undefined) count.report(reported)
    if (part.type === "finish") count.report(readTokens(part.usage))
  }
  return count.total(bodyLength)
}

/** One call of a model, with all its attempts. */
interface Sending {
  readonly dialect: Dialect
  readonly request: ModelRequest
  readonly thoughts: Thoughts
  readonly limits: CallLimits
  readonly traits: ModelTraits
  /** The length of the body, in which images count by their tokens. */
  readonly bodyLength: number
  /** The serialized request; empty once an answer has begun. */
  body: string
  /** What the server has refused of the request, and is left out of it. */
  readonly leftOut: Array<string>
}

/** The most remedies of one request, beyond which its server is no better understood. */
const REMEDIES_MAX = 6

/**
 * Makes one attempt at an answer, which is always asked for as a stream: of another one, nobody could tell a model that
 * is at work from a provider that hangs. A server that cannot stream may answer in one piece, and call either by any type.
 */
const answerOnce = Effect.fnUntraced(function* (
  sending: Sending,
  onParts: OnParts,
): Effect.fn.Return<void, ProviderFailure, Scope.Scope> {
  const { dialect, limits, traits } = sending
  const clock = yield* Clock.Clock
  const begin = monotonicMillis(clock)
  const deadline = begin + Duration.toMillis(limits.replyTimeout)
  const firstByteTimeout = traits.isLoaded(dialect.model, begin) ? limits.firstByteTimeout : limits.loadTimeout
  const patience = Math.min(Duration.toMillis(firstByteTimeout), Duration.toMillis(limits.replyTimeout))
  const response = yield* dialect.send(sending.body, patience)
  const events = dialect.events(attemptOf(sending, response, clock), sending.request)
  const body = new EventBody(response, limits.answerBytesMax)
  const millis = Math.max(0, deadline - monotonicMillis(clock))
  yield* readAnswer({ body, events, onParts, limits: { ...limits, firstByteTimeout }, millis })
  traits.noteAnswer(dialect.model, monotonicMillis(clock))
})

/** Passes the parts of an answer together, once it is whole. */
const inOnePiece = (make: (onParts: OnParts) => Effect.Effect<void, ProviderFailure, Scope.Scope>, onParts: OnParts) =>
  Effect.suspend(() => {
    const all: Array<Parameters<OnParts>[0][number]> = []
    const making = make((parts) => void all.push(...parts))
    return Effect.andThen(making, () => onParts(all) ?? Effect.void)
  })

const attemptOf = (
  { body, bodyLength, dialect, leftOut, request, thoughts }: Sending,
  response: Response,
  clock: Clock.Clock,
): Attempt => {
  const headers: Record<string, string> = {}
  response.headers.forEach((value, name) => {
    if (dialect.showsHeader(name)) headers[name] = value
  })
  return {
    thoughts,
    exchange: {
      body: request.isBodyKept === true ? body : "",
      bodyLength,
      headers,
      warnings: leftOut.map((what) => ({ type: "other", message: `${what} is refused by the model's server.` })),
      ...dialect.exchange,
    },
    timestamp: new Date(clock.currentTimeMillisUnsafe()).toISOString(),
  }
}
