import { describe, expect, test } from "bun:test"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { until } from "../../lib/Client.ts"
import { startEndpoint } from "../../lib/Endpoint.ts"
import { sharedServer } from "../../lib/TestServer.ts"
import { newWebhook, verified } from "../../lib/Webhooks.ts"

const { client, query } = await sharedServer()

const chatbot = await client.newChatbot({ name: "Main" })
const newConversation = async (content = "Is anybody there?") => {
  const { session_id } = await client.chat(chatbot.id, content)
  return `/api/external/chatbot/${chatbot.id}/conversations/${session_id}`
}
const bodyOf = async (reply: Promise<{ readonly body: unknown }>) => Object((await reply).body)

/** Makes a person who may answer, and who has no way to sign in yet. */
const newPerson = async (name: string): Promise<string> => {
  const id = Bun.randomUUIDv7()
  await query(
    SystemSql.use(
      (sql) => sql`
        with key as (
          insert into api_keys (id, organization_id, name, hash, prefix, last_four, scopes, kind)
          select ${id}, organization_id, ${name}, sha256(${id}::text::bytea), '', '', '{}', 'person'
          from chatbots where id = ${chatbot.id} returning organization_id
        ), person as (
          insert into people (id, organization_id, name, state, last_seen_at)
          select ${id}, organization_id, ${name}, 'active', now() from key returning organization_id
        )
        insert into person_roles (person_id, organization_id, role) select ${id}, organization_id, 'agent' from person`,
    ),
  )
  return id
}

describe("a conversation", () => {
  test("goes to people and back, and says so", async () => {
    const path = await newConversation()
    expect((await bodyOf(client.get(path))).session.handover).toBeUndefined()
    const { session } = await bodyOf(client.post(`${path}/handover`, { json: {} }))
    expect(session.handover).toMatchObject({ owner: "people", assignee: null, waiting_since: expect.any(String) })
    expect((await client.post(`${path}/handover`, { json: {} })).status).toBe(409)
    const back = await bodyOf(client.post(`${path}/return`))
    expect(back.session.handover).toMatchObject({ owner: "bot", assignee: null })
    expect((await client.post(`${path}/return`)).status).toBe(409)
    const { events } = await bodyOf(client.get(`${path}/events`))
    expect(
      events.map(({ detail, type }: { detail: { reason: string }; type: string }) => [type, detail.reason]),
    ).toEqual([
      ["handover", "api"],
      ["returned", "by_hand"],
    ])
  })

  test("is taken over by one of two at once", async () => {
    const path = await newConversation()
    const replies = await Promise.all([1, 2].map(() => client.post(`${path}/handover`, { json: {} })))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test("has the message of a person once, with who wrote it", async () => {
    const path = await newConversation()
    const json = { content: "I am Ada.", sender_name: "Ada", id: "message-1" }
    const said = await bodyOf(client.post(`${path}/messages`, { json }))
    expect(said.message).toMatchObject({
      sender_type: "agent",
      content: "I am Ada.",
      sender: { id: null, name: "Ada" },
    })
    expect(said.session.handover).toMatchObject({ owner: "people", waiting_since: null })
    expect((await bodyOf(client.post(`${path}/messages`, { json }))).message.id).toBe(said.message.id)
    const { data } = await bodyOf(client.get(`${path}/messages`))
    expect(data.map(({ sender_type }: { sender_type: string }) => sender_type)).toEqual(["user", "bot", "agent"])
  })

  test("is assigned to a person who may answer, while people have it", async () => {
    const [path, ada] = [await newConversation(), await newPerson("Ada")]
    expect((await client.patch(path, { json: { assignee: ada } })).status).toBe(409)
    await client.post(`${path}/handover`, { json: {} })
    const { session } = await bodyOf(client.patch(path, { json: { assignee: ada, tags: ["refund", "refund"] } }))
    expect(session).toMatchObject({ handover: { assignee: { id: ada, name: "Ada" } }, tags: ["refund"] })
    expect((await client.patch(path, { json: { assignee: Bun.randomUUIDv7() } })).status).toBe(400)
    const found = async (search: string) =>
      (await bodyOf(client.get(`/api/external/conversations?${search}`))).conversations.map(
        ({ id }: { id: string }) => id,
      )
    for (const search of [`assignee=${ada}`, "tag=refund", "owner=people", "waiting=true"])
      expect(await found(search)).toContain(session.id)
    for (const search of ["assignee=none", "assignee=me", "tag=other", "owner=bot"])
      expect(await found(search)).not.toContain(session.id)
  })

  test("goes back to the bot when it is closed", async () => {
    const path = await newConversation()
    await client.post(`${path}/handover`, { json: {} })
    const { session } = await bodyOf(client.patch(path, { json: { state: "closed" } }))
    expect(session).toMatchObject({ state: "closed", handover: { owner: "bot", waiting_since: null } })
  })

  test("has notes that are no messages", async () => {
    const path = await newConversation()
    const { event } = await bodyOf(client.post(`${path}/notes`, { json: { text: "Be kind." } }))
    expect(event).toMatchObject({ type: "note", detail: { text: "Be kind." } })
    expect((await bodyOf(client.get(`${path}/messages`))).data).toHaveLength(2)
  })

  test("shows who is there until they go", async () => {
    const path = await newConversation()
    const there = await bodyOf(client.post(`${path}/presence`, { json: { state: "writing" } }))
    expect(there).toMatchObject({ presence: [{ state: "writing", name: null }], visitor_read_at: null })
    expect(await bodyOf(client.post(`${path}/presence`, { json: { state: "away" } }))).toMatchObject({ presence: [] })
  })

  test("gets a draft of which nothing is stored", async () => {
    const path = await newConversation()
    await client.post(`${path}/messages`, { json: { content: "Wait a moment." } })
    const { draft } = await bodyOf(client.post(`${path}/draft`))
    expect(draft.output).not.toBe("")
    expect((await bodyOf(client.get(`${path}/messages`))).data).toHaveLength(3)
  })
})

test("conversations are assigned in turn to those who are there", async () => {
  const { id } = await client.newChatbot({ name: "In turn", settings: { handover: { assign: "in_turn" } } })
  const people = [await newPerson("Cleo"), await newPerson("Dan")]
  const away = await newPerson("Eve")
  await query(
    SystemSql.use((sql) => sql`update people set last_seen_at = case when id = any(${people}::uuid[]) then now() end`),
  )
  const assigned: Array<string> = []
  for (let number = 0; number < 4; number++) {
    const { session_id } = await client.chat(id, "A person?")
    const path = `/api/external/chatbot/${id}/conversations/${session_id}/handover`
    const { session } = await bodyOf(client.post(path, { json: { assignee: null } }))
    assigned.push(session.handover.assignee?.id)
    expect(session.handover.waiting_since).not.toBeNull()
  }
  expect(assigned.toSorted()).toEqual([...people, ...people].toSorted())
  expect(assigned).not.toContain(away)
})

test("webhooks hear who takes over, who writes, and that the chatbot has it again", async () => {
  const endpoint = startEndpoint()
  const types = ["conversation.handover", "message.created", "conversation.returned"] as const
  const hook = await newWebhook(client, endpoint.url, types)
  const path = await newConversation()
  await client.post(`${path}/messages`, { json: { content: "I am Ada.", sender_name: "Ada" } })
  await client.post(`${path}/return`)
  const events = await until(
    async () => endpoint.asked.map((asked) => verified(asked, hook.secret)),
    // Two messages of the first turn, one of Ada's, and the two changes: they come in no order.
    (all) => all.length >= 5,
  )
  const told = events.filter(({ data }) => data["sender_type"] === undefined || data["sender_type"] === "agent")
  expect(told.map(({ data, type }) => [type, data["reason"], data["person"]])).toEqual(
    expect.arrayContaining([
      ["conversation.handover", "api", null],
      ["message.created", undefined, { id: null, name: "Ada" }],
      ["conversation.returned", "by_hand", null],
    ]),
  )
  // The database decides for webhooks who wrote a reply, and `authorOf` for all others.
  const { messages } = await bodyOf(client.get(`${path}/transcript`))
  const authors: Array<[string, string | null]> = messages.map((said: { id: string; written_by?: string }) => [
    said.id,
    said.written_by ?? null,
  ])
  const wrote = new Map(events.map(({ data }) => [data["id"], data["written_by"]]))
  expect(authors.map(([id]) => [id, wrote.get(id)])).toEqual(authors)
  expect(authors.map(([, author]) => author)).toEqual([null, "rule", "person"])
})

test("the inbox counts what waits and what is open", async () => {
  const before = await bodyOf(client.get("/api/external/inbox"))
  const path = await newConversation()
  await client.post(`${path}/handover`, { json: {} })
  const after = await bodyOf(client.get("/api/external/inbox"))
  expect(after).toEqual({ waiting: before.waiting + 1, mine: 0, open: before.open + 1 })
})
