import { afterEach, describe, expect, test } from "bun:test"
import { Context, Effect } from "effect"
import { EndingLooks, Holding } from "../../../src/services/voice/VoiceTurns.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { type Client, problem, until, wrongPaths } from "../../lib/Client.ts"
import { fails, says } from "../../lib/FakeAnthropic.ts"
import { fakeSpeech, MS_PER_CHARACTER, recordingOf, samplesOf, wavOf } from "../../lib/FakeSpeech.ts"
import { rawRequest } from "../../lib/RawRequest.ts"
import { sharedRun } from "../../lib/Scoped.ts"
import { startServer, type TestServer } from "../../lib/TestServer.ts"
import { uiEvents } from "../../lib/UiEvents.ts"
import { publish, visit } from "../../lib/Visitors.ts"
import { formOf, speak, turnAt } from "../../lib/VoiceClient.ts"

/*
 * Spoken turns over a real socket, with a server that listens and speaks, and without one.
 */

const run = sharedRun()
const fake = await run(fakeSpeech)
/** A turn that is held as long as it may be is held for ever here, however long the machine takes for another one. */
const HELD_FOR_EVER = 10_000

/** Its turns wait for the end of an aborted one as long as a busy machine may take for it. */
const server = await startServer(
  {
    RATE_LIMIT: "off",
    DEFAULT_MODEL: "claude-sonnet-5-5",
    TRANSCRIPTION_BASE_URL: fake.url,
    SPEECH_BASE_URL: `${fake.url}/v1`,
  },
  Context.make(EndingLooks, 600).pipe(
    Context.add(Holding, (millis) => (millis === HELD_FOR_EVER ? Effect.never : Effect.sleep(millis))),
  ),
)
const { client, provider } = server
/** It neither listens nor speaks, and its turns hardly wait for what there is not, such as the end of another turn. */
const bare = await startServer({ RATE_LIMIT: "off", DEFAULT_MODEL: "claude-sonnet-5-5" }, Context.make(EndingLooks, 2))

const reply = "Yes, of course. The **ferry** leaves at noon, and it takes an hour."
const spoken = ["Yes, of course.", "The ferry leaves at noon, and it takes an hour."]

afterEach(() => Object.assign(fake, { transcribe: undefined, speak: undefined }))

const voiceOf = async (own: Client = client, config: object = { voice: "coral" }, of: TestServer = server) => {
  const chatbot = await own.newChatbot({ settings: { model: "claude-sonnet-5-5" } })
  await own.patch(`/api/external/chatbot/${chatbot.id}/voice-agent`, { json: config })
  const visitor = await visit(of.client, await publish(own, chatbot.id))
  await of.provider.answers(says(reply))
  return { chatbot, visitor }
}

/** Speaks, and listens to the end. */
const hear = async (...[visitor, fields]: Parameters<typeof speak>) => {
  const turn = await speak(visitor, fields)
  await turn.read()
  return turn
}

const contents = async (visitor: Awaited<ReturnType<typeof visit>>, conversation: string) =>
  (await visitor.messages(conversation)).map(({ content }) => content)

describe("a spoken turn", () => {
  test("is understood, answered as in a chat, and spoken clause by clause, and its audio is stored nowhere", async () => {
    const own = await client.newOrganization()
    const { chatbot, visitor } = await voiceOf(own, { voice: "coral", model: { max_output_tokens: 90 } })
    const before = fake.spoken.length
    const turn = await hear(visitor, { audio: recordingOf("When does it leave?", 1.5), language: "en-GB" })
    expect(turn.transcript).toBe("When does it leave?")
    expect(turn.text).toBe(reply)
    expect(turn.data("clause")).toEqual([
      { text: spoken[0], end: 16 },
      { text: spoken[1], end: reply.length },
    ])
    expect(turn.audio).toEqual(Buffer.concat(spoken.map((text) => samplesOf(text.length * MS_PER_CHARACTER))))
    expect(Math.max(...turn.data("audio").map(({ audio }) => Buffer.from(String(audio), "base64").length))).toBe(9_600)
    expect(turn.data("timings")).toMatchObject([
      { listened_ms: 1_500, spoken_ms: spoken.join("").length * MS_PER_CHARACTER },
    ])
    const order = turn.frames.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])
    expect(order.join(" ")).toBe(
      "data-transcript start start-step text-start text-delta text-end finish-step data-clause data-audio data-clause data-audio data-timings finish",
    )
    expect(fake.transcriptions.at(-1)).toMatchObject({ model: "whisper-1", language: "en", name: "speech.wav" })
    expect(fake.spoken.slice(before)).toMatchObject(
      spoken.map((input) => ({ input, voice: "coral", model: "tts-1", response_format: "pcm" })),
    )
    const [asked] = provider.requests()
    expect(JSON.parse(asked?.body ?? "")).toMatchObject({ max_tokens: 90 })
    expect(asked?.body).toContain("your reply is read aloud")
    expect(await contents(visitor, turn.ids.conversation)).toEqual(["When does it leave?", reply])

    // What was heard and spoken counts in seconds: 10 and 20 tokens for each.
    const usage = Object((await own.get("/api/external/usage?group_by=provider,model")).body).data
    expect(usage).toContainEqual(expect.objectContaining({ provider: "transcription", input_tokens: 15, replies: 0 }))
    expect(usage).toContainEqual(expect.objectContaining({ provider: "speech", model: "tts-1", output_tokens: 13 }))
    expect(usage).toContainEqual(expect.objectContaining({ provider: "anthropic", replies: 1 }))
    const dump = await server.dump()
    expect([dump.includes("UklGR"), dump.includes(turn.audio.subarray(0, 60).toString("base64"))]).toEqual([
      false,
      false,
    ])
    expect(chatbot.id).not.toBe("")
  })

  test("goes on in one conversation with what was written, and is a stream that AI SDKs read", async () => {
    const { visitor } = await voiceOf()
    const { conversation } = (await visitor.hear("Hello")).ids
    const response = await fetch(`${server.url}/api/widget/voice/turns`, {
      method: "POST",
      headers: { authorization: `Bearer ${visitor.session.token}` },
      body: formOf({ id: crypto.randomUUID(), conversation_id: conversation, text: "And by voice?" }),
    })
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1")
    expect(response.headers.get("x-session-id")).toBe(conversation)
    const events = await uiEvents(await response.text())
    expect(events.filter(({ type, transient }) => type.startsWith("data-") && transient !== true)).toEqual([])
    expect(await contents(visitor, conversation)).toEqual(["Hello", reply, "And by voice?", reply])
  })

  test("with an API key names its conversation by a token", async () => {
    const { chatbot } = await voiceOf()
    const { key = "" } = client
    const url = `${server.url}/api/external/chatbot/${chatbot.id}/voice/turns`
    const first = await turnAt(url, key, { text: "Hello", sessionToken: "a-voice-of-a-caller" })
    await first.read()
    const heard = { heard_message_id: first.ids.reply, heard_ms: 10 * MS_PER_CHARACTER }
    const second = await turnAt(url, key, { text: "Stop", sessionToken: "a-voice-of-a-caller", ...heard })
    await second.read()
    expect(second.ids.conversation).toBe(first.ids.conversation)
    const messages = await client.messages(chatbot.id, first.ids.conversation)
    expect(messages.map(({ content }) => content)).toEqual(["Hello", "Yes, of", "Stop", reply])
  })

  test.each([{ sessionToken: "a-voice-that-repeats-itself" }, {}])(
    "with an API key that is sent again with its UUID is stored and answered once, with %p",
    async (conversation) => {
      const { chatbot } = await voiceOf()
      const url = `${server.url}/api/external/chatbot/${chatbot.id}/voice/turns`
      const turn = { text: "Hello", id: crypto.randomUUID(), ...conversation }
      const first = await turnAt(url, client.key ?? "", turn)
      await first.read()
      const others = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const again = await turnAt(url, client.key ?? "", turn)
          await again.read()
          return again.ids
        }),
      )
      expect(others).toEqual(others.map(() => first.ids))
      const stored = await client.messages(chatbot.id, first.ids.conversation)
      expect(stored.map(({ content }) => content)).toEqual(["Hello", reply])
      expect((await client.session(chatbot.id, first.ids.conversation)).message_count).toBe(2)
    },
  )

  test("with an API key opens a conversation of its own where its UUID only counts, as another user's may", async () => {
    const { chatbot } = await voiceOf()
    const url = `${server.url}/api/external/chatbot/${chatbot.id}/voice/turns`
    const ids: Array<string> = []
    for (const text of ["Hello", "Good morning"]) {
      const turn = await turnAt(url, client.key ?? "", { text, id: "00000000-0000-0000-0000-000000000001" })
      await turn.read()
      ids.push(turn.ids.conversation)
    }
    expect(new Set(ids).size).toBe(2)
  })

  test("with an API key is refused with a reply of no conversation, or of another one", async () => {
    const { chatbot } = await voiceOf(bare.client, { voice: "coral" }, bare)
    const { key = "" } = bare.client
    const url = `${bare.url}/api/external/chatbot/${chatbot.id}/voice/turns`
    const first = await turnAt(url, key, { text: "Hello", sessionToken: "a-voice-of-a-caller" })
    await first.read()
    const heard = { heard_message_id: first.ids.reply, heard_characters: 10 }
    const none = await turnAt(url, key, { text: "Stop", ...heard })
    expect(none.response.status).toBe(400)
    const other = await turnAt(url, key, { text: "Stop", ...heard, sessionToken: "another-voice-of-it" })
    expect(other.response.status).toBe(404)
  })

  test("of which nothing was understood ends, and nothing is stored", async () => {
    const { visitor } = await voiceOf()
    for (const nothing of ["", "  ", "[BLANK_AUDIO]", "(music) [noise]", "..."]) {
      const turn = await hear(visitor, { audio: recordingOf(nothing) })
      expect(turn.frames.map(({ type }) => type)).toEqual(["data-transcript", "finish"])
    }
    expect(await visitor.conversations()).toEqual([])
    expect(provider.arrived()).toBe(0)
  })

  test("without servers that listen and speak has clauses that the browser speaks, and audio is refused", async () => {
    const { visitor } = await voiceOf(bare.client, { voice: "coral" }, bare)
    const turn = await hear(visitor, { text: "Hello", language: "de" })
    expect(turn.data("transcript")).toEqual([{ text: "Hello", language: "de" }])
    expect([turn.clauses, turn.audio.length]).toEqual([spoken, 0])
    const refused = await speak(visitor, { audio: recordingOf("Hello") })
    expect(refused.response.status).toBe(400)
    expect(await refused.response.text()).toContain("TRANSCRIPTION_BASE_URL")
    const conversation_id = turn.ids.conversation
    const heard = { heard_message_id: turn.ids.reply, heard_characters: (spoken[0] ?? "").length + 10 }
    await hear(visitor, { text: "Stop", conversation_id, ...heard })
    expect(await contents(visitor, conversation_id)).toEqual(["Hello", "Yes, of course. The **ferry", "Stop", reply])
  })

  test("is refused where the chatbot has no voice agent, or is not active", async () => {
    const chatbot = await client.newChatbot()
    const visitor = await visit(client, await publish(client, chatbot.id))
    const none = await speak(visitor, { text: "Hello" })
    expect([none.response.status, await none.response.json()]).toMatchObject([403, { code: "forbidden" }])
    const { chatbot: resting, visitor: other } = await voiceOf()
    await client.patch(`/api/external/chatbots?id=${resting.id}`, { json: { active: false } })
    const asleep = await speak(other, { audio: recordingOf("Hello") })
    expect([asleep.response.status, await asleep.response.json()]).toMatchObject([409, { code: "chatbot_inactive" }])
  })

  test("is refused where the chatbot has no voice agent before any of it is received", async () => {
    const chatbot = await client.newChatbot()
    const { headers } = await visit(client, await publish(client, chatbot.id))
    const { answer, socket } = rawRequest(server.url, "POST /api/widget/voice/turns", {
      ...headers,
      "content-type": "multipart/form-data; boundary=x",
      "content-length": "5000000",
    })
    expect(await answer).toStartWith("HTTP/1.1 403")
    socket.destroy()
  })

  test.each([
    ["nothing", {}, ["audio"]],
    ["audio and text", { audio: recordingOf("Hello"), text: "Hello" }, ["audio"]],
    ["an empty file", { audio: Buffer.alloc(0) }, ["audio"]],
    ["a header alone", { audio: wavOf(Buffer.alloc(0)) }, ["audio"]],
    ["another format", { audio: Buffer.from("ID3\u0004 no speech at all") }, ["audio"]],
    ["a header that is cut off", { audio: recordingOf("Hello").subarray(0, 30) }, ["audio"]],
    ["more than a minute", { audio: recordingOf("Hello", 60.5) }, ["audio"]],
    ["samples of 96 kHz", { audio: recordingOf("Hello", 0.1, 96_000) }, ["audio"]],
    ["a wrong number", { text: "Hello", hold_ms: -1 }, ["hold_ms"]],
    ["a wrong language", { text: "Hello", language: "no language" }, ["language"]],
    ["a reply without how much of it", { text: "Hello", heard_message_id: crypto.randomUUID() }, ["heard_message_id"]],
    ["how much of no reply", { text: "Hello", heard_ms: 5 }, ["heard_message_id"]],
    ["an unknown field", { text: "Hello", volume: 3 }, ["volume"]],
    ["a NUL", { text: "Hel\0lo" }, ["text"]],
  ])("with %s is not valid", async (_, fields, paths) => {
    const { visitor } = await voiceOf()
    const before = fake.transcriptions.length
    const reply = await visitor.client.send("POST", "/api/widget/voice/turns", {
      headers: { authorization: `Bearer ${visitor.session.token}` },
      form: formOf({ id: crypto.randomUUID(), ...fields }),
    })
    expect(wrongPaths(reply)).toEqual(paths)
    expect(fake.transcriptions.length).toBe(before)
  })

  test("of telephone quality is understood, and one that is too large is not received", async () => {
    const { visitor } = await voiceOf()
    expect((await hear(visitor, { audio: recordingOf("Hello", 1, 8_000) })).transcript).toBe("Hello")
    const large = await speak(visitor, { audio: Buffer.alloc(6 * 1024 * 1024 + 1) })
    expect(large.response.status).toBe(413)
  })
})

describe("a turn that its client withdraws", () => {
  test("before it is held no longer, or while it is understood, leaves nothing behind", async () => {
    const { visitor } = await voiceOf()
    const holding = new AbortController()
    const held = speak(visitor, { text: "Hel", hold_ms: HELD_FOR_EVER }, holding.signal)
    // In the time of a whole other turn it would be answered, if it were not held.
    const { visitor: other } = await voiceOf()
    await hear(other, { text: "Hello" })
    holding.abort()
    expect(await held.catch(() => "withdrawn")).toBe("withdrawn")
    const understood = Promise.withResolvers<Response>()
    fake.transcribe = () => understood.promise
    const listening = new AbortController()
    const before = fake.transcriptions.length
    const heard = speak(visitor, { audio: recordingOf("Hel") }, listening.signal)
    await until(
      () => fake.transcriptions.length,
      (count) => count > before,
    )
    listening.abort()
    expect(await heard.catch(() => "withdrawn")).toBe("withdrawn")
    understood.resolve(Response.json({ text: "Hel" }))
    fake.transcribe = undefined
    expect((await hear(visitor, { text: "Hello", hold_ms: 20 })).text).toBe(reply)
    expect((await visitor.conversations()).map(({ title }) => title)).toEqual(["Hello"])
  })

  test("while it is spoken is cut to what was heard, also when it is said again that it was", async () => {
    const { visitor } = await voiceOf()
    const leaving = new AbortController()
    const second = Promise.withResolvers<Response>()
    fake.speak = (input) =>
      input === spoken[0] ? new Response(samplesOf(input.length * MS_PER_CHARACTER)) : second.promise
    const turn = await speak(visitor, { text: "Hello" }, leaving.signal)
    await turn.read(({ audioMs }) => audioMs > 0)
    leaving.abort()
    const { conversation: conversation_id, reply: heard_message_id } = turn.ids
    const heard = { conversation_id, heard_message_id, heard_ms: 8 * MS_PER_CHARACTER }
    fake.speak = undefined
    second.resolve(new Response(samplesOf(10)))
    await hear(visitor, { text: "Stop", ...heard })
    expect(await contents(visitor, conversation_id)).toEqual(["Hello", "Yes, of", "Stop", reply])
    await hear(visitor, { text: "Again", ...heard })
    expect((await contents(visitor, conversation_id)).slice(0, 3)).toEqual(["Hello", "Yes, of", "Stop"])
    // The model was told what the user has heard.
    expect(provider.requests().at(-1)?.body).not.toContain(
      "Yes, of course. The **ferry** leaves at noon, and it takes an hour.\\n",
    )
    expect(JSON.parse(provider.requests().at(-1)?.body ?? "").messages[1].content[0].text).toBe("Yes, of")
  })

  test("before any of it was heard stays as an empty reply", async () => {
    const { visitor } = await voiceOf()
    const turn = await hear(visitor, { text: "Hello" })
    const { conversation: conversation_id, reply: heard_message_id } = turn.ids
    expect((await hear(visitor, { text: "Wait", conversation_id, heard_message_id, heard_ms: 0 })).text).toBe(reply)
    expect(await contents(visitor, conversation_id)).toEqual(["Hello", "", "Wait", reply])
    // Of a reply that never began, nothing is there to cut.
    const none = { conversation_id, heard_message_id: crypto.randomUUID(), heard_ms: 0 }
    expect((await hear(visitor, { text: "Go on", ...none })).text).toBe(reply)
  })
})

describe("what was heard", () => {
  test("of another visitor's reply, or of a message of the user, is not found, and changes nothing", async () => {
    const onBare = () => voiceOf(bare.client, { voice: "coral" }, bare)
    const [one, other] = [await onBare(), await onBare()]
    const theirs = await hear(other.visitor, { text: "Hello" })
    const own = await hear(one.visitor, { text: "Hello" })
    const [question] = await one.visitor.messages(own.ids.conversation)
    for (const heard_message_id of [theirs.ids.reply, question?.id]) {
      const heard = { conversation_id: own.ids.conversation, heard_message_id, heard_characters: 3 }
      const refused = await speak(one.visitor, { text: "Stop", ...heard })
      expect([refused.response.status, await refused.response.json()]).toMatchObject([404, { code: "not_found" }])
    }
    const foreign = {
      conversation_id: theirs.ids.conversation,
      heard_message_id: theirs.ids.reply,
      heard_characters: 3,
    }
    expect((await speak(one.visitor, { text: "Stop", ...foreign })).response.status).toBe(404)
    expect(await contents(other.visitor, theirs.ids.conversation)).toEqual(["Hello", reply])
    expect(await contents(one.visitor, own.ids.conversation)).toEqual(["Hello", reply])
  })

  test("of a reply whose marks never come leaves it as it is", async () => {
    const { visitor } = await voiceOf(bare.client, { voice: "coral" }, bare)
    const { conversation: conversation_id, reply: heard_message_id } = (await hear(visitor, { text: "Hello" })).ids
    await bare.query(SystemSql.use((sql) => sql`update messages set voice = null where id = ${heard_message_id}`))
    await hear(visitor, { text: "Stop", conversation_id, heard_message_id, heard_characters: 3 })
    expect(await contents(visitor, conversation_id)).toEqual(["Hello", reply, "Stop", reply])
  })

  test("to the end leaves the reply whole", async () => {
    const { visitor } = await voiceOf()
    const turn = await hear(visitor, { text: "Hello" })
    const { conversation: conversation_id, reply: heard_message_id } = turn.ids
    await hear(visitor, { text: "Thanks", conversation_id, heard_message_id, heard_ms: Math.ceil(turn.audioMs) })
    expect((await visitor.messages(conversation_id))[1]).toMatchObject({ content: reply, is_complete: true })
  })
})

describe("in a conversation", () => {
  test("one reply is made at a time, spoken or written, and a message is answered once", async () => {
    const { visitor } = await voiceOf(bare.client, { voice: "coral" }, bare)
    const id = crypto.randomUUID()
    const { conversation: conversation_id } = (await hear(visitor, { text: "Hello", id })).ids
    const again = await speak(visitor, { text: "Hello", id, conversation_id })
    expect([again.response.status, await again.response.json()]).toMatchObject([409, { code: "conflict" }])
    const leaving = new AbortController()
    await bare.provider.answers({ kind: "endless" })
    const turn = await speak(visitor, { text: "Go on", conversation_id }, leaving.signal)
    await turn.read(({ text }) => text.length > 20)
    problem(
      await visitor.send("POST", "/chat", { conversation_id, message: { id: crypto.randomUUID(), text: "And?" } }),
      409,
      "conflict",
    )
    expect((await speak(visitor, { text: "And?", conversation_id })).response.status).toBe(409)
    leaving.abort()
    await bare.provider.answers(says(reply))
    const next = await until(
      () => hear(visitor, { text: "And now?", conversation_id }),
      ({ response }) => response.status !== 409,
    )
    expect(next.text).toBe(reply)
  })

  test("that people have, nothing is spoken", async () => {
    const { chatbot, visitor } = await voiceOf()
    const { conversation: conversation_id } = (await hear(visitor, { text: "Hello" })).ids
    await client.post(`/api/external/chatbot/${chatbot.id}/conversations/${conversation_id}/handover`, { json: {} })
    const turn = await hear(visitor, { text: "Anybody there?", conversation_id })
    expect(turn.frames.some(({ type }) => type === "data-handover")).toBe(true)
    expect([turn.clauses, turn.audio.length]).toEqual([[], 0])
    expect(await contents(visitor, conversation_id)).toEqual(["Hello", reply, "Anybody there?"])
  })
})

test("a budget that is spent refuses a turn before it is listened to", async () => {
  const { chatbot } = await voiceOf()
  const { client: poor, id } = await client.newKey({ scopes: ["chat"] })
  await client.patch(`/api/admin/api-keys/${id}`, { json: { budget: { tokens_per_day: 1, concurrent_chats: null } } })
  const say = () =>
    poor.send("POST", `/api/external/chatbot/${chatbot.id}/voice/turns`, {
      form: formOf({ audio: recordingOf("Hello") }),
    })
  await until(say, ({ status }) => status !== 200)
  const before = fake.transcriptions.length
  problem(await say(), 429, "budget_spent")
  expect(fake.transcriptions.length).toBe(before)
})

describe("a server that speaks", () => {
  const half = (bytes: Buffer) => {
    const at = Math.floor(bytes.length / 3) | 1
    return new ReadableStream({
      async start(controller) {
        for (const piece of [bytes.subarray(0, 1), bytes.subarray(1, at), bytes.subarray(at)]) {
          controller.enqueue(piece)
          await Bun.sleep(2)
        }
        controller.close()
      },
    })
  }
  const wav = { "content-type": "audio/wav" }

  test("in pieces that end within a sample loses none", async () => {
    const { visitor } = await voiceOf()
    fake.speak = (input) => new Response(half(samplesOf(input.length * MS_PER_CHARACTER)))
    const turn = await hear(visitor, { text: "Hello" })
    expect(turn.audio).toEqual(Buffer.concat(spoken.map((text) => samplesOf(text.length * MS_PER_CHARACTER))))
  })

  test.each([
    [16_000, 1],
    [22_050, 1],
    [48_000, 2],
  ])("in WAV of %d Hz with %d channels is heard as fast as it speaks", async (rate, channels) => {
    const { visitor } = await voiceOf()
    fake.speak = (input) =>
      new Response(
        half(wavOf(samplesOf(input.length * MS_PER_CHARACTER, rate, channels), rate, channels, 0xffff_ffff)),
        { headers: wav },
      )
    const turn = await hear(visitor, { text: "Hello" })
    expect(turn.audioMs).toBeCloseTo(spoken.join("").length * MS_PER_CHARACTER, 0)
  })

  test.each([
    ["refuses", () => new Response("no", { status: 400 })],
    ["answers with a page", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
    ["answers with nothing", () => new Response(new Uint8Array())],
    ["answers with WAV of 8 bits", () => new Response(wavOf(samplesOf(100), 4_000), { headers: wav })],
    [
      "does not end",
      () => new Response(new ReadableStream({ pull: (to) => to.enqueue(Buffer.alloc(1024 * 1024, 1)) })),
    ],
  ])("and %s loses no text, and the client is told once", async (_, answer) => {
    const { visitor } = await voiceOf()
    fake.speak = answer
    const turn = await hear(visitor, { text: "Hello" })
    expect([turn.text, turn.clauses]).toEqual([reply, spoken])
    expect(turn.data("notice")).toEqual([{ code: "speech_failed", detail: expect.stringContaining("speech server") }])
    expect(turn.frames.at(-1)).toEqual(expect.objectContaining({ type: "finish", finishReason: "stop" }))
    expect(await contents(visitor, turn.ids.conversation)).toEqual(["Hello", reply])
  })
})

describe("a server that listens", () => {
  test("and writes a book is understood up to the length of a message", async () => {
    const { visitor } = await voiceOf()
    fake.transcribe = () => Response.json({ text: `${"word ".repeat(10_000)}\0\ud83d`, language: "english" })
    const turn = await hear(visitor, { audio: recordingOf("Hello") })
    expect(String(turn.transcript).length).toBe(32_000)
    expect(turn.data("transcript")[0]).not.toHaveProperty("language")
    expect(turn.text).toBe(reply)
  })

  test.each([
    ["no JSON", () => new Response("Hello"), 502],
    ["another JSON", () => Response.json({ text: { toString: 1 } }), 502],
    ["a list", () => Response.json([["Hello"]]), 502],
    ["too much", () => new Response("a".repeat(2 * 1024 * 1024)), 502],
    ["a refusal", () => new Response("no", { status: 400 }), 502],
    ["a refused key", () => new Response("no", { status: 401 }), 502],
    ["no capacity", () => new Response("no", { status: 429, headers: { "retry-after": "60" } }), 429],
  ])("and answers with %s fails the turn, of which nothing is stored", async (_, answer, status) => {
    const { visitor } = await voiceOf()
    fake.transcribe = answer
    const turn = await speak(visitor, { audio: recordingOf("Hello") })
    expect(turn.response.status).toBe(status)
    expect(await turn.response.text()).not.toContain(fake.url)
    expect(await visitor.conversations()).toEqual([])
  })
})

test("a model that fails is said in the stream, after what was understood", async () => {
  const { visitor } = await voiceOf()
  await provider.answers(fails(400, "invalid_request_error"))
  const turn = await hear(visitor, { audio: recordingOf("Hello") })
  expect([turn.transcript, turn.frames.at(-1)?.type, turn.clauses]).toEqual(["Hello", "error", []])
})
