import type { ChatTurn } from "./Chat.ts"

const isSame = (a: ChatTurn, b: ChatTurn) => a.role === b.role && a.content === b.content

/** Whether the session ends with these turns, if need be with replies in between that are not among them. */
const endsWith = (held: ReadonlyArray<ChatTurn>, turns: ReadonlyArray<ChatTurn>, passReplies: boolean): boolean => {
  let end = held.length
  for (const turn of turns.toReversed()) {
    let last = held[--end]
    while (passReplies && last?.role === "assistant" && !isSame(last, turn)) last = held[--end]
    if (last === undefined || !isSame(last, turn)) return false
  }
  return true
}

const longestHeld = (held: ReadonlyArray<ChatTurn>, sent: ReadonlyArray<ChatTurn>, passReplies: boolean): number => {
  let length = Math.min(held.length, sent.length)
  while (length > 0 && !endsWith(held, sent.slice(0, length), passReplies)) length--
  return length
}

/**
 * Of the messages that a client sent, those that the session does not hold yet. A client that sends one message sends
 * what is new. One that sends several shows the conversation as it knows it, so the longest beginning of it with which
 * the session ends is held already. Where there is none, the session may hold replies that the client does not know:
 * cut off on their way, or to be made again. Then these are passed over.
 */
export const notHeld = <A extends ChatTurn>(
  held: ReadonlyArray<ChatTurn>,
  sent: ReadonlyArray<A>,
): ReadonlyArray<A> => {
  if (sent.length <= 1) return sent
  return sent.slice(longestHeld(held, sent, false) || longestHeld(held, sent, true))
}
