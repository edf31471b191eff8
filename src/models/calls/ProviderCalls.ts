import { Clock, Duration, Effect, type Exit, type Redacted, type Scope } from "effect"
import type { Response as Answer } from "effect/ai"
import { isCutObject } from "../../text/JsonDepth.ts"
import { monotonicMillis } from "../../system/Monotonic.ts"
import type { Exchange } from "../Exchange.ts"
import { Gate, type GateLimits } from "./Gate.ts"
import type { ModelCalls, ModelRequest, OnGivenUp, OnParts } from "../ModelCalls.ts"
import {
  cutOff,
  isGivenUp,
  malformed,
  namingSetting,
  type ProviderFailure,
  timedOut,
  toAiError,
  withoutKey,
} from "./ProviderFailure.ts"
import { brokenBody, EventBody, readText } from "./ResponseBody.ts"
import { type RetryLimits, type RetryTimes, retrying, retryTimes } from "./Retrying.ts"
import { type AnswerEvents, readAnswer, type StreamLimits } from "./StreamedAnswer.ts"
import { waitFor } from "./WaitFor.ts"

/*
 * What calls of all providers over HTTP have in common: attempts, time-outs, sizes, turns. How a provider is spoken to
 * is its `Dialect`.
 */

/** A stream is never tried again once it has begun. */
export interface CallLimits extends RetryLimits, GateLimits, StreamLimits {
  /** Most tokens of one reply, thinking included. */
  readonly outputTokensMax: number
  /** How long one attempt may take to the end of its answer. */
  readonly replyTimeout: Duration.Duration
  /** Longest body of an answer. */
  readonly answerBytesMax: number
}

/** The limits that a provider's settings hold; the times between attempts are our own where they are absent. */
export type CallSettings = Omit<CallLimits, keyof RetryTimes> & Partial<RetryTimes>

/** The beginning of a refusal's body that is looked at. */
export const REFUSAL_BYTES_MAX = 64 * 1024

/** One attempt, as far as it is known when the answer begins. */
export interface Attempt {
  readonly exchange: Exchange
  /** ISO 8601. */
  readonly timestamp: string
}

/** How a provider is asked, and how its answers are read. */
export interface Dialect {
  /** Name of the provider, such as `anthropic`. */
  readonly provider: string
  /** Goes with every request, and is never told. */
  readonly apiKey: Redacted.Redacted | undefined
  /** The variable that holds the key, for the operator. */
  readonly keySetting: string
  readonly body: (request: ModelRequest, streamed: boolean) => string
  /**
   * Answers a response of success, after at most so many milliseconds. Closing the scope hangs up, unless it closes with
   * success: then the answer was read to its end.
   */
  readonly send: (body: string, millis: number) => Effect.Effect<Response, ProviderFailure, Scope.Scope>
  /** Whether a response header, in lower case, may be shown. */
  readonly showsHeader: (name: string) => boolean
  /** What is known of every exchange beforehand. */
  readonly exchange?: Partial<Exchange>
  readonly readAnswer: (json: unknown, attempt: Attempt) => Array<Answer.PartEncoded> | ProviderFailure
  readonly events: (attempt: Attempt) => AnswerEvents
}

/** What stands before one provider, and is shared by all its models. */
export interface Connection {
  readonly gate: Gate
  readonly limits: CallLimits
}

export const makeConnection = (provider: string, settings: CallSettings): Connection => {
  const limits = { ...retryTimes, ...settings }
  return { limits, gate: new Gate(provider, limits) }
}

export const makeCalls = ({ gate, limits }: Connection, dialect: Dialect): ModelCalls => ({
  generate: (request, onGivenUp) => {
    const body = dialect.body(request, false)
    const attempt = gate.turn(telling(onGivenUp, body.length, Effect.scoped(wholeAnswer(dialect, limits, body))))
    return Effect.mapError(
      gate.guard(() => retrying(attempt, limits)),
      errorOf(dialect, "generateText"),
    )
  },
  stream: (request, onParts, onGivenUp) => {
    let body = dialect.body(request, true)
    const bodyLength = body.length
    const call = gate.guard((begun) => {
      let hasBegun = false
      const attempt = streamedAnswer(dialect, limits, { body: () => body, bodyLength }, (parts) => {
        if (!hasBegun) begun()
        hasBegun = true
        // It will not be sent again, and a stream may take minutes from here.
        body = ""
        return onParts(parts)
      })
      // Until it has begun, another attempt does no harm.
      const told = telling(onGivenUp, bodyLength, Effect.scoped(attempt), () => !hasBegun)
      return retrying(gate.turn(told), limits, () => !hasBegun)
    })
    return Effect.mapError(call, errorOf(dialect, "streamText"))
  },
})

const errorOf =
  ({ apiKey, keySetting, provider }: Dialect, method: string) =>
  (failure: ProviderFailure) =>
    toAiError(namingSetting(withoutKey(failure, apiKey), keySetting, apiKey !== undefined), provider, method)

/** An attempt whose turn has come: from here on the request is sent. */
const telling = <A>(
  onGivenUp: OnGivenUp | undefined,
  bodyLength: number,
  attempt: Effect.Effect<A, ProviderFailure>,
  isUnanswered: () => boolean = () => true,
): Effect.Effect<A, ProviderFailure> =>
  onGivenUp === undefined
    ? attempt
    : Effect.onExit(attempt, (exit: Exit.Exit<A, ProviderFailure>) =>
        isUnanswered() && isGivenUp(exit) ? onGivenUp({ bodyLength }) : Effect.void,
      )

const wholeAnswer = Effect.fnUntraced(function* (
  dialect: Dialect,
  limits: CallLimits,
  body: string,
): Effect.fn.Return<Array<Answer.PartEncoded>, ProviderFailure, Scope.Scope> {
  const clock = yield* Clock.Clock
  const deadline = monotonicMillis(clock) + Duration.toMillis(limits.replyTimeout)
  const left = () => Math.max(0, deadline - monotonicMillis(clock))
  const response = yield* dialect.send(body, left())
  const text = yield* waitFor({
    millis: left(),
    start: () => readText(response, limits.answerBytesMax),
    onTimeout: () => timedOut("The body stalled"),
    onError: brokenBody,
  })
  const json = parse(text)
  if (json === undefined) {
    // `fetch` fails when a body ends before it was announced to; of others only the answer itself tells.
    return yield* isCutObject(text) ? cutOff : malformed(`The response is not JSON, but ${typeOf(response)}`)
  }
  const parts = dialect.readAnswer(json, attemptOf(dialect, { body, bodyLength: body.length }, response, clock))
  return Array.isArray(parts) ? parts : yield* parts
})

const streamedAnswer = Effect.fnUntraced(function* (
  dialect: Dialect,
  limits: CallLimits,
  request: { readonly body: () => string; readonly bodyLength: number },
  onParts: OnParts,
): Effect.fn.Return<void, ProviderFailure, Scope.Scope> {
  const clock = yield* Clock.Clock
  const deadline = monotonicMillis(clock) + Duration.toMillis(limits.replyTimeout)
  const response = yield* dialect.send(
    request.body(),
    Duration.toMillis(Duration.min(limits.firstByteTimeout, limits.replyTimeout)),
  )
  if (!typeOf(response).includes("text/event-stream")) {
    return yield* malformed(`The response is no stream of events, but ${typeOf(response)}`)
  }
  yield* readAnswer({
    body: new EventBody(response, limits.answerBytesMax),
    events: dialect.events(attemptOf(dialect, { body: "", bodyLength: request.bodyLength }, response, clock)),
    onParts,
    limits,
    millis: Math.max(0, deadline - monotonicMillis(clock)),
  })
})

const attemptOf = (
  dialect: Dialect,
  sent: Pick<Exchange, "body" | "bodyLength">,
  response: Response,
  clock: Clock.Clock,
): Attempt => {
  const headers: Record<string, string> = {}
  response.headers.forEach((value, name) => {
    if (dialect.showsHeader(name)) headers[name] = value
  })
  return {
    exchange: { ...sent, headers, warnings: [], ...dialect.exchange },
    timestamp: new Date(clock.currentTimeMillisUnsafe()).toISOString(),
  }
}

const typeOf = ({ headers }: Response): string => headers.get("content-type") ?? "of no type"

/** Undefined when it is no JSON. */
export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
