import { expect } from "bun:test"
import { Schema } from "effect"
import { ApiKey, type Scope, scopesWithin } from "../../src/domain/keys/ApiKey.ts"
import { ChatReply } from "../../src/domain/chat/Chat.ts"
import { Chatbot } from "../../src/domain/chatbot/Chatbot.ts"
import { Message, Session } from "../../src/domain/chat/Conversation.ts"
import { Explanation } from "../../src/domain/Failure.ts"
import { Document } from "../../src/domain/knowledge/Document.ts"
import { Organization } from "../../src/domain/organizations/Organization.ts"
import { operatorKey } from "./Spawn.ts"

import { until } from "./Until.ts"

export { until }

/** The parts of a request beside method and path. `json`, `form` and `body` are three forms of its body. */
export interface Sent {
  readonly json?: unknown
  readonly form?: FormData
  readonly body?: Bun.BodyInit
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The response to a request. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The text parsed as JSON; undefined when it is not JSON. */
  readonly body: unknown
}

/** The scopes that a key of any organization may have. */
const ofAnybody = scopesWithin({ is_operator: false })

/** The files of a form: their contents by name. */
export type Files = Readonly<Record<string, Bun.BlobPart>>

const isRead = ({ status }: Document): boolean => status === "ready" || status === "failed"

/** A client of the API, as an integrator's program is one: it sends requests with a key, over a real socket. */
export class Client {
  readonly url: string
  /** The API key; undefined to send no credentials. */
  readonly key: string | undefined

  constructor(url: string, key: string | undefined) {
    this.url = url
    this.key = key
  }

  withKey(key: string | undefined): Client {
    return new Client(this.url, key)
  }

  async send(method: string, path: string, { json, form, body, headers, signal }: Sent = {}): Promise<Reply> {
    const content = json === undefined ? (form ?? body) : JSON.stringify(json)
    const response = await fetch(path.startsWith("http") ? path : this.url + path, {
      method,
      headers: {
        ...(this.key !== undefined && { "x-api-key": this.key }),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
      ...(signal !== undefined && { signal }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) }
  }

  get = (path: string, sent?: Sent) => this.send("GET", path, sent)
  post = (path: string, sent?: Sent) => this.send("POST", path, sent)
  patch = (path: string, sent?: Sent) => this.send("PATCH", path, sent)
  delete = (path: string, sent?: Sent) => this.send("DELETE", path, sent)

  async newChatbot(input: Readonly<Record<string, unknown>> = {}): Promise<typeof Chatbot.Type> {
    const reply = await this.post("/api/external/chatbots", { json: { name: "Support", ...input } })
    return read(OneChatbot, reply).chatbot
  }

  async chatbot(id: string): Promise<typeof Chatbot.Type> {
    return read(OneChatbot, await this.get(`/api/external/chatbot/${id}`)).chatbot
  }

  upload(chatbotId: string, files: Files, headers?: Readonly<Record<string, string>>): Promise<Reply> {
    const form = new FormData()
    form.set("chatbotId", chatbotId)
    for (const [name, content] of Object.entries(files)) form.append("files", new Blob([content]), name)
    return this.post("/api/embedfiles", { form, ...(headers && { headers }) })
  }

  /** Uploads files, and expects all of them to become ready. */
  async learn(chatbotId: string, files: Files): Promise<ReadonlyArray<Document>> {
    const { documents: uploaded } = read(ManyDocuments, await this.upload(chatbotId, files))
    // An upload waits for its documents for a while only, and on a busy machine they take longer.
    const documents = await Promise.all(
      uploaded.map((one) => (isRead(one) ? one : until(() => this.document(chatbotId, one.id), isRead))),
    )
    expect(documents.map(({ status }) => status)).toEqual(documents.map(() => "ready"))
    return documents
  }

  replace(
    chatbotId: string,
    documentId: string,
    name: string,
    content: Bun.BlobPart,
    { query = "", headers = {} }: { readonly query?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Reply> {
    const form = new FormData()
    form.set("documentId", documentId)
    form.set("file", new Blob([content]), name)
    return this.patch(`/api/external/chatbot/${chatbotId}/knowledge-base${query}`, { form, headers })
  }

  async documents(chatbotId: string): Promise<ReadonlyArray<Document>> {
    return read(
      Schema.Struct({ data: Schema.Array(Document) }),
      await this.get(`/api/external/chatbot/${chatbotId}/knowledge-base/documents?limit=100`),
    ).data
  }

  async document(chatbotId: string, id: string): Promise<Document> {
    return read(
      Schema.Struct({ document: Document }),
      await this.get(`/api/external/chatbot/${chatbotId}/knowledge-base/documents/${id}`),
    ).document
  }

  search(chatbotId: string, query: string, more: Readonly<Record<string, unknown>> = {}): Promise<Reply> {
    return this.post(`/api/external/chatbot/${chatbotId}/query-knowledge`, { json: { query, ...more } })
  }

  /** Searches, and returns the contents of the passages that are found. */
  async found(chatbotId: string, query: string, more?: Readonly<Record<string, unknown>>): Promise<string[]> {
    const { results } = read(Results, await this.search(chatbotId, query, more))
    return results.map(({ content }) => content)
  }

  say(chatbotId: string, content: string, more: Readonly<Record<string, unknown>> = {}): Promise<Reply> {
    return this.post(`/api/external/chatbot/${chatbotId}/chat`, {
      json: { messages: [{ role: "user", content }], ...more },
    })
  }

  async chat(chatbotId: string, content: string, more?: Readonly<Record<string, unknown>>): Promise<ChatReply> {
    return read(ChatReply, await this.say(chatbotId, content, more))
  }

  async messages(chatbotId: string, session: string): Promise<ReadonlyArray<Message>> {
    return read(
      Schema.Struct({ data: Schema.Array(Message) }),
      await this.get(
        `/api/external/chatbot/${chatbotId}/conversations/${encodeURIComponent(session)}/messages?limit=100`,
      ),
    ).data
  }

  async session(chatbotId: string, session: string): Promise<Session> {
    return read(
      Schema.Struct({ session: Session }),
      await this.get(`/api/external/chatbot/${chatbotId}/conversations/${encodeURIComponent(session)}`),
    ).session
  }

  /** Makes a key, with all scopes but the operator's unless they are given. */
  async newKey(
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly id: string; readonly client: Client }> {
    const reply = await this.post("/api/admin/api-keys", { json: { name: "A key", scopes: ofAnybody, ...more } })
    const { api_key, key } = read(Schema.Struct({ api_key: ApiKey, key: Schema.String }), reply)
    return { id: api_key.id, client: this.withKey(key) }
  }

  /** A client with a new key that has these scopes and no others. */
  async limitedTo(...scopes: ReadonlyArray<Scope>): Promise<Client> {
    return (await this.newKey({ scopes })).client
  }

  /** Makes a new organization, with the operator's key, and returns a client with a key of it. */
  async newOrganization(): Promise<Client> {
    const operator = this.withKey(operatorKey)
    const reply = await operator.post("/api/admin/organizations", { json: { name: "Another" } })
    const { organization } = read(Schema.Struct({ organization: Organization }), reply)
    return (await operator.newKey({ organization_id: organization.id })).client
  }
}

export const OneChatbot = Schema.Struct({ chatbot: Chatbot })
export const ManyDocuments = Schema.Struct({ message: Schema.String, documents: Schema.Array(Document) })
const Results = Schema.Struct({ results: Schema.Array(Schema.Struct({ content: Schema.String })) })

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Decodes the body of a successful response. */
export const read = <S extends Schema.Schema<unknown> & { readonly DecodingServices: never }>(
  schema: S,
  reply: Reply,
): S["Type"] => {
  if (reply.status >= 300) throw new Error(`Expected a success, got ${reply.status}: ${reply.text}`)
  return Schema.decodeUnknownSync(schema)(reply.body)
}

const Problem = Schema.Struct({
  type: Schema.String,
  title: Schema.NonEmptyString,
  status: Schema.Int,
  detail: Schema.NonEmptyString,
  code: Schema.String,
  request_id: Schema.String,
  errors: Schema.optionalKey(
    Schema.Array(Schema.Struct({ path: Schema.NonEmptyString, message: Schema.NonEmptyString })),
  ),
  retry_after_seconds: Schema.optionalKey(Schema.Int),
  explanation: Schema.optionalKey(Explanation),
})

/** Expects the response to be a problem with this status and code, in the form that all problems have. */
export const problem = (reply: Reply, status: number, code: string): typeof Problem.Type => {
  expect({ status: reply.status, body: reply.body }).toMatchObject({ status, body: { status, code } })
  expect(reply.headers.get("content-type")).toBe("application/problem+json")
  const found = Schema.decodeUnknownSync(Problem, { onExcessProperty: "error" })(reply.body)
  expect(found.type).toBe(`urn:parley:problem:${code}`)
  expect(found.request_id).toBe(reply.headers.get("x-request-id") ?? "missing")
  expect(found.errors !== undefined).toBe(status === 400)
  expect(reply.headers.get("retry-after")).toBe(found.retry_after_seconds?.toString() ?? null)
  return found
}

/** Expects a 400, and returns the paths of the invalid parts of the request. */
export const wrongPaths = (reply: Reply): ReadonlyArray<string> =>
  (problem(reply, 400, "invalid_request").errors ?? []).map(({ path }) => path)

/** Expects a 400 that names these parts of the request as invalid, and no others. */
export const invalid = (reply: Reply, ...paths: ReadonlyArray<string>): void =>
  expect(wrongPaths(reply)).toEqual([...paths])
