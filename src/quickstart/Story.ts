import { Effect, FileSystem, Path, Schema } from "effect"
import type { ChatReply } from "../domain/chat/Chat.ts"
import { contentType, detect } from "../domain/Formats.ts"
import { type Document, isSettled } from "../domain/Document.ts"
import type { ChatbotId, SessionId } from "../domain/Ids.ts"
import type { Client } from "../api/parts/Client.ts"
import { cyan, dim, excerpt, green, kibibytes, red, printText, printLine, step } from "./Output.ts"
import { QuickstartFailed } from "./QuickstartFailed.ts"
import { root } from "./ServerProcess.ts"

const POLL_INTERVAL = "100 millis"
/** The longest wait for the documents, generous enough for a busy machine. */
const INGESTION_TIMEOUT = "2 minutes"
const EXCERPT_LENGTH = 160
const PASSAGES_SHOWN = 3
const NAME_WIDTH = 14

/** The documents to upload, as paths from the root of the checkout. Both were written for the quickstart. */
export const files = ["src/quickstart/questions.md", "src/quickstart/handbook.pdf"]

/** The question that is suggested at the end, for the user to ask. */
export const ownQuestion = "How do several customers share one server?"

interface Question {
  readonly text: string
  /** A phrase that the answer must contain. */
  readonly phrase: string
  /** The name of a document that must be among the answer's sources. */
  readonly source: string
}

const questions: ReadonlyArray<Question> = [
  {
    text: "What is recommended when a scanned document fails?",
    phrase: "character recognition",
    source: "handbook.pdf",
  },
  {
    text: "Can a document be replaced without an interruption?",
    phrase: "searches go on finding the old one",
    source: "questions.md",
  },
]

const decodePassages = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ chunk: Schema.Int, content: Schema.String, document_id: Schema.String, similarity: Schema.Finite }),
  ),
)

const createChatbot = Effect.fn("quickstart.createChatbot")(function* (client: Client) {
  const { body } = yield* client.chatbots.create({
    payload: {
      name: "Parley guide",
      settings: { model: "local/extractive", prompt: "Answer from the documentation of Parley." },
    },
  })
  const { name, id, settings } = body.chatbot
  yield* printText(`${name}, ${id}`)
  yield* printText(`Model ${settings.model}: answers in the documents' own words, needs no key and no network.`, {
    paint: dim,
  })
  return id
})

const readForm = Effect.fn("quickstart.readForm")(function* (chatbotId: ChatbotId) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const form = new FormData()
  form.append("chatbotId", chatbotId)
  for (const file of files) {
    const bytes = yield* fs.readFile(path.join(root, file))
    const name = path.basename(file)
    const format = detect(name, bytes)
    form.append("files", new File([new Uint8Array(bytes)], name, format && { type: contentType(format) }))
  }
  return form
})

const progressOf = (document: Document): string => {
  switch (document.status) {
    case "ready":
      return green(`ready, ${document.chunk_count} passages`)
    case "failed":
      return red(`failed: ${document.error?.message ?? "no reason is known"}`)
    default:
      return dim(`${document.status} ${Math.round(document.progress * 100)} %`)
  }
}

/** Prints the progress of every document until all are ready or failed, and returns them. */
const awaitIngestion = Effect.fn("quickstart.awaitIngestion")(function* (client: Client, chatbotId: ChatbotId) {
  const printed = new Map<string, string>()
  while (true) {
    const { data } = yield* client.knowledge.listDocuments({ params: { chatbotId }, query: {} })
    for (const document of data) {
      const progress = progressOf(document)
      if (printed.get(document.id) === progress) continue
      printed.set(document.id, progress)
      yield* printLine(`${document.name.padEnd(NAME_WIDTH)} ${progress}`)
    }
    if (data.every(isSettled)) return data
    yield* Effect.sleep(POLL_INTERVAL)
  }
})

/** Uploads the documents and waits until they are ready. Returns their names by id. */
const upload = Effect.fn("quickstart.upload")(function* (client: Client, chatbotId: ChatbotId) {
  const { documents } = yield* client.knowledge.upload({
    headers: { prefer: "respond-async" },
    payload: yield* readForm(chatbotId),
  })
  for (const { name, size_bytes, content_type } of documents) {
    yield* printLine(`${name.padEnd(NAME_WIDTH)} ${kibibytes(size_bytes)} ${content_type}`)
  }
  const settled = yield* Effect.timeoutOrElse(awaitIngestion(client, chatbotId), {
    duration: INGESTION_TIMEOUT,
    orElse: () => new QuickstartFailed({ message: `The documents were not read within ${INGESTION_TIMEOUT}.` }),
  })
  if (settled.some(({ status }) => status === "failed")) {
    return yield* new QuickstartFailed({ message: "A document could not be read." })
  }
  return new Map(settled.map(({ id, name }): [string, string] => [id, name]))
})

/** A passage without its markup, from the place that the reply quotes, or else from its start. */
const quotedPart = (passage: string, reply: string): string => {
  const line = passage
    .replaceAll(/[#*`|]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
  const places = reply.split(/(?<=[.!?])\s+/).map((sentence) => line.indexOf(sentence))
  const start = Math.max(0, Math.min(...places.filter((place) => place >= 0), line.length))
  return start === line.length ? line : `${start > 0 ? "…" : ""}${line.slice(start)}`
}

/** Prints the passages that a reply is based on. Returns the names of their documents. */
const showPassages = Effect.fn("quickstart.showPassages")(function* (
  reply: ChatReply,
  names: ReadonlyMap<string, string>,
) {
  const nameOf = (id: string) => names.get(id) ?? id
  const sources = new Set<string>()
  for (const { toolName, args, result } of reply.tool_results) {
    const passages = yield* decodePassages(result)
    yield* printText(`${toolName}(${JSON.stringify(args)})`, { paint: cyan })
    for (const { document_id } of passages) sources.add(nameOf(document_id))
    for (const { chunk, content, document_id, similarity } of passages.slice(0, PASSAGES_SHOWN)) {
      yield* printText(`${nameOf(document_id)}, passage ${chunk}, similarity ${similarity.toFixed(2)}`, { indent: 2 })
      yield* printText(excerpt(quotedPart(content, reply.output), EXCERPT_LENGTH), { indent: 4, paint: dim })
    }
    if (passages.length > PASSAGES_SHOWN)
      yield* printText(`and ${passages.length - PASSAGES_SHOWN} more`, { indent: 2 })
  }
  return sources
})

/** What an answer lacks, each as the end of a sentence that begins with “The answer”. */
const shortcomings = (question: Question, reply: ChatReply, sources: ReadonlySet<string>) => [
  ...(reply.output.includes(question.phrase) ? [] : [`does not contain “${question.phrase}”`]),
  ...(sources.has(question.source) ? [] : [`is not based on ${question.source}`]),
]

/** Asks a question, in the session if there is one. Returns the session, and what the answer lacks in sentences. */
const ask = Effect.fn("quickstart.ask")(function* (
  client: Client,
  options: {
    readonly chatbotId: ChatbotId
    readonly session: SessionId | undefined
    readonly question: Question
    readonly names: ReadonlyMap<string, string>
  },
) {
  const { chatbotId, session, question, names } = options
  const { body } = yield* client.chat.chat({
    params: { chatbotId },
    query: {},
    payload: {
      messages: [{ role: "user", content: question.text }],
      ...(session !== undefined && { sessionToken: session }),
    },
  })
  const sources = yield* showPassages(body, names)
  yield* printText(`\n${body.output}\n`)
  const missing = shortcomings(question, body, sources)
  for (const one of missing) yield* printText(`This answer ${one}.`, { paint: red })
  return { session: body.session_id, missing: missing.map((one) => `“${question.text}”: the answer ${one}.`) }
})

/** Prints the stored conversation. Returns what it lacks in sentences. */
const readBack = Effect.fn("quickstart.readBack")(function* (
  client: Client,
  chatbotId: ChatbotId,
  sessionId: SessionId,
) {
  const { data } = yield* client.conversations.messages({ params: { chatbotId, sessionId }, query: {} })
  for (const { sender_type, content, tokens_used } of data) {
    const tokens = tokens_used > 0 ? dim(` (${tokens_used} tokens)`) : ""
    yield* printLine(`${sender_type.padEnd(4)} ${excerpt(content, EXCERPT_LENGTH / 2)}${tokens}`)
  }
  const expected = questions.length * 2
  return data.length === expected ? [] : [`The conversation has ${data.length} messages instead of ${expected}.`]
})

/**
 * Runs the whole story, from a new chatbot to its stored conversation. Returns the chatbot, and in sentences what the
 * answers and the conversation lack.
 */
export const runStory = Effect.fn("quickstart.runStory")(function* (client: Client) {
  const chatbotId = yield* step("Create a chatbot", createChatbot(client))
  const names = yield* step("Upload what it should know", upload(client, chatbotId))
  const missing: Array<string> = []
  let session: SessionId | undefined
  for (const question of questions) {
    const answer = yield* step(`Ask: ${question.text}`, ask(client, { chatbotId, session, question, names }))
    session = answer.session
    missing.push(...answer.missing)
  }
  if (session !== undefined) {
    missing.push(...(yield* step("Read the conversation back", readBack(client, chatbotId, session))))
  }
  return { chatbotId, missing }
})
