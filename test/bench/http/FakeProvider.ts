/*
 * A model provider that answers at once, on `PORT`: `/v1/messages` as Anthropic's (a search for what the user asked,
 * then an answer), and `/v1/embeddings` for the bare server. It does the least that the SDK accepts, so that it takes
 * little of the processors that the servers under test need.
 */

const DIMENSIONS = 384
export const answerText = "Here is what the knowledge base says. ".repeat(5).trim()

/** A unit vector made of the words' hashes: equal for equal texts, near for texts of the same words. */
export const embed = (text: string): Float32Array => {
  const vector = new Float32Array(DIMENSIONS)
  for (const word of text.toLowerCase().split(/[^a-z0-9]+/)) {
    if (word === "") continue
    const hash = Bun.hash.crc32(word)
    const place = hash % DIMENSIONS
    vector[place] = (vector[place] ?? 0) + (hash & 0x1000_0000 ? 1 : -1)
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

interface MessagesBody {
  readonly model: string
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

const embeddings = ({ input }: { readonly input: ReadonlyArray<string> }) => ({
  object: "list",
  data: input.map((text, index) => ({
    object: "embedding",
    index,
    embedding: Buffer.from(embed(text).buffer).toString("base64"),
  })),
})

if (import.meta.main) {
  Bun.serve({
    hostname: "127.0.0.1",
    port: Number(process.env["PORT"]),
    routes: {
      "/healthz": new Response("ok"),
      "/v1/messages": { POST: async (request) => Response.json(messages(await request.json())) },
      "/v1/embeddings": { POST: async (request) => Response.json(embeddings(await request.json())) },
    },
  })
}
