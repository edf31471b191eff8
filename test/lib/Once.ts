import { Effect, Exit, Scope } from "effect"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Client, type Reply, type Sent } from "./Client.ts"
import { random } from "./Random.ts"
import { operatorKey, serverProcess, type Settings, settingsFor } from "./ServerProcess.ts"
import { fresh, layerOf, type TestDatabase } from "./TestDatabase.ts"

/*
 * Clients that repeat every request with its idempotency key until it is answered, of servers that are killed again and
 * again, and what the database holds in the end.
 */

export interface OnceOptions {
  /** How many requests, each with a key of its own, are answered. */
  readonly requests: number
  /** The share of requests that are sent again after they were answered. */
  readonly replays: number
  readonly kills: number
  /** How many servers share the database; one on the embedded database. */
  readonly servers: number
  readonly seed: number
}

export interface OnceReport {
  readonly kills: number
  /** Requests that were answered and sent again. */
  readonly replays: number
  /** What is wrong, one line each. */
  readonly faults: ReadonlyArray<string>
}

const CLIENTS = 24
/** How long a client waits before it sends a request again, in milliseconds. */
const PAUSE = 50
const servers = { LOG_LEVEL: "error", RATE_LIMIT: "off" }

/** The kinds of requests, each with its share of all, and how one of a number is made; anew each time. */
const kinds: ReadonlyArray<{
  readonly name: string
  readonly share: number
  readonly request: (number: number, chatbot: string) => Sent & { readonly method: string; readonly path: string }
}> = [
  {
    name: "organization",
    share: 0.3,
    request: (number) => ({
      method: "POST",
      path: "/api/admin/organizations",
      json: { name: `Organization ${number}` },
    }),
  },
  {
    name: "key",
    share: 0.2,
    request: (number) => ({
      method: "POST",
      path: "/api/admin/api-keys",
      json: { name: `Key ${number}`, scopes: ["chat"] },
    }),
  },
  {
    name: "chatbot",
    share: 0.1,
    request: (number) => ({ method: "POST", path: "/api/external/chatbots", json: { name: `Chatbot ${number}` } }),
  },
  {
    name: "change",
    share: 0.15,
    request: (number, chatbot) => ({
      method: "PATCH",
      path: `/api/external/chatbots?id=${chatbot}`,
      json: { description: `Description ${number}` },
    }),
  },
  {
    name: "chat",
    share: 0.1,
    request: (number, chatbot) => ({
      method: "POST",
      path: `/api/external/chatbot/${chatbot}/chat`,
      json: { messages: [{ role: "user", content: `Question ${number}` }] },
    }),
  },
  {
    name: "stream",
    share: 0.1,
    request: (number, chatbot) => ({
      method: "POST",
      path: `/api/external/chatbot/${chatbot}/chat?stream=true`,
      json: { messages: [{ role: "user", content: `Question ${number}` }] },
    }),
  },
  {
    name: "upload",
    share: 0.05,
    request: (number, chatbot) => {
      const form = new FormData()
      form.set("chatbotId", chatbot)
      form.append("files", new File([`The ship of number ${number} sails at noon.`], `${number}.txt`))
      return { method: "POST", path: "/api/embedfiles", form }
    },
  },
]

const kindOf = (draw: number) => {
  let rest = draw
  return kinds.find(({ share }) => (rest -= share) < 0) ?? kinds[0]
}

/** A server that is started anew whenever it is killed. */
class Restarted {
  url = Promise.resolve("")
  private scope = Scope.makeUnsafe()
  private process: Effect.Success<ReturnType<typeof serverProcess>> | undefined
  private readonly settings: Settings

  constructor(settings: Settings) {
    this.settings = settings
  }

  async start(): Promise<void> {
    this.scope = Scope.makeUnsafe()
    this.process = await Effect.runPromise(Scope.provide(serverProcess(this.settings), this.scope))
    this.url = this.process.listening
    await this.url
  }

  async kill(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<string>()
    this.url = promise
    this.process?.kill("SIGKILL")
    await Effect.runPromise(Scope.close(this.scope, Exit.void))
    await this.start()
    resolve(await this.url)
  }

  stop(): Promise<void> {
    return Effect.runPromise(Scope.close(this.scope, Exit.void))
  }
}

/** Sends a request again and again until one of the servers answers it. */
const untilAnswered = async (
  all: ReadonlyArray<Restarted>,
  first: number,
  key: string,
  make: () => Sent & { readonly method: string; readonly path: string },
): Promise<Reply> => {
  for (let tries = 1; ; tries++) {
    const { method, path, ...sent } = make()
    const url = await all[(first + tries) % all.length]?.url
    const client = new Client(url ?? "", operatorKey)
    const reply = await client
      .send(method, path, { ...sent, headers: { "idempotency-key": key } })
      .catch(() => undefined)
    if (reply !== undefined && isWhole(reply)) return reply
    if (reply !== undefined && ![409, 429, 503].includes(reply.status) && reply.status >= 300) {
      throw new Error(`${method} ${path} was answered with ${reply.status}: ${reply.text}`)
    }
    await Bun.sleep(PAUSE)
  }
}

/** Whether the client has received an answer, and of a stream its end. */
const isWhole = ({ headers, status, text }: Reply): boolean =>
  status < 300 && (headers.get("content-type")?.startsWith("text/event-stream") !== true || text.includes("[DONE]"))

const withoutHeartbeats = (text: string) => text.replaceAll(": heartbeat\n\n", "")

/** Sends the requests while the servers are killed, and compares their answers and their effects. */
export const onceUnderKills = Effect.fn("onceUnderKills")(function* (options: OnceOptions) {
  const database = yield* fresh
  const settings = { ...(yield* settingsFor(database)), ...servers }
  const all = Array.from({ length: options.servers }, () => new Restarted(settings))
  const report = yield* Effect.promise(() => drive(all, options))
  const moved: TestDatabase =
    database.kind === "embedded" ? { kind: "embedded", directory: `${settings.DATA_DIR}/database` } : database
  const inDatabase = yield* Effect.orDie(
    Effect.provide(
      SystemSql.use((sql) => faultsIn(sql, report.sent, report.chatbot)),
      layerOf(moved),
      { local: true },
    ),
  )
  const { kills, replays } = report
  return { kills, replays, faults: [...report.faults, ...inDatabase] } satisfies OnceReport
})

type SentOfKind = ReadonlyMap<string, ReadonlyArray<number>>

const drive = async (all: ReadonlyArray<Restarted>, { kills, replays, requests, seed }: OnceOptions) => {
  const draw = random(seed)
  for (const server of all) await server.start()
  const { id: chatbot } = await new Client((await all[0]?.url) ?? "", operatorKey).newChatbot({ name: "The ships" })
  const faults: Array<string> = []
  const sent = new Map<string, Array<number>>()
  const counts = { replays: 0, kills: 0, answered: 0 }
  let next = 0

  const work = async () => {
    while (next < requests) {
      const number = next++
      const kind = kindOf(draw())
      const [server, isReplayed] = [Math.floor(draw() * all.length), draw() < replays]
      if (kind === undefined) return
      sent.set(kind.name, [...(sent.get(kind.name) ?? []), number])
      const make = () => kind.request(number, chatbot)
      const reply = await untilAnswered(all, server, `${kind.name}-${number}`, make)
      counts.answered++
      if (!isReplayed) continue
      const again = await untilAnswered(all, server + 1, `${kind.name}-${number}`, make)
      counts.replays++
      const isSame = withoutHeartbeats(reply.text) === again.text && reply.status === again.status
      if (!isSame) faults.push(`${kind.name} ${number}: ${again.text} and not ${reply.text}`)
      if (again.headers.get("idempotency-replayed") !== "true") faults.push(`${kind.name} ${number} was run again`)
    }
  }

  // The kills are spread over the work, so that none comes after it.
  const killing = async () => {
    while (counts.kills < kills && counts.answered < requests) {
      const due = ((counts.kills + draw()) * requests) / kills
      while (counts.answered < Math.min(due, requests - 1)) await Bun.sleep(1)
      await all[counts.kills % all.length]?.kill()
      counts.kills++
    }
  }
  await Promise.all([killing(), ...Array.from({ length: CLIENTS }, work)])
  await Promise.all(all.map((server) => server.stop()))
  return { ...counts, faults, sent, chatbot }
}

/** How many rows of one kind have a name, in which the number of a request stands. */
interface Counted {
  readonly name: string
  readonly count: number
}

/** Finds effects that are missing, or there more than once. */
const faultsIn = Effect.fnUntraced(function* (sql: SystemSql["Service"], sent: SentOfKind, chatbot: string) {
  const effects = {
    organization: yield* sql<Counted>`
      select name, count(*)::int from organizations where name ~ '^Organization [0-9]' group by name`,
    key: yield* sql<Counted>`select name, count(*)::int from api_keys where name ~ '^Key [0-9]' group by name`,
    chatbot: yield* sql<Counted>`select name, count(*)::int from chatbots where name ~ '^Chatbot [0-9]' group by name`,
    upload: yield* sql<Counted>`select name, count(*)::int from documents group by name`,
    question: yield* sql<Counted>`
      select content as name, count(*)::int from messages where sender_type = 'user' group by content`,
  }
  const numbersOf = (kind: string) => sent.get(kind) ?? []
  const questions = [...numbersOf("chat"), ...numbersOf("stream")]
  const faults = Object.entries(effects).flatMap(([kind, rows]) => {
    const counts = new Map(rows.map(({ count, name }) => [Number(name.replaceAll(/\D/g, "")), count]))
    const expected = kind === "question" ? questions : numbersOf(kind)
    return [
      ...expected.flatMap((number) =>
        counts.get(number) === 1 ? [] : [`${kind} ${number} has ${counts.get(number) ?? 0} effects`],
      ),
      ...Array.from(
        new Set(counts.keys()).difference(new Set(expected)),
        (number) => `${kind} ${number} was never sent`,
      ),
    ]
  })
  const [state] = yield* sql<{ readonly changes: number; readonly uneven: number; readonly unfinished: number }>`
    select (select version::int - 1 from chatbots where id = ${chatbot}) as changes,
      (select count(*)::int from sessions s where message_count <> 2 or
        (select count(*) from messages m where m.session_id = s.id and sender_type = 'bot') <> 1) as uneven,
      (select count(*)::int from messages where finish_reason in ('aborted', 'error')) as unfinished`
  const changes = numbersOf("change").length
  if (state?.changes !== changes) faults.push(`${changes} changes were carried out ${state?.changes} times`)
  if (state?.uneven !== 0) faults.push(`${state?.uneven} conversations have not one question and one reply`)
  if (state?.unfinished !== 0) faults.push(`${state?.unfinished} replies are not complete`)
  return faults
})
