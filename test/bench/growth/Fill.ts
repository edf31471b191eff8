import { Console, Effect } from "effect"
import { chatbotDefaults } from "../../../src/domain/chatbot/Chatbot.ts"
import { emptyChatWidget } from "../../../src/domain/chatbot/ChatWidget.ts"
import { OrganizationId } from "../../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../../src/domain/Tenancy.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { withoutTimeLimit } from "../../../src/storage/sql/TimeLimit.ts"
import { makeCorpus } from "../http/Corpus.ts"
import { addDocument, makeChatbot } from "../lib/Filling.ts"

/*
 * Fills a database to a size at which its plans and its indexes show how they grow. As many passages
 * as the large chatbot gets are stored by the code of the server; those of all chatbots are copies of them, made by
 * Postgres.
 */

/** How many rows of each kind a database gets. */
export interface Size {
  readonly organizations: number
  readonly chatbots: number
  /** The passages of all chatbots, with those of the two large ones. */
  readonly passages: number
  /** The passages of the first chatbot. */
  readonly large: number
  /** The passages of the second chatbot. */
  readonly huge: number
  readonly messages: number
}

/** The first organization has the large chatbots, and so many in all. */
const CHATBOTS_OF_FIRST = 5_000
const PASSAGES_PER_DOCUMENT = 20
const MESSAGES_PER_SESSION = 10
/** One of so many replies has the results of its searches beside its text. */
const REPLIES_WITH_RESULTS = 3
/** The share of the conversations that the first chatbot has: one of so many. */
const SESSIONS_OF_LARGE = 5
const DOCUMENTS_PER_STATEMENT = 2_000
const SESSIONS_PER_STATEMENT = 20_000
const DOCUMENTS_AT_ONCE = 4

/** Stores passages with words of natural frequencies in a chatbot of their own. */
const storeNatural = Effect.fnUntraced(function* (passages: number) {
  const chatbot = yield* makeChatbot("Natural passages")
  const { files, questions } = makeCorpus(Math.ceil(passages / PASSAGES_PER_DOCUMENT), PASSAGES_PER_DOCUMENT)
  yield* Effect.forEach(files, ({ name, text }) => addDocument(chatbot, name, text.split("\n\n## ").slice(1)), {
    concurrency: DOCUMENTS_AT_ONCE,
    discard: true,
  })
  return { chatbot, questions }
})

/** Makes the tables that the copies are made from. They stay, so that other parts find what was filled. */
const makePlan = Effect.fnUntraced(function* (size: Size, source: string, questions: ReadonlyArray<string>) {
  const sql = yield* SystemSql
  const run = (statement: string) => sql.unsafe(statement).unprepared
  yield* run(`
    create unlogged table bench_passages as
    select (row_number() over (order by document_id, ordinal) - 1)::int as n, title, headings, content, page, language, lexemes, embedding,
      embedding_model, sketch
    from chunks where chatbot_id = '${source}'`)
  yield* run("create unique index on bench_passages (n)")
  yield* run("create unlogged table bench_questions (n serial, question text)")
  yield* sql`insert into bench_questions (question) select * from unnest(${[...questions]}::text[])`
  yield* run("create unique index on bench_questions (n)")
  yield* run(`
    create unlogged table bench_organizations as
    select n, case n when 1 then (select id from organizations where is_operator) else uuidv7() end as id
    from generate_series(1, ${size.organizations}) n`)
  yield* run(`
    create unlogged table bench_chatbots as
    select c.n, uuidv7() as id, o.id as organization_id,
      case when c.n = 1 then ${size.large} when c.n = 2 then ${size.huge}
        when c.n % 5 < 2 then ${PASSAGES_PER_DOCUMENT} else 0 end as passages
    from generate_series(1, ${size.chatbots}) as c (n) join bench_organizations o
      on o.n = case when c.n <= ${CHATBOTS_OF_FIRST} then 1 else 2 + c.n % (${size.organizations} - 1) end`)
  // The small chatbots share what is left, in documents of the same size.
  yield* run(`
    update bench_chatbots set passages = passages * greatest(1, round(
      (${size.passages} - ${size.large} - ${size.huge})::numeric
        / greatest(1, (select sum(passages) from bench_chatbots where n > 2)))) where n > 2`)
  yield* run("create unique index on bench_chatbots (n)")
  yield* run(`
    create unlogged table bench_documents as
    select (row_number() over (order by c.n, d))::int as n, uuidv7() as id, c.id as chatbot_id, c.organization_id,
      least(${PASSAGES_PER_DOCUMENT}, c.passages - d * ${PASSAGES_PER_DOCUMENT}) as passages,
      -- Documents stay whole.
      ((hashint4(c.n) & 65535) + d) * ${PASSAGES_PER_DOCUMENT} as first
    from bench_chatbots c cross join generate_series(0, (c.passages - 1) / ${PASSAGES_PER_DOCUMENT}) d
    where c.passages > 0`)
  yield* run("create unique index on bench_documents (n)")
  yield* run("analyze bench_passages, bench_chatbots, bench_documents")
  yield* run("truncate chunks")
  yield* run(`delete from chatbots where id = '${source}'`)
})

const defaults = chatbotDefaults("Chatbot", "local/extractive")
const jsonText = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'::jsonb`

const tenants = `
  insert into organizations (id, name, created_at)
  select id, 'Organization ' || n, now() - n * interval '1 hour' from bench_organizations where n > 1;
  insert into chatbots (id, organization_id, name, description, slug, is_public, personality_config, settings,
    chat_widget_config, created_at, knowledge_version)
  select id, organization_id, 'Chatbot ' || n, 'Answers questions', 'chatbot-' || n, n % 2 = 0,
    ${jsonText(defaults.personality_config)}, ${jsonText(defaults.settings)},
    ${jsonText(emptyChatWidget)}, now() - n * interval '1 minute', 1
  from bench_chatbots;
  insert into api_keys (id, organization_id, name, hash, prefix, last_four, scopes, created_at)
  select uuidv7(), id, 'Key ' || k, sha256((n || '/' || k)::bytea), 'prl_' || n, 'abcd', '{chat}', now() - k * interval '1 day'
  from bench_organizations cross join generate_series(1, 10) k;
  insert into documents (id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key, status, progress,
    chunk_count, revision, last_revision, embedding_model, created_at)
  select id, organization_id, chatbot_id, 'Document ' || n, 'text/markdown', 30000, md5(n::text) || md5('x' || n),
    'documents/' || id, 'ready', 1, passages, 1, 1, (select embedding_model from bench_passages limit 1),
    now() - n * interval '1 second'
  from bench_documents;
  insert into usage_days
  select c.organization_id, current_date - d, k.id, c.id, 'claude-sonnet-5-5', 'anthropic', 20, 40000, 4000, 0, 0
  from (select *, row_number() over () as r from bench_chatbots where n % 10 = 0 or n <= 50) c
  join lateral (select id from api_keys a where a.organization_id = c.organization_id limit 1) k on true
  cross join generate_series(0, 89) d;
  insert into audit_log (id, created_at, organization_id, action, actor, target_id)
  select uuidv7(), now() - e.n * interval '1 minute', o.id, 'chatbot.updated', 'api_key', gen_random_uuid()
  from generate_series(1, 500000) as e (n) join bench_organizations o on o.n = 1 + e.n % (select count(*) from bench_organizations);
  insert into holdings (organization_id, chatbots, documents, chunks)
  select o.id, count(c.n), 0, coalesce(sum(c.passages), 0) from bench_organizations o
  left join bench_chatbots c on c.organization_id = o.id group by o.id on conflict do nothing`

const passagesOf = (from: number) => `
  insert into chunks (id, organization_id, chatbot_id, document_id, revision, ordinal, title, headings, content, page, language,
    lexemes, embedding, embedding_model, sketch)
  select uuidv7(), d.organization_id, d.chatbot_id, d.id, 1, o + 1, p.title, p.headings, p.content, p.page, p.language,
    p.lexemes, p.embedding, p.embedding_model, p.sketch
  from bench_documents d cross join generate_series(0, d.passages - 1) o
  join bench_passages p on p.n = (d.first + o) % (select count(*) from bench_passages)
  where d.n between ${from} and ${from + DOCUMENTS_PER_STATEMENT - 1}
  order by d.n, o`

const conversationsOf = (from: number, chatbots: number) => `
  with made as (
    select s, uuidv7() as id, c.id as chatbot_id, c.organization_id, now() - s * interval '20 seconds' as at
    from generate_series(${from}, ${from + SESSIONS_PER_STATEMENT - 1}) s join bench_chatbots c
      on c.n = case when s % ${SESSIONS_OF_LARGE} = 0 then 1 else 2 + (hashint4(s) & 2147483647) % (${chatbots} - 1) end
  ), stored as (
    insert into sessions (id, organization_id, chatbot_id, session_token, platform, message_count, created_at, updated_at,
      unanswered_replies, rated_up)
    select id, organization_id, chatbot_id, gen_random_uuid()::text, 'web', ${MESSAGES_PER_SESSION}, at, at,
      (s % 50 = 0)::int, (s % 40 = 0)::int from made
  )
  insert into messages (id, organization_id, session_id, sender_type, content, model, provider, tokens_used, usage,
    finish_reason, tool_calls, tool_results, created_at)
  select uuidv7(), organization_id, m.id, case m when 0 then 'user' else 'bot' end, case m when 0 then q.question
      else left(p.content, 600) end,
    case m when 1 then 'claude-sonnet-5-5' end, case m when 1 then 'anthropic' end, 1800 * m,
    case m when 1 then '{"input": 1700, "output": 100, "cacheRead": 0, "cacheWrite": 0}'::jsonb end,
    case m when 1 then 'stop' end, case m when 1 then '[]'::jsonb end,
    case when m = 1 and (s + turn) % ${REPLIES_WITH_RESULTS} = 0
      then jsonb_build_array(jsonb_build_object('toolName', 'search', 'result', p.content || p2.content || p3.content))
      when m = 1 then '[]'::jsonb end,
    at + turn * interval '10 seconds' + m * interval '3 seconds'
  from made m cross join generate_series(0, ${MESSAGES_PER_SESSION / 2 - 1}) turn cross join generate_series(0, 1) as g (m)
  join bench_questions q on q.n = 1 + (s + turn) % (select count(*) from bench_questions)
  join bench_passages p on p.n = (s + turn) % (select count(*) from bench_passages)
  join bench_passages p2 on p2.n = (s + turn + 1) % (select count(*) from bench_passages)
  join bench_passages p3 on p3.n = (s + turn + 2) % (select count(*) from bench_passages)`

/** Fills the database, which has the tables of a server and its first organization, and nothing else. */
export const fill = Effect.fn("growth.fill")(function* (size: Size) {
  const sql = yield* SystemSql
  const [first] = yield* sql<{ id: string }>`select id from organizations where is_operator`
  const source = yield* storeNatural(size.large).pipe(
    Effect.provideService(CurrentOrganization, OrganizationId.make(first?.id ?? "")),
  )
  yield* makePlan(size, source.chatbot, source.questions)
  /** Runs statements without triggers and references, which would count and look up each row. */
  const bulk = (statements: string) =>
    sql.withTransaction(
      Effect.andThen(
        sql.unsafe("set local session_replication_role = replica").unprepared,
        Effect.forEach(statements.split(";\n"), (one) => sql.unsafe(one).unprepared, { discard: true }),
      ),
    )
  yield* bulk(tenants)
  const [documents] = yield* sql<{ n: number }>`select count(*)::int as n from bench_documents`
  for (let from = 1; from <= (documents?.n ?? 0); from += DOCUMENTS_PER_STATEMENT) {
    yield* bulk(passagesOf(from))
    yield* Console.log(`${(from + DOCUMENTS_PER_STATEMENT - 1) * PASSAGES_PER_DOCUMENT} passages`)
  }
  for (let from = 1; from <= size.messages / MESSAGES_PER_SESSION; from += SESSIONS_PER_STATEMENT) {
    yield* bulk(conversationsOf(from, size.chatbots))
    yield* Console.log(`${(from + SESSIONS_PER_STATEMENT - 1) * MESSAGES_PER_SESSION} messages`)
  }
  yield* sql.unsafe("vacuum (analyze)").unprepared
}, withoutTimeLimit)
