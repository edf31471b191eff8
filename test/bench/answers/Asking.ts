import { Effect, Schema } from "effect"
import { type Client, ManyDocuments, read, until } from "../../lib/Client.ts"
import { Document, isSettled } from "../../../src/domain/knowledge/Document.ts"
import { ChatReply } from "../../../src/domain/chat/Chat.ts"
import { type PassageJson, Passages } from "../../../src/domain/knowledge/Passage.ts"
import { searchKnowledgeBase } from "../../../src/models/ToolDeclaration.ts"
import type { Case, Knowledge } from "./Case.ts"
import type { Reply } from "./Score.ts"

/* Uploads documents to chatbots of `local/extractive`, and asks them. */

const OneDocument = Schema.Struct({ document: Document })

const FILES_PER_UPLOAD = 10
/** Conversations at a time: more of them only wait for the one processor of the server. */
const CONVERSATIONS = 4

/** The document once it is ready or has failed: a model in the server may take minutes for its vectors. */
const settledDocument = async (client: Client, chatbot: string, id: string) => {
  const path = `/api/external/chatbot/${chatbot}/knowledge-base/documents/${id}`
  return (
    await until(
      async () => read(OneDocument, await client.get(path)),
      ({ document }) => isSettled(document),
    )
  ).document
}

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
    const documents = read(ManyDocuments, reply).documents.map((document) => settledDocument(client, id, document.id))
    const unread = (yield* Effect.promise(() => Promise.all(documents))).filter(({ status }) => status !== "ready")
    if (unread.length > 0) {
      return yield* Effect.die(
        new Error(`${name}: ${unread.map((each) => `${each.name} is ${each.status}`).join(", ")}`),
      )
    }
  }
  return id
})

/** A case with the last reply of its conversation. */
export interface Replied {
  readonly asked: Case
  readonly reply: Reply
  /** The first search for it; undefined when there was none. */
  readonly searched: { readonly query: string; readonly passages: ReadonlyArray<PassageJson> } | undefined
}

/** Asks each question in a conversation of its own. */
export const ask = (
  client: Client,
  chatbot: string,
  cases: ReadonlyArray<Case>,
): Effect.Effect<ReadonlyArray<Replied>> =>
  Effect.forEach(
    cases,
    (asked) =>
      Effect.promise(async () => {
        const sessionToken = crypto.randomUUID()
        for (const earlier of asked.before) read(ChatReply, await client.say(chatbot, earlier, { sessionToken }))
        const said = await client.say(chatbot, asked.question, { sessionToken })
        const { output, sources = [], tool_results } = read(ChatReply, said)
        const titles = [...new Set(sources.map(({ title }) => title))]
        return {
          asked,
          reply: { text: output, titles, quotes: sources.map(({ quote }) => quote) },
          searched: searchIn(tool_results),
        }
      }),
    { concurrency: CONVERSATIONS },
  )

const isSearch = Schema.is(
  Schema.Struct({
    toolName: Schema.Literal(searchKnowledgeBase.name),
    args: Schema.Struct({ query: Schema.String }),
    result: Passages,
  }),
)

const searchIn = (results: ReadonlyArray<unknown>): Replied["searched"] => {
  const first = results.find(isSearch)
  return first === undefined ? undefined : { query: first.args.query, passages: first.result }
}
