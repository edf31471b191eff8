import Anthropic from "@anthropic-ai/sdk"
import type { ContentBlock, Message, MessageParam, Tool, ToolUseBlock } from "@anthropic-ai/sdk/resources/messages"
import { SQL } from "bun"
import { createHash } from "node:crypto"

/*
 * The yardstick: what is left of a request when nothing but its work is done. `Bun.serve`, the SDK and SQL; no
 * framework, no validation, no log, no timeouts, no tenants. Settings: `PORT`, `DATABASE_URL`, `PROVIDER_URL`,
 * `CONNECTIONS`, `DIMENSIONS` of the vectors, and `REPLY`: `least` answers and stores what was said, `whole` what the contract wants of a chat, its
 * steps and what its tools found.
 */

interface Chatbot {
  readonly id: string
  readonly name: string
  readonly model: string
  readonly prompt: string
}

interface Passage {
  readonly title: string
  readonly content: string
  readonly similarity: number
}

const providerUrl = process.env["PROVIDER_URL"]
const dimensions = Number(process.env["DIMENSIONS"])
const isWhole = process.env["REPLY"] === "whole"
const sql = new SQL(process.env["DATABASE_URL"] ?? "", { max: Number(process.env["CONNECTIONS"]) })
const anthropic = new Anthropic({ apiKey: "bench", baseURL: providerUrl, maxRetries: 0, logLevel: "off" })

const unauthorized = (): Response => Response.json({ error: "unauthorized" }, { status: 401 })

const keyHash = (request: Request): string =>
  createHash("sha256")
    .update(request.headers.get("x-api-key") ?? "")
    .digest("hex")

const chatbotOf = async (request: Request, id: string): Promise<Chatbot | undefined> => {
  const rows: ReadonlyArray<Chatbot> = await sql`
    select c.* from api_keys k join chatbots c on c.owner = k.owner where k.hash = ${keyHash(request)} and c.id = ${id}`
  return rows[0]
}

const embed = async (text: string): Promise<string> => {
  const response = await fetch(`${providerUrl}/v1/embeddings`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "bench", input: [text], dimensions, encoding_format: "base64" }),
  })
  const { data } = (await response.json()) as { readonly data: ReadonlyArray<{ readonly embedding: string }> }
  const bytes = Buffer.from(data[0]?.embedding ?? "", "base64")
  return `[${new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4).join(",")}]`
}

const search = async (chatbot: string, query: string): Promise<ReadonlyArray<Passage>> => {
  const vector = await embed(query)
  return sql`
    select title, content, 1 - (embedding <=> ${vector}::vector) as similarity from chunks
    where chatbot_id = ${chatbot} order by embedding <=> ${vector}::vector limit 5`
}

const save = (session: string, role: string, content: string): Promise<unknown> =>
  sql`insert into messages (session_id, role, content) values (${session}, ${role}, ${content})`

const tools: Array<Tool> = [
  {
    name: "searchKnowledgeBase",
    description: "Searches the documents of this chatbot's knowledge base.",
    input_schema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  },
]

const queryOf = (input: unknown): string =>
  typeof input === "object" && input !== null && "query" in input ? String(input.query) : ""

interface Found extends ToolUseBlock {
  readonly result: ReadonlyArray<Passage>
}

const findFor = (chatbot: string, content: ReadonlyArray<ContentBlock>): Promise<ReadonlyArray<Found>> =>
  Promise.all(
    content
      .filter((block) => block.type === "tool_use")
      .map(async (call) => ({ ...call, result: await search(chatbot, queryOf(call.input)) })),
  )

const toolResults = (found: ReadonlyArray<Found>): MessageParam => ({
  role: "user",
  content: found.map(({ id, result }) => ({
    type: "tool_result" as const,
    tool_use_id: id,
    content: JSON.stringify(result),
  })),
})

const saveReply = (session: string, output: string, found: ReadonlyArray<Found>): Promise<unknown> =>
  isWhole
    ? sql`insert into messages (session_id, role, content, tool_calls, tool_results, model, tokens)
        values (${session}, 'assistant', ${output}, ${found.map(({ result: _, ...call }) => call)}, ${found},
          'claude-bench', 100)`
    : save(session, "assistant", output)

/** The steps of a chat as the contract wants them: each has its request as it was sent, and all messages up to it. */
class Steps {
  readonly all: Array<object> = []
  readonly #messages: Array<object> = []

  add(body: string, { content, id, model, stop_reason, usage }: Message, found: ReadonlyArray<Found>): void {
    this.#messages.push({ role: "assistant", content })
    if (found.length > 0) this.#messages.push({ role: "tool", content: found })
    this.all.push({
      finishReason: stop_reason,
      text: textOf(content),
      toolCalls: content.filter(({ type }) => type === "tool_use"),
      toolResults: found,
      usage,
      request: { body },
      response: { id, modelId: model, timestamp: new Date().toISOString(), messages: [...this.#messages] },
    })
  }
}

const textOf = (content: ReadonlyArray<ContentBlock>): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("")

const chat = async (request: Request, id: string): Promise<Response> => {
  const chatbot = await chatbotOf(request, id)
  if (chatbot === undefined) return unauthorized()
  const body = (await request.json()) as { readonly messages: Array<{ role: "user" | "assistant"; content: string }> }
  const session = crypto.randomUUID()
  await save(session, "user", body.messages.at(-1)?.content ?? "")
  const messages: Array<MessageParam> = [...body.messages]
  const params = { model: chatbot.model, max_tokens: 4_096, system: chatbot.prompt, messages, tools }
  if (new URL(request.url).searchParams.get("stream") === "true") return streamed(id, session, params)
  const all: Array<Found> = []
  const steps = new Steps()
  for (;;) {
    const body = isWhole ? JSON.stringify(params) : undefined
    const reply = await (body === undefined ? anthropic.messages.create(params) : post(body))
    const found = reply.stop_reason === "tool_use" ? await findFor(id, reply.content) : []
    all.push(...found)
    if (body !== undefined) steps.add(body, reply, found)
    if (found.length > 0) {
      messages.push({ role: "assistant", content: reply.content }, toolResults(found))
      continue
    }
    const output = textOf(reply.content)
    await saveReply(session, output, all)
    return Response.json({
      session_id: session,
      output,
      ...(isWhole ? { steps: steps.all, tool_results: all } : { messages }),
    })
  }
}

const post = (body: string): Promise<Message> =>
  anthropic.post("/v1/messages", { body, headers: { "content-type": "application/json" } })

interface Params {
  readonly model: string
  readonly max_tokens: number
  readonly system: string
  readonly messages: Array<MessageParam>
  readonly tools: Array<Tool>
}

const utf8 = new TextEncoder()

/** Text as it comes; what the model calls is run in between. */
const streamed = (chatbot: string, session: string, params: Params): Response => {
  const upstream = new AbortController()
  const body = new ReadableStream({
    start: async (controller) => {
      const say = (data: object) => controller.enqueue(utf8.encode(`data: ${JSON.stringify(data)}\n\n`))
      let output = ""
      const all: Array<Found> = []
      for (let isDone = false; !isDone;) {
        const blocks: Array<ContentBlock> = []
        let input = ""
        const events = await anthropic.messages.create({ ...params, stream: true }, { signal: upstream.signal })
        for await (const event of events) {
          if (event.type === "content_block_start") blocks.push(event.content_block)
          if (event.type !== "content_block_delta") continue
          if (event.delta.type === "input_json_delta") input += event.delta.partial_json
          if (event.delta.type !== "text_delta") continue
          output += event.delta.text
          say({ type: "text", text: event.delta.text })
        }
        const calls = blocks.flatMap((block) =>
          block.type === "tool_use" ? [{ ...block, input: JSON.parse(input) }] : [],
        )
        isDone = calls.length === 0
        const found = await findFor(chatbot, calls)
        if (!isDone) params.messages.push({ role: "assistant", content: calls }, toolResults(found))
        all.push(...found)
        if (isWhole) for (const { id, result } of found) say({ type: "tool-output-available", id, output: result })
      }
      await saveReply(session, output, all)
      say({ type: "done", session })
      controller.close()
    },
    cancel: () => upstream.abort(),
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

const page = async (request: Request, id: string, session: string): Promise<Response> => {
  if ((await chatbotOf(request, id)) === undefined) return unauthorized()
  const query = new URL(request.url).searchParams
  const limit = Number(query.get("limit") ?? 20)
  const rows: ReadonlyArray<{ readonly total: number }> = await sql`
    select *, count(*) over ()::int as total from messages where session_id = ${session}
    order by created_at, id limit ${limit} offset ${(Number(query.get("page") ?? 1) - 1) * limit}`
  return Response.json({ data: rows, metadata: { pageSize: limit, totalCount: rows[0]?.total ?? 0 } })
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["PORT"]),
  idleTimeout: 255,
  routes: {
    "/healthz": new Response("ok"),
    "/api/external/chatbots": async (request) => {
      const chatbots = await sql`
        select c.* from api_keys k join chatbots c on c.owner = k.owner where k.hash = ${keyHash(request)} order by c.id desc`
      return chatbots.length === 0 ? unauthorized() : Response.json({ chatbots })
    },
    "/api/external/chatbot/:id": async (request) => {
      const chatbot = await chatbotOf(request, request.params.id)
      return chatbot === undefined ? unauthorized() : Response.json({ chatbot })
    },
    "/api/external/chatbot/:id/conversations/:session/messages": (request) =>
      page(request, request.params.id, request.params.session),
    "/api/external/chatbot/:id/query-knowledge": {
      POST: async (request) => {
        if ((await chatbotOf(request, request.params.id)) === undefined) return unauthorized()
        const { query } = (await request.json()) as { readonly query: string }
        return Response.json({ results: await search(request.params.id, query) })
      },
    },
    "/api/external/chatbot/:id/chat": { POST: (request) => chat(request, request.params.id) },
  },
})
