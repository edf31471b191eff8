import { Ago } from "../../parts/Layout.tsx"
import type { ConversationEvent, Message } from "./ConversationData.ts"

type Entry = Message | ConversationEvent

/** Messages and what happened between them, in order; of messages that are not all there, what happened up to the last. */
export const timelineOf = (
  messages: ReadonlyArray<Message>,
  events: ReadonlyArray<ConversationEvent>,
  isComplete: boolean,
): ReadonlyArray<Entry> => {
  const momentOf = ({ created_at }: Entry): number => Date.parse(created_at)
  const last = messages.at(-1)
  const end = isComplete || last === undefined ? Infinity : momentOf(last)
  return [...messages, ...events.filter((event) => momentOf(event) <= end)].toSorted(
    (one, other) => momentOf(one) - momentOf(other),
  )
}

/** What the visitor wrote last before an entry. */
export const questionBefore = (entries: ReadonlyArray<Entry>): string =>
  entries.flatMap((each) => ("sender_type" in each && each.sender_type === "user" ? [each.content] : [])).at(-1) ?? ""

const handovers: Readonly<Record<string, string>> = {
  visitor: "The visitor asked for a person",
  tool: "The chatbot asked for a person",
  not_found: "The chatbot found nothing twice in a row and asked for a person",
  rated_down: "An answer was rated down, and a person was asked for",
  unanswered: "Questions stayed without an answer, and a person was asked for",
  email: "The visitor left an e-mail address for a person to answer to",
}

/** What happened, in words. */
export const wordsOf = ({ detail, person, type }: ConversationEvent): string => {
  const who = person?.name
  const by = who === undefined ? "" : ` by ${who}`
  const isOwn = detail.assignee != null && detail.assignee.id === person?.id
  if (type === "handover") {
    const to = detail.assignee == null || isOwn ? "" : `, assigned to ${detail.assignee.name}`
    return (handovers[detail.reason ?? ""] ?? (who === undefined ? "A person was asked for" : `${who} took over`)) + to
  }
  if (type === "assigned" && isOwn) return `${detail.assignee?.name} took over`
  if (type === "assigned")
    return detail.assignee == null ? `Assigned to nobody${by}` : `Assigned to ${detail.assignee.name}${by}`
  if (type === "closed") return `Closed${by}`
  if (type === "note") return `Note${by}`
  if (detail.reason === "silence") return "Given back to the chatbot, as nobody had written for a while"
  return `Given back to the chatbot${by}`
}

/** Something that happened between messages: a line, or a note, which visitors never see. */
export const Happened = ({ event }: { readonly event: ConversationEvent }) => {
  const time = <Ago at={event.created_at} />
  if (event.type !== "note")
    return (
      <li class="happened soft small">
        {wordsOf(event)} · {time}
      </li>
    )
  return (
    <li class="box stack tight note">
      <div class="row spread soft small">
        <strong>{wordsOf(event)}</strong>
        {time}
        <span>Visitors never see it.</span>
      </div>
      <p class="said" dir="auto">
        {event.detail.text}
      </p>
    </li>
  )
}
