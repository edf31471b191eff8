import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { changeOf } from "../../domain/audit/AuditChange.ts"
import { NotFound } from "../../domain/Errors.ts"
import { type ChatbotId, SessionId } from "../../domain/Ids.ts"
import { offset, type Page } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import {
  Topic,
  TopicId,
  type TopicPatch,
  TopicQuestion,
  type TopicState,
  TopicWeek,
} from "../../domain/topics/Topic.ts"
import { Service } from "../../domain/Service.ts"
import { Auditing } from "../audit/Auditing.ts"
import { counted, decodeRows, rowOr, TimestampColumn } from "../Rows.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { uuids } from "../sql/SqlValues.ts"

export interface TopicFilter {
  /** The first day, such as `2026-11-20`, and the last one, UTC. */
  readonly from: string
  readonly to: string
  readonly onlyGaps: boolean
  readonly state: TopicState | undefined
}

/** A topic without what its questions show. */
const CountedTopic = Schema.Struct({
  ...Struct.omit(Topic.fields, ["examples", "tests", "weeks"]),
  first_at: Schema.NullOr(TimestampColumn),
  last_at: Schema.NullOr(TimestampColumn),
  created_at: TimestampColumn,
})
export type CountedTopic = typeof CountedTopic.Type

/** A question that users ask of a topic whose questions are mostly answered. */
const AskedQuestion = Schema.Struct({
  topic: TopicId,
  /** The number of the topic's questions. */
  count: Schema.Int,
  session: SessionId,
  question: Schema.String,
})
export type AskedQuestion = typeof AskedQuestion.Type

const totals = { total: Schema.Int }
const decodeCounted = decodeRows(
  Schema.Union([Schema.Struct({ ...totals, ...CountedTopic.fields }), Schema.Struct({ ...totals, id: Schema.Null })]),
)
const decodeTopics = decodeRows(CountedTopic)
const decodeWeeks = decodeRows(Schema.Struct({ id: TopicId, ...TopicWeek.fields }))
const decodeExamples = decodeRows(Schema.Struct({ id: TopicId, question: Schema.String }))
const decodeTests = decodeRows(Schema.Struct({ id: TopicId, ...Topic.fields.tests.fields }))
const decodeAsked = decodeRows(AskedQuestion)
const decodeTexts = decodeRows(Schema.Struct({ text: Schema.String }))
const decodeQuestions = decodeRows(
  Schema.Union([
    Schema.Struct({ ...totals, ...TopicQuestion.fields, created_at: TimestampColumn }),
    Schema.Struct({ ...totals, message_id: Schema.Null }),
  ]),
)

const first = rowOr(new NotFound({ detail: "There is no such topic." }))

/** Questions of a topic of which the typical ones are chosen: the latest. */
const EXAMPLES_READ = 12
/** Questions of a topic among which one is looked for that may be suggested. */
const ASKED_READ = 30
/** The least questions of a topic that is listed. */
const QUESTIONS_MIN = 2
/** Topics whose questions may be suggested, and documents whose headings may. */
const SUGGESTED_TOPICS = 40
const SUGGESTING_DOCUMENTS = 40
const PASSAGES_OF_DOCUMENT = 3
const PASSAGE_LENGTH = 2_000
/** Days after its first question in which a topic is new. */
const NEW_DAYS = 7

/** The tables `topics` and `reply_grounds` as people read them, always within the current organization. */
export class Topics extends Service<Topics>()("parley/storage/topics/Topics", function* () {
  const sql = yield* SqlClient.SqlClient
  const auditing = yield* Auditing

  /** What is counted of the questions `g` of a topic. */
  const numbers =
    sql.literal(`count(*)::int as questions, count(*) filter (where gap = 'unanswered')::int as unanswered,
    count(*) filter (where is_rated_up)::int as rated_up, count(*) filter (where gap = 'rated_down')::int as rated_down,
    count(*) filter (where gap = 'weak')::int as weak, count(gap)::int as gaps,
    min(g.created_at) as first_at, max(g.created_at) as last_at`)
  const within = ({ from, to }: Pick<TopicFilter, "from" | "to">) =>
    sql`g.created_at >= ${from}::text::date::timestamp at time zone 'utc'
      and g.created_at < (${to}::text::date + 1)::timestamp at time zone 'utc'`

  const read = (chatbot: ChatbotId, id: TopicId, lock = sql``) =>
    Effect.gen(function* () {
      const organization = yield* CurrentOrganization
      return yield* first(
        decodeTopics(sql`
          select t.id, chatbot_id, name, state, created_at, counted.* from (
            select id, chatbot_id, name, state, created_at from topics
            where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${organization} ${lock}
          ) t cross join lateral (
            select ${numbers} from reply_grounds g where topic_id = t.id and organization_id = ${organization}
          ) counted`),
      )
    })

  return {
    /** Returns a page of topics with questions in some days, and their total number. */
    list: Effect.fnUntraced(function* (chatbot: ChatbotId, filter: TopicFilter, page: Page) {
      const organization = yield* CurrentOrganization
      const isNew = sql`least(first_at, created_at) > now() - make_interval(days => ${NEW_DAYS}::int)`
      const order = filter.onlyGaps ? sql`${isNew} desc, gaps desc, ` : sql``
      const rows = yield* decodeCounted(sql`
        with counted as (
          select topic_id, ${numbers} from reply_grounds g
          where organization_id = ${organization} and chatbot_id = ${chatbot} and topic_id is not null and ${within(filter)}
          group by topic_id
        ), listed as materialized (
          select t.id, t.chatbot_id, t.name, t.state, t.created_at, c.*
          from counted c join topics t on t.id = c.topic_id and t.organization_id = ${organization}
          where ${filter.onlyGaps ? sql`c.gaps > 0` : sql`c.questions >= ${QUESTIONS_MIN}::int`}
            ${filter.state === undefined ? sql`` : sql`and t.state = ${filter.state}`}
        ), page as (
          select * from listed order by ${order} questions desc, last_at desc, id
          limit ${page.limit} offset ${offset(page)}
        )
        select number.total, page.* from (select count(*)::int as total from listed) number left join page on true
        order by ${order} questions desc, last_at desc, id`)
      return {
        total: rows[0]?.total ?? 0,
        topics: rows.flatMap((row) => (row.id === null ? [] : [Struct.omit(row, ["total"])])),
      }
    }, withoutSqlErrors),

    /** Counts the questions of a chatbot that are not grouped yet. */
    ungrouped: Effect.fnUntraced(function* (chatbot: ChatbotId) {
      return yield* counted(sql`
        select count(*)::int as count from reply_grounds where chatbot_id = ${chatbot}
          and organization_id = ${yield* CurrentOrganization} and topic_id is null and question is not null`)
    }, withoutSqlErrors),

    /** Returns the numbers of these topics by week, the earliest first; of some days, or of all. */
    weeks: Effect.fnUntraced(function* (ids: ReadonlyArray<TopicId>, days?: Pick<TopicFilter, "from" | "to">) {
      const rows = yield* decodeWeeks(sql`
        select topic_id as id, to_char(date_trunc('week', g.created_at at time zone 'utc'), 'YYYY-MM-DD') as week,
          count(*)::int as questions, count(gap)::int as gaps
        from reply_grounds g where topic_id = any(${uuids(ids)}) and organization_id = ${yield* CurrentOrganization}
          ${days === undefined ? sql`` : sql`and ${within(days)}`}
        group by 1, 2 order by 2`)
      return Map.groupBy(rows, ({ id }) => id)
    }, withoutSqlErrors),

    /** Returns the latest questions of each of these topics. With `onlyGaps`, only those that show a gap. */
    examples: Effect.fnUntraced(function* (ids: ReadonlyArray<TopicId>, onlyGaps: boolean) {
      const rows = yield* decodeExamples(sql`
        select asked.id, q.question from unnest(${uuids(ids)}) as asked (id) cross join lateral (
          select left(question, 500) as question from reply_grounds
          where topic_id = asked.id and organization_id = ${yield* CurrentOrganization} and question is not null
            ${onlyGaps ? sql`and gap is not null` : sql``}
          order by created_at desc limit ${EXAMPLES_READ}
        ) q`)
      return Map.groupBy(rows, ({ id }) => id)
    }, withoutSqlErrors),

    /** Counts the tests of a chatbot that are kept from replies to questions of these topics. */
    tests: Effect.fnUntraced(function* (chatbot: ChatbotId, ids: ReadonlyArray<TopicId>) {
      const organization = yield* CurrentOrganization
      const rows = yield* decodeTests(sql`
        select g.topic_id as id, count(*)::int as total, count(*) filter (where last.outcome = 'passed')::int as passed
        from tests t
        join reply_grounds g on g.message_id = t.message_id and g.organization_id = ${organization}
          and g.topic_id = any(${uuids(ids)})
        left join lateral (
          select outcome from test_results where test_id = t.id order by created_at desc limit 1
        ) last on true
        where t.chatbot_id = ${chatbot} and t.organization_id = ${organization} group by 1`)
      return new Map(rows.map(({ id, ...tests }) => [id, tests]))
    }, withoutSqlErrors),

    /** Returns a page of the questions of a topic, newest first, with what was found nearest. */
    questions: Effect.fnUntraced(function* (chatbot: ChatbotId, id: TopicId, onlyGaps: boolean, page: Page) {
      const organization = yield* CurrentOrganization
      const gap = onlyGaps ? sql`and gap is not null` : sql``
      const rows = yield* decodeQuestions(sql`
        select number.total, q.message_id, m.session_id, q.question, q.gap, q.similarity, q.nearest, q.created_at
        from (
          select id from topics where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${organization}
        ) t cross join lateral (
          select count(*)::int as total from reply_grounds
          where topic_id = t.id and organization_id = ${organization} and question is not null ${gap}
        ) number left join lateral (
          select message_id, question, gap, similarity::float8, created_at, (
            select jsonb_build_object('document_id', p->'document_id', 'title', p->'title', 'chunk', p->'chunk')
            from jsonb_path_query(searches, '$[*].passages[*]') p
            order by (p->>'similarity')::float8 desc limit 1
          ) as nearest
          from reply_grounds
          where topic_id = t.id and organization_id = ${organization} and question is not null ${gap}
          order by created_at desc, message_id desc limit ${page.limit} offset ${offset(page)}
        ) q on true left join messages m on m.id = q.message_id and m.organization_id = ${organization}
        order by q.created_at desc, q.message_id desc`)
      const { total } = yield* first(Effect.succeed(rows))
      return {
        total,
        data: rows.flatMap((row) => (row.message_id === null ? [] : [Struct.omit(row, ["total"])])),
      }
    }, withoutSqlErrors),

    /** Changes the name or the state of a topic. */
    update: Effect.fnUntraced(function* (chatbot: ChatbotId, id: TopicId, { name, state }: TopicPatch) {
      const organization = yield* CurrentOrganization
      const before = yield* read(chatbot, id, sql`for update`)
      const after = { name: name ?? before.name, state: state ?? before.state }
      // The name consists of words of users, which the audit log does not hold.
      const changed = changeOf({ topic: before.name, state: before.state }, { topic: after.name, state: after.state })
      if (changed !== undefined) {
        yield* sql`
          update topics set name = ${after.name}, state = ${after.state}, is_named = is_named or ${name !== undefined},
            state_at = case when state = ${after.state} then state_at else clock_timestamp() end,
            version = version + 1, updated_at = clock_timestamp()
          where id = ${id} and organization_id = ${organization}`
        yield* auditing.record(sql, { organization, action: "topic.updated", target: id, chatbot, ...changed })
      }
      return { ...before, ...after }
    }, committing(sql)),

    /** Returns the latest answered questions of the topics that are asked most, since a day. */
    asked: Effect.fnUntraced(function* (chatbot: ChatbotId, from: string) {
      const organization = yield* CurrentOrganization
      return yield* decodeAsked(sql`
        with counted as (
          select topic_id, count(*)::int as count from reply_grounds g
          where organization_id = ${organization} and chatbot_id = ${chatbot} and topic_id is not null
            and created_at >= ${from}::text::date::timestamp at time zone 'utc'
          group by topic_id having count(*) >= ${QUESTIONS_MIN}::int and count(gap) * 2 <= count(*)
          order by count(*) desc, topic_id limit ${SUGGESTED_TOPICS}
        )
        select t.id as topic, c.count, m.session_id as session, q.question
        from counted c join topics t on t.id = c.topic_id and t.organization_id = ${organization} and t.state <> 'ignored'
        cross join lateral (
          select message_id, left(question, 500) as question from reply_grounds
          where topic_id = t.id and organization_id = ${organization} and question is not null and gap is null
          order by created_at desc limit ${ASKED_READ}
        ) q join messages m on m.id = q.message_id and m.organization_id = ${organization}
        order by c.count desc, t.id`)
    }, withoutSqlErrors),

    /** Returns the questions that people have answered, and the first passages of documents, of the latest ones first. */
    written: Effect.fnUntraced(function* (chatbot: ChatbotId) {
      const organization = yield* CurrentOrganization
      const questions = yield* decodeTexts(sql`
        select q.question as text from sources s cross join lateral (
          select question, created_at, id from questions
          where source_id = s.id and organization_id = ${organization}
          order by created_at desc, id limit ${SUGGESTED_TOPICS}
        ) q where s.chatbot_id = ${chatbot} and s.organization_id = ${organization} and s.kind = 'questions'
        order by q.created_at desc, q.id limit ${SUGGESTED_TOPICS}`)
      const passages = yield* decodeTexts(sql`
        select left(c.content, ${PASSAGE_LENGTH}::int) as text
        from (
          select id, revision from documents
          where chatbot_id = ${chatbot} and organization_id = ${organization} and status = 'ready' and not is_approved
          order by created_at desc limit ${SUGGESTING_DOCUMENTS}
        ) d cross join lateral (
          select content, ordinal from chunks
          where document_id = d.id and revision = d.revision and organization_id = ${organization}
          order by ordinal limit ${PASSAGES_OF_DOCUMENT}
        ) c order by c.ordinal, d.id`)
      return { questions: questions.map(({ text }) => text), passages: passages.map(({ text }) => text) }
    }, withoutSqlErrors),
  }
}) {}
