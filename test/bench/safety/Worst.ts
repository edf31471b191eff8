import { Effect } from "effect"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"
import { hostileContents } from "../../lib/effort/Structures.ts"
import { hostileFiles } from "../../lib/files/HostileFiles.ts"
import { type Child, start } from "../http/Child.ts"
import { apiKey, database, parley, poster } from "../http/Fixture.ts"
import type { Onlooker } from "./Onlooker.ts"
import type { Finding, Part } from "../lib/Parts.ts"
import { quantile } from "../lib/Quantiles.ts"

/*
 * One visitor of a chat widget, one client address, one API key and one address without a key each do their worst to a
 * server with default limits for a minute: they send the texts that take longest, hostile files, or the widest content of
 * other formats, as fast as they are let. Measured are the processor time and the memory that they take, and what somebody else waits meanwhile who reads a
 * chatbot and searches it.
 */

const SECONDS = 60
/** Requests of one attacker at once. */
const CLIENTS = 8
/** How long an attacker that was refused waits, at most, in milliseconds. */
const PATIENCE = 500
/** Milliseconds between two requests of the neighbour, whose key may send ten a second. */
const NEIGHBOUR_PAUSE = 150
/** The body of a request that takes no more units than a short one, in bytes, with room for what is not text. */
const BODY_BYTES = 32 * 1_024 - 1_000

/** A little less than each may have. */
const [IMPORT_BYTES, VOICE_BYTES, PDF_BYTES] = [4_190_000, 6_190_000, 770_000]

/** What the longest message is made of, in turn. */
const UNITS = [
  "ﷺ",
  "漢字かな",
  "ที่นี่",
  "a: b\n",
  "|a",
  "- a\n",
  "ㅎ한",
  "ཱི",
  "distinct{n} words{n} ",
  "and for students? ",
]

const worstText = (number: number): string => {
  const unit = UNITS[number % UNITS.length] ?? ""
  const length = Math.floor(BODY_BYTES / Buffer.byteLength(unit))
  return Array.from({ length }, (_, index) => unit.replaceAll("{n}", String(number * 10_000 + index)))
    .join("")
    .slice(0, 31_000)
}

/** Sends the request of this number, and returns its status. */
type Send = (number: number) => Promise<number>

const statusOf = async (response: Response): Promise<number> => {
  await response.text()
  return response.status
}

/** Attacks until the end, and counts what was answered and what was refused. */
const attack = async (send: Send, milliseconds: number) => {
  const end = performance.now() + milliseconds
  const counts = { answered: 0, refused: 0 }
  let sent = 0
  const client = async () => {
    while (performance.now() < end) {
      const status = await send(sent++)
      // A refusal takes a fifth of a millisecond, whatever it is for.
      if (status >= 400) {
        counts.refused++
        await Bun.sleep(PATIENCE * Math.random())
      } else counts.answered++
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return counts
}

/** Each attacker, and the neighbour, has an address of its own. */
type From = Readonly<Record<"x-forwarded-for", string>>
const from = (number: number): From => ({ "x-forwarded-for": `198.51.100.${number}` })

const json = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
})

const visitorOf = async (url: string, key: string, headers: From): Promise<string> => {
  const response = await fetch(`${url}/api/widget/sessions`, json({ key }, headers))
  return String(Object(await response.json()).token)
}

const say = async (url: string, token: string, number: number, headers: From): Promise<number> => {
  const message = { id: crypto.randomUUID(), text: worstText(number) }
  return statusOf(
    await fetch(`${url}/api/widget/chat`, json({ message }, { ...headers, authorization: `Bearer ${token}` })),
  )
}

const attackersOf = async (url: string, chatbot: string): Promise<Readonly<Record<string, Send>>> => {
  const one = await visitorOf(url, chatbot, from(1))
  const many = await Promise.all(Array.from({ length: 20 }, () => visitorOf(url, chatbot, from(2))))
  const unknownFields = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [index, index]))
  const read = hostileFiles.filter(({ fate }) => fate.status !== 415)
  const hostile = read.map(({ make, name }) => new File([make()], name))
  const wide = Object.entries(hostileContents).map(([name, make]) => new File([make(IMPORT_BYTES)], name))
  const voice = new File([hostileContents["nested.webm"](VOICE_BYTES)], "voice.webm")
  const pdf = new File([hostileContents["streams.pdf"](PDF_BYTES)], "file.pdf")
  const speaker = await visitorOf(url, chatbot, from(4))
  const stranger = json({ ...unknownFields, key: chatbot }, from(3))
  return {
    "one visitor": (number) => say(url, one, number, from(1)),
    "one address, twenty visitors": (number) => say(url, many[number % many.length] ?? one, number, from(2)),
    "one API key": async (number) =>
      statusOf(
        await fetch(
          `${url}/api/external/chatbot/${chatbot}/chat`,
          json({ messages: [{ role: "user", content: worstText(number) }] }, { "x-api-key": apiKey }),
        ),
      ),
    "one API key, hostile files": async (number) => {
      const form = new FormData()
      form.set("chatbotId", chatbot)
      form.set("files", hostile[number % hostile.length] ?? "")
      const headers = { "x-api-key": apiKey }
      return statusOf(await fetch(`${url}/api/embedfiles`, { method: "POST", headers, body: form }))
    },
    "one visitor, spoken turns and files": async (number) => {
      const [path, field, file] = number % 2 === 0 ? ["voice/turns", "audio", voice] : ["attachments", "file", pdf]
      const form = new FormData()
      if (field === "audio") form.set("id", crypto.randomUUID())
      form.set(field, file)
      const headers = { ...from(4), authorization: `Bearer ${speaker}` }
      return statusOf(await fetch(`${url}/api/widget/${path}`, { method: "POST", headers, body: form }))
    },
    "one API key, imports": async (number) => {
      const form = new FormData()
      form.set("file", wide[number % wide.length] ?? "")
      const headers = { "x-api-key": apiKey }
      const path = `${url}/api/external/chatbot/${chatbot}/tests/import`
      return statusOf(await fetch(path, { method: "POST", headers, body: form }))
    },
    "one address without a key": async () => statusOf(await fetch(`${url}/api/widget/sessions`, stranger)),
  }
}

/** Reads and searches until the work has ended. Returns how long each request took, in milliseconds. */
const neighbourWhile = async (url: string, key: string, chatbot: string, work: Promise<unknown>) => {
  const worker = new Worker(new URL("./Onlooker.ts", import.meta.url).href)
  const times = new Promise<ReadonlyArray<number>>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<ReadonlyArray<number>>) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
  })
  worker.postMessage({ url, key, chatbot, pause: NEIGHBOUR_PAUSE } satisfies Onlooker)
  await work
  worker.postMessage("end")
  const took = await times
  worker.terminate()
  return took
}

const waits = (times: ReadonlyArray<number>): string =>
  `p50 ${quantile(times, 0.5).toFixed(1)}, p99 ${quantile(times, 0.99).toFixed(1)}, longest ${quantile(times, 1).toFixed(1)} ms`

const DOCUMENT = "# Parcels\n\nA parcel takes five days. A refund takes ten days.\n\n|Plan|Price|\n|-|-|\n|Team|50|\n"

/** An organization of its own with a chatbot. Returns its key and the chatbot's id. */
const organization = async (port: number) => {
  const post = poster(port)
  const made = Object(JSON.parse(await post("/api/admin/organizations", JSON.stringify({ name: "Neighbour" }))))
  const scopes = ["chatbots:read", "chatbots:write", "knowledge:read", "knowledge:write", "chat"]
  const issued = await post(
    "/api/admin/api-keys",
    JSON.stringify({ name: "Neighbour", scopes, organization_id: made.organization.id }),
  )
  const key = String(Object(JSON.parse(issued)).key)
  return { key, chatbot: await chatbotOf(port, key) }
}

const chatbotOf = async (port: number, key: string): Promise<string> => {
  const url = `http://127.0.0.1:${port}`
  const headers = { "x-api-key": key, prefer: "wait=60" }
  const created = await fetch(`${url}/api/external/chatbots`, json({ name: "Worst", is_public: true }, headers))
  const chatbot = String(Object(await created.json()).chatbot.id)
  const form = new FormData()
  form.set("chatbotId", chatbot)
  form.set("files", new File([DOCUMENT], "parcels.md"))
  await statusOf(await fetch(`${url}/api/embedfiles`, { method: "POST", headers, body: form }))
  const change = { ...json({ settings: { attachments: true } }, headers), method: "PATCH" }
  await statusOf(await fetch(`${url}/api/external/chatbots?id=${chatbot}`, change))
  const voice = { ...json({ voice: "coral" }, headers), method: "PATCH" }
  await statusOf(await fetch(`${url}/api/external/chatbot/${chatbot}/voice-agent`, voice))
  return chatbot
}

const measured = async (child: Child, scale: number): Promise<ReadonlyArray<Finding>> => {
  const url = `http://127.0.0.1:${child.port}`
  const [chatbot, neighbour] = [await chatbotOf(child.port, apiKey), await organization(child.port)]
  const milliseconds = SECONDS * 1_000 * scale
  const run = async (work: Promise<unknown>) => {
    const [before, began] = [child.processorTime(), performance.now()]
    const times = await neighbourWhile(url, neighbour.key, neighbour.chatbot, work)
    return { times, share: (child.processorTime() - before) / (performance.now() - began) }
  }
  const attackers = await attackersOf(url, chatbot)
  // What is compiled first is compiled for everybody. Then the windows of a minute are empty again.
  for (const send of Object.values(attackers)) await attack(send, 2_000)
  await Bun.sleep(61_000)
  const alone = await run(Bun.sleep(milliseconds / 2))
  const findings: Array<Finding> = [
    { name: "nobody else", value: `${(60 * alone.share).toFixed(1)} s a minute; neighbour ${waits(alone.times)}` },
  ]
  for (const [name, send] of Object.entries(attackers)) {
    const attacking = attack(send, milliseconds)
    const { share, times } = await run(attacking)
    const { answered, refused } = await attacking
    const taken = `${(60 * (share - alone.share)).toFixed(1)} s of a processor a minute`
    const { now, peak } = child.memory()
    const memory = `${now.toFixed(0)} MB now, ${peak.toFixed(0)} MB at most`
    findings.push({
      name,
      value: `${taken} (${answered} answered, ${refused} refused); neighbour ${waits(times)}; ${memory}`,
    })
  }
  return findings
}

/** Measures what one caller takes of a server that limits callers as it does by default. */
export const part: Part = ({ postgres, scale }) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory("bench")
        const options = parley(directory, {
          LOG_LEVEL: "error",
          TRUSTED_PROXIES: "loopback",
          ...(postgres !== undefined && { DATABASE_URL: yield* database(postgres, "worst") }),
        })
        const { RATE_LIMIT, ...environment } = options.environment
        const child = yield* start({ ...options, environment })
        return yield* Effect.promise(() => measured(child, scale))
      }),
    ),
  )
