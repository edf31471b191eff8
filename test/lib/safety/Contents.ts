import { Schema } from "effect"
import type { Scope } from "../../../src/domain/keys/ApiKey.ts"
import { Source } from "../../../src/domain/knowledge/Source.ts"
import { type Client, read, type Reply, until } from "../Client.ts"
import { endOf, runTests } from "../Evaluation.ts"
import { calls, says } from "../FakeAnthropic.ts"
import type { TestServer } from "../TestServer.ts"
import type { ApiDocument, Operation } from "./ApiDocument.ts"
import { type Belongings, makeMember, ordinaryScopes } from "./Belongings.ts"
import { beginningOf } from "./Matrix.ts"
import { callTool } from "./McpCalls.ts"
import { placesOf } from "./Places.ts"
import { validRequest } from "./ValidRequests.ts"

/*
 * The matrix of contents: a word stands in a passage, in a visitor's message, in a stored answer, and in every answer
 * that a model makes from then on. Every operation is asked by keys with all scopes but the one that such a content
 * needs, and shows them nothing of it. An operation that is declared is in the matrix without any change here.
 */

/** The kinds of content, with the scope that each of them needs. */
const scopeOf = {
  passage: "knowledge:read",
  words: "conversations:read",
  answer: "conversations:read",
  made: "chat",
} as const satisfies Readonly<Record<string, Scope>>
type Content = keyof typeof scopeOf

const contents: ReadonlyArray<Content> = ["passage", "words", "answer", "made"]

/** A word of each kind of content, in nothing else. */
const marks: Readonly<Record<Content, string>> = {
  passage: "Quillfeather",
  words: "Marrowthistle",
  answer: "Bramblewick",
  made: "Hollowfern",
}

/**
 * Whether an operation may show passages without `knowledge:read`: what a reply rests on is a part of the reply, for
 * those who ask for one and those who read the conversation.
 */
const showsReplies = ({ alsoRequires, path, scope }: Operation): boolean => {
  const scopes = new Set([scope, ...alsoRequires])
  return scopes.has("chat") || (scopes.has("conversations:read") && path.includes("/conversations"))
}

/** A chatbot with all kinds of content, and the keys that ask for them. */
export interface Contents {
  readonly document: ApiDocument
  readonly own: Belongings
  readonly topic: string
  /** A reply that no test was made from. */
  readonly untested: string
  readonly client: Client
  readonly lacking: ReadonlyMap<Content, Client>
}

const One = Schema.Struct({ id: Schema.String })
const OneTest = Schema.Struct({ test: One })
const OneQuestion = Schema.Struct({ question: One })
const Topics = Schema.Struct({ data: Schema.Array(One), ungrouped: Schema.Int })

/** Makes an organization with all kinds of content, whose chatbot is asked by others no more. */
export const makeContents = async (
  { client: operator, provider }: TestServer,
  document: ApiDocument,
): Promise<Contents> => {
  const { client, own: things } = await makeMember(operator)
  const { chatbot, questionSource } = things
  const path = `/api/external/chatbot/${chatbot}`
  const text = `${marks.passage} drains the marsh.`
  const [uploaded] = await client.learn(chatbot, { "marsh.md": `# Marsh\n\n${text}` })
  const json = { kind: "text", name: "Marsh", text: `${text} It is a pump.` }
  const source = read(Schema.Struct({ source: Source }), await client.post(`${path}/sources`, { json })).source
  const question = await client.post(`${path}/sources/${questionSource}/questions`, {
    json: { question: "Which pump is new?", answer: text },
  })
  const converse = async () => {
    const { headers } = await client.say(chatbot, `${marks.words} asks: what drains the marsh?`)
    return { session: headers.get("x-session-id") ?? "", message: headers.get("x-message-id") ?? "" }
  }
  // The reply of `local/extractive` quotes what the test of it must find.
  const quoting = await converse()
  const test = await client.post(`${path}/tests/from-reply`, { json: { message_id: quoting.message } })
  const settings = { model: "claude-sonnet-5-5" }
  await client.patch(`/api/external/chatbots?id=${chatbot}`, { json: { settings } })
  const answer = [calls("What drains the marsh?"), says(`${marks.answer} does.`)]
  await provider.answers(...answer)
  const reply = await converse()
  await provider.answers(...answer)
  const run = await runTests(client, chatbot, { tier: "model" })
  await endOf(client, chatbot, run.id)
  const { data: topics } = await until(async () => read(Topics, await client.get(`${path}/topics`)), { ungrouped: 0 })
  await provider.answers(says(`${marks.made} does.`))
  const lacking = await Promise.all(
    contents.map(async (content) => {
      const scopes = ordinaryScopes.filter((scope) => scope !== scopeOf[content])
      return [content, await client.limitedTo(...scopes)] as const
    }),
  )
  return {
    document,
    own: {
      ...things,
      document: uploaded?.id ?? "",
      source: source.id,
      question: read(OneQuestion, question).question.id,
      ...reply,
      test: read(OneTest, test).test.id,
      testRun: run.id,
    },
    topic: topics[0]?.id ?? "",
    untested: reply.message,
    client,
    lacking: new Map(lacking),
  }
}

/** The operations that undo what the one before has done, by the ends of their paths. */
const undoing = new Map([
  ["handover", "return"],
  ["return", "handover"],
])

/** Asks for an operation with the names of what holds the contents. */
const ask = async (
  { client: maker, document, own, topic, untested }: Contents,
  operation: Operation,
  client: Client,
): Promise<Reply> => {
  const values: Record<string, string> = operation.path.includes("{topicId}") ? { topicId: topic } : {}
  for (const { kinds, name } of placesOf(document, operation)) {
    // A conversation goes on for everyone who knows its name, so that requests of a chat begin one.
    if (kinds === "chosen") values[name] = crypto.randomUUID()
    else if (kinds[0] !== undefined && !(operation.scope === "chat" && name === "sessionToken"))
      values[name] = own[kinds[0]]
  }
  if (operation.body !== undefined && "query" in (document.resolve(operation.body.schema).properties ?? {}))
    values["query"] = "What drains the marsh?"
  if (operation.path.endsWith("/from-reply")) values["message_id"] = untested
  const request = validRequest(document, operation, values)
  const undo = undoing.get(operation.path.split("/").at(-1) ?? "")
  if (undo !== undefined) await maker.post(request.path.replace(/\w+$/, undo), { json: {} })
  if (operation.path.startsWith("/mcp")) return callTool(operation.name.split(" ").at(-1) ?? "")(client, request)
  return operation.name === "GET /api/external/events"
    ? beginningOf(client, request.path)
    : client.send(request.method, request.path, request.sent)
}

/** What an operation shows to any key, and what it shows to keys that may not see it. */
export const shownBy = async (all: Contents, operation: Operation) => {
  const failures: Array<string> = []
  const texts: Array<string> = []
  for (const [content, client] of all.lacking) {
    const { status, text } = await ask(all, operation, client)
    texts.push(text)
    if (text.includes(marks[content]) && !(content === "passage" && showsReplies(operation)))
      failures.push(`${operation.name}: ${status} shows the ${content} without ${scopeOf[content]}`)
  }
  texts.push((await ask(all, operation, all.client)).text)
  return { failures, shown: contents.filter((content) => texts.some((text) => text.includes(marks[content]))) }
}
