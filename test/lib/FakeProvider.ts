import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect, type Scope } from "effect"
import { anthropicWire, says } from "./FakeAnthropic.ts"
import { openAiWire } from "./FakeOpenAi.ts"
import type { Answer, BodyFault, Recorded, Wire } from "./Wire.ts"

/*
 * A server that speaks Anthropic's Messages API and OpenAI's chat completions over HTTP, so that tests cover the bytes
 * that Parley sends and reads. It uses `node:http` and not `Bun.serve`, because faults need the bare socket.
 */

/** The end of a connection on which an answer without an end was being sent. */
export interface HangUp {
  readonly request: Recorded
  /** The time by `performance.now()`. */
  readonly at: number
}

/** A running fake provider. */
export interface FakeProvider {
  readonly url: string
  readonly requests: ReadonlyArray<Recorded>
  readonly hangUps: ReadonlyArray<HangUp>
  /** The number of hang-ups. */
  readonly hungUp: () => number
}

/** Starts a provider that gives these answers in order, and repeats the last one. */
export const fakeProvider = (...answers: ReadonlyArray<Answer>): Effect.Effect<FakeProvider, never, Scope.Scope> =>
  providerAnswering((_, count) => answers[Math.min(count, answers.length) - 1] ?? says("ok"))

/** Starts a provider whose answers depend on the request and on its number, from 1. */
export const providerAnswering = (
  answerTo: (request: Recorded, count: number) => Answer,
): Effect.Effect<FakeProvider, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => start(answerTo)),
    ({ close }) => Effect.promise(close),
  )

const start = async (answerTo: (request: Recorded, count: number) => Answer) => {
  const requests: Array<Recorded> = []
  const hangUps: Array<HangUp> = []
  const server = createServer(async (request, response) => {
    // The list of models, by which the server checks a key.
    if (request.method === "GET") return void response.end(JSON.stringify({ data: [] }))
    const recorded = { path: request.url ?? "", headers: request.headers, body: await readBody(request) }
    const wire = recorded.path.endsWith("/chat/completions") ? openAiWire : anthropicWire
    const count = requests.push(recorded)
    const answer = wire.problem(recorded) ?? answerTo(recorded, count)
    if (leavesWaiting(answer)) response.on("close", () => hangUps.push({ request: recorded, at: performance.now() }))
    send(response, wire, answer, recorded, count)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    hangUps,
    hungUp: () => hangUps.length,
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const waiting: ReadonlySet<Answer["kind"]> = new Set(["hang", "hang in body", "drip", "endless"])

const leavesWaiting = (answer: Answer): boolean =>
  waiting.has(answer.kind) || ("ending" in answer && answer.ending === "hang")

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** The provider's own message, which no visitor may see. */
const providersWords = "internal words of the provider"

const send = (response: ServerResponse, wire: Wire, answer: Answer, request: Recorded, count: number): void => {
  const headers = wire.headers(count)
  const wantsStream = JSON.parse(request.body).stream === true
  switch (answer.kind) {
    case "message": {
      if (wantsStream) return sendStream(response, headers, wire.frames(answer, request, count).join(""), "end")
      response.writeHead(200, { ...headers, "content-type": "application/json" })
      return void response.end(JSON.stringify(wire.whole(answer, request, count)))
    }
    case "status": {
      response.writeHead(answer.status, { ...headers, "content-type": "application/json", ...answer.headers })
      return void response.end(JSON.stringify(wire.error(answer.type, answer.message ?? providersWords)))
    }
    case "raw":
      response.writeHead(200, { ...headers, "content-type": answer.contentType })
      return void response.end(answer.body)
    case "events":
      return sendStream(response, headers, answer.events.map(wire.frame).join(""), answer.ending)
    case "hang":
      return
    case "reset":
      return void response.socket?.destroy()
    case "wrong type":
      response.writeHead(200, { ...headers, "content-type": "text/html" })
      return void response.end("<html><body>Please log in</body></html>")
    case "paced": {
      if (!wantsStream) return send(response, wire, says(answer.text), request, count)
      const frames = wire.frames(says(""), request, count)
      sendStream(response, headers, frames.slice(0, wire.begun - 1).join(""), "hang")
      return recite(
        response,
        answer.text.match(/\S+\s*/gu) ?? [],
        (text) => wire.word(text, request, count),
        () => response.end(frames.slice(wire.begun).join("")),
      )
    }
    case "endless": {
      if (!wantsStream)
        return void response.write(JSON.stringify(wire.whole(says("Half"), request, count)).slice(0, 40))
      sendStream(
        response,
        headers,
        wire
          .frames(says(""), request, count)
          .slice(0, wire.begun - 1)
          .join(""),
        "hang",
      )
      return talk(response, answer.wordLength ?? 0, (text) => wire.word(text, request, count))
    }
    default: {
      const hello = says("Hello there")
      response.writeHead(200, { ...headers, "content-type": wantsStream ? "text/event-stream" : "application/json" })
      if (wantsStream) sendBrokenStream(response, wire, answer.kind, wire.frames(hello, request, count))
      else sendBrokenBody(response, wire, answer.kind, JSON.stringify(wire.whole(hello, request, count)))
    }
  }
}

type Ending = "end" | "reset" | "hang"

const end = (response: ServerResponse, what: Ending): void => {
  if (what === "end") response.end()
  if (what === "reset") setTimeout(() => response.socket?.destroy(), resetDelay)
}

/** In milliseconds. On a busy machine, bytes that were not read by then are lost with the connection. */
const resetDelay = 250

const sendStream = (response: ServerResponse, headers: Record<string, string>, body: string, what: Ending): void => {
  response.writeHead(200, { ...headers, "content-type": "text/event-stream" })
  response.write(body)
  end(response, what)
}

/** Sends an answer in one piece, with a fault in its body. */
const sendBrokenBody = (response: ServerResponse, wire: Wire, fault: BodyFault, body: string): void => {
  const half = body.slice(0, body.length / 2)
  switch (fault) {
    case "hang in body":
      return void response.write(half)
    case "reset in body":
      response.write(half)
      return end(response, "reset")
    case "drip":
      return drip(response, " ".repeat(10_000))
    case "truncated body":
      return void response.end(half)
    case "early end":
      return void response.end()
    case "malformed body":
      return void response.end(`${body.slice(0, -1)},}`)
    case "error in body":
      return void response.end(JSON.stringify(wire.overloaded(providersWords)))
    case "oversized body":
      return flood(response, "")
  }
}

/** Sends a streamed answer, with a fault after its first words. */
const sendBrokenStream = (
  response: ServerResponse,
  wire: Wire,
  fault: BodyFault,
  frames: ReadonlyArray<string>,
): void => {
  const begun = frames.slice(0, wire.begun).join("")
  const rest = frames.slice(wire.begun).join("")
  switch (fault) {
    case "hang in body":
      return void response.write(begun)
    case "reset in body":
      response.write(begun)
      return end(response, "reset")
    case "drip":
      response.write(begun)
      return drip(response, ": at work\n".repeat(1_000))
    case "truncated body":
      return void response.end(begun + rest.slice(0, 30))
    case "early end":
      return void response.end(begun)
    case "malformed body":
      return void response.end(`${begun}${rest.slice(0, rest.indexOf("}"))},\n\n${rest}`)
    case "error in body":
      return void response.end(begun + wire.frame(wire.overloaded(providersWords)))
    case "oversized body":
      response.write(begun)
      return flood(response, "data: ")
  }
}

/** Sends one word after the other until the client hangs up. */
const talk = (response: ServerResponse, length: number, word: (text: string) => string): void => {
  let said = 0
  const timer = setInterval(() => {
    if (!response.writableNeedDrain) response.write(word(`word${said++} `.padStart(length, "-")))
  }, wordInterval)
  response.on("close", () => clearInterval(timer))
}

/** Sends these words one after the other, and then calls `end`. */
const recite = (
  response: ServerResponse,
  words: ReadonlyArray<string>,
  word: (text: string) => string,
  end: () => void,
): void => {
  let said = 0
  const timer = setInterval(() => {
    const next = words[said++]
    if (next !== undefined) return void response.write(word(next))
    clearInterval(timer)
    end()
  }, wordInterval)
  response.on("close", () => clearInterval(timer))
}

/** In milliseconds. */
const wordInterval = 1

/** Sends a byte at a time, for longer than any timeout. */
const drip = (response: ServerResponse, body: string): void => {
  let sent = 0
  const timer = setInterval(() => response.write(body.charAt(sent++)), dripInterval)
  response.on("close", () => clearInterval(timer))
}

/** In milliseconds. */
const dripInterval = 10

/** Sends a single line that is longer than any limit. */
const flood = (response: ServerResponse, start: string): void => {
  response.on("error", () => {})
  response.write(start)
  for (let sent = 0; sent < floodLength; sent += 64 * 1024) response.write("x".repeat(64 * 1024))
  response.end()
}

/** In bytes. */
const floodLength = 4 * 1024 * 1024
