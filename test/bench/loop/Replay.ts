import { SQL } from "bun"
import { Effect, Schema } from "effect"
import { ReplyReview } from "../../../src/domain/chat/ReplyGround.ts"
import type { Client } from "../../lib/Client.ts"
import { fileOf, type Good, makeGoods, tell, testOf } from "./Shop.ts"

const GOODS = 25
/** Goods that no document describes when they are asked for. */
const UNKNOWN = 15
/** Rows among which the size of one is measured. */
const ROWS = 100_000

interface Shop {
  readonly client: Client
  readonly chatbot: string
  readonly documents: ReadonlyMap<string, string>
}

type Kind = ReplyReview["differences"][number]["kind"]

/** A change of a chatbot after its replies, and what the first difference of each of the replies has to be. */
interface Case {
  readonly what: string
  readonly count: number
  readonly kind: Kind | undefined
  readonly model?: string
  readonly prompt?: string
  /** Whether the replies are about goods that no document describes. */
  readonly isUnknown?: boolean
  readonly change: (shop: Shop, goods: ReadonlyArray<Good>) => Promise<unknown>
}

const model = "claude-sonnet-5-5"
const patch = ({ chatbot, client }: Shop, settings: object) =>
  client.patch(`/api/external/chatbots?id=${chatbot}`, { json: { settings } })
const dearer = (good: Good): Good => ({ ...good, facts: { ...good.facts, price: "4321 euros" } })
const replace = ({ chatbot, client, documents }: Shop, good: Good) =>
  client.replace(chatbot, documents.get(good.name) ?? "", `${good.name}.md`, fileOf(good), { query: "?wait=30" })

const cases: ReadonlyArray<Case> = [
  {
    what: "the fact changed in the document",
    count: 20,
    kind: "document_changed",
    change: (shop, goods) => Promise.all(goods.map((good) => replace(shop, dearer(good)))),
  },
  {
    what: "the fact changed, and a model answers",
    count: 10,
    kind: "document_changed",
    model,
    change: async (shop, goods) => {
      await Promise.all(goods.map((good) => replace(shop, dearer(good))))
      await patch(shop, { prompt: "Be brief." })
    },
  },
  {
    what: "the document deleted",
    count: 15,
    kind: "document_deleted",
    change: ({ chatbot, client, documents }, goods) =>
      Promise.all(
        goods.map(({ name }) =>
          client.delete(`/api/external/chatbot/${chatbot}/knowledge-base/documents/${documents.get(name)}`),
        ),
      ),
  },
  {
    what: "a document added that answers at last",
    count: UNKNOWN,
    kind: "passage_appeared",
    isUnknown: true,
    change: async ({ chatbot, client }, goods) => {
      for (const good of goods) await client.learn(chatbot, { [`${good.name}.md`]: fileOf(good) })
    },
  },
  {
    what: "an answer approved for the question",
    count: 10,
    kind: "approved_answer",
    change: async ({ chatbot, client }, goods) => {
      const path = `/api/external/chatbot/${chatbot}/sources`
      const { body } = await client.post(path, { json: { kind: "questions", name: "Answers" } })
      for (const good of goods)
        await client.post(`${path}/${Object(body).source.id}/questions`, {
          json: { question: testOf(good, "price").question, answer: `Ask us about the ${good.name}.` },
        })
    },
  },
  {
    what: "the prompt changed",
    count: 10,
    kind: "prompt",
    model,
    change: (shop) => patch(shop, { prompt: "Be brief." }),
  },
  {
    what: "the model changed",
    count: 10,
    kind: "model",
    model,
    change: (shop) => patch(shop, { model: "claude-opus-5" }),
  },
  { what: "nothing that concerns the reply", count: 10, kind: undefined, change: () => Promise.resolve() },
]

/**
 * `bun run bench loop replay`, with `DATABASE_URL`: of 100 replies what they rest on changes in known ways, and beside it
 * a document is added that has nothing to do with them, and one is changed that none of them cites; how often the first difference of a reply's
 * review is the cause. Then the size in Postgres of what is kept of a reply.
 */
export const run = async (): Promise<void> => {
  const { providerAnswering } = await import("../../lib/FakeProvider.ts")
  const { calls, fakeKey, says } = await import("../../lib/FakeAnthropic.ts")
  const { operatorKey, serverProcess, settingsFor } = await import("../../lib/ServerProcess.ts")
  const { fresh } = await import("../../lib/TestDatabase.ts")
  const { Client: ClientOf, read } = await import("../../lib/Client.ts")

  /** A model that searches for the question, and answers with the price that it finds. */
  const answered = ({ body }: { readonly body: string }) => {
    const [, name = ""] = Array.from(body.matchAll(/How much does the ([\w ]+) cost/g)).at(-1) ?? []
    if (!body.includes('"tool_result"')) return calls(`price of the ${name}`)
    const [, price = "nothing"] = new RegExp(`The ${name} costs (\\d+ euros)`).exec(body) ?? []
    return says(`The ${name} costs ${price}.`)
  }

  const open = async (
    client: Client,
    { model = "local/extractive" }: Case,
    goods: ReadonlyArray<Good>,
  ): Promise<Shop> => {
    const { id } = await client.newChatbot({ settings: { model, prompt: "You help customers." } })
    const documents = new Map<string, string>()
    for (let from = 0; from < goods.length; from += 10) {
      const files = Object.fromEntries(goods.slice(from, from + 10).map((good) => [`${good.name}.md`, fileOf(good)]))
      for (const { id: document, name } of await client.learn(id, files))
        documents.set(name.replace(/\.md$/, ""), document)
    }
    return { client, chatbot: id, documents }
  }

  const measure = async (client: Client, one: Case): Promise<number> => {
    const made = makeGoods(GOODS + UNKNOWN)
    const [known, unknown] = [made.slice(0, GOODS), made.slice(GOODS)]
    const shop = await open(client, one, known)
    const goods = (one.isUnknown === true ? unknown : known).slice(0, one.count)
    const replies: Array<string> = []
    const cited = new Set<string>()
    for (const good of goods) {
      const { session_id } = await client.chat(shop.chatbot, testOf(good, "price").question)
      const reply = (await client.messages(shop.chatbot, session_id)).at(-1)
      replies.push(reply?.id ?? "")
      for (const { title } of reply?.sources ?? []) cited.add(title)
    }
    await one.change(shop, goods)
    // What no reply rests on.
    await client.learn(shop.chatbot, {
      "opening.md": "# Opening hours\n\nThe shop opens at nine, except on Sundays.\n",
    })
    const other = known.findLast(({ name }) => !cited.has(name))
    if (other !== undefined) await replace(shop, dearer(other))
    let right = 0
    for (const [index, reply] of replies.entries()) {
      const path = `/api/external/chatbot/${shop.chatbot}/replies/${reply}`
      const review = read(Schema.Struct({ reply: ReplyReview }), await client.get(path)).reply
      const [first] = review.differences
      const document = shop.documents.get(goods[index]?.name ?? "")
      const isOfDocument = first?.kind.startsWith("document_") !== true || first.document_id === document
      if (first?.kind === one.kind && isOfDocument) right++
      else
        tell(
          `  ${review.question} ${review.answer.slice(0, 60)} → ${review.differences.map(({ kind }) => kind).join(", ")}: ${first?.detail}; ${JSON.stringify(review.sources)}`,
        )
    }
    tell(`${one.what}: ${right} of ${one.count}`)
    return right
  }

  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const provider = yield* providerAnswering(answered)
        const database = yield* fresh
        if (database.kind === "embedded") return yield* Effect.die("DATABASE_URL names no Postgres server.")
        const settings = {
          ...(yield* settingsFor(database)),
          ANTHROPIC_API_KEY: fakeKey,
          ANTHROPIC_BASE_URL: provider.url,
        }
        const server = yield* serverProcess(settings, [])
        const client = new ClientOf(yield* Effect.promise(() => server.listening), operatorKey)
        let right = 0
        for (const one of cases) right += yield* Effect.promise(() => measure(client, one))
        tell(`The cause is named first for ${right} of ${cases.reduce((sum, { count }) => sum + count, 0)} replies`)
        yield* Effect.promise(() => sizes(database.url))
      }),
    ),
  )
}

/** Copies what is kept of the replies until it has many rows, and tells what one takes. */
const sizes = async (url: string): Promise<void> => {
  const sql = new SQL(url, { max: 1 })
  await sql`set session_replication_role = replica`
  await sql`insert into reply_grounds
    select gen_random_uuid(), organization_id, chatbot_id, question, similarity, gap, topic_id, searches, setup_hash,
      server_version, created_at - n * interval '1 second'
    from reply_grounds, generate_series(1, ${ROWS} / (select count(*)::int from reply_grounds)) n`
  await sql`vacuum (full, analyze) reply_grounds`
  const size = async () => {
    const [row] = await sql`select count(*)::int as rows, pg_table_size('reply_grounds')::float8 as data,
      pg_indexes_size('reply_grounds')::float8 as indexes, avg(pg_column_size(searches))::float8 as searches from reply_grounds`
    const each = (bytes: number) => Math.round(bytes / row.rows)
    return `${each(row.data)} bytes in the table, of which searches ${Math.round(row.searches ?? 0)}, ${each(row.indexes)} in indexes`
  }
  tell(`One of ${ROWS} replies takes ${await size()}`)
  await sql`update reply_grounds set searches = null, setup_hash = null, server_version = null`
  await sql`vacuum (full, analyze) reply_grounds`
  tell(`When its time is over: ${await size()}`)
  const [setup] = await sql`select avg(pg_column_size(setup))::int as bytes, count(*)::int as rows from chatbot_setups`
  tell(`Settings: ${setup.rows} of them, ${setup.bytes} bytes each`)
  await sql.end()
}
