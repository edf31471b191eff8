import { describe, expect, test } from "bun:test"
import { Context, Effect, Schema } from "effect"
import { LookupMillis } from "../../../src/services/keys/RecentLookups.ts"
import { CallLooks } from "../../../src/services/voice/RealtimeCalls.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { type Client, problem, read, until, wrongPaths } from "../../lib/Client.ts"
import { startEndpoint } from "../../lib/Endpoint.ts"
import { type FakeCall, fakeRealtimeKey, fakeSdp, startRealtime } from "../../lib/FakeRealtime.ts"
import { startServer } from "../../lib/TestServer.ts"
import { publish, visit, type VisitorClient } from "../../lib/Visitors.ts"
import { callable, callsPath, dialAt, offer, postCall, realtimeSettings } from "../../lib/VoiceCalls.ts"

/*
 * Realtime calls of visitors, with a provider that speaks the protocol. What visitor and model say is what a test tells
 * in the provider's place.
 */

const provider = startRealtime()
const endpoint = startEndpoint()
const server = await startServer(
  realtimeSettings(provider),
  Context.make(CallLooks, "250 millis").pipe(Context.add(LookupMillis, 100)),
)
const { client, query } = server

const widgetOf = (settings: object = {}, as: Client = client) => callable(as, settings)
const dial = (visitor: VisitorClient, more: object = {}) => dialAt(provider, visitor, more)

const begin = async (settings: object = {}, as: Client = client) => {
  const { chatbot, visitor } = await widgetOf(settings, as)
  return { chatbot, visitor, ...(await dial(visitor)) }
}

const told = async (visitor: VisitorClient, conversation: string) =>
  (await visitor.messages(conversation)).map(({ content, role }) => [role, content])

/** Waits until this was said. */
const untilTold = (visitor: VisitorClient, conversation: string, ...expected: ReadonlyArray<string>) =>
  until(
    () => told(visitor, conversation),
    (all) => all.length === expected.length && all.every(([, content], index) => content === expected[index]),
  )

const hungUp = (call: FakeCall) => until(() => call.isHungUp, Boolean)

const UsageReply = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      provider: Schema.String,
      model: Schema.String,
      replies: Schema.Int,
      input_tokens: Schema.Int,
      output_tokens: Schema.Int,
      cache_read_tokens: Schema.Int,
    }),
  ),
})
const usageOf = async (as: Client) => read(UsageReply, await as.get("/api/external/usage?group_by=provider,model")).data

describe("a realtime call", () => {
  test("is a conversation: question, tool, answer, with the chatbot's instructions and usage", async () => {
    const own = await client.newOrganization()
    const { chatbot, visitor } = await widgetOf({}, own)
    await own.learn(chatbot.id, { "tides.md": "# Tides\n\nThe harbour tide turns at nine in the morning." })
    const tool = {
      name: "berth",
      description: "Tells whether a berth is free.",
      input_schema: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] },
      url: `${endpoint.url}/berths/{number}`,
    }
    expect((await own.post(`/api/external/chatbot/${chatbot.id}/tools`, { json: tool })).status).toBe(201)
    endpoint.answers(() => Response.json({ free: true }))
    const { call, conversation_id, sdp } = await dial(visitor)
    expect(sdp).toBe(fakeSdp)
    expect(call.offer).toBe(offer)
    expect(call.session).toMatchObject({
      type: "realtime",
      model: "gpt-realtime",
      instructions: expect.stringContaining("You help sailors."),
      max_output_tokens: 300,
      audio: {
        input: {
          turn_detection: { type: "server_vad", threshold: 0.4, prefix_padding_ms: 300, silence_duration_ms: 700 },
        },
        output: { voice: "marin" },
      },
    })
    expect(call.session.tools.map(({ name }) => name)).toEqual(["searchKnowledgeBase", "listDocuments", "berth"])

    call.hears("When does the tide turn, and is berth 7 free?")
    const item = call.adds("assistant")
    call.tell({ type: "response.output_audio_transcript.done", item_id: item, transcript: "Let me look." })
    const search = JSON.stringify({ query: "When does the tide turn?" })
    call.responds([
      { id: item, type: "message", role: "assistant", content: [] },
      { id: "fc_1", type: "function_call", name: "searchKnowledgeBase", call_id: "call_1", arguments: search },
    ])
    const [found] = await until(
      () => call.outputs,
      ({ length }) => length === 1,
    )
    expect(found).toMatchObject({ call_id: "call_1", output: expect.stringContaining("turns at nine") })
    expect(call.received.at(-1)?.type).toBe("response.create")
    call.calls("berth", { number: 7 }, "call_2")
    const [, berth] = await until(
      () => call.outputs,
      ({ length }) => length === 2,
    )
    expect(berth).toMatchObject({ call_id: "call_2", output: '{"free":true}' })
    expect(endpoint.asked.map((asked) => asked.path)).toEqual(["/berths/7"])
    const answer = "Let me look.\n\nAt nine, and berth seven is free."
    call.says("At nine, and berth seven is free.")
    await untilTold(visitor, conversation_id, "When does the tide turn, and is berth 7 free?", answer)
    const messages = await own.messages(chatbot.id, conversation_id)
    expect(
      messages.map(({ model, provider, tokens_used, tool_calls }) => ({ model, provider, tokens_used, tool_calls })),
    ).toMatchObject([
      { model: null },
      {
        model: "gpt-realtime",
        provider: "realtime",
        tokens_used: 500,
        tool_calls: [
          { toolName: "searchKnowledgeBase", args: { query: "When does the tide turn?" } },
          { toolName: "berth", args: { number: 7 } },
        ],
      },
    ])
    const counted = { provider: "realtime", input_tokens: 360, output_tokens: 150, cache_read_tokens: 240, replies: 1 }
    expect(await usageOf(own)).toMatchObject([counted])
    expect((await visitor.send("DELETE", `${callsPath}/${call.id}`)).status).toBe(200)
    expect(call.isHungUp).toBe(true)
    problem(await visitor.send("DELETE", `${callsPath}/${call.id}`), 404, "not_found")
  })

  test("goes on in a conversation of the chat, which the model is told, and the chat goes on in it", async () => {
    const { chatbot, visitor } = await widgetOf()
    await client.learn(chatbot.id, { "tides.md": "# Tides\n\nThe harbour tide turns at nine." })
    const { ids } = await visitor.hear("When does the harbour tide turn?")
    const { call, conversation_id } = await dial(visitor, { conversation_id: ids.conversation })
    expect(conversation_id as string).toBe(ids.conversation)
    const earlier = await until(
      () => call.received,
      ({ length }) => length === 2,
    )
    expect(earlier.map(({ item }) => [item?.role, item?.content?.[0]?.type])).toEqual([
      ["user", "input_text"],
      ["assistant", "output_text"],
    ])
    // The provider repeats them; they are stored already.
    for (const { item, type } of earlier) call.tell({ type: type.replace("create", "added"), item })
    call.hears("And tomorrow?")
    call.says("At ten.")
    await until(
      () => visitor.messages(conversation_id),
      ({ length }) => length === 4,
    )
    await visitor.hear("Thanks", { conversation_id })
    expect((await told(visitor, conversation_id)).slice(2, 5).map(([role, content]) => `${role}: ${content}`)).toEqual([
      "user: And tomorrow?",
      "assistant: At ten.",
      "user: Thanks",
    ])
  })

  test("stores what was said in the order of the conversation, whatever is transcribed first", async () => {
    const { call, conversation_id, visitor } = await begin()
    const question = call.adds("user")
    call.says("First answer.")
    const second = call.adds("user")
    call.transcribes(second, "Second question?")
    call.says("Second answer.")
    call.transcribes(question, "First question?")
    await untilTold(visitor, conversation_id, "First question?", "First answer.", "Second question?", "Second answer.")
    const silent = call.adds("user")
    call.says("Are you still there?")
    call.tell({ type: "conversation.item.input_audio_transcription.failed", item_id: silent, error: { code: "x" } })
    // What is said up to the visitor's next message is one reply.
    await untilTold(
      visitor,
      conversation_id,
      "First question?",
      "First answer.",
      "Second question?",
      "Second answer.\n\nAre you still there?",
    )
  })

  test("keeps of an interrupted reply what was heard, also when it was stored as a whole before", async () => {
    const { call, chatbot, conversation_id, visitor } = await begin()
    call.hears("Tell me a story.")
    // 40 tokens of audio are two seconds, of which half was heard.
    const item = call.says("one two three four five six seven eight nine tens")
    await untilTold(visitor, conversation_id, "Tell me a story.", "one two three four five six seven eight nine tens")
    call.tell({ type: "conversation.item.truncated", item_id: item, content_index: 0, audio_end_ms: 1000 })
    call.hears("Stop.")
    await untilTold(visitor, conversation_id, "Tell me a story.", "one two three four five", "Stop.")
    // Interrupted before its response has ended.
    const cut = call.adds("assistant")
    call.tell({ type: "conversation.item.truncated", item_id: cut, content_index: 0, audio_end_ms: 0 })
    call.says("I will not", { status: "cancelled" }, cut)
    call.hears("Good.")
    await untilTold(visitor, conversation_id, "Tell me a story.", "one two three four five", "Stop.", "", "Good.")
    const complete = (await visitor.messages(conversation_id)).filter(({ role }) => role === "assistant")
    expect(complete.map(({ is_complete }) => is_complete)).toEqual([false, false])
    expect(await client.session(chatbot.id, conversation_id)).toMatchObject({ message_count: 5 })
  })

  test("survives events that are huge, malformed, unknown, early, late or sent twice", async () => {
    const own = await client.newOrganization()
    const { call, conversation_id, visitor } = await begin({}, own)
    call.tell("{")
    call.tell("[".repeat(100_000))
    call.tell(JSON.stringify({ type: "response.done", response: null }))
    call.tell({ type: "response.done", response: { id: "r", status: "completed", output: [null], usage: {} } })
    call.tell({ type: "rate_limits.updated", rate_limits: [] })
    call.tell({ type: "error", error: { message: "Something" } })
    call.tell({ type: "conversation.item.truncated", item_id: "unknown", audio_end_ms: -5 })
    call.tell({
      type: "conversation.item.input_audio_transcription.completed",
      item_id: "x",
      transcript: "y".repeat(2 ** 21),
    })
    call.transcribes("unannounced", "Hello\u0000 there \ud800!")
    call.transcribes("unannounced", "Something else")
    const usage = { input_tokens: 1e300, output_tokens: -7, input_token_details: { cached_tokens: 0.4 } }
    const output = [{ id: "late", type: "message", role: "assistant" }, { type: "mcp_call" }]
    const done = { type: "response.done", response: { id: "resp", status: "completed", output, usage } }
    call.tell({ type: "response.output_audio_transcript.done", item_id: "late", transcript: "Hi!" })
    call.tell(done)
    call.tell(done)
    call.calls("searchKnowledgeBase", "{ not json", "bad")
    call.calls("noSuchTool", {}, "none")
    const outputs = await until(
      () => call.outputs,
      ({ length }) => length === 2,
    )
    expect(outputs.map((one) => one.output)).toEqual([
      expect.stringContaining("Invalid input"),
      expect.stringContaining("There is no tool noSuchTool"),
    ])
    await untilTold(visitor, conversation_id, "Hello there \ufffd!", "Hi!")
    expect(call.isHungUp).toBe(false)
    expect(await usageOf(own)).toMatchObject([{ replies: 1, input_tokens: 1_000_000 + 240, output_tokens: 100 }])
  })

  test("opens a lost side channel once more, and hangs up when it is lost again", async () => {
    const { call, conversation_id, visitor } = await begin()
    call.hears("One")
    await untilTold(visitor, conversation_id, "One")
    call.socket?.close()
    await until(
      () => call.attached,
      (times) => times === 2,
    )
    call.hears("Two")
    await untilTold(visitor, conversation_id, "One", "Two")
    expect(call.isHungUp).toBe(false)
    call.socket?.close()
    await hungUp(call)
    expect(call.attached).toBe(2)
    expect((await dial(visitor, { conversation_id })).call.isHungUp).toBe(false)
  })

  test("stores what the model was about to say when the visitor hangs up", async () => {
    const { call, conversation_id, visitor } = await begin()
    call.hears("Hello")
    call.tell({
      type: "response.output_audio_transcript.done",
      item_id: call.adds("assistant"),
      transcript: "Hello, how can I",
    })
    await untilTold(visitor, conversation_id, "Hello")
    expect((await visitor.send("DELETE", `${callsPath}/${call.id}`)).status).toBe(200)
    await untilTold(visitor, conversation_id, "Hello", "Hello, how can I")
  })
})

describe("a realtime call ends", () => {
  test("with the next call of its visitor, and is nobody else's", async () => {
    const { call, chatbot, visitor } = await begin()
    const stranger = await visit(client, await publish(client, chatbot.id))
    problem(await stranger.send("DELETE", `${callsPath}/${call.id}`), 404, "not_found")
    const other = await dial(stranger)
    const next = await dial(visitor)
    await hungUp(call)
    expect([next.call.isHungUp, other.call.isHungUp]).toEqual([false, false])
  })

  test("by a handover, once the model has said so, and the conversation waits for people", async () => {
    const { call, chatbot, conversation_id, visitor } = await begin({ handover: { tool: true } })
    call.hears("I want to talk to a person.")
    call.calls("requestHuman", { reason: "Wants a person" })
    await until(
      () => call.outputs,
      ({ length }) => length === 1,
    )
    // The call lasts until this has sounded: 50 ms for each token.
    call.says("A person will answer here.", { usage: { output_tokens: 2, output_token_details: { audio_tokens: 2 } } })
    await hungUp(call)
    await untilTold(visitor, conversation_id, "I want to talk to a person.", "A person will answer here.")
    expect(await client.session(chatbot.id, conversation_id)).toMatchObject({ handover: { owner: "people" } })
    problem(await postCall(visitor, { conversation_id }), 409, "conflict")
  })

  test("when people take the conversation, when it is deleted, and when the chatbot is deactivated", async () => {
    const taken = await begin({ handover: { tool: true } })
    taken.call.hears("Hello")
    await untilTold(taken.visitor, taken.conversation_id, "Hello")
    await query(
      SystemSql.use(
        (sql) => sql`select hand_over(organization_id, id, 'api', null, null, null) from sessions
          where id = ${taken.conversation_id}::uuid`,
      ).pipe(Effect.orDie),
    )
    await hungUp(taken.call)

    const deleted = await begin()
    expect((await deleted.visitor.send("DELETE", `/conversations/${deleted.conversation_id}`)).status).toBe(200)
    await hungUp(deleted.call)
    expect(await deleted.visitor.conversations()).toEqual([])

    const inactive = await begin()
    await client.patch(`/api/external/chatbots?id=${inactive.chatbot.id}`, { json: { active: false } })
    await hungUp(inactive.call)
    problem(await postCall(inactive.visitor), 409, "chatbot_inactive")
  })

  test("when a budget is spent, and when its key is revoked", async () => {
    const { chatbot } = await widgetOf()
    const publishable = { name: "Website", kind: "publishable", chatbot_id: chatbot.id, allowed_origins: ["*"] }
    const made = await client.post("/api/admin/api-keys", { json: publishable })
    const { api_key, key } = read(
      Schema.Struct({ key: Schema.String, api_key: Schema.Struct({ id: Schema.String }) }),
      made,
    )
    const keyPath = `/api/admin/api-keys/${api_key.id}`
    expect((await client.patch(keyPath, { json: { budget: { tokens_per_day: 8_000 } } })).status).toBe(200)
    const visitor = await visit(client, key)
    const spent = await dial(visitor)
    spent.call.hears("Hello")
    spent.call.says("Hello!", { usage: { input_tokens: 8_000, output_tokens: 500 } })
    await hungUp(spent.call)
    expect((await postCall(visitor)).status).toBe(429)
    await untilTold(visitor, spent.conversation_id, "Hello", "Hello!")

    await client.patch(keyPath, { json: { budget: { tokens_per_day: null } } })
    const other = await visit(client, key)
    const { call } = (await until(
      () => dial(other).catch(() => undefined),
      (dialled) => dialled !== undefined,
    )) as Awaited<ReturnType<typeof dial>>
    expect((await client.delete(keyPath)).status).toBe(200)
    await hungUp(call)
  })

  test("when somebody gives the model other instructions, or the model calls nothing but tools", async () => {
    const changed = await begin()
    const { session } = changed.call
    changed.call.tell({ type: "session.updated", session })
    changed.call.hears("Hello")
    await untilTold(changed.visitor, changed.conversation_id, "Hello")
    changed.call.tell({ type: "session.updated", session: { ...session, instructions: "Write my essay." } })
    await hungUp(changed.call)

    const looping = await begin()
    for (let round = 0; round < 10; round++) looping.call.calls("listDocuments", {}, `call_${round}`)
    await hungUp(looping.call)
  })
})

describe("a realtime call is refused", () => {
  test("where the provider refuses it, or its side channel, without the provider's words or the key", async () => {
    const { visitor } = await widgetOf()
    for (const [status, code] of [
      [400, 502],
      [401, 502],
      [429, 429],
      [503, 503],
    ] as const) {
      provider.status = status
      const reply = await postCall(visitor)
      expect([reply.status, reply.text.includes("words of the provider")]).toEqual([code, false])
    }
    provider.status = 201
    provider.refusesChannels = true
    const count = provider.calls.length
    expect((await postCall(visitor)).status).toBe(503)
    expect(provider.calls[count]?.isHungUp).toBe(true)
    provider.refusesChannels = false
    // Nothing was opened for them.
    expect(await visitor.conversations()).toEqual([])
    const reply = await postCall(visitor)
    expect([reply.status, reply.text.includes(fakeRealtimeKey), provider.strangers]).toEqual([201, false, 0])
  })

  test("for offers with a data channel or more, for chatbots without a voice agent, and for conversations of others", async () => {
    const { chatbot, visitor } = await widgetOf()
    const count = provider.calls.length
    const channel = "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n"
    for (const sdp of [
      offer + channel,
      channel + offer,
      offer + channel.replace("m=", "\rm="),
      offer + channel.replace("m=", " M ="),
      offer + offer,
      "v=0\r\n",
      offer.replace("audio", "video"),
    ])
      expect(wrongPaths(await postCall(visitor, { sdp }))).toEqual(["sdp"])
    expect(wrongPaths(await postCall(visitor, { sdp: offer + "a=x\r\n".repeat(20_000) }))).toEqual(["sdp"])
    const { conversation_id } = await dial(await visit(client, await publish(client, chatbot.id)))
    problem(await postCall(visitor, { conversation_id }), 404, "not_found")
    expect(provider.calls.length).toBe(count + 1)
    const silent = await client.newChatbot({ settings: { model: "local/extractive" } })
    problem(await postCall(await visit(client, await publish(client, silent.id))), 403, "forbidden")
  })
})
