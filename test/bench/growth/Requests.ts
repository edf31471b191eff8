import { Console, Effect } from "effect"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import type { Child } from "../http/Child.ts"
import { apiKey } from "../http/Fixture.ts"

/** Each request is sent so often, and the median and what one of them reads are printed. */
const TIMES = 5
/** Postgres publishes what a connection has read when the connection is idle for a second. */
const PUBLISHED_AFTER = "2500 millis"
const LARGE_ROWS = 50_000

interface Sent {
  readonly name: string
  readonly method?: "GET" | "POST" | "PATCH"
  readonly path: string
  readonly body?: (turn: number) => unknown
}

interface TableReads {
  readonly name: string
  readonly rows: number
  readonly scans: number
  readonly scanned: number
  readonly blocks: number
}

/** Sends each request that users wait for, and shows what it makes Postgres read. */
export const requests = Effect.fn("growth.requests")(function* (child: Child) {
  const sql = yield* SystemSql
  const [place] = yield* sql<{ organization: string; large: string; huge: string; small: string }>`
    select (select organization_id from bench_chatbots where n = 1) as organization,
      (select id from bench_chatbots where n = 1) as large, (select id from bench_chatbots where n = 2) as huge,
      (select id from bench_chatbots where n = 6) as small`
  const [session] = yield* sql<{ id: string }>`
    select id from sessions where chatbot_id = ${place?.large} order by updated_at limit 1`
  const [question] = yield* sql<{ question: string }>`select question from bench_questions where n = 77`
  const chatbot = (id = place?.large) => `/api/external/chatbot/${id}`
  const chat = (turn: number) => ({
    messages: [{ role: "user", content: question?.question }],
    sessionToken: `growth-${crypto.randomUUID()}-${turn}`,
  })

  const all: ReadonlyArray<Sent> = [
    { name: "a chatbot", path: chatbot() },
    { name: "list of chatbots", path: "/api/external/chatbots?limit=20" },
    { name: "documents of the huge chatbot", path: `${chatbot(place?.huge)}/knowledge-base/documents` },
    { name: "documents, page 1000", path: `${chatbot(place?.huge)}/knowledge-base/documents?page=1000` },
    { name: "conversations of the large chatbot", path: `${chatbot()}/conversations` },
    { name: "conversations, page 1000", path: `${chatbot()}/conversations?page=1000` },
    { name: "messages of a conversation", path: `${chatbot()}/conversations/${session?.id}/messages` },
    { name: "all conversations (console)", path: "/api/external/conversations?limit=20" },
    { name: "overview (console)", path: "/api/external/chatbots/totals" },
    { name: "usage by chatbot", path: "/api/external/usage?group_by=chatbot" },
    { name: "usage by day", path: "/api/external/usage?group_by=day" },
    { name: "audit log", path: "/api/admin/audit-log?limit=20" },
    { name: "organizations", path: "/api/admin/organizations?limit=20" },
    { name: "API keys", path: "/api/admin/api-keys?limit=20" },
    { name: "system state", path: "/api/admin/system" },
    { name: "chat, one document", method: "POST", path: `${chatbot(place?.small)}/chat`, body: chat },
    { name: "chat, large chatbot", method: "POST", path: `${chatbot()}/chat`, body: chat },
    {
      name: "search, huge chatbot",
      method: "POST",
      path: `${chatbot(place?.huge)}/query-knowledge`,
      body: () => ({ query: question?.question }),
    },
  ]

  const reads = sql<TableReads>`
    select s.relname as name, c.reltuples::float8 as rows, seq_scan::float8 as scans, seq_tup_read::float8 as scanned,
      (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit + coalesce(toast_blks_read + toast_blks_hit, 0))::float8
        as blocks
    from pg_stat_user_tables s join pg_statio_user_tables using (relid) join pg_class c on c.oid = relid`
  const settled = Effect.andThen(Effect.sleep(PUBLISHED_AFTER), reads)

  const send = ({ body, method = "GET", path }: Sent, turn: number) =>
    Effect.promise(async () => {
      const begin = performance.now()
      const response = await fetch(`http://127.0.0.1:${child.port}${path}`, {
        method,
        headers: { "x-api-key": apiKey, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body(turn)) }),
      })
      await response.arrayBuffer()
      return { status: response.status, milliseconds: performance.now() - begin }
    })

  for (const one of all) {
    yield* send(one, 0)
    const before = new Map((yield* settled).map((table) => [table.name, table]))
    const answers = yield* Effect.forEach(Array.from({ length: TIMES }), (_, turn) => send(one, turn + 1))
    const after = yield* settled
    const changes = after.map((table) => ({
      ...table,
      scans: table.scans - (before.get(table.name)?.scans ?? 0),
      scanned: table.scanned - (before.get(table.name)?.scanned ?? 0),
      blocks: table.blocks - (before.get(table.name)?.blocks ?? 0),
    }))
    const blocks = changes.reduce((sum, table) => sum + table.blocks, 0) / TIMES
    const scanned = changes.filter((table) => table.rows >= LARGE_ROWS && table.scans >= TIMES)
    const median = answers.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b)[TIMES >> 1] ?? Number.NaN
    yield* Console.log(
      `${one.name.padEnd(36)} ${String(answers[0]?.status)}  ${median.toFixed(1).padStart(8)} ms  ${blocks.toFixed(0).padStart(8)} blocks` +
        scanned.map(({ name, scanned }) => `  reads ${name} whole (${(scanned / TIMES).toFixed(0)} rows)`).join(""),
    )
  }
})
