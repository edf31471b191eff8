import { Duration, Effect } from "effect"
import type { Response as Answer } from "effect/ai"
import type { OnParts } from "../ModelCalls.ts"
import { isCutObject, parseJson } from "../../text/Json.ts"
import { cutOff, malformed, type ProviderFailure, timedOut } from "./ProviderFailure.ts"
import { type BodyEvent, brokenBody, type EventBody, type Receiver, WHOLE } from "./ResponseBody.ts"

export interface AnswerEvents {
  /** Translates the JSON of an answer in one piece into its parts, but for the last, and finishes. */
  readonly readWhole: (json: unknown) => Array<Answer.StreamPartEncoded> | ProviderFailure
  /** Translates an event into the parts of the answer. */
  readonly read: (event: BodyEvent) => Array<Answer.StreamPartEncoded> | ProviderFailure
  /** With `answered`, the content is complete and only token counts may follow. After `finished`, nothing follows. */
  readonly stage: "answering" | "answered" | "finished"
  /** Returns the last parts. It must not be called while the stage is `answering`. */
  readonly end: () => Array<Answer.StreamPartEncoded>
}

/** An answer that is received as a stream of events. */
export interface StreamedAnswer {
  readonly body: EventBody
  readonly events: AnswerEvents
  readonly onParts: OnParts
  readonly limits: StreamLimits
  /** The longest time to the end of the answer, in milliseconds. */
  readonly millis: number
}

export interface StreamLimits {
  /** The longest time to the headers of the response, and from there to the first part of the answer. */
  readonly firstByteTimeout: Duration.Input
  /** The longest time between two chunks of a stream. */
  readonly stallTimeout: Duration.Input
}

/** The longest time that the body of a finished answer may take to end. */
const DRAIN_TIMEOUT = Duration.millis(250)
/** The longest time to wait for each chunk of token counts after the answer. */
const COUNTS_TIMEOUT = Duration.seconds(2)

/** Reads an answer to its end, and passes its parts to `onParts`. */
export const readAnswer = (answer: StreamedAnswer): Effect.Effect<void, ProviderFailure> =>
  readContent(answer).pipe(
    // A complete answer is not lost because its token counts are missing or malformed.
    Effect.andThen(Effect.ignore(readCounts(answer))),
    Effect.andThen(Effect.suspend(() => answer.onParts(answer.events.end()) ?? Effect.void)),
    // The connection of a body that was read to its end serves the next call.
    Effect.andThen(Effect.ignore(next(answer.body, DRAIN_TIMEOUT))),
    // Aborting the request does not always close a body that is read as a Node stream.
    Effect.ensuring(Effect.sync(() => answer.body.close())),
  )

/**
 * Reads an answer until its content is complete. It uses plain callbacks and timers: ten thousand tokens may arrive in
 * a second, and an effect with a timer for each of them would take longer than the work on it.
 */
const readContent = (answer: StreamedAnswer): Effect.Effect<void, ProviderFailure> => {
  const { body, events, limits, onParts } = answer
  const deadline = performance.now() + answer.millis
  const stallMillis = Duration.toMillis(limits.stallTimeout)
  let patience = Duration.toMillis(limits.firstByteTimeout)
  const readOn: Effect.Effect<void, ProviderFailure> = Effect.callback((resume) => {
    let isOver = false
    let lastAt = performance.now()
    const end = (result: Effect.Effect<void, ProviderFailure>): void => {
      isOver = true
      clearTimeout(timer)
      resume(result)
    }
    const remaining = (): number => Math.min(lastAt + patience, deadline) - performance.now()
    // It may have become negative since it was read last, which timers warn of.
    const watch = (): NodeJS.Timeout => setTimeout(check, Math.max(0, remaining()))
    // A single timer checks when a chunk last arrived, because resetting it for each token would take longer.
    const check = (): void => {
      if (remaining() <= 0) end(Effect.fail(timedOut("The stream stalled")))
      else timer = watch()
    }
    let timer = watch()

    const take = (read: ReadonlyArray<BodyEvent>): void => {
      const { failure, parts } = partsIn(events, read, body.ended)
      lastAt = performance.now()
      if (parts.length > 0 && patience !== stallMillis) {
        patience = stallMillis
        clearTimeout(timer)
        timer = watch()
      }
      const wait = parts.length === 0 ? undefined : onParts(parts)
      if (failure !== undefined) return end(Effect.andThen(wait ?? Effect.void, Effect.fail(failure)))
      if (events.stage !== "answering") return end(wait ?? Effect.void)
      // The consumer is behind, as when its client reads slowly.
      if (wait !== undefined) return end(Effect.andThen(wait, readOn))
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

/** Reads the token counts that some servers send after the end of the content. */
const readCounts = (answer: StreamedAnswer): Effect.Effect<void, ProviderFailure> =>
  Effect.suspend(() => {
    const { body, events, onParts } = answer
    if (events.stage === "finished" || body.ended) return Effect.void
    return Effect.flatMap(next(body, COUNTS_TIMEOUT), (read) => {
      const { failure, parts } = partsIn(events, read, body.ended)
      const wait = parts.length === 0 ? undefined : onParts(parts)
      const rest = failure === undefined ? readCounts(answer) : Effect.fail(failure)
      return wait === undefined ? rest : Effect.andThen(wait, rest)
    })
  })

const next = (body: EventBody, wait: Duration.Duration) =>
  Effect.tryPromise({
    try: () => new Promise<ReadonlyArray<BodyEvent>>((onEvents, onError) => body.next({ onEvents, onError })),
    catch: brokenBody,
  }).pipe(Effect.timeoutOrElse({ duration: wait, orElse: () => Effect.fail(timedOut("The stream stalled")) }))

/** The parts in one chunk of a body, and the failure that ended the answer, if any. */
interface Chunk {
  readonly parts: Array<Answer.StreamPartEncoded>
  readonly failure: ProviderFailure | undefined
}

const STREAM_END = "data: [DONE]"

/** Reads an answer in one piece, behind which the end of a stream may stand. */
const readWhole = (answer: AnswerEvents, data: string) => {
  const body = data.trimEnd()
  const text = body.endsWith(STREAM_END) ? body.slice(0, -STREAM_END.length) : body
  const json = parseJson(text)
  if (json !== undefined) return answer.readWhole(json)
  // `fetch` notices that a body was cut off only when its length was announced; otherwise its JSON shows it.
  return isCutObject(text) ? cutOff : malformed("The response is no stream of events, and not JSON")
}

const partsIn = (answer: AnswerEvents, events: ReadonlyArray<BodyEvent>, bodyEnded: boolean): Chunk => {
  const parts: Array<Answer.StreamPartEncoded> = []
  for (const event of events) {
    if (answer.stage === "finished") break
    const read = event.name === WHOLE ? readWhole(answer, event.data) : answer.read(event)
    // The last event of a body that ended may be incomplete.
    if (!Array.isArray(read)) {
      const isCut = bodyEnded && read.kind === "malformed" && event.name !== WHOLE
      return { parts, failure: isCut ? cutOff : read }
    }
    parts.push(...read)
  }
  return { parts, failure: bodyEnded && answer.stage === "answering" ? cutOff : undefined }
}
