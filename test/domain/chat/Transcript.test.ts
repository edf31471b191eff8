import { expect, test } from "bun:test"
import * as fc from "fast-check"
import type { Message, Session } from "../../../src/domain/chat/Conversation.ts"
import { ChatbotId, MessageId, SessionId } from "../../../src/domain/Ids.ts"
import { timestamp } from "../../../src/domain/schema/Timestamp.ts"
import { notations } from "../../../src/domain/chat/Transcript.ts"

const session: Session = {
  id: SessionId.make("01a1f949-b533-72c9-a523-091829dc59a0"),
  chatbot_id: ChatbotId.make("01a1f949-589d-74eb-b296-3f233cb51b4b"),
  session_token: "```\n# visitor",
  platform: "web",
  state: "open",
  last_message: null,
  user_info: { email: "`@example.com" },
  message_count: 0,
  created_at: timestamp(new Date(0)),
  updated_at: timestamp(new Date(0)),
}

const messageOf = (sender_type: "user" | "bot", content: string, comment: string | null): Message => ({
  id: MessageId.make("01a1f949-b557-76c3-802f-bd8df25192ac"),
  session_id: session.id,
  sender_type,
  content,
  attachments: null,
  created_at: timestamp(new Date(0)),
  metadata: {},
  migrated_data: false,
  model: null,
  provider: null,
  session_token: null,
  tokens_used: 0,
  tool_calls: null,
  tool_results: null,
  ...(comment !== null && { feedback: { rating: "up", comment } }),
})

const said = fc
  .array(
    fc.constantFrom("```", "`", "~~~", "\n", "\r", "\r\n", " ", "    ", "## 2. Bot, now", "> ", "<b>", "a", "\u2028"),
  )
  .map((parts) => parts.join(""))

/** Reads a transcript like CommonMark: the lines outside of code fences, and the content of each fence. */
const readMarkdown = (text: string) => {
  const lines = text.split(/\r\n|\r|\n/)
  const outside: Array<string> = []
  const fences: Array<Array<string>> = []
  let fence: string | undefined
  for (const line of lines) {
    const run = /^ {0,3}(`{3,})([^`]*)$/.exec(line)
    if (fence === undefined && run !== null) {
      fence = run[1] ?? ""
      fences.push([])
    } else if (fence !== undefined && run !== null && (run[1] ?? "").length >= fence.length && run[2]?.trim() === "") {
      fence = undefined
    } else if (fence === undefined) outside.push(line)
    else fences.at(-1)?.push(line)
  }
  return { outside: outside.filter((line) => line !== ""), fences }
}

test("no message can look like another one or like a comment, whatever its text", () => {
  const turns = fc.array(
    fc.record({ sender: fc.constantFrom("user" as const, "bot" as const), said, comment: fc.option(said) }),
    { maxLength: 5 },
  )
  fc.assert(
    fc.property(turns, (turns) => {
      const { opening, message, ending } = notations.markdown
      const text =
        opening(session) +
        turns.map((turn, index) => message(messageOf(turn.sender, turn.said, turn.comment), index)).join("") +
        ending
      const { outside, fences } = readMarkdown(text)
      expect(outside).toEqual([
        `# Conversation ${session.id}`,
        ...turns.flatMap(({ sender, comment }, index) => [
          `## ${index + 1}. ${sender === "user" ? "User" : "Bot"}, ${session.created_at}`,
          ...(comment === null ? [] : ["Rated up."]),
        ]),
      ])
      // A carriage return at the end of a text joins with the following newline into one line ending.
      const lines = (text: string) => `${text}\n`.split(/\r\n|\r|\n/).slice(0, -1)
      expect(fences.slice(1)).toEqual(
        turns.flatMap((turn) => [lines(turn.said), ...(turn.comment === null ? [] : [lines(turn.comment)])]),
      )
    }),
    { numRuns: 500 },
  )
})

test("the chunks of a JSON transcript form one document, whatever their number", () => {
  fc.assert(
    fc.property(fc.array(said, { maxLength: 4 }), (contents) => {
      const { opening, message, ending } = notations.json
      const messages = contents.map((content) => messageOf("user", content, null))
      expect(JSON.parse(opening(session) + messages.map(message).join("") + ending)).toEqual({ session, messages })
    }),
  )
})
