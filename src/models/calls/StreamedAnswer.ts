import { Duration, Effect } from "effect"
import type { Response as Answer } from "effect/ai"
import type { OnParts } from "../ModelCalls.ts"
import { cutOff, type ProviderFailure, timedOut } from "./ProviderFailure.ts"
import { type BodyEvent, brokenBody, type EventBody, type Receiver } from "./ResponseBody.ts"
import { waitFor } from "./WaitFor.ts"

/** Reads the events of one streamed answer. */
export interface AnswerEvents {
  /** The parts that an event means. */
  readonly read: (event: BodyEvent) => Array<Answer.StreamPartEncoded> | ProviderFailure
  /** `answered`: everything was said, only counts may still come; `finished`: nothing more comes. */
  readonly stage: "answering" | "answered" | "finished"
  /** The last parts. Not to be called while it is `answering`. */
  readonly end: () => Array<Answer.StreamPartEncoded>
}

/** An answer that comes as a stream of events. */
export interface StreamedAnswer {
  readonly body: EventBody
  readonly events: AnswerEvents
  readonly onParts: OnParts
  readonly limits: StreamLimits
  /** How long it may take to its end, in milliseconds. */
  readonly millis: number
}

export interface StreamLimits {
  /** How long a stream may take to its headers, and from there to its first bytes. */
  readonly firstByteTimeout: Duration.Duration
  /** How long a stream may be silent. */
  readonly stallTimeout: Duration.Duration
}

/** How long a finished answer may take to close. */
const DRAIN_TIMEOUT = Duration.millis(250)
/** How long counts may take that come after the answer. */
const COUNTS_TIMEOUT = Duration.seconds(2)

/** Reads the answer to its end. */
export const readAnswer = (answer: StreamedAnswer): Effect.Effect<void, ProviderFailure> =>
  readUntilSaid(answer).pipe(
    // Counts that do not come, or come broken, are no reason to lose an answer that was given in full.
    Effect.andThen(Effect.ignore(readCounts(answer))),
    Effect.andThen(Effect.suspend(() => answer.onParts(answer.events.end()) ?? Effect.void)),
    // A body that is read to its end leaves its connection for the next call.
    Effect.andThen(Effect.ignore(next(answer.body, DRAIN_TIMEOUT))),
    // To abort the request is not always enough once a body is read as a Node stream.
    Effect.ensuring(Effect.sync(() => answer.body.close())),
  )

/**
 * Reads and tells until everything is said. With plain callbacks: tokens come by the ten thousand a second, and an effect
 * for each of them, with a timer of its own, takes longer than all that is done with it.
 */
const readUntilSaid = (answer: StreamedAnswer): Effect.Effect<void, ProviderFailure> => {
  const { body, events, limits, onParts } = answer
  const deadline = performance.now() + answer.millis
  const stallMillis = Duration.toMillis(limits.stallTimeout)
  let wait = Duration.toMillis(limits.firstByteTimeout)
  const readOn: Effect.Effect<void, ProviderFailure> = Effect.callback((resume) => {
    let isOver = false
    let lastAt = performance.now()
    const end = (result: Effect.Effect<void, ProviderFailure>): void => {
      isOver = true
      clearTimeout(timer)
      resume(result)
    }
    const left = (): number => Math.min(lastAt + wait, deadline) - performance.now()
    const watch = (): NodeJS.Timeout => setTimeout(look, left())
    // One timer that looks when something came last: to set it again for each token would take longer.
    const look = (): void => {
      if (left() <= 0) end(Effect.fail(timedOut("The stream stalled")))
      else timer = watch()
    }
    let timer = watch()

    const take = (read: ReadonlyArray<BodyEvent>): void => {
      const { failure, parts } = partsIn(events, read, body.ended)
      lastAt = performance.now()
      if (parts.length > 0 && wait !== stallMillis) {
        wait = stallMillis
        clearTimeout(timer)
        timer = watch()
      }
      const told = parts.length === 0 ? undefined : onParts(parts)
      if (failure !== undefined) return end(Effect.andThen(told ?? Effect.void, Effect.fail(failure)))
      if (events.stage !== "answering") return end(told ?? Effect.void)
      // Whoever is told may have to wait, for a client that reads slowly.
      if (told !== undefined) return end(Effect.andThen(told, readOn))
      body.next(receiver)
    }
    const receiver: Receiver = {
      onEvents: (read) => {
        try {
          if (!isOver) take(read)
        } catch (defect) {
          end(Effect.die(defect))
        }
      },
      onError: (error) => end(Effect.fail(brokenBody(error))),
    }
    body.next(receiver)
    return Effect.sync(() => {
      isOver = true
      clearTimeout(timer)
    })
  })
  return readOn
}

/** Some servers have a last word after the reason to end; it is told, too. */
const readCounts = (answer: StreamedAnswer): Effect.Effect<void, ProviderFailure> =>
  Effect.suspend(() => {
    const { body, events, onParts } = answer
    if (events.stage === "finished" || body.ended) return Effect.void
    return Effect.flatMap(next(body, COUNTS_TIMEOUT), (read) => {
      const { failure, parts } = partsIn(events, read, body.ended)
      const told = parts.length === 0 ? undefined : onParts(parts)
      const rest = failure === undefined ? readCounts(answer) : Effect.fail(failure)
      return told === undefined ? rest : Effect.andThen(told, rest)
    })
  })

const next = (body: EventBody, wait: Duration.Duration) =>
  waitFor({
    millis: Duration.toMillis(wait),
    start: () => new Promise<ReadonlyArray<BodyEvent>>((onEvents, onError) => body.next({ onEvents, onError })),
    onTimeout: () => timedOut("The stream stalled"),
    onError: brokenBody,
  })

/** What a piece of the body brought, and why nothing comes after it. */
interface Piece {
  readonly parts: Array<Answer.StreamPartEncoded>
  readonly failure: ProviderFailure | undefined
}

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
