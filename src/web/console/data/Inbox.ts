import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { href, navigate, place } from "../Router.ts"
import { call } from "../server/Api.ts"
import { listen, soon } from "../server/Live.ts"
import { resources } from "../server/Resource.ts"
import { can, session } from "../server/Session.ts"
import { kept } from "./Kept.ts"

/*
 * What the whole console knows of the inbox: how many visitors wait, and what the browser tells of them.
 */

export const inboxCounts = resources(() => call("GET /api/external/inbox"))

/** The person who is signed in; undefined for an API key. */
export const myId = (): string | undefined => session.value?.person?.id

const isWanted = kept("notifications", false, (stored) => stored === true)
const permission = signal(globalThis.Notification?.permission)

/** Whether the browser tells of new messages; undefined where it cannot, or may not. */
export const notifies = (): boolean | undefined =>
  permission.value === undefined || permission.value === "denied"
    ? undefined
    : isWanted.value && permission.value === "granted"

/** Switches notifications on or off. The browser asks for its permission only now. */
export const toggleNotifications = async (): Promise<void> => {
  if (notifies() === true) return void (isWanted.value = false)
  permission.value = await Notification.requestPermission()
  isWanted.value = permission.value === "granted"
}

const LATEST = "30"
/** The latest message of each conversation that somebody has to look after, by its id; undefined before the first look. */
let known: ReadonlyMap<string, string | undefined> | undefined

/** Tells of conversations that wait for anybody, and of what visitors write in those of the person, since the last look. */
const tellNews = async (): Promise<void> => {
  const look = (assignee: string) =>
    call("GET /api/external/conversations", { query: { owner: "people", waiting: "true", assignee, limit: LATEST } })
  const lists = await Promise.all((myId() === undefined ? ["none"] : ["none", "me"]).map(look))
  const all = lists.flatMap(({ conversations }) => conversations)
  const before = known
  known = new Map(all.map(({ id, last_message: last }) => [id, last?.id]))
  if (before === undefined) return
  for (const { chatbot_id: chatbotId, handover, id: sessionId, last_message: last } of all) {
    const isRead = !document.hidden && place.peek().params["sessionId"] === sessionId
    if (isRead || before.get(sessionId) === last?.id) continue
    const title = handover?.assignee == null ? "A visitor waits for a person" : "New message"
    const shown = new Notification(title, { body: last?.content.slice(0, 200) ?? "", tag: sessionId })
    shown.addEventListener("click", () => {
      window.focus()
      void navigate(href("inboxConversation", { chatbotId, sessionId }))
      shown.close()
    })
  }
}

/** Follows what waits, while somebody is signed in who may read conversations. */
export const useInbox = (): void => {
  const isAllowed = can("conversations:read", null)
  useEffect(() => {
    if (!isAllowed) return undefined
    const look = soon(() => {
      void inboxCounts().reload()
      // A browser of a phone may refuse to make one, and the server may be away: the counts say what waits all the same.
      if (notifies() === true) void tellNews().catch(() => {})
    })
    const stop = listen(undefined, ({ type }) => (type === "conversation" || type === "resync") && look())
    return () => {
      known = undefined
      stop()
    }
  }, [isAllowed])
}
