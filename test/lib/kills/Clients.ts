import type { Reply, Sent } from "../Client.ts"
import { operatorKey } from "../Spawn.ts"

/*
 * Clients of a server that is killed again and again. They know what was acknowledged, and send a request with its
 * idempotency key again until it is answered.
 */

/** A question of a conversation, with its answer once there is one. */
export interface Turn {
  readonly question: string
  answer: string | undefined
}

/** What clients know of a conversation. */
export interface TalkedConversation {
  /** The session token. */
  readonly name: string
  readonly turns: Array<Turn>
  /**
   * Whether its requests have an idempotency key. Without one, a request that is not answered is not sent again, and it
   * may have been carried out.
   */
  readonly isKeyed: boolean
}

/** What clients know of a document. */
export interface KnownDocument {
  readonly id: string
  readonly name: string
  /** The content that was acknowledged last. */
  content: string
  isDeleted: boolean
}

/** Where the clients send their requests. */
export interface Target {
  /** The address of the server, as soon as it listens. */
  readonly url: Promise<string>
  /** Words of a streamed reply have arrived. */
  readonly arrived: (what: "words") => void
}

interface Operation {
  readonly acknowledged: Promise<void>
}

const TURNS = 4
const TALKERS = 4
/** One in this many conversations is held without idempotency keys. */
const KEYLESS = 4
const WRITERS = 2
/** How long a client waits before it sends a request again, and between two requests, in milliseconds. */
const PAUSE = 50

/** The question in the text of a request to the model that is asked last. */
export const lastQuestion = (body: string): string => body.match(/Question \d+/g)?.at(-1) ?? "nothing"
export const answerTo = (question: string): string =>
  `The answer to ${question} is ${Array.from({ length: 250 }, (_, index) => `word${index}`).join(" ")}.`

const contentOf = (name: string, version: number): string =>
  Array.from(
    { length: 12 },
    (_, line) => `In version ${version} of ${name}, the ship of pier ${line} sails at noon, whatever the weather is.`,
  ).join("\n\n")

/** Clients that chat, upload, replace and delete at once. */
export class Clients {
  readonly conversations: Array<TalkedConversation> = []
  readonly documents: Array<KnownDocument> = []
  /** The requests that are not acknowledged yet. */
  readonly underWay = new Set<Operation>()
  /** Answers that should not be, one line each. */
  readonly faults: Array<string> = []
  acknowledged = 0
  private readonly target: Target
  private readonly draw: () => number
  private readonly chatbot: string
  private isStopping = false
  private count = 0

  constructor(target: Target, chatbot: string, draw: () => number) {
    this.target = target
    this.chatbot = chatbot
    this.draw = draw
  }

  /** Works until `stop` is called, and everything is acknowledged. */
  async run(): Promise<void> {
    await Promise.all([
      ...Array.from({ length: TALKERS }, () => this.talk()),
      ...Array.from({ length: WRITERS }, () => this.write()),
    ])
  }

  stop(): void {
    this.isStopping = true
  }

  /** Waits until one more request than now is acknowledged. */
  async nextAcknowledged(): Promise<void> {
    for (const before = this.acknowledged; this.acknowledged === before;) await Bun.sleep(5)
  }

  /** Waits until the documents that are being ingested now are ready, have failed, or are deleted. */
  async settled(): Promise<void> {
    const now = await this.unsettled()
    for (let left = now; left.size > 0; left = (await this.unsettled()).intersection(now)) await Bun.sleep(PAUSE)
  }

  private async unsettled(): Promise<Set<string>> {
    const base = `/api/external/chatbot/${this.chatbot}/knowledge-base/documents`
    const found = await Promise.all(
      ["queued", "extracting", "embedding"].map(async (status) => {
        const reply = await this.send("GET", `${base}?status=${status}&limit=100`, undefined, {})
        const documents = field(reply?.body, "data")
        return Array.isArray(documents) ? documents.map((document) => String(field(document, "id"))) : [""]
      }),
    )
    return new Set(found.flat())
  }

  private async talk(): Promise<void> {
    while (!this.isStopping) {
      const number = this.conversations.length
      const conversation: TalkedConversation = {
        name: `conversation-of-the-clients-${number}`,
        turns: [],
        isKeyed: number % KEYLESS !== 1,
      }
      this.conversations.push(conversation)
      for (let turn = 0; turn < TURNS && !this.isStopping; turn++) {
        const isAnswered = await this.ask(conversation)
        if (!isAnswered) break
        await Bun.sleep(PAUSE)
      }
    }
  }

  private async ask({ isKeyed, name, turns }: TalkedConversation): Promise<boolean> {
    const question = `Question ${this.count++}`
    const turn: Turn = { question, answer: undefined }
    turns.push(turn)
    const isStreamed = this.draw() < 0.6
    const sent = (): Sent => ({
      json: { messages: [{ role: "user", content: question }], sessionToken: name },
    })
    const path = `/api/external/chatbot/${this.chatbot}/chat${isStreamed ? "?stream=true" : ""}`
    const reply = await this.acknowledge("POST", path, isKeyed ? question.replace(" ", "-") : undefined, sent)
    if (reply === undefined) return false
    turn.answer = isStreamed ? wordsOf(reply.text) : String(field(reply.body, "output"))
    if (turn.answer !== answerTo(question))
      this.faults.push(`${question} was answered with ${reply.text.slice(0, 300)}`)
    return true
  }

  private async write(): Promise<void> {
    const own: Array<KnownDocument> = []
    while (!this.isStopping) {
      const choice = this.draw()
      const present = own.filter(({ isDeleted }) => !isDeleted)
      const one = present[Math.floor(this.draw() * present.length)]
      if (one === undefined || choice < 0.4) own.push(...(await this.upload(1 + Math.floor(this.draw() * 3))))
      else if (choice < 0.7) await this.replace(one)
      else await this.remove(one)
      await Bun.sleep(PAUSE)
    }
  }

  private async upload(files: number): Promise<ReadonlyArray<KnownDocument>> {
    const names = Array.from({ length: files }, () => `file-${this.count++}.txt`)
    const sent = () => {
      const form = new FormData()
      form.set("chatbotId", this.chatbot)
      for (const name of names) form.append("files", new File([contentOf(name, 0)], name))
      return { form, headers: { prefer: "respond-async" } }
    }
    const reply = await this.acknowledge("POST", "/api/embedfiles", `upload-${names[0]}`, sent)
    const found = field(reply?.body, "documents")
    const documents = (Array.isArray(found) ? found : []).map((document) => ({
      id: String(field(document, "id")),
      name: String(field(document, "name")),
      content: contentOf(String(field(document, "name")), 0),
      isDeleted: false,
    }))
    if (documents.length !== names.length) this.faults.push(`The upload of ${names.join()} gave ${reply?.text}`)
    this.documents.push(...documents)
    return documents
  }

  private async replace(document: KnownDocument): Promise<void> {
    const version = this.count++
    const content = contentOf(document.name, version)
    const sent = () => {
      const form = new FormData()
      form.set("documentId", document.id)
      form.set("file", new File([content], document.name))
      return { form, headers: { prefer: "respond-async" } }
    }
    const path = `/api/external/chatbot/${this.chatbot}/knowledge-base`
    await this.acknowledge("PATCH", path, `replace-${version}`, sent)
    document.content = content
  }

  private async remove(document: KnownDocument): Promise<void> {
    const path = `/api/external/chatbot/${this.chatbot}/knowledge-base/documents/${document.id}`
    await this.acknowledge("DELETE", path, `delete-${document.id}`, () => ({}), [404])
    document.isDeleted = true
  }

  /**
   * Sends a request until it is acknowledged. One without a key is sent once, and the result is undefined when there is
   * no answer.
   */
  private async acknowledge(
    method: string,
    path: string,
    key: string | undefined,
    sent: () => Sent,
    alsoFine: ReadonlyArray<number> = [],
  ): Promise<Reply | undefined> {
    const { promise: acknowledged, resolve } = Promise.withResolvers<void>()
    const operation = { acknowledged }
    this.underWay.add(operation)
    try {
      for (;;) {
        const reply = await this.send(method, path, key, sent())
        const isFine = reply !== undefined && (reply.status < 300 || alsoFine.includes(reply.status)) && isWhole(reply)
        if (isFine) {
          this.acknowledged++
          return reply
        }
        if (reply !== undefined && reply.status >= 300 && ![409, 429, 503].includes(reply.status)) {
          this.faults.push(`${method} ${path} (${key}) was answered with ${reply.status}: ${reply.text}`)
          return undefined
        }
        if (key === undefined) return undefined
        await Bun.sleep(PAUSE)
      }
    } finally {
      this.underWay.delete(operation)
      resolve()
    }
  }

  /** Sends a request, and returns its reply, or as much of one as arrived; undefined when nothing did. */
  private async send(method: string, path: string, key: string | undefined, sent: Sent): Promise<Reply | undefined> {
    const { form, headers, json } = sent
    const body = json === undefined ? form : JSON.stringify(json)
    let text = ""
    try {
      const response = await fetch((await this.target.url) + path, {
        method,
        headers: {
          "x-api-key": operatorKey,
          ...(json !== undefined && { "content-type": "application/json" }),
          ...(key !== undefined && { "idempotency-key": key }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      })
      const decoder = new TextDecoder()
      for await (const bytes of response.body ?? []) {
        text += decoder.decode(bytes, { stream: true })
        if (text.includes('"text-delta"')) this.target.arrived("words")
      }
      const isJson = response.headers.get("content-type")?.includes("json") === true
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
    } catch {
      return undefined
    }
  }
}

/** Whether a reply has arrived to its end. */
const isWhole = ({ headers, text }: Reply): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") !== true || text.includes("[DONE]")

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined

const wordsOf = (stream: string): string =>
  stream
    .split("\n")
    .filter((line) => line.startsWith('data: {"type":"text-delta"'))
    .map((line) => String(field(JSON.parse(line.slice(6)), "delta")))
    .join("")
