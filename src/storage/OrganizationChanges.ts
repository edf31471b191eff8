import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type ApiKeyId, ChatbotId, DocumentId, SessionId } from "../domain/Ids.ts"
import { Presence } from "../domain/inbox/Handover.ts"
import { SourceId } from "../domain/knowledge/Source.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { Service } from "../domain/Service.ts"
import { Documents } from "./documents/Documents.ts"
import { presenceIn } from "./inbox/Presences.ts"
import { decodeRows, onlyRow } from "./Rows.ts"
import { withoutSqlErrors } from "./sql/SqlErrors.ts"
import { uuids } from "./sql/SqlValues.ts"

/** The versions of a chatbot, which move with its configuration and with what searches in it find. */
export const ChatbotState = Schema.Struct({
  id: ChatbotId,
  version: Schema.String,
  knowledge: Schema.String,
})
export type ChatbotState = typeof ChatbotState.Type

/** A document that is not ready: one that is being read, or has failed. */
export const DocumentState = Schema.Struct({
  id: DocumentId,
  chatbot: ChatbotId,
  /** Changes with every change of the document's row. */
  stamp: Schema.String,
})
export type DocumentState = typeof DocumentState.Type

/** A source with a run that waits or is under way. */
export const SourceState = Schema.Struct({
  id: SourceId,
  chatbot: ChatbotId,
  /** Changes with the progress of the run. */
  stamp: Schema.String,
})
export type SourceState = typeof SourceState.Type

/** A conversation with recent activity. */
export const ConversationState = Schema.Struct({
  id: SessionId,
  chatbot: ChatbotId,
  message_count: Schema.Finite,
  updated_at: Schema.String,
})
export type ConversationState = typeof ConversationState.Type

/** A conversation in which somebody is. */
export const PresenceState = Schema.Struct({ id: SessionId, chatbot: ChatbotId, presence: Schema.Array(Presence) })
export type PresenceState = typeof PresenceState.Type

/** State of all that can change in an organization, at one moment. */
export const OrganizationState = Schema.Struct({
  /** By the database's clock. */
  now: Schema.String,
  chatbots: Schema.Array(ChatbotState),
  /** Those that are not ready, and at most `DOCUMENTS_MAX`. */
  documents: Schema.Array(DocumentState),
  /** Those with a run that waits or is under way, and at most `SOURCES_MAX`: those whose turn is first. */
  sources: Schema.Array(SourceState),
  /** Those with activity since the given time, and at most `CONVERSATIONS_MAX`: the latest. */
  conversations: Schema.Array(ConversationState),
  /** Those in which somebody is, and at most `PRESENCES_MAX`. */
  presences: Schema.Array(PresenceState),
  /** Those of the given API keys that are valid, and of the sessions, each with the version of its person. */
  credentials: Schema.Array(Schema.String),
})
export type OrganizationState = typeof OrganizationState.Type

/** The most documents whose progress is followed in one organization. */
const DOCUMENTS_MAX = 1_000
/** The most sources whose runs are followed. */
const SOURCES_MAX = 30
/** The most conversations in which it is followed who is there. */
const PRESENCES_MAX = 200
/** The most conversations that are read at once. */
export const CONVERSATIONS_MAX = 200
/**
 * Longest time for which a change may be invisible after its time, because its transaction is open: what is older than
 * that when it is first seen is missed.
 */
const OPEN_FOR = "5 seconds"

const decodeStates = decodeRows(OrganizationState)

/**
 * Finds changes in the current organization by comparing its state with that of a moment ago: nothing that changes
 * anything has to tell. Each table is read by an index, and only where something may have changed.
 */
export class OrganizationChanges extends Service<OrganizationChanges>()(
  "parley/storage/OrganizationChanges",
  function* () {
    const sql = yield* SqlClient.SqlClient
    const documents = yield* Documents

    return {
      /**
       * Reads the state in one statement.
       *
       * @param since conversations without activity since then are left out; undefined leaves all of them out
       * @param keys the API keys whose validity is asked for
       * @param persons the sessions of people whose validity is asked for
       */
      look: Effect.fnUntraced(function* (
        since: string | undefined,
        keys: ReadonlyArray<ApiKeyId>,
        persons: ReadonlyArray<string> = [],
      ) {
        const organization = yield* CurrentOrganization
        const conversations = sql`
          select id, chatbot_id as chatbot, message_count, updated_at from sessions
          where organization_id = ${organization}
            and updated_at > ${since ?? null}::text::timestamptz - ${OPEN_FOR}::interval
          order by updated_at desc, id desc limit ${CONVERSATIONS_MAX}`
        const rows = yield* decodeStates(sql`
          select clock_timestamp()::text as now,
            coalesce((
              select jsonb_agg(jsonb_build_object('id', id, 'version', version::text, 'knowledge', knowledge_version::text))
              from chatbots where organization_id = ${organization}
            ), '[]') as chatbots,
            coalesce((
              select jsonb_agg(jsonb_build_object('id', id, 'chatbot', chatbot_id, 'stamp', concat_ws(' ', updated_at, progress)))
              from (
                select id, chatbot_id, updated_at, progress from documents
                where organization_id = ${organization} and status <> 'ready' limit ${DOCUMENTS_MAX}
              ) d
            ), '[]') as documents,
            coalesce((
              select jsonb_agg(jsonb_build_object('id', s.id, 'chatbot', s.chatbot_id,
                'stamp', concat_ws(' ', r.id, r.status, r.is_stopping, r.requests)))
              from (
                select source_id, run_id from source_queue
                where organization_id = ${organization} and run_id is not null order by turn limit ${SOURCES_MAX}
              ) q join source_runs r on r.id = q.run_id join sources s on s.id = q.source_id
            ), '[]') as sources,
            ${
              since === undefined
                ? sql`'[]'::jsonb`
                : sql`coalesce((select jsonb_agg(to_jsonb(s) order by s.updated_at) from (${conversations}) s), '[]')`
            } as conversations,
            coalesce((
              select jsonb_agg(jsonb_build_object('id', s.id, 'chatbot', s.chatbot_id, 'presence', ${sql.literal(presenceIn)}))
              from (
                select distinct session_id from conversation_presence
                where organization_id = ${organization} and until > clock_timestamp() limit ${PRESENCES_MAX}
              ) p join sessions s on s.id = p.session_id and s.organization_id = ${organization}
            ), '[]') as presences,
            coalesce((
              select jsonb_agg(credential) from (
                select id::text as credential from api_keys
                where id = any(${uuids(keys)}) and organization_id = ${organization}
                  and revoked_at is null and (expires_at is null or expires_at > now())
                union all
                select s.id || ' ' || p.version from person_sessions s
                join people p on p.id = s.person_id and p.organization_id = s.organization_id
                where s.id = any(${uuids(persons)}) and s.organization_id = ${organization}
                  and s.expires_at > now() and p.state = 'active'
              ) valid
            ), '[]') as credentials`)
        return yield* onlyRow(rows)
      }, withoutSqlErrors),

      /** Returns documents by their ids, without those that do not exist. */
      documents: documents.getMany,
    }
  },
) {}
