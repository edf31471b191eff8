import type { MessageId } from "../../../domain/Ids.ts"
import type { WidgetEvent } from "../../../domain/widget/Widget.ts"
import { eventsOf } from "../../shared/EventStream.ts"
import type { Client } from "./Client.ts"
import type { Reply } from "./Entries.ts"
import { failureFrom, type Failure } from "./Failure.ts"

/** Number of times that a reply is asked for when the server cannot be reached: for about two minutes. */
const OFFLINE_TRIES = 16
/** Number of times that a message is sent before the visitor hears that it cannot be: for about three seconds. */
const UNSENT_TRIES = 4
const FAILED_TRIES = 3
const FIRST_WAIT_MILLIS = 400
const LONGEST_WAIT_MILLIS = 10_000

/** Waits longer with each try, but no longer than until the browser is online again. */
export const pause = (tries: number): Promise<void> =>
  new Promise((resolve) => {
    const longest = Math.min(LONGEST_WAIT_MILLIS, FIRST_WAIT_MILLIS * 2 ** (tries - 1))
    const done = () => {
      clearTimeout(timer)
      removeEventListener("online", done)
      resolve()
    }
    // Not all at once when a server comes back.
    const timer = setTimeout(done, longest * (0.75 + Math.random() / 2))
    addEventListener("online", done)
  })

const mayRepeat = ({ kind }: Failure, tries: number, hasBegun: boolean): boolean =>
  kind === "offline" ? tries < (hasBegun ? OFFLINE_TRIES : UNSENT_TRIES) : kind === "failed" && tries < FAILED_TRIES

export interface FollowOptions {
  readonly client: Client
  readonly reply: Reply
  /** Opens the stream from its first event, again with each call. */
  readonly begin: () => Promise<Response>
  readonly onEvent: (event: WidgetEvent) => void
  /** Called with `true` when the connection is lost, and with `false` when it is back. */
  readonly onLost: (isLost: boolean) => void
}

/**
 * Follows a reply to its end: where the connection breaks, it goes on after the last event. Fails where the server
 * refuses, and where it cannot be reached for minutes. A failure of the kind `missing` says that this server process
 * does not hold the reply.
 */
export const follow = async ({ begin, client, onEvent, onLost, reply }: FollowOptions): Promise<void> => {
  const resume = (id: MessageId) => client.send("GET", `chat/${id}?after=${reply.lastEvent}`)
  for (let tries = 1; !reply.isOver; tries += 1) {
    try {
      const id = reply.id.value
      const response = await (id === undefined ? begin() : resume(id))
      onLost(false)
      for await (const events of eventsOf(response)) {
        tries = 1
        for (const { data, id: number } of events) {
          const event = JSON.parse(data) as WidgetEvent
          reply.apply(event, Number(number))
          onEvent(event)
        }
        if (reply.isOver) return
      }
    } catch (error) {
      const failure = failureFrom(error)
      if (!mayRepeat(failure, tries, reply.id.value !== undefined)) throw failure
    }
    if (tries >= OFFLINE_TRIES) return
    onLost(true)
    await pause(tries)
  }
}
