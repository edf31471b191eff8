import { ArrowDown, Bell, BellOff } from "lucide"
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { formatCount, formatMoment } from "../../../shared/Format.ts"
import { Scroller } from "../../../shared/Scroller.tsx"
import { useFollow } from "../../../shared/Follow.ts"
import { inboxCounts, notifies, toggleNotifications } from "../../data/Inbox.ts"
import { Button } from "../../parts/Buttons.tsx"
import { queryText, setQuery } from "../../Router.ts"
import { listen, soon } from "../../server/Live.ts"
import { useResource } from "../../server/Resource.ts"
import { conversationOf, type Message, messagesOf, refresh, visitorOf } from "../conversations/ConversationData.ts"
import { ConversationList } from "../conversations/Conversations.tsx"
import { kinds } from "../conversations/SavedFilters.tsx"
import { Thread, type ThreadProps } from "../conversations/Thread.tsx"
import { Ownership } from "./Actions.tsx"
import { Composer } from "./Composer.tsx"
import { othersIn, type PresenceHere, usePresence } from "./Presence.ts"

interface SignsProps {
  readonly items: ReadonlyArray<Message>
  readonly presence: PresenceHere
  readonly visitor: string
}

/** What the visitor has read, and who reads and writes at the moment. */
const Signs = ({ items, presence, visitor }: SignsProps) => {
  const { visitor_read_at: readAt } = presence.told.value
  const last = items.at(-1)
  const isRead = last?.sender_type === "agent" && readAt !== null && Date.parse(readAt) >= Date.parse(last.created_at)
  return (
    <output class="signs stack tight soft small anywhere">
      {isRead && <span>Read by the visitor, {formatMoment(readAt)}</span>}
      {othersIn(presence.told.value).map(({ name, state, who }) => (
        <span key={who}>
          <bdi>{who === "visitor" ? visitor : (name ?? "A colleague")}</bdi>{" "}
          {state === "writing" ? "is writing…" : "is here"}
        </span>
      ))}
    </output>
  )
}

/** A conversation with everything that a person does in it. */
const Desk = (props: ThreadProps) => {
  const { chatbotId, sessionId } = props
  const presence = usePresence(chatbotId, sessionId)
  const shown = conversationOf(chatbotId, sessionId).data.value
  const messages = messagesOf(chatbotId, sessionId)
  const known = messages.data.value
  const { content, hasNew, scroller, toEnd } = useFollow()
  useEffect(() => {
    const look = soon(() => refresh(chatbotId, sessionId))
    return listen(chatbotId, (event) => {
      if (event.type === "resync" || (event.type === "conversation" && event.conversation.id === sessionId)) look()
    })
  }, [])
  useEffect(() => {
    // The newest are what somebody answers.
    if (known?.next != null) void messages.more()
  }, [known])
  return (
    <div class="desk">
      <Scroller of={scroller} label="Conversation">
        <div ref={content}>
          <Thread {...props} above={shown !== undefined && <Ownership of={shown} />}>
            <Signs
              items={known?.items ?? []}
              presence={presence}
              visitor={shown === undefined ? "Visitor" : visitorOf(shown)}
            />
          </Thread>
        </div>
      </Scroller>
      <div class="stack tight">
        <div aria-live="polite" class="more centred">
          {hasNew.value && (
            <Button small icon={ArrowDown} onClick={toEnd}>
              New messages
            </Button>
          )}
        </div>
        {shown !== undefined && <Composer of={shown} onSent={toEnd} presence={presence} />}
      </div>
    </div>
  )
}

const NotificationsButton = () => {
  const is = notifies()
  return (
    <Button
      small
      kind="quiet"
      icon={is === true ? Bell : BellOff}
      aria-pressed={is === true}
      disabled={is === undefined}
      title={is === undefined ? "This browser does not allow notifications of this page." : undefined}
      onClick={toggleNotifications}
    >
      Notifications
    </Button>
  )
}

/** Conversations in which people answer. */
const Inbox = () => {
  const known = useResource(inboxCounts()).data.value
  const counts: Readonly<Record<string, number>> = known ?? {}
  // Who comes without a choice, while nobody waits, goes on with what is assigned. Only then: a list does not change by itself.
  const isUndecided = useSignal(queryText("show") === "")
  useEffect(() => {
    if (known === undefined || !isUndecided.value) return
    isUndecided.value = false
    if (known.waiting === 0 && known.mine > 0 && queryText("show") === "") setQuery({ show: "mine" })
  }, [known])
  const options = Object.fromEntries(
    Object.entries(kinds.inbox).map(([kind, word]) => {
      const { [kind]: count = 0 } = counts
      return [kind, count === 0 ? word : `${word} ${formatCount(count)}`]
    }),
  )
  return (
    <ConversationList
      mailbox="inbox"
      options={options}
      beside={<NotificationsButton />}
      one={(props) => <Desk key={props.sessionId} {...props} />}
    />
  )
}

export default Inbox
