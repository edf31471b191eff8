import { join } from "node:path"
import { Effect, Schema } from "effect"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"
import { KEY_ENTROPY_BYTES, makeKey } from "../../../src/domain/keys/ApiKey.ts"
import { defaults } from "../../lib/Defaults.ts"
import { type Child, start } from "../http/Child.ts"
import { makeCorpus } from "../http/Corpus.ts"
import { apiKey as operatorKey, database } from "../http/Fixture.ts"
import { type Outcome, requestBytes, run } from "../http/Load.ts"
import type { Attack } from "./NeighbourAttack.ts"
import type { Finding, Part } from "../lib/Parts.ts"
import { quantile } from "../lib/Quantiles.ts"

/*
 * One organization sends all it can on 64 connections and with many keys: chats without a model and against a fake
 * provider, streams, uploads, searches, lists of chatbots with long prompts, and wrong keys. Another one reads a
 * chatbot, searches and chats, within its limits, and is measured alone and beside it. The limits are the defaults.
 *
 * All processes share the machine, so that the attacker runs with a lower priority: a real one brings its own. The same
 * attack upon another server shows how much of the growth comes from the machine alone.
 */

const CONNECTIONS = 64
const SECONDS = 60
const ALONE_SECONDS = 20
const WARM_UP_SECONDS = 8
/** Milliseconds between two requests of a client of the neighbour, which stays within the limit of its organization. */
const PAUSE = 60
/** Time between two measurements, in which a server completes its background work. */
const REST_MILLISECONDS = 3_000
/** Keys of an organization, which together may send as much as the organization may. */
const KEYS = 12
/**
 * The most that the neighbour's 99th percentile may grow, unless the same attack upon another server, which only takes
 * processors from it, makes it grow as much.
 */
const FACTOR_MAX = 2

const LISTED_CHATBOTS = 150
const LONG_PROMPT = "Answer kindly. ".repeat(1_000)
const WRONG_KEYS = 400
const UPLOADS = 600

const script = (name: string) => join(import.meta.dir, name)

const Key = Schema.fromJsonString(Schema.Struct({ key: Schema.String }))
const Organization = Schema.fromJsonString(Schema.Struct({ organization: Schema.Struct({ id: Schema.String }) }))
const Chatbot = Schema.fromJsonString(Schema.Struct({ chatbot: Schema.Struct({ id: Schema.String }) }))

/** Posts with one key after the other, and waits where a limit is reached. */
const sender = (port: number, keys: ReadonlyArray<string>) => {
  let sent = 0
  const send = async (path: string, body: FormData | object): Promise<string> => {
    const isForm = body instanceof FormData
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: {
        "x-api-key": keyAt(keys, sent++),
        prefer: "wait=60",
        ...(!isForm && { "content-type": "application/json" }),
      },
      body: isForm ? body : JSON.stringify(body),
    })
    const text = await response.text()
    if (response.status === 429) {
      await Bun.sleep(1_000)
      return send(path, body)
    }
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`)
    return text
  }
  return send
}

const keyAt = (keys: ReadonlyArray<string>, index: number): string => keys[index % keys.length] ?? ""

const corpus = makeCorpus(60, 10)

/** Makes an organization with two chatbots, of which one answers by the fake provider. Both know the same documents. */
const fill = async (port: number, name: string) => {
  const asOperator = sender(port, [operatorKey])
  const made = await asOperator("/api/admin/organizations", { name })
  const organization_id = Schema.decodeSync(Organization)(made).organization.id
  const scopes = ["chatbots:read", "chatbots:write", "knowledge:read", "knowledge:write", "chat"]
  const keys: Array<string> = []
  for (let made = 0; made < KEYS; made++) {
    const issued = await asOperator("/api/admin/api-keys", { name, scopes, organization_id })
    keys.push(Schema.decodeSync(Key)(issued).key)
  }
  const post = sender(port, keys)
  const chatbot = async (model: string, prompt = "") => {
    const created = await post("/api/external/chatbots", { name: "Bench", settings: { model, prompt } })
    return Schema.decodeSync(Chatbot)(created).chatbot.id
  }
  const ids = { local: await chatbot("local/extractive"), provider: await chatbot("claude-bench") }
  for (const id of Object.values(ids)) {
    for (let index = 0; index < corpus.files.length; index += 10) {
      const form = new FormData()
      form.set("chatbotId", id)
      for (const { name, text } of corpus.files.slice(index, index + 10)) form.append("files", new File([text], name))
      await post("/api/embedfiles", form)
    }
  }
  return { keys, ids, chatbot }
}

type Filled = Awaited<ReturnType<typeof fill>>

const chatOf = (key: string, id: string, content: string, query = "") =>
  requestBytes({
    method: "POST",
    path: `/api/external/chatbot/${id}/chat${query}`,
    apiKey: key,
    body: { messages: [{ role: "user", content }] },
  })

const searchOf = (key: string, id: string, query: string) =>
  requestBytes({ method: "POST", path: `/api/external/chatbot/${id}/query-knowledge`, apiKey: key, body: { query } })

const uploadOf = (key: string, id: string, number: number) => {
  const text = `# File ${number}\n\n${corpus.files[number % corpus.files.length]?.text.slice(0, 6_000)}`
  const body =
    `--b\r\ncontent-disposition: form-data; name="chatbotId"\r\n\r\n${id}\r\n` +
    `--b\r\ncontent-disposition: form-data; name="files"; filename="${number}.md"\r\n\r\n${text}\r\n--b--\r\n`
  const head = `POST /api/embedfiles HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\nprefer: respond-async\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
  return Buffer.from(head + body)
}

/** The requests of the attacker, of every kind in turn. */
const attackOf = ({ ids, keys }: Filled): ReadonlyArray<Uint8Array> => {
  const wrong = Array.from({ length: WRONG_KEYS }, () =>
    requestBytes({
      method: "GET",
      path: "/api/external/chatbots",
      apiKey: makeKey(crypto.getRandomValues(new Uint8Array(KEY_ENTROPY_BYTES))),
    }),
  )
  return Array.from({ length: UPLOADS }, (_, index) => {
    const question = corpus.questions[index % corpus.questions.length] ?? ""
    const key = keyAt(keys, index)
    const list = requestBytes({ method: "GET", path: "/api/external/chatbots", apiKey: key })
    return [
      chatOf(key, ids.local, question),
      searchOf(key, ids.provider, question),
      chatOf(key, ids.provider, question),
      wrong[index % WRONG_KEYS] ?? list,
      uploadOf(key, ids.local, index),
      chatOf(key, ids.provider, question, "?stream=true"),
      list,
    ]
  }).flat()
}

interface Measured {
  readonly latencies: ReadonlyArray<number>
  readonly errors: number
  readonly byKind: ReadonlyMap<string, ReadonlyArray<number>>
}

/** Measures the neighbour: a client for each kind of request. */
const measure = async (port: number, { ids, keys }: Filled, seconds: number): Promise<Measured> => {
  const path = `/api/external/chatbot/${ids.provider}`
  const kinds = {
    "GET chatbot": keys.map((apiKey) => requestBytes({ method: "GET", path, apiKey })),
    search: corpus.questions.map((question, index) => searchOf(keyAt(keys, index), ids.provider, question)),
    chat: corpus.questions.map((question, index) => chatOf(keyAt(keys, index), ids.provider, question)),
  }
  const load = { port, clients: 1, milliseconds: seconds * 1_000, requestsMax: Number.POSITIVE_INFINITY, pause: PAUSE }
  const outcomes = await Promise.all(
    Object.entries(kinds).map(async ([kind, requests]): Promise<readonly [string, Outcome]> => [
      kind,
      await Effect.runPromise(run({ ...load, requests })),
    ]),
  )
  return {
    latencies: outcomes.flatMap(([, { latencies }]) => latencies),
    errors: outcomes.reduce((sum, [, { errors }]) => sum + errors, 0),
    byKind: new Map(outcomes.map(([kind, { latencies }]) => [kind, latencies])),
  }
}

/** Runs the attack in a process of its own. */
const attack = async (port: number, requests: ReadonlyArray<Uint8Array>, seconds: number): Promise<Attack> => {
  const child = Bun.spawn(["nice", "-n", "5", process.execPath, script("NeighbourAttack.ts")], {
    stdin: new Blob([
      JSON.stringify({
        port,
        clients: CONNECTIONS,
        seconds,
        requests: requests.map((request) => Buffer.from(request).toString("base64")),
      }),
    ]),
    stdout: "pipe",
    stderr: "inherit",
  })
  return JSON.parse(await new Response(child.stdout).text())
}

/** Makes the attacker, and the requests that it sends. */
const attackerOn = async (port: number): Promise<ReadonlyArray<Uint8Array>> => {
  const attacker = await fill(port, "Attacker")
  for (let made = 0; made < LISTED_CHATBOTS; made++) await attacker.chatbot("local/extractive", LONG_PROMPT)
  return attackOf(attacker)
}

const attacked = async (parley: Child, other: Child, scale: number): Promise<ReadonlyArray<Finding>> => {
  const { port } = parley
  const neighbour = await fill(port, "Neighbour")
  const [requests, requestsToOther] = [await attackerOn(port), await attackerOn(other.port)]
  const seconds = (full: number) => Math.max(3, full * scale)
  await Promise.all([
    measure(port, neighbour, seconds(WARM_UP_SECONDS)),
    attack(port, requests, seconds(WARM_UP_SECONDS)),
    attack(other.port, requestsToOther, seconds(WARM_UP_SECONDS)),
  ])
  await Bun.sleep(REST_MILLISECONDS)
  const alone = await measure(port, neighbour, seconds(ALONE_SECONDS))
  const attackingOther = attack(other.port, requestsToOther, seconds(SECONDS))
  const besideOther = await measure(port, neighbour, seconds(SECONDS))
  await attackingOther
  await Bun.sleep(REST_MILLISECONDS)
  const attacking = attack(port, requests, seconds(SECONDS))
  const beside = await measure(port, neighbour, seconds(SECONDS))
  const { refused, served } = await attacking

  const milliseconds = (latencies: ReadonlyArray<number>) =>
    [0.5, 0.99].map((share) => quantile(latencies, share).toFixed(1)).join(" / ")
  const growth = ({ latencies }: Measured) => quantile(latencies, 0.99) / quantile(alone.latencies, 0.99)
  const [ofMachine, ofServer] = [growth(besideOther), growth(beside)]
  const { lists, streams, chats, searches, uploads } = defaults.shares.organization
  return [
    {
      name: "shares: uploads, searches, chats, streams, lists",
      value: [uploads, searches, chats, streams, lists].join(", "),
    },
    { name: "requests of the attacker: answered, refused", value: `${served}, ${refused}` },
    { name: "p50 / p99 of the neighbour alone", value: `${milliseconds(alone.latencies)} ms` },
    {
      name: "p50 / p99 of the neighbour beside the same attack upon another server",
      value: `${milliseconds(besideOther.latencies)} ms`,
    },
    { name: "p50 / p99 of the neighbour beside the attacker", value: `${milliseconds(beside.latencies)} ms` },
    ...Array.from(beside.byKind, ([kind, latencies]) => ({
      name: `  ${kind}: alone, beside`,
      value: `${milliseconds(alone.byKind.get(kind) ?? [])} ms, ${milliseconds(latencies)} ms`,
    })),
    { name: "growth of its p99 beside the attack upon another server", value: ofMachine.toFixed(2) },
    {
      name: "growth of its p99 beside the attacker (at most 2, or as much as that)",
      value: ofServer.toFixed(2),
      isKept: ofServer <= Math.max(FACTOR_MAX, ofMachine),
    },
    { name: "its requests that were refused", value: String(beside.errors), isKept: beside.errors === 0 },
  ]
}

/** Measures what an organization that sends all it can takes from another one. */
export const part: Part = ({ postgres, scale }) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory("bench")
        const provider = yield* start({
          script: script("../http/FakeProvider.ts"),
          environment: {},
          ready: { path: "/healthz" },
          output: join(directory, "provider.log"),
        })
        const server = Effect.fnUntraced(function* (name: string) {
          return yield* start({
            script: script("../../../src/main.ts"),
            environment: {
              DATA_DIR: join(directory, name),
              BOOTSTRAP_API_KEY: operatorKey,
              LOG_LEVEL: "warn",
              ANTHROPIC_API_KEY: "bench",
              ANTHROPIC_BASE_URL: `http://127.0.0.1:${provider.port}`,
              ...(postgres !== undefined && { DATABASE_URL: yield* database(postgres, name) }),
            },
            ready: { path: "/readyz" },
            output: join(directory, `${name}.log`),
          })
        })
        const [parley, other] = [yield* server("neighbours"), yield* server("other")]
        return yield* Effect.promise(() => attacked(parley, other, scale))
      }),
    ),
  )
