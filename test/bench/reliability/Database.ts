import { Effect } from "effect"
import { Client, until } from "../../lib/Client.ts"
import { type OwnPostgres, ownPostgres } from "../../lib/OwnPostgres.ts"
import { random } from "../../lib/Random.ts"
import { operatorKey, serverProcess } from "../../lib/ServerProcess.ts"
import { withoutLimits } from "../http/Child.ts"
import { type Acknowledged, type Ended, steadyTraffic } from "../lib/SteadyTraffic.ts"
import type { Finding, Part } from "../lib/Parts.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const RATE = 50
const RESTARTS = 30
const TERMINATIONS = 100
const FREEZES = 5
const FREEZE_MILLIS = 10_000
const CONNECTIONS = 16
/** Between two restarts, and after each freeze. */
const PAUSE_MILLIS = 4_000
const TERMINATION_PAUSE_MILLIS = 200
/** The longest time after the end of a fault in which requests may be refused, in milliseconds. */
const BACK_WITHIN = 2_000
/** The time limit for a connection, and that of a statement, in milliseconds. */
const REQUEST_LIMIT = 20_000
/** More requests at once than there are connections. */
const BURST = 200

/** A fault of the database, from its beginning to its end. */
interface Fault {
  readonly kind: string
  readonly begun: number
  readonly ended: number
}

/**
 * A Postgres server of its own is crashed and restarted, loses its backends, and is frozen, while a server has 50
 * requests per second. It needs `--postgres`, for the programs of that server.
 */
export const part: Part = async ({ postgres, scale, seed }) => {
  if (postgres === undefined) return [{ name: "Needs --postgres URL", value: "left out" }]
  return Effect.runPromise(Effect.scoped(bench(postgres, scale, seed)))
}

const bench = Effect.fnUntraced(function* (programsOf: string, scale: number, seed: number) {
  const draw = random(seed)
  const postgres = yield* ownPostgres(programsOf)
  const server = yield* serverProcess({
    PORT: "0",
    DATA_DIR: yield* temporaryDirectory("server"),
    BOOTSTRAP_API_KEY: operatorKey,
    DEFAULT_MODEL: "local/extractive",
    DATABASE_URL: postgres.url,
    DATABASE_CONNECTIONS: String(CONNECTIONS),
    ...withoutLimits,
    LOG_LEVEL: "error",
  })
  const client = new Client(yield* Effect.promise(() => server.listening), operatorKey)
  const { id } = yield* Effect.promise(() =>
    until(
      () => client.newChatbot().catch(() => ({ id: "" })),
      (one) => one.id !== "",
    ),
  )
  yield* Effect.promise(() => client.learn(id, { "ship.txt": "The ship sails at noon." }))
  const before = yield* burst(postgres, client, id)

  const traffic = steadyTraffic(client, id, RATE, draw)
  yield* Effect.sleep(PAUSE_MILLIS)
  const faults: Array<Fault> = []
  const during = (kind: string, fault: Effect.Effect<unknown>) =>
    Effect.gen(function* () {
      const begun = performance.now()
      yield* fault
      faults.push({ kind, begun, ended: performance.now() })
    })
  for (let count = 0; count < RESTARTS * scale; count++) {
    yield* during("restart", postgres.restart)
    yield* Effect.sleep(PAUSE_MILLIS + draw() * 500)
  }
  for (let count = 0; count < TERMINATIONS * scale; count++) {
    yield* during("termination", terminateOne(postgres, draw))
    yield* Effect.sleep(TERMINATION_PAUSE_MILLIS)
  }
  yield* Effect.sleep(PAUSE_MILLIS)
  for (let count = 0; count < FREEZES * scale; count++) {
    yield* during(
      "freeze",
      postgres.freeze.pipe(Effect.andThen(Effect.sleep(FREEZE_MILLIS)), Effect.andThen(postgres.thaw)),
    )
    yield* Effect.sleep(PAUSE_MILLIS)
  }
  yield* Effect.promise(traffic.stop)
  const after = yield* burst(postgres, client, id)
  yield* Effect.promise(() => settled(client, id))
  const lost = yield* lostIn(postgres, id, traffic.acknowledged)
  for (const line of lost.slice(0, 20)) process.stdout.write(`  ${line}\n`)
  const [idle] = yield* postgres.query(
    (sql) => sql<{ count: number }>`
      select count(*)::int from pg_stat_activity where application_name = 'parley' and state like 'idle in transaction%'`,
  )
  if (server.stderr() !== "") process.stdout.write(`${server.stderr().slice(0, 4_000)}\n`)
  return [
    ...outcomes(traffic.ended),
    { name: "Acknowledged", value: describe(traffic.acknowledged) },
    { name: "Acknowledged and lost, or doubled", value: String(lost.length), isKept: lost.length === 0 },
    ...["restart", "termination", "freeze"].map((kind) => comesBack(kind, faults, traffic.ended)),
    longest(traffic.ended),
    {
      name: `Connections in a burst before and after, of ${CONNECTIONS}`,
      value: `${before}, ${after}`,
      isKept: after >= before && after <= CONNECTIONS + 1,
    },
    { name: "Transactions that nobody ends", value: String(idle?.count), isKept: idle?.count === 0 },
  ] satisfies ReadonlyArray<Finding>
})

/** Ends a connection of the server, as a failover does. */
const terminateOne = (postgres: OwnPostgres, draw: () => number) =>
  postgres.query(
    (sql) => sql`
      select pg_terminate_backend(pid) from (
        select pid from pg_stat_activity where application_name = 'parley' order by md5(pid::text || ${String(draw())}) limit 1
      ) chosen`,
  )

/** The most connections that are open at once while there are more requests than connections. */
const burst = Effect.fnUntraced(function* (postgres: OwnPostgres, client: Client, chatbot: string) {
  let most = 0
  const sending = Promise.all(
    Array.from({ length: BURST }, (_, number) =>
      number % 2 === 0
        ? client.newChatbot({ name: "Burst" }).catch(() => {})
        : client.say(chatbot, `A burst, and its question ${number}?`).catch(() => {}),
    ),
  )
  let isOver = false
  void sending.then(() => (isOver = true))
  while (!isOver) {
    const [found] = yield* postgres.query(
      (sql) => sql<{ count: number }>`
        select count(*)::int from pg_stat_activity where application_name = 'parley'`,
    )
    most = Math.max(most, found?.count ?? 0)
  }
  return most
})

const settled = async (client: Client, chatbot: string): Promise<void> => {
  const base = `/api/external/chatbot/${chatbot}/knowledge-base/documents?limit=1`
  for (const status of ["queued", "extracting", "embedding"]) {
    await until(
      () => client.get(`${base}&status=${status}`),
      ({ text }) => text.includes('"data":[]'),
    )
  }
}

const lostIn = Effect.fnUntraced(function* (postgres: OwnPostgres, chatbot: string, known: Acknowledged) {
  const names = yield* postgres.query(
    (sql) => sql<{ name: string }>`select name from chatbots where name like 'Chatbot %'`,
  )
  const documents = yield* postgres.query(
    (sql) => sql<{ name: string; status: string; chunks: number }>`
      select d.name, d.status, count(c.id)::int as chunks
      from documents d left join chunks c on c.document_id = d.id and c.revision = d.revision
      where d.chatbot_id = ${chatbot} group by d.id`,
  )
  const chats = yield* postgres.query(
    (sql) => sql<{ question: string; answers: ReadonlyArray<string>; questions: number }>`
      select min(content) filter (where sender_type = 'user') as question,
        (count(*) filter (where sender_type = 'user'))::int as questions,
        coalesce(json_agg(content) filter (where sender_type = 'bot'), '[]') as answers
      from messages m join sessions s on s.id = m.session_id where s.session_token like 'the-session-of-chat-%'
      group by m.session_id`,
  )
  const answers = new Map(chats.map(({ answers, question, questions }) => [question, { answers, questions }]))
  const count = (all: ReadonlyArray<string>, one: string) => all.filter((other) => other === one).length
  const stored = documents.map(({ name }) => name)
  return [
    ...known.chatbots.flatMap((name) => {
      const found = count(
        names.map((row) => row.name),
        name,
      )
      return found === 1 ? [] : [`${name} is there ${found} times`]
    }),
    ...known.documents.flatMap((name) => (count(stored, name) === 1 ? [] : [`${name} is not there once`])),
    ...documents.flatMap(({ chunks, name, status }) =>
      status === "ready" && chunks === 1 ? [] : [`${name} is ${status}, with ${chunks} passages`],
    ),
    ...known.chats.flatMap(({ answer, question }) => {
      const found = answers.get(question)
      const isThere = found?.questions === 1 && found.answers.length === 1 && found.answers[0] === answer
      return isThere ? [] : [`${question} has the answers ${JSON.stringify(found)} and not ${answer}`]
    }),
  ]
})

const outcomes = (ended: ReadonlyArray<Ended>): ReadonlyArray<Finding> =>
  Array.from(
    Map.groupBy(ended, ({ outcome }) => outcome),
    ([outcome, some]) => ({
      name: `Requests that ended with ${outcome}`,
      value: String(some.length),
      ...(outcome !== "ok" && { isKept: outcome === "503" || outcome === "a stream that ends with an error" }),
    }),
  )

const describe = ({ chatbots, chats, documents }: Acknowledged): string =>
  `${chats.length} chats, ${documents.length} documents, ${chatbots.length} chatbots`

/** The last refusal of a request that was sent after the end of a fault, and ended before the next one. */
const comesBack = (kind: string, faults: ReadonlyArray<Fault>, ended: ReadonlyArray<Ended>): Finding => {
  const times = faults.flatMap((fault, index) => {
    if (fault.kind !== kind) return []
    const next = faults[index + 1]?.begun ?? Infinity
    const refused = ended.filter(
      ({ ended: end, outcome, started }) => outcome !== "ok" && started > fault.ended && end < next,
    )
    return [Math.max(0, ...refused.map(({ started }) => started - fault.ended))]
  })
  const [worst, downtime] = [Math.max(0, ...times), faults.filter((fault) => fault.kind === kind)]
  const longest = Math.max(0, ...downtime.map(({ begun, ended: end }) => end - begun))
  return {
    name: `${times.length} times ${kind}: last refusal after its end`,
    value: `${worst.toFixed(0)} ms; the fault itself took ${longest.toFixed(0)} ms at most`,
    isKept: worst <= BACK_WITHIN,
  }
}

const longest = (ended: ReadonlyArray<Ended>): Finding => {
  const [slowest] = ended.toSorted((one, other) => other.ended - other.started - (one.ended - one.started))
  const millis = slowest === undefined ? 0 : slowest.ended - slowest.started
  return {
    name: "The longest request",
    value: `${millis.toFixed(0)} ms (${slowest?.kind}, ${slowest?.outcome})`,
    isKept: millis <= REQUEST_LIMIT,
  }
}
