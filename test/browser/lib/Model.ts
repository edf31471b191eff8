import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { anthropicWire, says } from "../../lib/FakeAnthropic.ts"
import { openAiWire } from "../../lib/FakeOpenAi.ts"
import type { ModelRefusal } from "../../lib/ModelRefusals.ts"
import type { Block, MessageAnswer, Recorded, Wire } from "../../lib/Wire.ts"

/*
 * A language model that writes at the pace of a test, over the real protocol of its provider.
 */

/**
 * What the model answers to a request: a whole message, pieces of a text as they come, a failure with a status, or the
 * refusal of a real server.
 */
export type ModelAnswer =
  | MessageAnswer
  | { readonly kind: "pieces"; readonly pieces: AsyncIterable<string> }
  | { readonly kind: "failure"; readonly status: number; readonly type: string }
  | ({ readonly kind: "refusal" } & ModelRefusal)

/** A running model, whose answers a test chooses. */
export interface Model {
  readonly url: string
  /** How all requests are answered from now on; `text` is the last thing that the user said. */
  readonly answers: (answer: (request: { readonly text: string; readonly body: ModelRequest }) => ModelAnswer) => void
  /** How many requests have come. */
  readonly count: () => number
  readonly stop: () => void
}

/** The parts of a request of Anthropic's Messages API that tests look at. */
export interface ModelRequest {
  readonly stream?: boolean
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string | ReadonlyArray<Block> }>
  readonly tools?: ReadonlyArray<{ readonly name: string }>
}

/** A text in pieces of so many UTF-16 code units, with a pause in milliseconds after each. */
export const paced = (text: string, length = 8, pause = 10): ModelAnswer => ({
  kind: "pieces",
  pieces: (async function* () {
    for (let at = 0; at < text.length; at += length) {
      yield text.slice(at, at + length)
      if (pause > 0) await Bun.sleep(pause)
    }
  })(),
})

/** A text of which the test decides when it goes on. */
export class Dictation {
  private readonly waiting: Array<string> = []
  private wake = () => {}
  private isEnded = false

  /** Writes more of the text. */
  write(text: string): void {
    this.waiting.push(text)
    this.wake()
  }

  end(): void {
    this.isEnded = true
    this.wake()
  }

  get answer(): ModelAnswer {
    return { kind: "pieces", pieces: this.pieces() }
  }

  private async *pieces(): AsyncGenerator<string> {
    while (true) {
      const text = this.waiting.shift()
      if (text !== undefined) yield text
      else if (this.isEnded) return
      else await new Promise<void>((resolve) => (this.wake = resolve))
    }
  }
}

const lastText = ({ messages }: ModelRequest): string => {
  const content = messages.findLast(({ role }) => role === "user")?.content ?? ""
  return typeof content === "string"
    ? content
    : content.map((block) => (block.type === "text" ? block.text : "")).join("")
}

/** Starts a model. It says "Hello." until it is told otherwise. */
export const startModel = async (): Promise<Model> => {
  let count = 0
  let answerTo: Parameters<Model["answers"]>[0] = () => says("Hello.")
  const server = createServer(async (request, response) => {
    if (request.method === "GET") return void response.end(JSON.stringify({ data: [] }))
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const recorded = { path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() }
    count += 1
    await answer(request, response, recorded, count, answerTo)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`,
    answers: (next) => void (answerTo = next),
    count: () => count,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  recorded: Recorded,
  count: number,
  answerTo: Parameters<Model["answers"]>[0],
): Promise<void> => {
  const wire: Wire = recorded.path.endsWith("/chat/completions") ? openAiWire : anthropicWire
  const body: ModelRequest = JSON.parse(recorded.body)
  const chosen = wire.problem(recorded) ?? answerTo({ text: lastText(body), body })
  const isStream = body.stream === true
  const head = { ...wire.headers(count), "content-type": isStream ? "text/event-stream" : "application/json" }
  if (chosen.kind === "refusal") {
    response.writeHead(chosen.status, { ...head, "content-type": "application/json" })
    return void response.end(JSON.stringify(chosen.body))
  }
  if (chosen.kind === "failure" || chosen.kind === "status") {
    response.writeHead(chosen.status, { ...head, "content-type": "application/json" })
    return void response.end(JSON.stringify(wire.error(chosen.type, "the provider's own words")))
  }
  if (chosen.kind === "message") {
    response.writeHead(200, head)
    return void response.end(
      isStream ? wire.frames(chosen, recorded, count).join("") : JSON.stringify(wire.whole(chosen, recorded, count)),
    )
  }
  if (chosen.kind !== "pieces") throw new Error(`The model cannot answer with ${chosen.kind}`)
  if (!isStream) {
    const text = (await Array.fromAsync(chosen.pieces)).join("")
    response.writeHead(200, head)
    return void response.end(JSON.stringify(wire.whole(says(text), recorded, count)))
  }
  // The frames around the text of a message, of which two carry the text itself.
  const frames = wire.frames(says("ab"), recorded, count)
  response.writeHead(200, head)
  response.write(frames.slice(0, wire.begun - 1).join(""))
  let isLeft = false
  request.on("close", () => (isLeft = response.writableEnded === false && response.destroyed))
  response.on("close", () => (isLeft = true))
  for await (const piece of chosen.pieces) {
    if (isLeft) return
    response.write(wire.word(piece, recorded, count))
  }
  response.end(frames.slice(wire.begun + 1).join(""))
}
