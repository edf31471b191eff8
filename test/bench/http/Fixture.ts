import { createHash } from "node:crypto"
import { join } from "node:path"
import { SQL } from "bun"
import { Effect, Schema, type Scope } from "effect"
import { type ChildOptions, withoutLimits } from "./Child.ts"
import { makeCorpus } from "./Corpus.ts"
import { embed } from "./FakeProvider.ts"
import { requestBytes } from "./Load.ts"

/*
 * The same content in both servers: made in Parley through its own interface, and copied from Parley's database to the
 * bare one's, passage by passage.
 */

export const apiKey = `bench_${"k".repeat(40)}`

/** A server without limits, whose data are below this directory. */
export const parley = (directory: string, environment: Readonly<Record<string, string>>): ChildOptions => ({
  script: join(import.meta.dir, "../../../src/main.ts"),
  environment: {
    DATA_DIR: join(directory, "data"),
    BOOTSTRAP_API_KEY: apiKey,
    LOG_FORMAT: "json",
    // Beside a server of one process.
    WORKERS: "1",
    ...withoutLimits,
    ...environment,
  },
  ready: { path: "/readyz" },
  output: join(directory, "parley.log"),
})

const DOCUMENTS = 100
const SECTIONS = 20
const FILES_PER_UPLOAD = 10
const CHATBOTS = 20
/** Each makes two messages. */
const TURNS = 20
const session = "bench"
const ROWS_PER_INSERT = 100

export interface Fixture {
  readonly chatbot: string
  readonly questions: ReadonlyArray<string>
}

/** A database that is gone when the scope closes. Returns its address. */
export const database = (server: string, name: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const own = `parley_bench_${name}_${crypto.randomUUID().replaceAll("-", "")}`
      await using sql = new SQL(server)
      await sql`create database ${sql(own)}`
      const url = new URL(server)
      url.pathname = `/${own}`
      return { own, url: url.href }
    }),
    ({ own }) =>
      Effect.promise(async () => {
        await using sql = new SQL(server)
        await sql`drop database ${sql(own)} with (force)`
      }),
  ).pipe(Effect.map(({ url }) => url))

/** Lets a server with another directory use a filled database, whose files no benchmark reads. */
export const forgetFiles = (url: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    await using sql = new SQL(url)
    await sql`delete from file_stores`
  })

const Created = Schema.fromJsonString(Schema.Struct({ chatbot: Schema.Struct({ id: Schema.String }) }))

/**
 * Posts to Parley, which listens on this port. Waits for documents as long as it may; a refusal is thrown.
 */
export const poster =
  (port: number) =>
  async (path: string, body: string | FormData): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: {
        "x-api-key": apiKey,
        prefer: "wait=60",
        ...(typeof body === "string" && { "content-type": "application/json" }),
      },
      body,
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`)
    return text
  }

/** Whether no document of a chatbot is being processed: a model in the server may take minutes for their vectors. */
const isSettled = async (port: number, chatbot: string): Promise<boolean> => {
  const counts = ["queued", "extracting", "embedding"].map(async (status) => {
    const path = `/api/external/chatbot/${chatbot}/knowledge-base/documents?status=${status}`
    return (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-api-key": apiKey } })).text()
  })
  return (await Promise.all(counts)).every((text) => /"totalCount": ?0\b/.test(text))
}

/** Waits until no document of a chatbot is being processed, without keeping the server busy with the question. */
export const settled = async (port: number, chatbot: string): Promise<void> => {
  while (!(await isSettled(port, chatbot))) await Bun.sleep(200)
}

/** Fills Parley, which listens on this port. */
export const fill = (port: number): Effect.Effect<Fixture> =>
  Effect.promise(async () => {
    const { files, questions } = makeCorpus(DOCUMENTS, SECTIONS)
    const post = poster(port)
    const create = async (number: number): Promise<string> => {
      const body = { name: `Chatbot ${number}`, settings: { model: "claude-bench" } }
      return Schema.decodeSync(Created)(await post("/api/external/chatbots", JSON.stringify(body))).chatbot.id
    }
    const chatbot = await create(1)
    for (let number = 2; number <= CHATBOTS; number++) await create(number)
    for (let index = 0; index < files.length; index += FILES_PER_UPLOAD) {
      const form = new FormData()
      form.set("chatbotId", chatbot)
      for (const { name, text } of files.slice(index, index + FILES_PER_UPLOAD)) {
        form.append("files", new File([text], name, { type: "text/markdown" }))
      }
      await post("/api/embedfiles", form)
    }
    await settled(port, chatbot)
    for (const question of questions.slice(0, TURNS)) {
      const body = { messages: [{ role: "user", content: question }], sessionToken: session }
      await post(`/api/external/chatbot/${chatbot}/chat`, JSON.stringify(body))
    }
    return { chatbot, questions }
  })

interface ChunkRow {
  readonly title: string
  readonly content: string
}

/** Gives the bare server what Parley has, with vectors of so many dimensions. Returns how many passages that are. */
export const copy = (
  parleyUrl: string,
  bareUrl: string,
  { chatbot }: Fixture,
  dimensions: number,
): Effect.Effect<number> =>
  Effect.promise(async () => {
    await using from = new SQL(parleyUrl)
    await using to = new SQL(bareUrl)
    await to.unsafe(`
      create extension if not exists vector;
      create table api_keys (hash text primary key, owner text not null);
      create table chatbots (id uuid primary key, owner text not null, name text not null, description text not null,
        slug text not null, active boolean not null, is_public boolean not null, personality_config jsonb not null,
        settings jsonb not null, model text not null, prompt text not null, created_at timestamptz not null,
        updated_at timestamptz not null);
      create index on chatbots (owner);
      create table messages (id bigint generated always as identity primary key, session_id text not null,
        role text not null, content text not null, tool_calls jsonb, tool_results jsonb, model text, tokens int,
        created_at timestamptz not null default now());
      create index on messages (session_id, created_at, id);
      create table chunks (id bigint generated always as identity primary key, chatbot_id uuid not null,
        title text not null, content text not null, embedding vector(${dimensions}) not null);
      alter table chunks alter column embedding set storage plain;
      create index on chunks (chatbot_id);
      create index on chunks using hnsw (embedding vector_cosine_ops);
      do $$ begin
        execute format('alter database %I set hnsw.iterative_scan = strict_order', current_database());
        execute format('alter database %I set random_page_cost = 1.1', current_database());
      end $$`)
    await to`insert into api_keys ${to({ hash: createHash("sha256").update(apiKey).digest("hex"), owner: "o" })}`
    const chatbots = await from`
      select id, 'o' as owner, name, description, slug, active, is_public, personality_config, settings,
        'claude-bench' as model, 'You are a helpful assistant.' as prompt, created_at, updated_at from chatbots`
    await to`insert into chatbots ${to(chatbots)}`
    const messages = await from`
      select m.sender_type as role, m.content, m.tool_calls, m.tool_results, m.model, m.tokens_used as tokens, m.created_at
      from messages m order by m.created_at, m.id`
    await to`insert into messages ${to(messages.map((message: object) => ({ ...message, session_id: session })))}`
    const chunks: ReadonlyArray<ChunkRow> = await from`select title, content from chunks order by document_id, ordinal`
    for (let index = 0; index < chunks.length; index += ROWS_PER_INSERT) {
      const rows = chunks.slice(index, index + ROWS_PER_INSERT).map(({ title, content }) => ({
        chatbot_id: chatbot,
        title,
        content,
        embedding: `[${embed(content, dimensions).join(",")}]`,
      }))
      await to`insert into chunks ${to(rows)}`
    }
    await to`analyze`
    await from`analyze`
    return chunks.length
  })

/** One kind of request, and what its answer must hold to count as answered. */
export interface Scenario {
  readonly name: string
  readonly requests: ReadonlyArray<Uint8Array>
  readonly expected: RegExp
}

export const scenariosOf = ({ chatbot, questions }: Fixture): ReadonlyArray<Scenario> => {
  const base = `/api/external/chatbot/${chatbot}`
  const get = (path: string) => [requestBytes({ method: "GET", path, apiKey })]
  const post = (path: string, bodyOf: (question: string) => unknown) =>
    questions.map((question) => requestBytes({ method: "POST", path, apiKey, body: bodyOf(question) }))
  return [
    { name: "GET chatbot", requests: get(base), expected: /"name": ?"Chatbot 1"/ },
    { name: "list", requests: get("/api/external/chatbots"), expected: /Chatbot 20".*Chatbot 1"/s },
    {
      name: "messages page",
      requests: get(`${base}/conversations/${session}/messages?page=1&limit=20`),
      expected: /"totalCount":40\b/,
    },
    {
      name: "query-knowledge",
      requests: post(`${base}/query-knowledge`, (query) => ({ query })),
      expected: /"similarity"/,
    },
    {
      name: "two-step chat",
      requests: post(`${base}/chat`, (content) => ({ messages: [{ role: "user", content }] })),
      // Parley asks the provider for a stream of words, the bare server for the whole answer.
      expected: /"output":"(?:Here is what|zq0 zq1 ).*toolu_bench/s,
    },
  ]
}
