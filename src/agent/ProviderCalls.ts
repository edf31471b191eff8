import { Array as Arr, Cause, Clock, Duration, Effect, type Pull, type Scope } from "effect"
import type { Response as Answer } from "effect/ai"
import type { Exchange } from "./Exchange.ts"
import { Gate, gateLimits, type GateLimits } from "./Gate.ts"
import type { ModelCalls, ModelRequest, PartsPull } from "./ModelCalls.ts"
import { cutOff, disconnected, malformed, type ProviderFailure, timedOut, toAiError } from "./ProviderFailure.ts"
import { type BodyEvent, EventBody, Oversized, readText } from "./ResponseBody.ts"
import { type RetryLimits, retrying } from "./Retrying.ts"
import { waitFor } from "./WaitFor.ts"

/*
 * What calls of all providers over HTTP have in common: attempts, time-outs, sizes, turns. How a provider is spoken to
 * is its `Dialect`.
 */

/** A stream is never tried again once it has begun. */
export interface CallLimits extends RetryLimits, GateLimits {
  /** Most tokens of one reply, thinking included. */
  readonly outputTokensMax: number
  /** How long one attempt may take to the end of its answer. */
  readonly replyTimeout: Duration.Duration
  /** How long a stream may take to its headers, and from there to its first bytes. */
  readonly firstByteTimeout: Duration.Duration
  /** How long a stream may be silent. */
  readonly stallTimeout: Duration.Duration
  /** Longest body of an answer. */
  readonly answerBytesMax: number
}

export const callLimits: CallLimits = {
  ...gateLimits,
  outputTokensMax: 8_192,
  replyTimeout: Duration.seconds(100),
  firstByteTimeout: Duration.seconds(30),
  stallTimeout: Duration.seconds(30),
  answerBytesMax: 16 * 1024 * 1024,
  attemptsMax: 3,
  retryDelay: Duration.millis(500),
  retryAfterMax: Duration.seconds(20),
  retryWindow: Duration.seconds(60),
}

/** The beginning of a refusal's body that is looked at. */
export const refusalBytesMax = 64 * 1024

/** Reads the events of one streamed answer. */
export interface AnswerEvents {
  /** The parts that an event means. */
  readonly read: (event: BodyEvent) => Array<Answer.StreamPartEncoded> | ProviderFailure
  /** `answered`: everything was said, only counts may still come; `finished`: nothing more comes. */
  readonly stage: "answering" | "answered" | "finished"
  /** The last parts. Not to be called while it is `answering`. */
  readonly end: () => Array<Answer.StreamPartEncoded>
}

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
  readonly body: (request: ModelRequest, streamed: boolean) => string
  /**
   * Answers a response of success, after at most so many milliseconds. Closing the scope hangs up, unless the answer is
   * whole and the scope closes with success: then it was read to its end.
   */
  readonly send: (
    body: string,
    streamed: boolean,
    millis: number,
  ) => Effect.Effect<Response, ProviderFailure, Scope.Scope>
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

export const makeConnection = (provider: string, settings: Partial<CallLimits> | undefined): Connection => {
  const limits = { ...callLimits, ...settings }
  return { limits, gate: new Gate(provider, limits) }
}

export const makeCalls = ({ gate, limits }: Connection, dialect: Dialect): ModelCalls => ({
  generate: (request) => {
    const body = dialect.body(request, false)
    const attempt = gate.turn(Effect.scoped(wholeAnswer(dialect, limits, body)))
    return Effect.mapError(gate.guard(retrying(attempt, limits)), (failure) =>
      toAiError(failure, dialect.provider, "generateText"),
    )
  },
  stream: (request) => {
    const body = dialect.body(request, true)
    const toError = (failure: ProviderFailure) => toAiError(failure, dialect.provider, "streamText")
    return Effect.mapError(
      gate.guardStream((failed) =>
        Effect.map(retrying(inScopedTurn(gate, begunAnswer(dialect, limits, body)), limits), (pull): PartsPull =>
          Effect.mapError(pull, (error) => {
            if (Cause.isDone(error)) return error
            failed(error)
            return toError(error)
          }),
        ),
      ),
      toError,
    )
  },
})

/** Holds a turn until the attempt fails, or until the scope closes. */
const inScopedTurn = <A>(gate: Gate, attempt: Effect.Effect<A, ProviderFailure, Scope.Scope>) =>
  Effect.suspend(() => {
    let inside = false
    const enter = Effect.map(gate.enter, () => {
      inside = true
    })
    const leave = Effect.sync(() => {
      if (inside) gate.leave()
      inside = false
    })
    return Effect.acquireRelease(enter, () => leave, { interruptible: true }).pipe(
      Effect.andThen(attempt),
      Effect.tapError(() => leave),
    )
  })

const wholeAnswer = Effect.fnUntraced(function* (
  dialect: Dialect,
  limits: CallLimits,
  body: string,
): Effect.fn.Return<Array<Answer.PartEncoded>, ProviderFailure, Scope.Scope> {
  const clock = yield* Clock.Clock
  const deadline = clock.currentTimeMillisUnsafe() + Duration.toMillis(limits.replyTimeout)
  const left = () => Math.max(0, deadline - clock.currentTimeMillisUnsafe())
  const response = yield* dialect.send(body, false, left())
  const text = yield* waitFor({
    millis: left(),
    start: () => readText(response, limits.answerBytesMax),
    onTimeout: () => timedOut("The body stalled"),
    onError: brokenBody,
  })
  const json = parse(text)
  if (json === undefined) return yield* malformed(`The response is not JSON, but ${typeOf(response)}`)
  const parts = dialect.readAnswer(json, attemptOf(dialect, body, response, clock))
  return Array.isArray(parts) ? parts : yield* parts
})

type AttemptPull = Pull.Pull<Arr.NonEmptyReadonlyArray<Answer.StreamPartEncoded>, ProviderFailure>

/** Succeeds when the answer has begun, since until then another attempt does no harm. */
const begunAnswer = Effect.fnUntraced(function* (
  dialect: Dialect,
  limits: CallLimits,
  body: string,
): Effect.fn.Return<AttemptPull, ProviderFailure, Scope.Scope> {
  const clock = yield* Clock.Clock
  const deadline = clock.currentTimeMillisUnsafe() + Duration.toMillis(limits.replyTimeout)
  const response = yield* dialect.send(body, true, Duration.toMillis(limits.firstByteTimeout))
  if (!typeOf(response).includes("text/event-stream")) {
    return yield* malformed(`The response is no stream of events, but ${typeOf(response)}`)
  }
  const events = new EventBody(response, limits.answerBytesMax)
  const answer = dialect.events(attemptOf(dialect, body, response, clock))
  const next = (wait: Duration.Duration) =>
    Effect.map(
      waitFor({
        millis: Math.max(0, Math.min(Duration.toMillis(wait), deadline - clock.currentTimeMillisUnsafe())),
        start: () => events.next(),
        onTimeout: () => timedOut("The stream stalled"),
        onError: brokenBody,
      }),
      (read) => partsIn(answer, read, events.ended),
    )
  let first = yield* next(limits.firstByteTimeout)
  // Comments and halves of events tell that the provider is at work, but nothing that would be lost.
  while (isNothing(first) && answer.stage === "answering") first = yield* next(limits.firstByteTimeout)
  if (first.failure !== undefined && first.parts.length === 0) return yield* first.failure
  return pullParts({ answer, first, next, hasEnded: () => events.ended, stallTimeout: limits.stallTimeout })
})

/** What a piece of the body brought, and why nothing comes after it. */
interface Piece {
  readonly parts: Array<Answer.StreamPartEncoded>
  readonly failure: ProviderFailure | undefined
}

const isNothing = ({ failure, parts }: Piece): boolean => failure === undefined && parts.length === 0

const partsIn = (answer: AnswerEvents, events: ReadonlyArray<BodyEvent>, bodyEnded: boolean): Piece => {
  const parts: Array<Answer.StreamPartEncoded> = []
  for (const event of events) {
    if (answer.stage === "finished") break
    const read = answer.read(event)
    // What comes last in a body that ended may be half an event.
    if (!Array.isArray(read)) return { parts, failure: bodyEnded && read.kind === "malformed" ? cutOff : read }
    parts.push(...read)
  }
  return { parts, failure: bodyEnded && answer.stage === "answering" ? cutOff : undefined }
}

/** How long a finished answer may take to close. */
const drainTimeout = Duration.millis(250)
/** How long counts may take that come after the answer. */
const countsTimeout = Duration.seconds(2)

const pullParts = (source: {
  readonly answer: AnswerEvents
  readonly first: Piece
  readonly next: (wait: Duration.Duration) => Effect.Effect<Piece, ProviderFailure>
  readonly hasEnded: () => boolean
  readonly stallTimeout: Duration.Duration
}): AttemptPull => {
  const { answer, next } = source
  let { failure, parts } = source.first
  let isWhole = false
  // Counts that do not come, or come broken, are no reason to lose an answer that was given in full.
  const counts: Effect.Effect<void> = Effect.suspend(() =>
    answer.stage === "finished" || source.hasEnded()
      ? Effect.void
      : Effect.matchEffect(next(countsTimeout), {
          onFailure: () => Effect.void,
          onSuccess: (piece) => (piece.failure === undefined ? counts : Effect.void),
        }),
  )
  const read: Effect.Effect<Piece, ProviderFailure> = Effect.suspend(() => {
    if (answer.stage === "answering") return next(source.stallTimeout)
    isWhole = true
    return Effect.map(counts, () => ({ parts: answer.end(), failure: undefined }))
  })
  // A body that is read to its end leaves its connection for the next call.
  const drain = Effect.andThen(Effect.ignore(next(drainTimeout)), Cause.done())
  const pull: AttemptPull = Effect.suspend(() => {
    const given = parts
    parts = []
    if (Arr.isArrayNonEmpty(given)) return Effect.succeed(given)
    if (failure !== undefined) return Effect.fail(failure)
    if (isWhole) return drain
    return Effect.flatMap(read, (piece) => {
      parts = piece.parts
      failure = piece.failure
      return pull
    })
  })
  return pull
}

const attemptOf = (dialect: Dialect, body: string, response: Response, clock: Clock.Clock): Attempt => {
  const headers: Record<string, string> = {}
  response.headers.forEach((value, name) => {
    if (dialect.showsHeader(name)) headers[name] = value
  })
  return {
    exchange: { body, headers, warnings: [], ...dialect.exchange },
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

const brokenBody = (error: unknown): ProviderFailure =>
  error instanceof Oversized ? malformed(error.message) : disconnected(String(error))
