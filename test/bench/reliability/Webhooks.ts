import { Context, Effect, Exit, Scope } from "effect"
import { DeliveryBounds } from "../../../src/jobs/webhooks/WebhookDelivery.ts"
import { Webhook as Verifier } from "standardwebhooks"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { Client } from "../../lib/Client.ts"
import { random } from "../../lib/Random.ts"
import { operatorKey, type ServerProcess, serverProcess, type Settings, settingsFor } from "../../lib/ServerProcess.ts"
import { copyOfDatabase, layerOf } from "../../lib/TestDatabase.ts"
import { newWebhook } from "../../lib/Webhooks.ts"
import type { Finding, Part } from "../lib/Parts.ts"

/** Conversations, and chats in each of them: every chat stores two messages, and the first one opens the conversation. */
const CONVERSATIONS = 480
const CHATS = 10
const KILLS = 10
/** Chats under way at once. */
const CLIENTS = 8
/** Milliseconds between two kills. */
const LIFE = 3_000
/** Milliseconds within which all has to arrive after the last chat. */
const PATIENCE = 180_000
/**
 * Tries at short intervals, of which no delivery needs as many: with the long ones of a real server, it would be chance
 * whether the last delivery is tried again in time.
 */
const bounds = Context.make(DeliveryBounds, {
  ...DeliveryBounds.defaultValue(),
  tries: Array.from({ length: 30 }, (_, number) => `${500 * (number + 1)} millis` as const),
})

const servers: Settings = {
  RATE_LIMIT: "off",
  LOG_LEVEL: "error",
  TOOL_PRIVATE_NETWORKS: "127.0.0.1/32",
}

/** Receives events, refuses a third of the requests, and notes what it has accepted. */
const startReceiver = (draw: () => number) => {
  const accepted: Array<{ readonly id: string; readonly subject: string; readonly about: string }> = []
  let [requests, forged, secret] = [0, 0, ""]
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      requests++
      const body = await request.text()
      try {
        new Verifier(secret).verify(body, Object.fromEntries(request.headers))
      } catch {
        forged++
      }
      if (draw() < 1 / 3) return new Response("Not now.", { status: 503 })
      const { data } = JSON.parse(body)
      accepted.push({
        id: request.headers.get("webhook-id") ?? "",
        subject: data.session_id ?? data.id,
        about: data.id,
      })
      return new Response(null, { status: 204 })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/`,
    accepted,
    counts: () => ({ requests, forged }),
    trust: (text: string) => (secret = text),
    stop: () => server.stop(true),
  }
}

/** Two servers on one database, one of which is killed and started again, in turn. */
const makePair = (settings: Settings) => {
  const running: Array<{ readonly process: ServerProcess; readonly scope: Scope.Closeable; readonly url: string }> = []
  const start = async (index: number) => {
    const scope = Scope.makeUnsafe()
    const process = await Effect.runPromise(Scope.provide(serverProcess(settings, [], bounds), scope))
    running[index] = { process, scope, url: await process.listening }
  }
  const stop = (index: number) => Effect.runPromise(Scope.close(running[index]?.scope ?? Scope.makeUnsafe(), Exit.void))
  return {
    start: () => Promise.all([start(0), start(1)]),
    /** Kills a server with SIGKILL and starts it again. */
    replace: async (index: number) => {
      await stop(index)
      await start(index)
    },
    stop: () => Promise.all([stop(0), stop(1)]),
    url: (index: number) => running[index % 2]?.url ?? "",
  }
}

/** Chats until the server has acknowledged it: with the same id of the message each time, so that it is stored once. */
const say = async (pair: ReturnType<typeof makePair>, key: string, chatbot: string, token: string, text: string) => {
  const id = crypto.randomUUID()
  for (let tries = 0; tries < 200; tries++) {
    const reply = await new Client(pair.url(tries), key)
      .post(`/api/external/chatbot/${chatbot}/chat`, {
        json: { messages: [{ id, role: "user", content: text }], sessionToken: token },
        signal: AbortSignal.timeout(10_000),
      })
      .catch(() => undefined)
    if (reply?.status === 200) return
    await Bun.sleep(100)
  }
  throw new Error("A chat was refused for too long")
}

/**
 * Sends some 10,000 events to an endpoint that refuses a third of all requests, while the two servers on a Postgres are
 * killed in turn. Every message that is stored has to arrive, in the order of its conversation, with a signature that the
 * package of the specification accepts.
 */
export const part: Part = ({ postgres, scale, seed }) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        if (postgres === undefined) return [{ name: "two servers", value: "need --postgres" }]
        const database = yield* copyOfDatabase(postgres)
        const settings = { ...(yield* settingsFor(database)), ...servers }
        const receiver = yield* Effect.acquireRelease(
          Effect.sync(() => startReceiver(random(seed))),
          ({ stop }) => Effect.promise(stop),
        )
        const pair = yield* Effect.acquireRelease(
          Effect.promise(async () => {
            const made = makePair(settings)
            await made.start()
            return made
          }),
          ({ stop }) => Effect.promise(stop),
        )
        const owner = yield* Effect.promise(() => new Client(pair.url(0), operatorKey).newOrganization())
        const chatbot = yield* Effect.promise(() => owner.newChatbot())
        const hook = yield* Effect.promise(() =>
          newWebhook(owner, receiver.url, ["conversation.created", "message.created"]),
        )
        receiver.trust(hook.secret)

        const started = performance.now()
        const conversations = Math.ceil(CONVERSATIONS * scale)
        const kills = Math.ceil(KILLS * scale)
        let [next, killed, isChatting] = [0, 0, true]
        const chatting = Promise.all(
          Array.from({ length: CLIENTS }, async () => {
            for (let one = next++; one < conversations; one = next++) {
              for (let chat = 0; chat < CHATS; chat++) {
                await say(
                  pair,
                  owner.key ?? "",
                  chatbot.id,
                  `conversation-number-${one}-of-the-bench`,
                  `Question ${chat}`,
                )
              }
            }
          }),
        ).finally(() => (isChatting = false))
        const killing = (async () => {
          while (killed < kills) {
            await Bun.sleep(LIFE)
            await pair.replace(killed++ % 2)
          }
        })()
        yield* Effect.promise(() => Promise.all([chatting, killing]))
        const chatted = performance.now()

        const rows = yield* stored.pipe(Effect.provide(layerOf(database)))
        const arrived = () => new Set(receiver.accepted.map(({ about }) => about))
        yield* Effect.promise(async () => {
          while (arrived().size < rows.length && performance.now() - chatted < PATIENCE) await Bun.sleep(200)
        })
        const ended = performance.now()

        const about = arrived()
        const missing = rows.filter(({ id }) => !about.has(id))
        const bySubject = Map.groupBy(receiver.accepted, ({ subject }) => subject)
        const expected = Map.groupBy(rows, ({ subject }) => subject)
        const disordered = Array.from(expected).filter(([subject, all]) => {
          const first = Array.from(new Set((bySubject.get(subject) ?? []).map((one) => one.about)))
          return first.join() !== all.map(({ id }) => id).join()
        })
        const ids = new Set(receiver.accepted.map(({ id }) => id))
        const { forged, requests } = receiver.counts()
        const seconds = (ended - started) / 1_000
        return [
          { name: "events stored", value: String(rows.length), isKept: rows.length >= conversations * (2 * CHATS + 1) },
          {
            name: "servers killed, while chats went on",
            value: `${killed}, ${String(!isChatting)}`,
            isKept: killed === kills,
          },
          { name: "requests, of which a third was refused", value: String(requests) },
          { name: "events that have not arrived", value: String(missing.length), isKept: missing.length === 0 },
          {
            name: "conversations whose events arrived in another order",
            value: `${disordered.length} of ${expected.size}`,
            isKept: disordered.length === 0,
          },
          { name: "signatures that standardwebhooks refuses", value: String(forged), isKept: forged === 0 },
          {
            name: "webhook-ids of one event, most",
            value: String(ids.size - about.size + 1),
            isKept: ids.size === about.size,
          },
          { name: "events accepted again, after a kill", value: String(receiver.accepted.length - ids.size) },
          {
            name: "time of all, and after the last chat",
            value: `${seconds.toFixed(1)} s, ${((ended - chatted) / 1_000).toFixed(1)} s`,
          },
        ] satisfies ReadonlyArray<Finding>
      }),
    ),
  )

/** What webhooks have to be told of: conversations and messages, in the order in which they were stored. */
const stored = SystemSql.use(
  (sql) => sql<{ readonly id: string; readonly subject: string }>`
    select id, id as subject, created_at, 0 as rank from sessions
    union all select id, session_id, created_at, 1 from messages
    order by subject, rank, created_at, id`,
)
