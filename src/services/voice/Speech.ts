import { type Cause, Effect, Fiber, Queue, Stream } from "effect"
import { emitted } from "../../agent/AgentEvent.ts"
import { type Clause, Clauses } from "../../domain/voice/Clauses.ts"
import type { Spoken } from "../../domain/voice/Heard.ts"
import type { ProviderFailure } from "../../models/calls/ProviderFailure.ts"
import { BYTES_PER_MS } from "../../models/voice/Pcm.ts"
import type { Speak } from "../../models/voice/Speaker.ts"
import type { VoiceEmit } from "./VoiceEvent.ts"

/** Pieces of a clause that wait for the client, some ten seconds; beyond them its synthesis waits. */
const PIECES_AHEAD = 50
/** Time for which the clause under way is still read when its turn is aborted, so that its length is known. */
const REST_WAIT = "1 second"
/** Time for a character where nothing is known of the voice. */
const USUAL_MS_PER_CHARACTER = 65

const muted = { type: "muted", detail: "The speech server failed. The rest of the reply is not spoken." } as const

/** A clause, and its audio where the server speaks. */
interface Line {
  readonly clause: Clause
  readonly pieces?: Queue.Queue<Uint8Array, ProviderFailure | Cause.Done>
  readonly making?: Fiber.Fiber<unknown>
  /** Milliseconds of audio so far. */
  ms: number
}

/**
 * Speaks a reply while it is made, clause by clause and in order. At most two clauses are synthesized ahead.
 *
 * @param speak undefined where the browser speaks the clauses
 */
export const makeSpeech = Effect.fnUntraced(function* (
  speak: ((clause: string, onAudio: Parameters<Speak>[2]) => ReturnType<Speak>) | undefined,
  emit: VoiceEmit,
) {
  const clauses = new Clauses()
  const waiting = yield* Queue.unbounded<Clause, Cause.Done>()
  const marks: Array<[end: number, until: number]> = []
  /** Milliseconds of audio that were passed on, and that the server has made. */
  const times = { spoken: 0, made: 0 }
  let characters = 0
  let isMuted = false
  let current: Line | undefined

  const offer = (complete: ReadonlyArray<Clause>) => Queue.offerAllUnsafe(waiting, complete)

  const begin = Effect.fnUntraced(function* (clause: Clause) {
    const line: Line = { clause, ms: 0 }
    if (speak === undefined || isMuted) return line
    const pieces = yield* Queue.bounded<Uint8Array, ProviderFailure | Cause.Done>(PIECES_AHEAD)
    const made: Line = {
      ...line,
      pieces,
      making: yield* speak(clause.text, (pcm) => {
        made.ms += pcm.length / BYTES_PER_MS
        times.made += pcm.length / BYTES_PER_MS
        return Effect.asVoid(Queue.offer(pieces, pcm))
      }).pipe(
        Effect.matchEffect({ onSuccess: () => Queue.end(pieces), onFailure: (failure) => Queue.fail(pieces, failure) }),
        Effect.forkScoped,
      ),
    }
    return made
  })

  const say = Effect.fnUntraced(function* (line: Line) {
    const { clause, pieces } = line
    current = line
    characters += clause.text.length
    yield* emitted(emit, { type: "clause", clause })
    if (pieces !== undefined) {
      yield* Stream.runForEach(Stream.fromQueue(pieces), (pcm) => emitted(emit, { type: "audio", pcm })).pipe(
        Effect.catch(() => {
          const wasMuted = isMuted
          isMuted = true
          return wasMuted ? Effect.void : emitted(emit, muted)
        }),
      )
    }
    times.spoken += line.ms
    current = undefined
    marks.push([clause.end, speak === undefined ? characters : times.spoken])
  })

  return {
    times,

    /** Adds text of the reply. */
    add: (text: string): void => void offer(clauses.push(text)),

    /** Adds the end of the reply. */
    end: Effect.suspend(() => {
      offer(clauses.end())
      return Queue.end(waiting)
    }),

    /** Speaks everything, until the end. */
    run: Stream.fromQueue(waiting).pipe(
      Stream.mapEffect(begin),
      // One clause is in this buffer, and another waits to be.
      Stream.buffer({ capacity: 1 }),
      Stream.runForEach(say),
    ),

    /**
     * Returns how far the speech has come, `whole` being the length of a reply that was spoken to its end. Of a clause that
     * is cut off, it finds out how long it would have been.
     */
    spoken: Effect.fnUntraced(function* (whole: number | undefined) {
      if (current?.pieces !== undefined && current.ms > 0) {
        const { clause, making, pieces } = current
        // From here on the pieces are only counted.
        yield* Queue.shutdown(pieces)
        const ended = making && (yield* Effect.timeoutOption(Effect.interruptible(Fiber.await(making)), REST_WAIT))
        const known = characters - clause.text.length
        const pace = known > 0 && times.spoken > 0 ? times.spoken / known : USUAL_MS_PER_CHARACTER
        const ms = ended?._tag === "Some" ? current.ms : Math.max(current.ms, clause.text.length * pace)
        marks.push([clause.end, times.spoken + ms])
      }
      const last = marks.at(-1)
      // What is not spoken at the end of a reply belongs to its last clause.
      if (whole !== undefined && last !== undefined) last[0] = whole
      return { unit: speak === undefined ? "characters" : "ms", marks } satisfies Spoken
    }),
  }
})
