import { connect } from "node:net"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect, Schema } from "effect"
import { UsageCounts } from "../../../src/domain/organizations/Usage.ts"
import { Client, read, until } from "../../lib/Client.ts"
import { fakeKey } from "../../lib/FakeAnthropic.ts"
import { fakeOpenAiKey } from "../../lib/FakeOpenAi.ts"
import { providerAnswering } from "../../lib/FakeProvider.ts"
import { estimated, type Protocol, protocols } from "../../lib/Faults.ts"
import { operatorKey, serverProcess, settingsFor } from "../../lib/ServerProcess.ts"
import { fresh } from "../../lib/TestDatabase.ts"
import { testTimeout } from "../../lib/TestServer.ts"
import { random } from "../../lib/Random.ts"
import { searchSeed, sizeOf } from "../../lib/Sample.ts"
import type { Answer } from "../../lib/Wire.ts"
import { sharedRun } from "../../lib/Scoped.ts"

/*
 * Clients that disconnect: in the middle of an answer, while the model is silent, and before its first words.
 */

/**
 * How many clients disconnect in each test. Set `ABORTS=200` for the full number, and `ABORT_TIMES=1` to print how long
 * the calls of models lasted afterwards.
 */
const ABORTS = Number(process.env["ABORTS"] ?? sizeOf(8, 2))
/** The most characters of an endless answer that a client waits for. */
const TEXT_MAX = 1_000
/** The most milliseconds that a client waits after them. */
const WAIT_MAX = 40

setDefaultTimeout(testTimeout + ABORTS * 1_000)

const run = sharedRun()
const next = random(searchSeed)

/** The state of the model when the client disconnects, which the question determines. */
const models = ["talking", "silent", "mute"] as const
type Model = (typeof models)[number]
const answers: { readonly [M in Model | "flooding"]: Answer } = {
  talking: { kind: "endless" },
  // In one second, as much as the longest answer that a provider may send.
  flooding: { kind: "endless", wordLength: 16 * 1024 },
  silent: { kind: "hang in body" },
  mute: { kind: "hang" },
}
const answerTo = (question: string): Answer =>
  Object.entries(answers).find(([model]) => question.includes(`Be ${model} `))?.[1] ?? { kind: "reset" }

const provider = await run(providerAnswering(({ body }) => answerTo(body)))
const settings = await run(Effect.flatMap(fresh, settingsFor))
const server = await run(
  serverProcess({
    ...settings,
    ANTHROPIC_API_KEY: fakeKey,
    ANTHROPIC_BASE_URL: provider.url,
    OPENAI_API_KEY: fakeOpenAiKey,
    OPENAI_BASE_URL: provider.url,
    RATE_LIMIT: "off",
  }),
)
const url = await server.listening
const client = new Client(url, operatorKey)
/** The tokens of all answers up to the time when their clients disconnected. */
let taken = 0

interface Leaving {
  readonly protocol: Protocol
  readonly model: Model
  readonly streamed: boolean
}

const textIn = (stream: string) =>
  Array.from(stream.slice(0, stream.lastIndexOf("\n\n") + 1).matchAll(/"delta":"([^"]*)"/g), ([, delta]) => delta).join(
    "",
  )

/** Whether the client sees text before it disconnects. */
const seesText = ({ model, streamed }: Leaving) => streamed && model !== "mute"

/** Sends a chat and disconnects after a while. Returns the text so far, and how long the model's call went on. */
const askAndLeave = async (chatbot: string, question: string, leaving: Leaving) => {
  const controller = new AbortController()
  let read = ""
  const reading = (async () => {
    const response = await fetch(`${url}/api/external/chatbot/${chatbot}/chat?stream=${leaving.streamed}`, {
      method: "POST",
      headers: { "x-api-key": operatorKey, "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: question }], sessionToken: question }),
      signal: controller.signal,
    })
    for await (const bytes of response.body ?? []) read += Buffer.from(bytes).toString()
  })().catch(() => {})
  await isAsked(question)
  if (seesText(leaving)) {
    const length = leaving.model === "silent" ? 1 : 1 + next() * TEXT_MAX
    while (textIn(read).length < length) await Bun.sleep(1)
  }
  await Bun.sleep(next() * WAIT_MAX)

  const left = performance.now()
  controller.abort()
  const at = await hungUp(question)
  await reading
  return { text: textIn(read), livedOn: (at ?? 0) - left }
}

const bodyOf = (question: string) => provider.requests.find(({ body }) => body.includes(question))?.body ?? ""
const isAsked = (question: string) =>
  until(
    () => bodyOf(question),
    (body) => body !== "",
  )
const hangUpOf = (question: string) => provider.hangUps.find(({ request }) => request.body.includes(question))?.at
const hungUp = (question: string) =>
  until(
    () => hangUpOf(question),
    (at) => at !== undefined,
  )

const quantiles = (millis: ReadonlyArray<number>): string => {
  const sorted = millis.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`
}

const leavings = (["anthropic", "openai"] as const).flatMap((protocol) =>
  models.flatMap((model) => [true, false].map((streamed): Leaving => ({ protocol, model, streamed }))),
)

describe.each(leavings)("a client that disconnects (%o)", (leaving) => {
  const { model, protocol, streamed } = leaving
  test("ends the model's call, and the reply is kept as far as it got", async () => {
    const { id } = await client.newChatbot({ settings: { model: protocols[protocol].model } })
    const times: Array<number> = []
    for (let number = 0; number < ABORTS; number++) {
      const question = `Be ${model} to ${id}, ${number}${streamed ? "" : " as a whole"}!`
      const { livedOn, text } = await askAndLeave(id, question, leaving)
      times.push(livedOn)
      const [asked, partial, ...more] = await until(() => client.messages(id, question), {
        length: seesText(leaving) ? 2 : 1,
      })
      expect([asked?.content, more]).toEqual([question, []])
      taken += partial?.tokens_used ?? estimated(bodyOf(question))
      if (!seesText(leaving)) continue
      expect(partial).toMatchObject({
        sender_type: "bot",
        provider: protocol,
        model: protocols[protocol].model,
        tokens_used: protocols[protocol].begunTokens(bodyOf(question), partial?.content ?? ""),
      })
      // At least the text that the client had seen, and perhaps text that was on its way.
      expect(partial?.content).toStartWith(text)
      expect(partial?.content).toMatch(model === "silent" ? /^Hello$/ : /^(?:word\d+ )+$/)
    }
    if (process.env["ABORT_TIMES"] !== undefined) {
      process.stdout.write(`${protocol}, ${model}, ${streamed ? "stream" : "JSON"}: ${quantiles(times)} of ${ABORTS}\n`)
    }
  })
})

test("a client that does not read holds the model back until it disconnects", async () => {
  const { id } = await client.newChatbot({ settings: { model: protocols.anthropic.model } })
  const question = "Be flooding !"
  const body = JSON.stringify({ messages: [{ role: "user", content: question }], sessionToken: question })
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).pause()
  socket.write(
    `POST /api/external/chatbot/${id}/chat?stream=true HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${operatorKey}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await isAsked(question)
  // When a client that reads, and asks later, has got the longest answer, a model that is not held back has written one
  // too, and its call has been ended.
  const reading = "Be flooding again!"
  const { text } = await client.post(`/api/external/chatbot/${id}/chat?stream=true`, {
    json: { messages: [{ role: "user", content: reading }], sessionToken: reading },
  })
  expect(text).toContain('"type":"error"')
  await hungUp(reading)
  const [, longest] = await until(() => client.messages(id, reading), { length: 2 })
  taken += longest?.tokens_used ?? 0
  expect(hangUpOf(question)).toBeUndefined()
  expect(await client.messages(id, question)).toHaveLength(1)
  socket.destroy()
  await hungUp(question)
  const [, partial] = await until(() => client.messages(id, question), { length: 2 })
  expect(partial?.content).toMatch(/^(?:-+word\d+ )+$/)
  taken += partial?.tokens_used ?? 0
})

test("the tokens of these answers are counted, also where no text arrived", async () => {
  const Usage = Schema.Struct({ total: UsageCounts })
  const { total } = await until(
    async () => read(Usage, await client.get("/api/external/usage")),
    ({ total }) => total.total_tokens >= taken,
  )
  expect(total).toMatchObject({
    replies: leavings.filter(seesText).length * ABORTS + 2,
    total_tokens: taken,
  })
})

test("no call outlives its client, and the server logs no error", async () => {
  expect(provider.hangUps).toHaveLength(provider.requests.length)
  expect(provider.requests).toHaveLength(leavings.length * ABORTS + 2)
  server.kill("SIGTERM")
  expect(await server.exited).toBe(0)
  expect(server.stderr()).toBe("")
})
