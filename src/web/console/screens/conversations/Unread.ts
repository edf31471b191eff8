import { kept } from "../../data/Kept.ts"
import { fieldsIn, isFields, textIn } from "../../server/Unknown.ts"

interface Activity {
  readonly id: string
  readonly updated_at: string
}

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
export const isUnread = ({ id, updated_at }: Activity): boolean =>
  Date.parse(updated_at) > Date.parse(readMarks.value.seen[id] ?? readMarks.value.since) ||
  readMarks.value.seen[id] === ""

/** The moment before which no conversation is unread; undefined where some are marked as unread. */
export const unreadSince = (): string | undefined =>
  Object.values(readMarks.value.seen).includes("") ? undefined : readMarks.value.since

const mark = (all: ReadonlyArray<Activity>, at: (conversation: Activity) => string): void => {
  const known = Object.entries(readMarks.peek().seen).slice(-SEEN_MAX)
  const marked = all.map((conversation) => [conversation.id, at(conversation)] as const)
  readMarks.value = { ...readMarks.peek(), seen: Object.fromEntries([...known, ...marked]) }
}

export const markRead = (all: ReadonlyArray<Activity>): void =>
  mark(all.filter(isUnread), ({ updated_at }) => updated_at)
export const markUnread = (all: ReadonlyArray<Activity>): void => mark(all, () => "")
