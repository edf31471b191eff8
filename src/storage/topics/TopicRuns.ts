import { Duration, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ChatbotId, MessageId, OrganizationId } from "../../domain/Ids.ts"
import { TopicId } from "../../domain/topics/Topic.ts"
import { TopicCentre } from "../../domain/topics/TopicCentre.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { committing, lengthy, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval, json, uuids } from "../sql/SqlValues.ts"

/** Time for which a run belongs to its server after its last batch; then another server may begin one. */
const LEASE = Duration.minutes(2)
/** The most chatbots whose runs begin together. */
const CHATBOTS_AT_ONCE = 100
/** The most characters of a question that are read. */
const QUESTION_LENGTH = 2_000

/** The run of a chatbot, in which one server groups its questions. */
const TopicRun = Schema.Struct({ chatbot_id: ChatbotId, organization_id: OrganizationId, run_id: Schema.String })
export type TopicRun = typeof TopicRun.Type

const StoredTopic = Schema.Struct({ id: TopicId, centre: TopicCentre })

/** A topic that is to be stored. */
export interface ChangedTopic {
  readonly id: TopicId
  /** A topic that a person has named keeps its name. */
  readonly name: string
  readonly centre: TopicCentre
}

/** What a batch of questions has changed. */
export interface TopicChanges {
  readonly topics: ReadonlyArray<ChangedTopic>
  /** The topic of each reply's question. */
  readonly assigned: ReadonlyMap<MessageId, TopicId>
}

const decodeRuns = decodeRows(TopicRun)
const decodeTopics = decodeRows(StoredTopic)
const decodeIds = decodeRows(Schema.Struct({ id: TopicId }))
const decodeQuestions = decodeRows(Schema.Struct({ message_id: MessageId, question: Schema.String }))

/** The tables `topics` and `reply_grounds` as the background job changes them, which groups questions by topic. */
export class TopicRuns extends Service<TopicRuns>()("parley/storage/topics/TopicRuns", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql

  return {
    /** Begins a run for chatbots with questions that are not grouped yet, where no other server is at work. */
    begin: Effect.fnUntraced(function* (run: string) {
      return yield* decodeRuns(system`
        with recursive waiting as (
          (select chatbot_id from reply_grounds where topic_id is null and question is not null
            order by chatbot_id limit 1)
          union all
          select (
            select chatbot_id from reply_grounds
            where topic_id is null and question is not null and chatbot_id > waiting.chatbot_id
            order by chatbot_id limit 1
          ) from waiting where waiting.chatbot_id is not null
        )
        insert into topic_runs (chatbot_id, organization_id, run_id, expires_at)
        select c.id, c.organization_id, ${run}::uuid, now() + ${interval(LEASE)}
        from waiting join chatbots c on c.id = waiting.chatbot_id
          left join topic_runs r on r.chatbot_id = c.id
        where r.chatbot_id is null or r.expires_at < now()
        limit ${CHATBOTS_AT_ONCE}
        on conflict (chatbot_id) do update set run_id = excluded.run_id, expires_at = excluded.expires_at
          where topic_runs.expires_at < now()
        returning chatbot_id, organization_id, run_id`)
    }, lengthy),

    end: Effect.fnUntraced(function* ({ chatbot_id, run_id }: TopicRun) {
      yield* system`delete from topic_runs where chatbot_id = ${chatbot_id} and run_id = ${run_id}::uuid`
    }, withoutSqlErrors),

    /** Returns the ids of a chatbot's topics, the latest changes first. */
    ids: Effect.fnUntraced(function* (chatbot: ChatbotId, limit: number) {
      const rows = yield* decodeIds(sql`
        select id from topics where chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization}
        order by updated_at desc, id limit ${limit}`)
      return rows.map(({ id }) => id)
    }, lengthy),

    get: Effect.fnUntraced(function* (ids: ReadonlyArray<TopicId>) {
      return yield* decodeTopics(sql`
        select id, centre from topics
        where id = any(${uuids(ids)}) and organization_id = ${yield* CurrentOrganization} order by updated_at, id`)
    }, withoutSqlErrors),

    /** Returns questions of a chatbot that are not grouped yet, oldest first. */
    questions: Effect.fnUntraced(function* (chatbot: ChatbotId, limit: number) {
      return yield* decodeQuestions(sql`
        select message_id, left(question, ${QUESTION_LENGTH}::int) as question from reply_grounds
        where chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization}
          and topic_id is null and question is not null
        order by created_at, message_id limit ${limit}`)
    }, withoutSqlErrors),

    /**
     * Stores what a batch has changed, all or nothing, and keeps the run for a while. Returns false, and stores nothing,
     * where the run belongs to another server by now.
     */
    store: Effect.fnUntraced(function* ({ chatbot_id, run_id }: TopicRun, changes: TopicChanges) {
      const organization = yield* CurrentOrganization
      const kept = yield* sql`
        update topic_runs set expires_at = now() + ${interval(LEASE)}
        where chatbot_id = ${chatbot_id} and organization_id = ${organization} and run_id = ${run_id}::uuid
        returning chatbot_id`
      if (kept.length === 0) return false
      const { assigned, topics } = changes
      yield* sql`
        insert into topics (id, organization_id, chatbot_id, name, centre)
        select id::uuid, ${organization}::uuid, ${chatbot_id}::uuid, name, centre
        from jsonb_to_recordset(${json(topics)}::jsonb) as made (id text, name text, centre jsonb)
        on conflict (id) do update set centre = excluded.centre, updated_at = now(),
          name = case when topics.is_named then topics.name else excluded.name end`
      yield* sql`
        update reply_grounds g set topic_id = made.topic_id
        from unnest(${uuids([...assigned.keys()])}, ${uuids([...assigned.values()])}) as made (message_id, topic_id)
        where g.message_id = made.message_id and g.organization_id = ${organization} and g.topic_id is null`
      // Questions may have been deleted since they were read.
      yield* sql`
        delete from topics t
        where id = any(${uuids(topics.map(({ id }) => id))}) and organization_id = ${organization}
          and not exists (select from reply_grounds g where g.topic_id = t.id and g.organization_id = ${organization})`
      return true
    }, committing(sql)),
  }
}) {}
