import { Effect } from "effect"
import { type Client, ManyDocuments, read } from "../../lib/Client.ts"
import { ChatReply } from "../../../src/domain/chat/Chat.ts"
import type { Case, Knowledge } from "./Case.ts"
import type { Reply } from "./Score.ts"

/* Uploads documents to chatbots of `local/extractive`, and asks them. */

const FILES_PER_UPLOAD = 10
/** Conversations at a time: more of them only wait for the one processor of the server. */
const CONVERSATIONS = 4

/** Uploads the documents of a knowledge base to a chatbot of its own, and returns the chatbot's id. */
export const upload = Effect.fnUntraced(function* (client: Client, { files, name }: Knowledge) {
  const { id } = yield* Effect.promise(() => client.newChatbot({ name, settings: { model: "local/extractive" } }))
  for (let start = 0; start < files.length; start += FILES_PER_UPLOAD) {
    const form = new FormData()
    form.set("chatbotId", id)
    for (const file of files.slice(start, start + FILES_PER_UPLOAD)) {
      form.append("files", new Blob([file.content]), file.name)
    }
    const reply = yield* Effect.promise(() => client.post("/api/embedfiles", { form, headers: { prefer: "wait=60" } }))
    const unread = read(ManyDocuments, reply).documents.filter(({ status }) => status !== "ready")
    if (unread.length > 0) {
      return yield* Effect.die(
        new Error(`${name}: ${unread.map((each) => `${each.name} is ${each.status}`).join(", ")}`),
      )
    }
  }
  return id
})

/** Asks each question in a conversation of its own, and returns the last reply of each. */
export const ask = (client: Client, chatbot: string, cases: ReadonlyArray<Case>): Effect.Effect<ReadonlyArray<Reply>> =>
  Effect.forEach(
    cases,
    ({ before, question }) =>
      Effect.promise(async () => {
        const sessionToken = crypto.randomUUID()
        for (const earlier of before) read(ChatReply, await client.say(chatbot, earlier, { sessionToken }))
        const { output, sources = [] } = read(ChatReply, await client.say(chatbot, question, { sessionToken }))
        return {
          text: output,
          titles: [...new Set(sources.map(({ title }) => title))],
          quotes: sources.map(({ quote }) => quote),
        }
      }),
    { concurrency: CONVERSATIONS },
  )
