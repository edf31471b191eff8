import { type Cause, Effect, Fiber, Queue, type Scope, Stream } from "effect"
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

type Pieces = Queue.Queue<Uint8Array, ProviderFailure | Cause.Done>

/** A clause whose audio is being made. */
interface Line {
  readonly clause: Clause
  readonly pieces: Pieces | undefined
  readonly making: Fiber.Fiber<void> | undefined
  /** Milliseconds of audio so far. */
  ms: number
}

const muted = {
  type: "muted",
  detail: "The speech server failed. The rest of the reply is not spoken.",
} as const

/** Speaks a reply while it is made, clause by clause and in order. At most two clauses are synthesized ahead. */
export class Speech {
  /** Milliseconds of audio that were passed on, and that the server has made. */
  spokenMs = 0
  madeMs = 0
  private isMuted = false
  private readonly marks: Array<[end: number, until: number]> = []
  private characters = 0
  private line: Line | undefined
  private readonly clauses = new Clauses()
  private readonly waiting: Queue.Queue<Clause, Cause.Done>
  private readonly speak: ((clause: string, onAudio: Parameters<Speak>[2]) => ReturnType<Speak>) | undefined
  private readonly emit: VoiceEmit

  /** @param speak undefined where the browser speaks the clauses. */
  constructor(waiting: Speech["waiting"], speak: Speech["speak"], emit: VoiceEmit) {
    this.waiting = waiting
    this.speak = speak
    this.emit = emit
  }

  static make(speak: Speech["speak"], emit: VoiceEmit): Effect.Effect<Speech> {
    return Effect.map(Queue.unbounded<Clause, Cause.Done>(), (waiting) => new Speech(waiting, speak, emit))
  }

  /** Adds text of the reply. */
  add(text: string): void {
    for (const clause of this.clauses.push(text)) Queue.offerUnsafe(this.waiting, clause)
  }

  /** Adds the end of the reply. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    for (const clause of this.clauses.end()) Queue.offerUnsafe(this.waiting, clause)
    return Effect.asVoid(Queue.end(this.waiting))
  })

  /** Speaks everything, until the end. */
  get run(): Effect.Effect<void, never, Scope.Scope> {
    return Stream.fromQueue(this.waiting).pipe(
      Stream.mapEffect((clause) => this.begin(clause)),
      // One clause is in this buffer, and another waits to be.
      Stream.buffer({ capacity: 1 }),
      Stream.runForEach((line) => this.say(line)),
    )
  }

  /**
   * Returns how far the speech has come, `whole` being the length of a reply that was spoken to its end. Of a clause that is
   * cut off, it finds out how long it would have been.
   */
  readonly spoken = Effect.fnUntraced(function* (this: Speech, whole: number | undefined) {
    const { line, marks } = this
    if (line?.pieces !== undefined && line.ms > 0) {
      // From here on the pieces are only counted.
      yield* Queue.shutdown(line.pieces)
      const ended =
        line.making && (yield* Effect.timeoutOption(Effect.interruptible(Fiber.await(line.making)), REST_WAIT))
      const known = this.characters - line.clause.text.length
      const pace = known > 0 && this.spokenMs > 0 ? this.spokenMs / known : USUAL_MS_PER_CHARACTER
      const ms = ended?._tag === "Some" ? line.ms : Math.max(line.ms, line.clause.text.length * pace)
      marks.push([line.clause.end, this.spokenMs + ms])
    }
    const last = marks.at(-1)
    // What is not spoken at the end of a reply belongs to its last clause.
    if (whole !== undefined && last !== undefined) last[0] = whole
    return { unit: this.speak === undefined ? "characters" : "ms", marks } satisfies Spoken
  })

  private begin(clause: Clause): Effect.Effect<Line, never, Scope.Scope> {
    const { speak } = this
    if (speak === undefined || this.isMuted)
      return Effect.succeed({ clause, pieces: undefined, making: undefined, ms: 0 })
    return Effect.gen({ self: this }, function* () {
      const pieces: Pieces = yield* Queue.bounded<Uint8Array, ProviderFailure | Cause.Done>(PIECES_AHEAD)
      const making = speak(clause.text, (pcm) => {
        const ms = pcm.length / BYTES_PER_MS
        line.ms += ms
        this.madeMs += ms
        return Effect.asVoid(Queue.offer(pieces, pcm))
      }).pipe(
        Effect.matchEffect({
          onSuccess: () => Queue.end(pieces),
          onFailure: (failure) => Queue.fail(pieces, failure),
        }),
        Effect.asVoid,
      )
      const line: Line = { clause, pieces, making: yield* Effect.forkScoped(making), ms: 0 }
      return line
    })
  }

  private say(line: Line): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      this.line = line
      this.characters += line.clause.text.length
      yield* emitted(this.emit, { type: "clause", clause: line.clause })
      if (line.pieces !== undefined) {
        yield* Stream.fromQueue(line.pieces).pipe(
          Stream.runForEach((pcm) => emitted(this.emit, { type: "audio", pcm })),
          Effect.catch(() => {
            const wasMuted = this.isMuted
            this.isMuted = true
            return wasMuted ? Effect.void : emitted(this.emit, muted)
          }),
        )
      }
      this.spokenMs += line.ms
      this.line = undefined
      this.marks.push([line.clause.end, this.speak === undefined ? this.characters : this.spokenMs])
    })
  }
}
