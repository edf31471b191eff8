/*
 * A model provider that answers at once, on `PORT`: `/v1/messages` as Anthropic's (a search for what the user asked,
 * then an answer), and `/v1/embeddings` for the bare server. It does the least that the SDK accepts, so that it takes
 * little of the processors that the servers under test need. Streams are as long and as slow as `POST /pace` said.
 */

export const DIMENSIONS = 384
export const answerText = "Here is what the knowledge base says. ".repeat(5).trim()

/** A unit vector made of the words' hashes: equal for equal texts, near for texts of the same words. */
export const embed = (text: string, dimensions = DIMENSIONS): Float32Array => {
  const vector = new Float32Array(dimensions)
  for (const word of text.toLowerCase().split(/[^a-z0-9]+/)) {
    if (word === "") continue
    const hash = Bun.hash.crc32(word)
    const place = hash % dimensions
    vector[place] = (vector[place] ?? 0) + (hash & 0x1000_0000 ? 1 : -1)
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

interface MessagesBody {
  readonly model: string
  readonly stream?: boolean
  readonly messages: ReadonlyArray<{
    readonly content: string | ReadonlyArray<{ readonly type: string; readonly text?: string }>
  }>
}

const messages = ({ model, messages }: MessagesBody) => {
  const content = messages.at(-1)?.content ?? ""
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content
  const isAnswered = blocks.some((block) => block.type === "tool_result")
  const query = blocks.map((block) => block.text ?? "").join(" ")
  return {
    id: "msg_bench",
    type: "message",
    role: "assistant",
    model,
    content: isAnswered
      ? [{ type: "text", text: answerText }]
      : [{ type: "tool_use", id: "toolu_bench", name: "searchKnowledgeBase", input: { query } }],
    stop_reason: isAnswered ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 50, output_tokens: 40 },
  }
}

/** How a streamed answer comes: so many words, so many milliseconds apart; 0 for all of it at once. */
export interface Pace {
  readonly tokens: number
  readonly tokenMillis: number
}
let pace: Pace = { tokens: 40, tokenMillis: 0 }

/** In every word of a streamed answer, so that words can be counted in whatever a server makes of them. */
export const wordMark = "zq"

const event = (data: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

const startOf = ({ content: _, ...message }: ReturnType<typeof messages>, block: object) =>
  event({ type: "message_start", message: { ...message, content: [], stop_reason: null } }) +
  event({ type: "content_block_start", index: 0, content_block: block })
const endOf = (stop_reason: string) =>
  event({ type: "content_block_stop", index: 0 }) +
  event({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 40 } }) +
  event({ type: "message_stop" })
const word = (index: number) =>
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: `${wordMark}${index} ` } })

/** Streams that wait for their next word: one timer for all, since thousands of timers would take their share. */
const paced = new Set<{ due: number; readonly next: () => boolean }>()
const WHEEL_MILLISECONDS = 5
const turnWheel = () => {
  const now = performance.now()
  for (const stream of paced) {
    while (stream.due <= now) {
      stream.due += pace.tokenMillis
      if (!stream.next()) {
        paced.delete(stream)
        break
      }
    }
  }
}

const streamed = (message: ReturnType<typeof messages>): Response => {
  const headers = { "content-type": "text/event-stream" }
  const [block] = message.content
  if (block !== undefined && "input" in block) {
    const delta = { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
    const call = event({ type: "content_block_delta", index: 0, delta })
    return new Response(startOf(message, { ...block, input: {} }) + call + endOf("tool_use"), { headers })
  }
  const start = startOf(message, { type: "text", text: "" })
  const { tokenMillis, tokens } = pace
  if (tokenMillis === 0) {
    const words = Array.from({ length: tokens }, (_, index) => word(index)).join("")
    return new Response(start + words + endOf("end_turn"), { headers })
  }
  let sent = 0
  let isGone = false
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(start)
      paced.add({
        due: performance.now(),
        next: () => {
          if (isGone) return false
          controller.enqueue(word(sent++))
          if (sent < tokens) return true
          controller.enqueue(endOf("end_turn"))
          controller.close()
          return false
        },
      })
    },
    cancel: () => {
      isGone = true
    },
  })
  return new Response(body, { headers })
}

const embeddings = ({
  dimensions,
  input,
}: {
  readonly dimensions?: number
  readonly input: ReadonlyArray<string>
}) => ({
  object: "list",
  data: input.map((text, index) => ({
    object: "embedding",
    index,
    embedding: Buffer.from(embed(text, dimensions).buffer).toString("base64"),
  })),
})

if (import.meta.main) {
  setInterval(turnWheel, WHEEL_MILLISECONDS)
  Bun.serve({
    hostname: "127.0.0.1",
    port: Number(process.env["PORT"]),
    idleTimeout: 255,
    routes: {
      "/healthz": new Response("ok"),
      "/pace": {
        POST: async (request) => {
          pace = (await request.json()) as Pace
          return new Response("ok")
        },
      },
      "/v1/messages": {
        POST: async (request) => {
          const body = (await request.json()) as MessagesBody
          return body.stream === true ? streamed(messages(body)) : Response.json(messages(body))
        },
      },
      "/v1/embeddings": {
        POST: async (request) => Response.json(embeddings((await request.json()) as Parameters<typeof embeddings>[0])),
      },
    },
  })
}
