import { join } from "node:path"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Context, Effect, Schema } from "effect"
import { Heartbeat } from "../../src/http/streams/Streaming.ts"
import { CallBounds } from "../../src/models/calls/ProviderCalls.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Client, problem, read, type Reply } from "../lib/Client.ts"
import { fakeKey } from "../lib/FakeAnthropic.ts"
import { fakeOpenAiKey } from "../lib/FakeOpenAi.ts"
import { providerAnswering } from "../lib/FakeProvider.ts"
import { faultMatrix, type Run } from "../lib/FaultMatrix.ts"
import { attempts, type Ending, endingOf, faults, givenUpTokens, protocols } from "../lib/Faults.ts"
import { operatorKey, serverProcess, settingsFor } from "../lib/ServerProcess.ts"
import { fresh, layerOf } from "../lib/TestDatabase.ts"
import { testTimeout } from "../lib/TestServer.ts"
import { uiEvents } from "../lib/UiEvents.ts"
import type { Answer } from "../lib/Wire.ts"
import { sharedRun } from "../lib/Scoped.ts"

/*
 * Every fault of a provider, through the whole server, in both provider protocols, with JSON and with a stream.
 */

setDefaultTimeout(2 * testTimeout)

/** How often each case runs. Set `FAULT_RUNS` to repeat the cases, and `FAULT_MATRIX=1` to print the outcomes. */
const runs = Number(process.env["FAULT_RUNS"] ?? 1)
const CLIENTS = 48
/** The deadline of one reply. */
const DEADLINE_SECONDS = 60
/** A chat that takes longer than this counts as hanging. */
const PATIENCE_MILLIS = (DEADLINE_SECONDS + 30) * 1_000

const run = sharedRun()

interface Chat extends Pick<Run, "fault" | "protocol" | "way"> {
  readonly number: number
}

/** The question, which tells the fake provider how to fail. */
const questionOf = ({ fault, number }: Chat) => `Fault ${faults.indexOf(fault)}, chat ${number}?`

/** How many calls of the model each chat has made, by the chat's number. */
const calls = new Map<number, number>()
const failAsAsked = (body: string): Answer => {
  const [fault, number] = (/Fault (\d+), chat (\d+)/.exec(body) ?? []).slice(1).map(Number)
  if (fault === undefined || number === undefined) throw new Error(`Not asked by this test: ${body}`)
  calls.set(number, (calls.get(number) ?? 0) + 1)
  return faults[fault]?.answer ?? { kind: "reset" }
}

const provider = await run(providerAnswering(({ body }) => failAsAsked(body)))
const database = await run(fresh)
const settings = await run(settingsFor(database))
// A stream that waits for what hangs is not opened by a heartbeat.
const bounds = Context.make(Heartbeat, "90 seconds").pipe(
  Context.add(CallBounds, {
    attemptsMax: attempts,
    answerBytesMax: 1024 * 1024,
    // They end what hangs, and nothing else on a busy machine, which answers all of these chats at once.
    replyTimeout: "10 seconds",
    firstByteTimeout: "10 seconds",
    stallTimeout: "8 seconds",
    // The provider gets calls, however many fail.
    failuresMax: 1_000_000,
  }),
)
// A process of its own, which an unhandled rejection would end.
const server = await run(
  serverProcess(
    {
      ...settings,
      ANTHROPIC_API_KEY: fakeKey,
      ANTHROPIC_BASE_URL: provider.url,
      OPENAI_API_KEY: fakeOpenAiKey,
      OPENAI_BASE_URL: provider.url,
      CHAT_DEADLINE: `${DEADLINE_SECONDS}s`,
      RATE_LIMIT: "off",
    },
    [],
    bounds,
  ),
)
const client = new Client(await server.listening, operatorKey)
const chatbots = {
  anthropic: await client.newChatbot({ settings: { model: protocols.anthropic.model } }),
  openai: await client.newChatbot({ settings: { model: protocols.openai.model } }),
}

const Event = Schema.Struct({
  type: Schema.String,
  delta: Schema.optionalKey(Schema.String),
  errorText: Schema.optionalKey(Schema.String),
})
const wellFormed = "start start-step text-start text-delta text-end finish-step data-explanation error"

/** The outcome that a client sees, in one line, and the text for its user. */
const toldBy = async (reply: Reply): Promise<Pick<Ending, "told" | "words">> => {
  if (reply.headers.get("content-type")?.startsWith("text/event-stream")) {
    const events = Schema.decodeUnknownSync(Schema.Array(Event))(await uiEvents(reply.text))
    const types = events.map(({ type }) => type).join(" ")
    const text = events.map(({ delta = "" }) => delta).join("")
    return { told: types === wellFormed ? `text "${text}", error` : types, words: events.at(-1)?.errorText ?? "" }
  }
  const refusal = Schema.decodeUnknownSync(Schema.Struct({ code: Schema.String }))(reply.body)
  return { told: `${reply.status} ${refusal.code}`, words: problem(reply, reply.status, refusal.code).detail }
}

const ask = async (chat: Chat): Promise<Run> => {
  const { protocol, way } = chat
  const { id } = chatbots[protocol]
  const question = questionOf(chat)
  const begin = performance.now()
  const told = await client
    .post(`/api/external/chatbot/${id}/chat?stream=${way === "streamed"}`, {
      json: { sessionToken: question, messages: [{ role: "user", content: question }] },
      signal: AbortSignal.timeout(PATIENCE_MILLIS),
    })
    .then(toldBy, (error) => ({ told: "nothing", words: String(error) }))
  const millis = performance.now() - begin
  const messages = await client.messages(id, question)
  const said = messages.map(({ content, provider }) =>
    content === question ? "question" : provider === protocol ? `"${content}"` : `"${content}" of ${provider}`,
  )
  const seen: Ending = {
    ...told,
    stored: said.join(", "),
    tokens: messages.reduce((sum, { tokens_used }) => sum + tokens_used, 0),
    calls: calls.get(chat.number) ?? 0,
  }
  return { ...chat, seen, millis, sent: provider.requests.find(({ body }) => body.includes(question))?.body ?? "" }
}

const ways = (["anthropic", "openai"] as const).flatMap((protocol) =>
  (["whole", "streamed"] as const).map((way) => ({ protocol, way })),
)
const chats = Array.from({ length: runs }, () => ways.flatMap((how) => faults.map((fault) => ({ ...how, fault }))))
  .flat()
  .map((chat, number): Chat => ({ ...chat, number }))
/** The chats run concurrently, by as many clients as there are; most of their time they wait. */
const made = await run(Effect.forEach(chats, (chat) => Effect.promise(() => ask(chat)), { concurrency: CLIENTS }))

if (process.env["FAULT_MATRIX"] !== undefined) process.stdout.write(`${faultMatrix(made)}\n`)

describe.each(ways)("a chat with $protocol, asked for $way", ({ protocol, way }) => {
  test.each(faults.map((fault) => [fault.name, fault] as const))(
    "whose provider fails by %s ends in time, with all text that arrived",
    (_, fault) => {
      const own = made.filter((one) => one.fault === fault && one.protocol === protocol && one.way === way)
      expect(own.map(({ seen }) => seen)).toEqual(own.map(({ sent }) => endingOf(fault, protocol, way, sent)))
      expect(own).toHaveLength(runs)
    },
  )
})

test("the tokens of broken replies are counted", async () => {
  const { total } = read(
    Schema.Struct({ total: Schema.Struct({ replies: Schema.Int, total_tokens: Schema.Int }) }),
    await client.get("/api/external/usage"),
  )
  expect(total).toEqual({
    replies: made.filter(({ seen }) => seen.stored.includes("Hello")).length,
    total_tokens: made.reduce(
      (sum, { fault, way, seen, sent }) => sum + seen.tokens + givenUpTokens(fault, way, seen.calls, sent),
      0,
    ),
  })
})

test("the server keeps running without unhandled rejections, and logs the failed replies", async () => {
  expect((await client.get("/readyz")).status).toBe(200)
  server.kill("SIGTERM")
  expect(await server.exited).toBe(0)
  expect(server.stderr()).toBe("")
  const errors = server.stdout().match(/.*"level":"(?!info|warn).*/g) ?? []
  expect(errors.filter((line) => !line.includes("The model provider refuses our key"))).toEqual([])
  expect(server.stdout()).not.toContain(fakeKey)
  // A stream outlives its request, and its log lines still have the id of the request.
  const warnings = server.stdout().match(/.*"level":"warn".*/g) ?? []
  expect(warnings.filter((line) => !line.includes('"request_id":"'))).toEqual([])

  const reasons = SystemSql.use((sql) => sql`select distinct finish_reason from messages where sender_type = 'bot'`)
  const directory = join(settings.DATA_DIR, "database")
  const kept = layerOf(database.kind === "embedded" ? { ...database, directory } : database)
  expect(await Effect.runPromise(Effect.provide(reasons, kept))).toEqual([{ finish_reason: "error" }])
})
