import { Cause, Context, Duration, Effect, Exit, Fiber, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { RequestId } from "../../api/RequestId.ts"
import { Config } from "../../Config.ts"
import { Caller } from "../../domain/Caller.ts"
import type { Failure } from "../../domain/Errors.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import type { ChatAnswer, ChatEmit, ChatEvent } from "../../services/ChatAnswer.ts"
import { EventStream } from "./EventStream.ts"
import { Lifecycle } from "../edge/Lifecycle.ts"
import { internalError } from "../edge/Problems.ts"
import { type ReplyIds, replyHeaders } from "../ReplyHeaders.ts"
import { Server } from "../server/Server.ts"

/** How a reply is told to clients of one kind, as server-sent events. A value tells one reply. */
export interface Protocol {
  readonly headers: Readonly<Record<string, string>>
  /** Empty for what clients of this kind are not told. */
  readonly event: (event: ChatEvent) => string
  /** The last words of a whole reply. */
  readonly finished: (answer: ChatAnswer) => string
  /** The last words of one that failed. */
  readonly failed: (failure: Failure) => string
  /** The last words of one that the server gave up. */
  readonly aborted: (reason: string) => string
}

/** What all streams of a server have in common. */
export const streamingOptions = Effect.gen(function* () {
  return {
    heartbeat: (yield* Config).streams.heartbeat,
    lifecycle: yield* Lifecycle,
    server: yield* Server,
    services: yield* Effect.context<never>(),
  }
})

const shutDown = "The server shut down before the reply was finished."

/**
 * What a reply needs of its request. The rest, with its body, would stay as long as the stream goes on, and so would a
 * copy of the server's services if they were not added one by one.
 */
const keptOf = (services: Context.Context<never>, request: Context.Context<Caller | CurrentOrganization>) =>
  services.pipe(
    Context.add(Caller, Context.get(request, Caller)),
    Context.add(CurrentOrganization, Context.get(request, CurrentOrganization)),
    Context.add(RequestId, Context.get(request, RequestId)),
  )

/**
 * Answers with a stream. The answer is held back until the reply has begun, at most one heartbeat: what fails before is
 * an ordinary failure, with a status of its own. From then on the reply goes on by itself, until it ends, the client
 * leaves or the server shuts down.
 */
export const respondWithStream = <E extends Failure>(
  reply: (emit: ChatEmit) => Effect.Effect<ChatAnswer, E, Caller | CurrentOrganization>,
  protocol: Protocol,
  { heartbeat, lifecycle, server, services }: Effect.Success<typeof streamingOptions>,
) =>
  Effect.contextWith((context: Context.Context<Caller | CurrentOrganization | HttpServerRequest.HttpServerRequest>) => {
    let ids: ReplyIds | undefined
    const events = new EventStream({
      heartbeatMillis: Duration.toMillis(heartbeat),
      onLeave: () => fiber.interruptUnsafe(),
    })
    const emit: ChatEmit = (event) => {
      if (event.type === "start") ids = event
      const text = protocol.event(event)
      return text === "" ? undefined : events.write(text)
    }
    const fiber = Effect.runForkWith(keptOf(services, context))(
      // In the next turn: where many arrive at once, streams under way would wait until all of them have begun.
      Effect.andThen(
        Effect.yieldNow,
        Effect.onError(reply(emit), (cause) => logLate(events, cause)),
      ),
    )
    const release = server.keepOpen(Context.get(context, HttpServerRequest.HttpServerRequest))
    lifecycle.running.add(fiber)
    fiber.addObserver((exit) => {
      events.end(Exit.isSuccess(exit) || events.isOpen ? lastWords(protocol, exit) : "")
      lifecycle.running.delete(fiber)
      release()
    })
    return Effect.flatMap(events.opened, () => (events.isOpen ? Effect.void : Fiber.join(fiber))).pipe(
      Effect.onInterrupt(() => Fiber.interrupt(fiber)),
      Effect.map(() =>
        HttpServerResponse.raw(events.body, {
          contentType: "text/event-stream; charset=utf-8",
          headers: {
            ...protocol.headers,
            "cache-control": "no-cache",
            "x-accel-buffering": "no",
            ...(ids && replyHeaders(ids)),
          },
        }),
      ),
    )
  })

const lastWords = (protocol: Protocol, exit: Exit.Exit<ChatAnswer, Failure>): string => {
  if (Exit.isSuccess(exit)) return protocol.finished(exit.value)
  if (Cause.hasInterrupts(exit.cause)) return protocol.aborted(shutDown)
  const failure = Cause.findError(exit.cause)
  return protocol.failed(Result.getOrElse(failure, () => internalError))
}

/** A fault of ours that came too late for a status. */
const logLate = (events: EventStream, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  events.isOpen && Result.isSuccess(Cause.findDefect(cause)) ? Effect.logError("A stream failed", cause) : Effect.void
