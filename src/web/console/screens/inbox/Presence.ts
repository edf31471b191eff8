import { type Signal, useSignal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { call, type Answer } from "../../server/Api.ts"
import { listen } from "../../server/Live.ts"
import { session } from "../../server/Session.ts"
import { myId } from "../../data/Inbox.ts"
import { mayWrite, messagesOf } from "../conversations/ConversationData.ts"

const route = "POST /api/external/chatbot/:chatbotId/conversations/:sessionId/presence"

type Told = Answer<typeof route>
type State = "reading" | "writing" | "away"

/** The server forgets after ten seconds what somebody does. */
const AGAIN_MILLIS = 8_000
const WRITING_MILLIS = 3_000

export interface PresenceHere {
  /** Who else is there, and up to when the visitor has read. */
  readonly told: Signal<Told>
  /** Says that the person writes; at most every three seconds. */
  readonly write: () => void
  /** Says that the person no longer writes. */
  readonly rest: () => void
}

/** Tells others that the person reads a conversation while it is shown, and tells the person about the others. */
export const usePresence = (chatbotId: string, sessionId: string): PresenceHere => {
  const told = useSignal<Told>({ presence: [], visitor_read_at: null })
  const here = useMemo(() => {
    let writtenAt = 0
    const say = async (state: State): Promise<void> => {
      if (!mayWrite()) return
      const read_to = messagesOf(chatbotId, sessionId).data.peek()?.items.at(-1)?.created_at
      const body = { state, ...(read_to !== undefined && state !== "away" && { read_to }) }
      // What others see of the person for ten seconds is not worth a message.
      told.value = await call(route, { params: { chatbotId, sessionId }, body }).catch(() => told.peek())
    }
    const write = (): void => {
      const now = Date.now()
      if (now - writtenAt < WRITING_MILLIS) return
      writtenAt = now
      void say("writing")
    }
    const rest = (): void => {
      writtenAt = 0
      void say(document.hidden ? "away" : "reading")
    }
    /** Says it again, unless something newer was said. */
    const remind = (): void => {
      if (!document.hidden && Date.now() - writtenAt >= WRITING_MILLIS) rest()
    }
    return { rest, remind, say, told, write }
  }, [])
  const newest = messagesOf(chatbotId, sessionId).data.value?.items.at(-1)?.id
  useEffect(here.remind, [newest])
  useEffect(() => {
    const timer = setInterval(here.remind, AGAIN_MILLIS)
    const stop = listen(chatbotId, (event) => {
      if (event.type !== "presence" || event.session_id !== sessionId) return
      told.value = { ...told.peek(), presence: event.presence }
    })
    document.addEventListener("visibilitychange", here.rest)
    return () => {
      clearInterval(timer)
      stop()
      document.removeEventListener("visibilitychange", here.rest)
      void here.say("away")
    }
  }, [])
  return here
}

/** Those who are there beside the person. */
export const othersIn = ({ presence }: Told): Told["presence"] =>
  presence.filter(({ who }) => who !== (myId() ?? session.value?.api_key?.id))
