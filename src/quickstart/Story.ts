import { Effect, FileSystem, Path } from "effect"
import type { ChatReply } from "../domain/chat/Chat.ts"
import { extractiveModel } from "../domain/chatbot/Chatbot.ts"
import { contentType, detect } from "../domain/knowledge/Formats.ts"
import type { Document } from "../domain/knowledge/Document.ts"
import type { ChatbotId } from "../domain/Ids.ts"
import type { Client } from "../api/parts/Client.ts"
import { cyan, dim, excerpt, green, red, printText, printLine, step } from "./Output.ts"
import { QuickstartFailed, root } from "./ServerProcess.ts"

/** The longest wait for the documents. */
const INGESTION_SECONDS = 60
const EXCERPT_LENGTH = 160
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
    text: "Can a forgotten key be shown again?",
    phrase: "only its checksum is stored",
    source: "handbook.pdf",
  },
  {
    text: "Can a document be replaced without an interruption?",
    phrase: "searches go on finding the old one",
    source: "questions.md",
  },
]

const createChatbot = Effect.fn("quickstart.createChatbot")(function* (client: Client) {
  const { body } = yield* client.chatbots.create({
    payload: {
      name: "Parley guide",
      settings: { model: extractiveModel, prompt: "Answer from the documentation of Parley." },
    },
  })
  const { name, id, settings } = body.chatbot
  yield* printText(`${name}, ${id}`)
  yield* printText(dim(`Model ${settings.model}: answers in the documents' own words, needs no key and no network.`))
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

const resultOf = ({ chunk_count, error, status }: Document): string =>
  status === "ready"
    ? green(`ready, ${chunk_count} passages`)
    : red(`${status}${error === null ? "" : `: ${error.message}`}`)

/** Uploads the documents, and returns their names by id once all are read. */
const upload = Effect.fn("quickstart.upload")(function* (client: Client, chatbotId: ChatbotId) {
  const { documents } = yield* client.knowledge.upload({
    headers: { prefer: `wait=${INGESTION_SECONDS}` },
    payload: yield* readForm(chatbotId),
  })
  for (const document of documents) {
    const { name, size_bytes, content_type } = document
    const size = `${(size_bytes / 1024).toFixed(1)} KiB`
    yield* printLine(`${name.padEnd(NAME_WIDTH)} ${size} ${content_type}, ${resultOf(document)}`)
  }
  if (documents.some(({ status }) => status !== "ready")) {
    return yield* new QuickstartFailed({ message: "A document could not be read." })
  }
  return new Map(documents.map(({ id, name }): [string, string] => [id, name]))
})

/** Prints what a reply rests on. Returns the names of the documents. */
const showSources = Effect.fn("quickstart.showSources")(function* (
  { sources = [], tool_calls }: ChatReply,
  names: ReadonlyMap<string, string>,
) {
  for (const { args, toolName } of tool_calls) yield* printText(cyan(`${toolName}(${JSON.stringify(args)})`))
  const nameOf = ({ document_id }: { readonly document_id: string }) => names.get(document_id) ?? document_id
  for (const source of sources) {
    yield* printText(`${nameOf(source)}, passage ${source.chunk}`)
    yield* printText(dim(excerpt(source.quote, EXCERPT_LENGTH)))
  }
  return new Set(sources.map(nameOf))
})

/** Asks a question. Returns what the answer lacks in sentences. */
const ask = Effect.fn("quickstart.ask")(function* (
  client: Client,
  chatbotId: ChatbotId,
  { phrase, source, text }: Question,
  names: ReadonlyMap<string, string>,
) {
  const { body } = yield* client.chat.chat({
    params: { chatbotId },
    query: {},
    payload: { messages: [{ role: "user", content: text }] },
  })
  const sources = yield* showSources(body, names)
  yield* printText(`\n${body.output}\n`)
  const missing = [
    ...(body.output.includes(phrase) ? [] : [`“${text}”: the answer does not contain “${phrase}”.`]),
    ...(sources.has(source) ? [] : [`“${text}”: the answer is not based on ${source}.`]),
  ]
  for (const sentence of missing) yield* printText(red(sentence))
  return missing
})

/** Runs the whole story, from a new chatbot to its answers. Returns the chatbot, and in sentences what the answers lack. */
export const runStory = Effect.fn("quickstart.runStory")(function* (client: Client) {
  const chatbotId = yield* step("Create a chatbot", createChatbot(client))
  const names = yield* step("Upload what it should know", upload(client, chatbotId))
  const missing: Array<string> = []
  for (const question of questions) {
    missing.push(...(yield* step(`Ask: ${question.text}`, ask(client, chatbotId, question, names))))
  }
  return { chatbotId, missing }
})
