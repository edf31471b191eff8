import { Cause, Context, Duration, Effect, Exit, Fiber, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Caller } from "../../domain/Caller.ts"
import type { Failure } from "../../domain/Errors.ts"
import type { CurrentOrganization } from "../../domain/Tenancy.ts"
import type { ChatAnswer, ChatEmit, ChatEvent, ReplyFacts } from "../../services/conversations/ChatAnswer.ts"
import { EventStream, MEDIA_TYPE, onLeave, respondWithEvents, streamHeaders } from "./EventStream.ts"
import { answerOf, CurrentIdempotentRequest, type IdempotentRequest } from "../edge/Idempotency.ts"
import { Lifecycle } from "../edge/Lifecycle.ts"
import { internalError } from "../edge/Problems.ts"
import { serverTiming } from "../edge/ServerTiming.ts"
import { replyHeaders } from "../ReplyHeaders.ts"
import { Server } from "../server/Server.ts"
import { lastingContext } from "../../services/LastingContext.ts"

/** The encoder of one reply as server-sent events in one protocol. It has state, so each reply needs its own. */
export interface Protocol<Answer = ChatAnswer, Event = ChatEvent> {
  /** The headers of the response that belong to the protocol. */
  readonly headers: Readonly<Record<string, string>>
  /** Encodes an event of the reply. Empty for an event that the protocol does not have. */
  readonly event: (event: Event) => string
  /** Encodes the end of a complete reply. */
  readonly finished: (answer: Answer) => string
  /** Encodes the end of a reply that has failed. */
  readonly failed: (failure: Failure) => string
  /** Encodes the end of a reply that the server has aborted. */
  readonly aborted: (reason: string) => string
}

/**
 * Time between two signs of life in a silent stream, and the longest wait for the model before the stream begins. Proxies
 * close connections that are silent for thirty seconds or longer.
 */
export const Heartbeat: Context.Reference<Duration.Input> = Context.Reference<Duration.Input>(
  "parley/http/streams/Heartbeat",
  { defaultValue: () => "10 seconds" },
)

/** The settings and services that all streams of a server share. */
export const streamingOptions = Effect.gen(function* () {
  return {
    heartbeat: yield* Heartbeat,
    lifecycle: yield* Lifecycle,
    server: yield* Server,
    services: yield* Effect.context<never>(),
  }
})

const shutDown = "The server shut down before the reply was finished."

/**
 * Responds with a reply as a stream of server-sent events.
 *
 * The response begins with the first event, or with the first heartbeat if that comes sooner. A reply that fails before
 * is an ordinary failure, with a status of its own. Afterwards the reply runs in a fiber of its own until it ends, the
 * client disconnects or the server shuts down.
 */
export const respondWithStream = <Answer, E extends Failure, Event extends { readonly type: string } = ChatEvent>(
  reply: (emit: ChatEmit<Event | ChatEvent>) => Effect.Effect<Answer, E, Caller | CurrentOrganization>,
  protocol: Protocol<Answer, Event | ChatEvent>,
  { heartbeat, lifecycle, server, services }: Effect.Success<typeof streamingOptions>,
) =>
  Effect.contextWith((context: Context.Context<Caller | CurrentOrganization | HttpServerRequest.HttpServerRequest>) => {
    const claim = takeOver(Context.get(context, CurrentIdempotentRequest))
    let facts: ReplyFacts | undefined
    /** The events that were sent so far, if they are to be kept. */
    let sent = ""
    let last: string | undefined
    let headers: Readonly<Record<string, string>> | undefined
    const begin = performance.now()
    /** The headers of the response, which stay as they were when it began: a heartbeat comes before the ids are known. */
    const headersOnce = () =>
      (headers ??= {
        ...protocol.headers,
        ...streamHeaders,
        ...(facts && replyHeaders(facts)),
        // What follows is not known yet.
        "server-timing": serverTiming(new Map([["begin", performance.now() - begin]])),
      })
    const leave = () => fiber.interruptUnsafe()
    const events = new EventStream({ heartbeatMillis: Duration.toMillis(heartbeat), onLeave: leave })
    const emit: ChatEmit<Event | ChatEvent> = (event) => {
      if (isStart(event)) facts = event
      const text = protocol.event(event)
      if (claim !== undefined) sent += text
      return text === "" ? undefined : events.write(text)
    }
    const replied =
      claim === undefined
        ? reply(emit)
        : Effect.tap(reply(emit), (answer) => {
            const end = protocol.finished(answer)
            const kept = answerOf(200, { "content-type": MEDIA_TYPE, ...headersOnce() }, Buffer.from(sent + end))
            // Kept before the last event is sent, so that a client that has received the whole stream can receive it again.
            return Effect.map(claim.keep({ ...kept, session: facts?.session_id }), () => void (last = end))
          })
    const fiber = Effect.runForkWith(lastingContext(services, context))(
      // Yields first: otherwise running streams would wait until all of many new ones have begun.
      Effect.andThen(
        Effect.yieldNow,
        Effect.onError(replied, (cause) => logLate(events, cause)),
      ).pipe(Effect.onExit((exit) => (claim === undefined || Exit.isSuccess(exit) ? Effect.void : claim.release))),
    )
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const release = server.keepOpen(request)
    lifecycle.running.add(fiber)
    fiber.addObserver((exit) => {
      events.end(Exit.isSuccess(exit) || events.isOpen ? (last ?? lastWords(protocol, exit)) : "")
      lifecycle.running.delete(fiber)
      release()
    })
    onLeave(request, leave)
    return Effect.flatMap(events.opened, () => (events.isOpen ? Effect.void : Fiber.join(fiber))).pipe(
      Effect.map(() => respondWithEvents(events, headersOnce())),
    )
  })

/** Takes over the claim of a request with an idempotency key, which the stream then ends. */
const takeOver = (idempotent: IdempotentRequest | undefined) => {
  if (idempotent !== undefined) idempotent.isStreamed = true
  return idempotent?.claim
}

const isStart = (event: { readonly type: string }): event is Extract<ChatEvent, { readonly type: "start" }> =>
  event.type === "start"

const lastWords = <Answer>(
  protocol: Pick<Protocol<Answer>, "aborted" | "failed" | "finished">,
  exit: Exit.Exit<Answer, Failure>,
): string => {
  if (Exit.isSuccess(exit)) return protocol.finished(exit.value)
  if (Cause.hasInterrupts(exit.cause)) return protocol.aborted(shutDown)
  const failure = Cause.findError(exit.cause)
  return protocol.failed(Result.getOrElse(failure, () => internalError))
}

/** Logs a defect that came after the response had begun, too late for the middleware that logs defects otherwise. */
const logLate = (events: EventStream, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  events.isOpen && Result.isSuccess(Cause.findDefect(cause)) ? Effect.logError("A stream failed", cause) : Effect.void
