import type { ChatTurn } from "./Chat.ts"

const isSame = (a: ChatTurn, b: ChatTurn) => a.role === b.role && a.content === b.content

/**
 * Of the messages that a client sent, those that the session does not hold yet. A client that sends one message sends
 * what is new. One that sends several shows the conversation as it knows it, so the longest beginning of it with which
 * the session ends is held already.
 */
export const notHeld = <A extends ChatTurn>(
  held: ReadonlyArray<ChatTurn>,
  sent: ReadonlyArray<A>,
): ReadonlyArray<A> => {
  if (sent.length <= 1) return sent
  for (let length = Math.min(held.length, sent.length); length > 0; length--) {
    const end = held.slice(-length)
    if (end.every((turn, index) => isSame(turn, sent[index] ?? turn))) return sent.slice(length)
  }
  return sent
}
