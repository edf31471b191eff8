import { kept } from "../../data/Kept.ts"
import { fieldsIn, isFields, textIn } from "../../server/Unknown.ts"
import type { Conversation } from "./ConversationData.ts"

/** Record of the conversations that were read in this browser. */
interface Reading {
  /** Moment before which everything counts as read: the first look at the conversations. */
  readonly since: string
  /** The latest activity of conversations that were read since, by their ids; empty for one that is marked as unread. */
  readonly seen: Readonly<Record<string, string>>
}

/** The most conversations that are remembered one by one. The oldest of the others count as read. */
const SEEN_MAX = 2_000

const readMarks = kept<Reading>("read", { since: new Date().toISOString(), seen: {} }, (stored) => {
  const { seen, since } = fieldsIn(stored)
  const from = textIn(since)
  if (from === undefined || !isFields(seen)) return undefined
  return { since: from, seen: Object.fromEntries(Object.entries(seen).map(([id, at]) => [id, textIn(at) ?? ""])) }
})

/** Whether something was said in a conversation that nobody has read in this browser. */
export const isUnread = ({ id, updated_at }: Pick<Conversation, "id" | "updated_at">): boolean =>
  Date.parse(updated_at) > Date.parse(readMarks.value.seen[id] ?? readMarks.value.since) ||
  readMarks.value.seen[id] === ""

const mark = (all: ReadonlyArray<Conversation>, at: (conversation: Conversation) => string): void => {
  const known = Object.entries(readMarks.peek().seen).slice(-SEEN_MAX)
  const marked = all.map((conversation) => [conversation.id, at(conversation)] as const)
  readMarks.value = { ...readMarks.peek(), seen: Object.fromEntries([...known, ...marked]) }
}

export const markRead = (all: ReadonlyArray<Conversation>): void =>
  mark(all.filter(isUnread), ({ updated_at }) => updated_at)
export const markUnread = (all: ReadonlyArray<Conversation>): void => mark(all, () => "")
