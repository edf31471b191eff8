import { expect } from "bun:test"
import { Schema } from "effect"
import {
  VisitorSession,
  WidgetConversation,
  type WidgetEvent,
  WidgetHandover,
  WidgetMessage,
  type WidgetUpdate,
} from "../../src/domain/widget/Widget.ts"
import { type Client, read, type Reply } from "./Client.ts"
import { type Listener, listenAt } from "./EventReader.ts"

/*
 * Visitors of the chat widget, as a browser is one: with a session's token, and streams that may be cut off.
 */

const Made = Schema.Struct({ key: Schema.String })
const Conversations = Schema.Struct({ conversations: Schema.Array(WidgetConversation) })
const Messages = Schema.Struct({
  messages: Schema.Array(WidgetMessage),
  next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
  reply: Schema.optionalKey(Schema.Struct({ id: Schema.String })),
  handover: Schema.NullOr(WidgetHandover),
})

/** Makes a publishable key of a chatbot. */
export const publish = async (client: Client, chatbot: string): Promise<string> =>
  read(
    Made,
    await client.post("/api/admin/api-keys", {
      json: { name: "Website", kind: "publishable", chatbot_id: chatbot, allowed_origins: ["*"] },
    }),
  ).key

interface Reader {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  readonly cancel: () => Promise<void>
}

/** An event with its number. */
export interface Numbered {
  readonly id: number
  readonly event: WidgetEvent
}

/** The events of a response so far, and a way to wait for more of them. */
export class Stream {
  readonly events: Array<Numbered> = []
  readonly response: Response
  /** Undefined until something is read, so that a refusal can be read as a whole. */
  private body: Reader | undefined
  private readonly decoder = new TextDecoder()
  private rest = ""

  constructor(response: Response) {
    this.response = response
  }

  private get reader() {
    return (this.body ??= this.response.body?.getReader())
  }

  /** Reads until the condition holds, or the stream ends. Returns whether it has ended. */
  async read(isEnough: (stream: Stream) => boolean = () => false): Promise<boolean> {
    while (!isEnough(this)) {
      const { done, value } = (await this.reader?.read()) ?? { done: true }
      if (done) return true
      const frames = (this.rest + this.decoder.decode(value, { stream: true })).split("\n\n")
      this.rest = frames.pop() ?? ""
      for (const frame of frames) {
        const [, id = "", data = ""] = /^id: (\d+)\ndata: (.*)$/su.exec(frame) ?? []
        if (data !== "") this.events.push({ id: Number(id), event: JSON.parse(data) })
        else expect(frame).toStartWith(":")
      }
    }
    return false
  }

  /** Leaves, as a browser whose page is loaded again. */
  async leave(): Promise<void> {
    await this.reader?.cancel()
  }

  get text(): string {
    return this.events.map(({ event }) => (event.type === "text" ? event.text : "")).join("")
  }

  get place(): number {
    return this.events.at(-1)?.id ?? 0
  }

  get last(): WidgetEvent | undefined {
    return this.events.at(-1)?.event
  }

  /** The ids that the reply has begun with. */
  get ids(): { readonly conversation: string; readonly reply: string } {
    const start = this.events.find(({ event }) => event.type === "start")?.event
    if (start?.type !== "start") throw new Error(`Expected a reply, got ${this.response.status}`)
    return { conversation: start.conversation_id, reply: start.message_id }
  }
}

/** Sends requests with the token of one visitor. */
export class VisitorClient {
  readonly client: Client
  readonly session: VisitorSession
  readonly headers: Readonly<Record<string, string>>

  constructor(client: Client, session: VisitorSession) {
    this.client = client.withKey(undefined)
    this.session = session
    this.headers = { authorization: `Bearer ${session.token}` }
  }

  send(method: string, path: string, json?: unknown): Promise<Reply> {
    return this.client.send(method, `/api/widget${path}`, {
      headers: this.headers,
      ...(json !== undefined && { json }),
    })
  }

  async say(text: string, more: Readonly<Record<string, unknown>> = {}, id: string = crypto.randomUUID()) {
    return new Stream(
      await fetch(`${this.client.url}/api/widget/chat`, {
        method: "POST",
        headers: { ...this.headers, "content-type": "application/json" },
        body: JSON.stringify({ message: { id, text }, ...more }),
      }),
    )
  }

  /** Says something, and waits for the end of the reply. */
  async hear(text: string, more?: Readonly<Record<string, unknown>>, id?: string): Promise<Stream> {
    const stream = await this.say(text, more, id)
    await stream.read()
    return stream
  }

  async resume(reply: string, after: number): Promise<Stream> {
    return new Stream(
      await fetch(`${this.client.url}/api/widget/chat/${reply}?after=${after}`, { headers: this.headers }),
    )
  }

  async conversations(): Promise<ReadonlyArray<WidgetConversation>> {
    return read(Conversations, await this.send("GET", "/conversations")).conversations
  }

  async page(conversation: string, query = "") {
    return read(Messages, await this.send("GET", `/conversations/${conversation}/messages${query}`))
  }

  /** Listens to a conversation, and waits until the stream has begun. */
  listen(conversation: string): Promise<Listener<WidgetUpdate>> {
    return listenAt(`${this.client.url}/api/widget/conversations/${conversation}/events`, this.headers)
  }

  async messages(conversation: string): Promise<ReadonlyArray<WidgetMessage>> {
    return (await this.page(conversation)).messages
  }
}

/** Opens a session of a visitor with a publishable key. */
export const visit = async (
  client: Client,
  key: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<VisitorClient> =>
  new VisitorClient(
    client,
    read(VisitorSession, await client.withKey(undefined).post("/api/widget/sessions", { json: { key, ...more } })),
  )
