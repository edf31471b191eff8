import { Schema } from "effect"
import { ManyDocuments, read, type Reply } from "../../Client.ts"
import { type ChatbotModel, expectSame, expectStatus, newCanary, type OrganizationModel, type Owners } from "./Model.ts"

/*
 * The commands of the model-based test. An actor's key is used on a thing of an owner, who may be another organization:
 * then the command has to be answered with 404, and change nothing.
 */

/** Everything that the commands act on. */
export interface Setting {
  readonly owners: Owners
  readonly organizations: Array<OrganizationModel>
  readonly makeOrganization: (canary: string) => Promise<OrganizationModel>
  readonly removeOrganization: (organization: OrganizationModel) => Promise<void>
}

/** One step of a test. `pick` chooses among the things of the owner. */
export interface Step {
  readonly actor: number
  readonly owner: number
  readonly pick: number
}

type Command = (setting: Setting, step: Step) => Promise<void>

const base = "/api/external/chatbot"
/** The most things of a kind that an organization or a chatbot has. */
const MOST = 3

const Id = Schema.Struct({ id: Schema.String })
const Data = Schema.Struct({ data: Schema.Array(Id), metadata: Schema.Struct({ totalCount: Schema.Int }) })
const OneChatbot = Schema.Struct({ chatbot: Schema.Struct({ id: Schema.String, name: Schema.String }) })
const ManyChatbots = Schema.Struct({
  chatbots: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })),
})
const OneTool = Schema.Struct({ tool: Id })
const ManyTools = Schema.Struct({ tools: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })) })
const OneKey = Schema.Struct({ api_key: Id })
const ManyKeys = Schema.Struct({
  api_keys: Schema.Array(Schema.Struct({ id: Schema.String, revoked_at: Schema.NullOr(Schema.String) })),
})
const Models = Schema.Struct({ data: Schema.Array(Id) })
const Results = Schema.Struct({ results: Schema.Array(Schema.Struct({ content: Schema.String })) })
const Replies = Schema.Struct({ total: Schema.Struct({ replies: Schema.Int }) })

const at = <A>(things: Iterable<A>, pick: number): A | undefined => {
  const all = Array.from(things)
  return all[pick % Math.max(1, all.length)]
}

/** Performs a command with the actor and the owner of a step. */
const between =
  (perform: (actor: OrganizationModel, owner: OrganizationModel, pick: number, send: Send) => Promise<void>): Command =>
  async ({ organizations, owners }, { actor, owner, pick }) => {
    const [acting, owning] = [organizations[actor], organizations[owner]]
    if (acting === undefined || owning === undefined) throw new Error("There is no such organization")
    await perform(acting, owning, pick, async (method, path, json) => {
      const reply = await acting.client.send(method, path, json === undefined ? {} : { json })
      owners.check(acting, reply)
      return reply
    })
  }

type Send = (method: string, path: string, json?: object) => Promise<Reply>

/** Performs a command on a chatbot of the owner. `done` gets the answer if the actor may, and none otherwise. */
const onChatbot = (
  request: (send: Send, chatbot: ChatbotModel, actor: OrganizationModel, pick: number) => Promise<Reply>,
  done: (reply: Reply, chatbot: ChatbotModel, actor: OrganizationModel, pick: number) => void,
  status = 200,
): Command =>
  between(async (actor, owner, pick, send) => {
    const chatbot = at(owner.chatbots.values(), pick)
    if (chatbot === undefined) return
    const reply = await request(send, chatbot, actor, pick)
    const isOwn = actor === owner
    expectStatus(reply, isOwn ? status : 404, `on ${isOwn ? "its own" : "another's"} chatbot`)
    if (isOwn) done(reply, chatbot, actor, pick)
  })

/** Performs a command on a thing within a chatbot of the owner. Without a chatbot or thing nothing happens. */
const onThing = <T>(
  things: (chatbot: ChatbotModel) => Iterable<T>,
  request: (send: Send, chatbot: ChatbotModel, thing: T, actor: OrganizationModel) => Promise<Reply>,
  done: (reply: Reply, chatbot: ChatbotModel, thing: T, actor: OrganizationModel) => void,
): Command =>
  between(async (actor, owner, pick, send) => {
    const chatbot = at(
      Array.from(owner.chatbots.values()).filter((one) => at(things(one), 0) !== undefined),
      pick,
    )
    const thing = chatbot === undefined ? undefined : at(things(chatbot), pick)
    if (chatbot === undefined || thing === undefined) return
    const reply = await request(send, chatbot, thing, actor)
    const isOwn = actor === owner
    expectStatus(reply, isOwn ? 200 : 404, `on a thing of ${isOwn ? "its own" : "another's"} chatbot`)
    if (isOwn) done(reply, chatbot, thing, actor)
  })

const nothing = () => {}

const createChatbot = between(async (actor, _, pick, send) => {
  if (actor.chatbots.size >= MOST) return
  // The same slugs in all organizations.
  const taken = new Set(Array.from(actor.chatbots.values(), ({ slug }) => slug))
  const slug = ["one", "two", "three", "four"].find((name) => !taken.has(name)) ?? ""
  const name = `${actor.canary} ${pick}`
  const settings = { prompt: `Say ${actor.canary}.`, isToolEnabled: pick % 2 === 0 }
  const reply = await send("POST", "/api/external/chatbots", { name, slug, settings })
  const { id } = read(OneChatbot, reply).chatbot
  actor.chatbots.set(id, { id, name, slug, documents: new Set(), tools: new Map(), sessions: new Map() })
})

const renameChatbot = onChatbot(
  (send, { id }, actor, pick) => send("PATCH", `/api/external/chatbots?id=${id}`, { name: `${actor.canary} ${pick}` }),
  (_, chatbot, actor, pick) => {
    chatbot.name = `${actor.canary} ${pick}`
  },
)

const getChatbot = onChatbot(
  (send, { id }) => send("GET", `${base}/${id}`),
  (reply, { name }) => expectSame([read(OneChatbot, reply).chatbot.name], [name], "name"),
)

const deleteChatbot = onChatbot(
  (send, { id }) => send("DELETE", `${base}/${id}`),
  (_, { id }, actor) => void actor.chatbots.delete(id),
)

const upload: Command = async ({ organizations, owners }, { actor, owner, pick }) => {
  const [acting, owning] = [organizations[actor], organizations[owner]]
  const chatbot = at(owning?.chatbots.values() ?? [], pick)
  if (acting === undefined || chatbot === undefined || chatbot.documents.size >= MOST) return
  const text = `# Pumps\n\nThe pump of ${acting.canary} number ${crypto.randomUUID().slice(0, 8)} drains water.`
  const reply = await acting.client.upload(chatbot.id, { [`${acting.canary}.md`]: text }, { prefer: "wait=60" })
  owners.check(acting, reply)
  expectStatus(reply, acting === owning ? 200 : 404, "upload")
  if (acting === owning) for (const { id } of read(ManyDocuments, reply).documents) chatbot.documents.add(id)
}

const documentPath = ({ id }: ChatbotModel, document: string) => `${base}/${id}/knowledge-base/documents/${document}`

const getDocument = onThing(
  ({ documents }) => documents,
  (send, chatbot, document) => send("GET", documentPath(chatbot, document)),
  nothing,
)

const deleteDocument = onThing(
  ({ documents }) => documents,
  (send, chatbot, document) => send("DELETE", documentPath(chatbot, document)),
  (_, { documents }, document) => void documents.delete(document),
)

const search = onChatbot(
  (send, { id }) => send("POST", `${base}/${id}/query-knowledge`, { query: "Which pump drains water?" }),
  (reply, { documents }, actor) => {
    const { results } = read(Results, reply)
    if (documents.size > 0 !== results.length > 0)
      throw new Error(`${results.length} results of ${documents.size} documents`)
    if (!results.every(({ content }) => content.includes(actor.canary)))
      throw new Error(`A passage of others: ${reply.text}`)
  },
)

/** Records a reply in a conversation. */
const replied = (reply: Reply, { sessions }: ChatbotModel, actor: OrganizationModel, token: string) => {
  const id = reply.headers.get("x-session-id") ?? ""
  const known = sessions.get(token)
  if (known !== undefined && known.id !== id) throw new Error(`${token} continued ${id} and not ${known.id}`)
  sessions.set(token, { id, count: (known?.count ?? 0) + 2, reply: reply.headers.get("x-message-id") ?? "" })
  actor.replies++
}

const tokenOf = (pick: number) => `visitor-${pick % MOST}-of-everyone`
const question = ({ canary }: OrganizationModel) => [{ role: "user", content: `${canary}: which pump drains water?` }]

// The same tokens in all organizations.
const chat = onChatbot(
  (send, { id }, actor, pick) =>
    send("POST", `${base}/${id}/chat`, { messages: question(actor), sessionToken: tokenOf(pick) }),
  (reply, chatbot, actor, pick) => replied(reply, chatbot, actor, tokenOf(pick)),
)

/** By a slug that several organizations have, so that each reaches its own chatbot, or none. */
const chatBySlug = between(async (actor, owner, pick, send) => {
  const slug = at(owner.chatbots.values(), pick)?.slug ?? "one"
  const chatbot = Array.from(actor.chatbots.values()).find((one) => one.slug === slug)
  const session_id = tokenOf(pick)
  const reply = await send("POST", "/v1/chat/completions", {
    model: slug,
    messages: question(actor),
    metadata: { session_id },
  })
  expectStatus(reply, chatbot === undefined ? 404 : 200, "chat by slug")
  if (chatbot !== undefined) replied(reply, chatbot, actor, session_id)
})

const sessionPath = ({ id }: ChatbotModel, token: string) => `${base}/${id}/conversations/${token}`

const getMessages = onThing(
  ({ sessions }) => sessions.entries(),
  (send, chatbot, [token]) => send("GET", `${sessionPath(chatbot, token)}/messages`),
  (reply, _, [, { count }]) => expectSame([String(read(Data, reply).metadata.totalCount)], [String(count)], "messages"),
)

const getTranscript = onThing(
  ({ sessions }) => sessions.values(),
  (send, chatbot, { id }) => send("GET", `${sessionPath(chatbot, id)}/transcript`),
  nothing,
)

const deleteSession = onThing(
  ({ sessions }) => sessions.keys(),
  (send, chatbot, token) => send("DELETE", sessionPath(chatbot, token)),
  (_, { sessions }, token) => void sessions.delete(token),
)

const rate = onThing(
  ({ sessions }) => sessions.values(),
  (send, chatbot, { id, reply }, { canary }) =>
    send("POST", `${sessionPath(chatbot, id)}/messages/${reply}/feedback`, { rating: "up", comment: canary }),
  nothing,
)

const toolsPath = ({ id }: ChatbotModel) => `${base}/${id}/tools`

const createTool: Command = between(async (actor, owner, pick, send) => {
  const chatbot = at(owner.chatbots.values(), pick)
  if (chatbot === undefined || chatbot.tools.size >= MOST) return
  const name = `tool-${crypto.randomUUID().slice(0, 8)}`
  const { canary } = actor
  const input = { name, description: canary, input_schema: { type: "object" }, method: "GET" }
  const reply = await send("POST", toolsPath(chatbot), { ...input, url: `https://${canary}.example/` })
  expectStatus(reply, actor === owner ? 201 : 404, "create a tool")
  if (actor === owner) chatbot.tools.set(read(OneTool, reply).tool.id, name)
})

const renameTool = onThing(
  ({ tools }) => tools.keys(),
  (send, chatbot, tool, { canary }) =>
    send("PATCH", `${toolsPath(chatbot)}/${tool}`, { name: `t-${tool}`, description: canary }),
  (_, { tools }, tool) => void tools.set(tool, `t-${tool}`),
)

const deleteTool = onThing(
  ({ tools }) => tools.keys(),
  (send, chatbot, tool) => send("DELETE", `${toolsPath(chatbot)}/${tool}`),
  (_, { tools }, tool) => void tools.delete(tool),
)

const createKey = between(async (actor, owner, pick, send) => {
  const chatbot_id = at(owner.chatbots.values(), pick)?.id
  if (chatbot_id === undefined || actor.keys.size >= 2 * MOST) return
  const reply = await send("POST", "/api/admin/api-keys", { name: actor.canary, scopes: ["chat"], chatbot_id })
  expectStatus(reply, actor === owner ? 201 : 404, "create a key")
  if (actor !== owner) return
  const { id } = read(OneKey, reply).api_key
  actor.keys.set(id, false)
  // Keys that are bound to a chatbot go with it, so that this one is only made.
  await send("DELETE", `/api/admin/api-keys/${id}`)
  actor.keys.delete(id)
})

const revokeKey = between(async (actor, owner, pick, send) => {
  const id = at(owner.keys.keys(), pick)
  if (id === undefined) return
  expectStatus(await send("DELETE", `/api/admin/api-keys/${id}`), actor === owner ? 200 : 404, "revoke a key")
  if (actor === owner) owner.keys.set(id, true)
})

const createFreeKey = between(async (actor, _, __, send) => {
  if (actor.keys.size >= 2 * MOST) return
  const reply = await send("POST", "/api/admin/api-keys", { name: actor.canary, scopes: ["chat"] })
  expectStatus(reply, 201, "create a key")
  actor.keys.set(read(OneKey, reply).api_key.id, false)
})

/** Another organization takes the place of one that is deleted. */
const replaceOrganization: Command = async ({ makeOrganization, organizations, removeOrganization }, { actor }) => {
  const old = organizations[actor]
  if (old === undefined) return
  await removeOrganization(old)
  organizations[actor] = await makeOrganization(newCanary())
}

/** The commands by name, with how often each occurs. */
export const commands = {
  createChatbot: [createChatbot, 5],
  renameChatbot: [renameChatbot, 4],
  getChatbot: [getChatbot, 4],
  deleteChatbot: [deleteChatbot, 2],
  upload: [upload, 2],
  getDocument: [getDocument, 3],
  deleteDocument: [deleteDocument, 1],
  search: [search, 5],
  chat: [chat, 4],
  chatBySlug: [chatBySlug, 3],
  getMessages: [getMessages, 4],
  getTranscript: [getTranscript, 2],
  deleteSession: [deleteSession, 1],
  rate: [rate, 2],
  createTool: [createTool, 3],
  renameTool: [renameTool, 2],
  deleteTool: [deleteTool, 2],
  createFreeKey: [createFreeKey, 2],
  createKey: [createKey, 1],
  revokeKey: [revokeKey, 2],
  replaceOrganization: [replaceOrganization, 0.3],
} satisfies Readonly<Record<string, readonly [command: Command, weight: number]>>

/** Expects that an organization sees its chatbots, and no others. */
export const expectChatbots = async ({ owners }: Setting, organization: OrganizationModel): Promise<void> => {
  const { canary, chatbots, client } = organization
  const reply = await client.get("/api/external/chatbots")
  owners.check(organization, reply)
  const seen = read(ManyChatbots, reply).chatbots.map(({ id, name }) => `${id} ${name}`)
  expectSame(
    seen,
    Array.from(chatbots.values(), ({ id, name }) => `${id} ${name}`),
    `chatbots of ${canary}`,
  )
}

/** Expects that an organization sees exactly what the model says, in every list. */
export const expectEverything = async (setting: Setting, organization: OrganizationModel): Promise<void> => {
  const { canary, chatbots, client, keys, replies } = organization
  const get = async (path: string) => {
    const reply = await client.get(path)
    setting.owners.check(organization, reply)
    return reply
  }
  await expectChatbots(setting, organization)
  await Promise.all(
    Array.from(chatbots.values(), async ({ documents, id, sessions, tools }) => {
      const at = `${base}/${id}`
      const [seenDocuments, seenSessions, seenTools] = await Promise.all(
        [`${at}/knowledge-base/documents`, `${at}/conversations`, `${at}/tools`].map(get),
      )
      if (!seenDocuments || !seenSessions || !seenTools) throw new Error("There is no answer")
      expectSame(
        read(Data, seenDocuments).data.map((one) => one.id),
        documents,
        `documents of ${canary}`,
      )
      expectSame(
        read(Data, seenSessions).data.map((one) => one.id),
        Array.from(sessions.values(), (one) => one.id),
        `conversations of ${canary}`,
      )
      expectSame(
        read(ManyTools, seenTools).tools.map((one) => `${one.id} ${one.name}`),
        Array.from(tools, (pair) => pair.join(" ")),
        `tools of ${canary}`,
      )
    }),
  )
  const seenKeys = read(ManyKeys, await get("/api/admin/api-keys")).api_keys
  expectSame(
    seenKeys.filter(({ id }) => keys.has(id)).map(({ id, revoked_at }) => `${id} ${revoked_at !== null}`),
    Array.from(keys, (pair) => pair.join(" ")),
    `keys of ${canary}`,
  )
  expectSame(
    read(Models, await get("/v1/models")).data.map((one) => one.id),
    Array.from(chatbots.values(), ({ slug }) => slug),
    `models of ${canary}`,
  )
  const counted = read(Replies, await get("/api/external/usage")).total.replies
  expectSame([String(counted)], [String(replies)], `replies of ${canary}`)
}
