import type { Client, Reply } from "../../lib/Client.ts"

/*
 * Requests at a steady rate, whatever becomes of them, by clients that remember what was acknowledged.
 */

/** A request that has ended. Times are milliseconds by `performance.now()`. */
export interface Ended {
  readonly kind: string
  readonly started: number
  readonly ended: number
  /** `ok`, the status of a refusal by a problem, or what went wrong in words. */
  readonly outcome: string
}

/** What was acknowledged, and has to be there from then on. */
export interface Acknowledged {
  /** Names of chatbots. */
  readonly chatbots: Array<string>
  /** Names of documents. */
  readonly documents: Array<string>
  /** Questions, each in a conversation of its own, with their answers. */
  readonly chats: Array<{ readonly question: string; readonly answer: string }>
}

export interface SteadyTraffic {
  readonly ended: ReadonlyArray<Ended>
  readonly acknowledged: Acknowledged
  /** Stops, and waits until all requests have ended. */
  readonly stop: () => Promise<void>
}

/** A request that has no answer after this long counts as hanging. In milliseconds. */
const HANGS_AFTER = 60_000

interface Kind {
  readonly name: string
  readonly share: number
  readonly send: (number: number, signal: AbortSignal) => Promise<Reply>
  readonly acknowledge?: (number: number, reply: Reply) => void
}

/** Starts to send `rate` requests per second to a chatbot of a server. */
export const steadyTraffic = (client: Client, chatbot: string, rate: number, draw: () => number): SteadyTraffic => {
  const ended: Array<Ended> = []
  const acknowledged: Acknowledged = { chatbots: [], documents: [], chats: [] }
  const underWay = new Set<Promise<void>>()
  const path = `/api/external/chatbot/${chatbot}`
  const question = (number: number) => `Question ${number}: when does the ship sail?`
  const chat = (number: number, signal: AbortSignal, query = "") =>
    client.post(`${path}/chat${query}`, {
      json: { messages: [{ role: "user", content: question(number) }], sessionToken: `the-session-of-chat-${number}` },
      signal,
    })
  const kinds: ReadonlyArray<Kind> = [
    { name: "get", share: 0.4, send: (_, signal) => client.get(path, { signal }) },
    {
      name: "search",
      share: 0.2,
      send: (_, signal) => client.post(`${path}/query-knowledge`, { json: { query: "When does it sail?" }, signal }),
    },
    {
      name: "chat",
      share: 0.15,
      send: (number, signal) => chat(number, signal),
      acknowledge: (number, { body }) =>
        acknowledged.chats.push({ question: question(number), answer: String(Object(body).output) }),
    },
    {
      name: "stream",
      share: 0.1,
      send: (number, signal) => chat(number, signal, "?stream=true"),
      acknowledge: (number, { text }) => acknowledged.chats.push({ question: question(number), answer: wordsOf(text) }),
    },
    {
      name: "chatbot",
      share: 0.05,
      send: (number, signal) => client.post("/api/external/chatbots", { json: { name: `Chatbot ${number}` }, signal }),
      acknowledge: (number) => acknowledged.chatbots.push(`Chatbot ${number}`),
    },
    {
      name: "upload",
      share: 0.1,
      send: (number, signal) => {
        const form = new FormData()
        form.set("chatbotId", chatbot)
        form.append("files", new File([`The ship of number ${number} sails at noon.`], `${number}.txt`))
        return client.post("/api/embedfiles", { form, headers: { prefer: "respond-async" }, signal })
      },
      acknowledge: (number) => acknowledged.documents.push(`${number}.txt`),
    },
  ]
  const one = async (number: number) => {
    let rest = draw()
    const kind = kinds.find(({ share }) => (rest -= share) < 0) ?? kinds[0]
    if (kind === undefined) return
    const started = performance.now()
    const reply = await kind
      .send(number, AbortSignal.timeout(HANGS_AFTER))
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
    const outcome = outcomeOf(reply)
    if (outcome === "ok" && !(reply instanceof Error)) kind.acknowledge?.(number, reply)
    ended.push({ kind: kind.name, started, ended: performance.now(), outcome })
  }
  const begun = performance.now()
  let count = 0
  const timer = setInterval(() => {
    for (; count < ((performance.now() - begun) * rate) / 1_000; count++) {
      const request = one(count).finally(() => underWay.delete(request))
      underWay.add(request)
    }
  }, 5)
  return {
    ended,
    acknowledged,
    stop: async () => {
      clearInterval(timer)
      await Promise.all(underWay)
    },
  }
}

const outcomeOf = (reply: Reply | Error): string => {
  if (reply instanceof Error) return `no answer: ${reply.message}`
  const type = reply.headers.get("content-type") ?? ""
  if (reply.status < 300 && type.startsWith("text/event-stream")) {
    if (!reply.text.includes("[DONE]")) return "a stream without an end"
    return reply.text.includes('{"type":"error"') ? "a stream that ends with an error" : "ok"
  }
  if (reply.status < 300) return "ok"
  const isTyped = type === "application/problem+json" && reply.headers.has("retry-after")
  return isTyped ? String(reply.status) : `${reply.status} without a form: ${reply.text.slice(0, 200)}`
}

const wordsOf = (stream: string): string =>
  stream
    .split("\n")
    .filter((line) => line.startsWith('data: {"type":"text-delta"'))
    .map((line) => String(Object(JSON.parse(line.slice(6))).delta))
    .join("")
