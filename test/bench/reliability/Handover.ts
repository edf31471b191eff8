import { SQL } from "bun"
import { Effect } from "effect"
import { Client, type Reply, type Sent } from "../../lib/Client.ts"
import { fakeKey, says } from "../../lib/FakeAnthropic.ts"
import { providerAnswering } from "../../lib/FakeProvider.ts"
import { random } from "../../lib/Random.ts"
import { operatorKey, serverProcess } from "../../lib/ServerProcess.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"
import { withoutLimits } from "../http/Child.ts"
import { database } from "../http/Fixture.ts"
import type { Finding, Part } from "../lib/Parts.ts"

const HANDOVERS = 2_000
const KILLS = 10
/** Conversations at once. */
const ACTORS = 12
/** The longest time for one request with all its repetitions, in milliseconds. */
const PATIENCE = 120_000
/** Until when the parts of replies that a killed server has left are stored, in milliseconds. */
const RECOVERED_AFTER = 40_000

/** What the clients have sent in a conversation and the server has acknowledged, in this order. */
interface Told {
  readonly token: string
  readonly chatbot: string
  readonly said: ReadonlyArray<string>
}

/** A conversation that is not as it has to be. */
interface Faults {
  overPeople: number
  lost: number
  doubled: number
  disordered: number
  unanswered: number
  miscounted: number
}

/**
 * Hands conversations over to people, by program, on two servers with one database, of which one after the other is
 * killed with SIGKILL: while a reply is made, mostly as a stream, a person writes, the visitor goes on, the person writes
 * again and gives the conversation back, and the visitor asks once more. Clients repeat what was not acknowledged, by its
 * idempotency key or the id of its message, on either server. In the end no reply was stored while people had a conversation, and every message is
 * there once and in order. It needs `--postgres`.
 */
export const part: Part = async ({ postgres, scale, seed }) =>
  postgres === undefined
    ? [{ name: "Needs --postgres URL", value: "left out" }]
    : Effect.runPromise(Effect.scoped(bench(postgres, scale, seed)))

const bench = Effect.fnUntraced(function* (postgres: string, scale: number, seed: number) {
  const draw = random(seed)
  const words = Array.from({ length: 120 }, (_, number) => `word${number}`).join(" ")
  const provider = yield* providerAnswering(() => (draw() < 0.8 ? { kind: "paced", text: words } : says(words)))
  const address = yield* database(postgres, "parley_handover")
  const settings = {
    PORT: "0",
    BOOTSTRAP_API_KEY: operatorKey,
    DATABASE_URL: address,
    ANTHROPIC_API_KEY: fakeKey,
    ANTHROPIC_BASE_URL: provider.url,
    ...withoutLimits,
  }
  const directory = yield* temporaryDirectory("server")
  const start = Effect.fnUntraced(function* () {
    const server = yield* serverProcess({ ...settings, DATA_DIR: directory })
    return { server, client: new Client(yield* Effect.promise(() => server.listening), operatorKey) }
  })
  const servers = [yield* start(), yield* start()]
  const first = servers[0]
  if (first === undefined) return []
  const { id: chatbot } = yield* Effect.promise(() =>
    first.client.newChatbot({ settings: { model: "claude-sonnet-5-5", handover: { tool: true } } }),
  )

  const handovers = Math.ceil(HANDOVERS * scale)
  const kills = Math.ceil(KILLS * scale)
  const told: Array<Told> = []
  let [begun, killed, repeated] = [0, 0, 0]

  /** Sends a request until it is answered, on any server. */
  const persist = async (path: string, sent: Sent, settled: ReadonlyArray<number> = []): Promise<Reply> => {
    const { headers } = sent
    const deadline = performance.now() + PATIENCE
    for (;;) {
      const { client } = servers[Math.floor(draw() * servers.length)] ?? first
      try {
        const reply = await client.post(path, sent)
        const isCut = headers?.["accept"] !== undefined && !reply.text.includes("[DONE]")
        if ((reply.status < 300 && !isCut) || settled.includes(reply.status)) return reply
        if (performance.now() > deadline) throw new Error(`${path}: ${reply.status} ${reply.text}`)
      } catch (error) {
        if (performance.now() > deadline) throw error
      }
      repeated++
      await Bun.sleep(100)
    }
  }

  const handOver = async (number: number) => {
    const token = crypto.randomUUID()
    const base = `/api/external/chatbot/${chatbot}`
    const conversation = `${base}/conversations/${token}`
    const ask = (content: string, isStreamed = false) =>
      persist(`${base}/chat`, {
        json: { messages: [{ role: "user", content }], sessionToken: token },
        headers: {
          "idempotency-key": crypto.randomUUID(),
          ...(isStreamed && { accept: "text/event-stream" }),
        },
      })
    const write = (content: string) =>
      persist(`${conversation}/messages`, { json: { content, sender_name: "Ada", id: `${content} ${number}` } })
    const reply = ask("U1", draw() < 0.8)
    await Bun.sleep(draw() * 250)
    await write("P1")
    await ask("U2")
    await ask("U3", true)
    await reply
    await write("P2")
    await persist(`${conversation}/return`, {}, [409])
    await ask("U4", draw() < 0.5)
    told.push({ token, chatbot, said: ["U1", "P1", "U2", "U3", "P2", "U4"] })
  }

  const actor = async () => {
    while (begun < handovers) await handOver(begun++)
  }
  const work = Promise.all(Array.from({ length: ACTORS }, actor))
  let isWorking = true
  void work.finally(() => (isWorking = false)).catch(() => {})
  for (let kill = 0; kill < kills; kill++) {
    const due = ((kill + 0.5) / kills) * handovers
    while (isWorking && told.length < due) yield* Effect.sleep(50)
    const victim = kill % servers.length
    servers[victim]?.server.kill("SIGKILL")
    killed++
    servers[victim] = yield* start()
    process.stdout.write(`  ${told.length} handovers, ${killed} kills, ${repeated} requests repeated\n`)
  }
  yield* Effect.promise(() => work)
  yield* Effect.sleep(RECOVERED_AFTER)
  return yield* Effect.promise(() => findingsOf(address, told, { killed, repeated }))
})

const findingsOf = async (
  address: string,
  told: ReadonlyArray<Told>,
  { killed, repeated }: { readonly killed: number; readonly repeated: number },
): Promise<ReadonlyArray<Finding>> => {
  await using sql = new SQL(address)
  const faults: Faults = { overPeople: 0, lost: 0, doubled: 0, disordered: 0, unanswered: 0, miscounted: 0 }
  let kept = 0
  for (const { said, token } of told) {
    const messages: ReadonlyArray<{ sender_type: string; content: string; finish_reason: string | null; of: string }> =
      await sql`
      select m.sender_type, m.content, m.finish_reason, case
          when exists (
            select from conversation_events e
            where e.session_id = s.id and e.type = 'handover' and e.created_at <= m.created_at and not exists (
              select from conversation_events r
              where r.session_id = s.id and r.type = 'returned' and r.created_at between e.created_at and m.created_at
            )
          ) then 'people' else 'bot' end as of
      from sessions s join messages m on m.session_id = s.id
      where s.session_token = ${token} order by m.created_at, m.id`
    const [{ count = -1 } = {}] = await sql`select message_count as count from sessions where session_token = ${token}`
    const others = messages.filter(({ sender_type }) => sender_type !== "bot").map(({ content }) => content)
    const replies = messages.filter(({ sender_type }) => sender_type === "bot")
    for (const one of said) {
      const copies = others.filter((other) => other === one).length
      if (copies === 0) faults.lost++
      if (copies > 1) faults.doubled++
    }
    if (others.join() !== said.join()) faults.disordered++
    faults.overPeople += replies.filter(({ of }) => of === "people").length
    const last = messages.findLastIndex(({ content }) => content === "U4")
    if (messages.slice(last + 1).filter(({ finish_reason }) => finish_reason === "stop").length !== 1)
      faults.unanswered++
    if (messages.length !== Number(count)) faults.miscounted++
    kept += replies.filter(({ finish_reason }) => finish_reason === "aborted").length
  }
  const none = (name: string, value: number): Finding => ({ name, value: String(value), isKept: value === 0 })
  return [
    { name: "Handovers, servers killed, requests repeated", value: `${told.length}, ${killed}, ${repeated}` },
    { name: "Replies that were stopped, and of which what was seen is kept", value: String(kept) },
    none("Replies of the bot stored while people had the conversation", faults.overPeople),
    none("Messages lost", faults.lost),
    none("Messages doubled", faults.doubled),
    none("Conversations out of order", faults.disordered),
    none("Messages after the return that were not answered exactly once", faults.unanswered),
    none("Conversations whose number of messages is wrong", faults.miscounted),
  ]
}
