import { Effect, Function, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Reach } from "../../domain/Caller.ts"
import { Chatbot, chatbotNotFound, extractiveModel, PersonalityConfig, Settings } from "../../domain/chatbot/Chatbot.ts"
import { ChatWidgetConfig, Suggestions } from "../../domain/chatbot/ChatWidget.ts"
import { SlugTaken } from "../../domain/Errors.ts"
import { isUuid, ChatbotId, OrganizationId } from "../../domain/Ids.ts"
import type { Range } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { VoiceWidgetConfig } from "../../domain/chatbot/VoiceWidget.ts"
import { changeOf, concealed } from "../../domain/audit/AuditChange.ts"
import { Service } from "../../domain/Service.ts"
import { Auditing } from "../audit/Auditing.ts"
import { deleteDocuments, deletePages, deleteSessions } from "../LargeDeletions.ts"
import { Quotas } from "../organizations/Quotas.ts"
import { emptyDrafts } from "../conversations/UnfinishedReplies.ts"
import { queueTestsOf } from "../evaluation/TestTriggers.ts"
import { afterPlace, placeColumn, PlacedRow, readLimit, toListed } from "../sql/Listing.ts"
import { decodeRows, rowOr, decodeRowOr } from "../Rows.ts"
import { committing, lengthy, onUniqueViolation, transaction, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json, texts, uuids, within } from "../sql/SqlValues.ts"

export const ChatbotRow = Schema.Struct({
  id: ChatbotId,
  organization_id: OrganizationId,
  name: Schema.String,
  description: Schema.String,
  slug: Schema.String,
  active: Schema.Boolean,
  is_public: Schema.Boolean,
  personality_config: Schema.toType(PersonalityConfig),
  settings: Schema.toType(Settings),
  chat_widget_config: Schema.toType(ChatWidgetConfig),
  voice_widget_config: Schema.NullOr(Schema.toType(VoiceWidgetConfig)),
  avatar_blob: Schema.NullOr(Schema.String),
  /** Those of `chat_widget_config`. */
  suggestions: Schema.NullOr(Schema.toType(Suggestions)),
  version: Schema.BigInt,
  /** The number of the chatbot's rows in `chatbot_tools`. */
  tool_count: Schema.Finite,
  /** Whether there are questions with approved answers. */
  has_questions: Schema.Boolean,
  created_at: Schema.Date,
  updated_at: Schema.Date,
})
export type ChatbotRow = typeof ChatbotRow.Type

/** A chatbot as the API shows it. */
const ShownChatbot = Schema.Struct({
  ...Struct.omit(ChatbotRow.fields, ["chat_widget_config", "has_questions", "tool_count"]),
  /** People who have a role for it, or for the organization. Chats do not read them, since there may be many. */
  managers: Chatbot.fields.managers,
})
export type ShownChatbot = typeof ShownChatbot.Type

const WholeChatbot = Schema.Struct({ ...ChatbotRow.fields, managers: ShownChatbot.fields.managers })
export type WholeChatbot = typeof WholeChatbot.Type

/** Leaves out what the API does not show. */
export const shownOf = ({
  chat_widget_config: _,
  has_questions: __,
  tool_count: ___,
  ...row
}: WholeChatbot): ShownChatbot => row

/** The columns that a list of models shows of a chatbot, with its place in the list. */
export const NamedChatbot = Schema.Struct({
  ...PlacedRow.fields,
  ...Struct.pick(ChatbotRow.fields, ["id", "slug", "created_at"]),
})

export type NewChatbot = Pick<
  ChatbotRow,
  | "id"
  | "name"
  | "description"
  | "slug"
  | "active"
  | "is_public"
  | "personality_config"
  | "settings"
  | "chat_widget_config"
>

/** The columns that a change may set. */
export type ChatbotChange = Partial<Omit<NewChatbot, "id"> & Pick<ChatbotRow, "avatar_blob" | "voice_widget_config">>

/** The failure of a slug that another chatbot of the organization has. */
export const slugTaken = () => new SlugTaken({ detail: "Another chatbot of the organization has this slug." })

const decodeChatbot = decodeRowOr(ChatbotRow, chatbotNotFound)
const decodeWhole = decodeRowOr(WholeChatbot, chatbotNotFound)
const decodeShown = decodeRowOr(ShownChatbot, chatbotNotFound)
const decodeMany = decodeRows(ShownChatbot)
const decodeNamed = decodeRows(NamedChatbot)
const decodeSlugs = decodeRows(Schema.Struct({ slug: Schema.String }))

/** The table `chatbots`, always within the current organization. */
export class Chatbots extends Service<Chatbots>()("parley/storage/chatbots/Chatbots", function* () {
  const sql = yield* SqlClient.SqlClient
  const auditing = yield* Auditing
  const quotas = yield* Quotas

  const base = `id, organization_id, name, description, slug, active, is_public, personality_config, settings,
    voice_widget_config, avatar_blob, chat_widget_config->'suggestions' as suggestions, version, created_at, updated_at`
  const managers = `(
         select jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name, 'role', r.role) order by lower(p.name), p.id, r.role)
         from (
           select person_id, role from person_roles where chatbot_id = chatbots.id
           union
           select person_id, role from person_roles
           where organization_id = chatbots.organization_id and chatbot_id is null
         ) r join people p on p.id = r.person_id and p.organization_id = chatbots.organization_id
         where p.state = 'active'
       ) as managers`
  const own = `${base}, chat_widget_config, tool_count, exists (
    select from question_forms
    where chatbot_id = chatbots.id and question_forms.organization_id = chatbots.organization_id
  ) as has_questions`
  const columns = sql.literal(own)
  const shownColumns = sql.literal(`${base}, ${managers}`)
  const wholeColumns = sql.literal(`${own}, ${managers}`)

  const removeRow = Effect.fnUntraced(function* (id: ChatbotId, organization: OrganizationId) {
    const audited = yield* auditing.entry(
      sql,
      {
        organization,
        action: "chatbot.deleted",
        target: id,
        before: sql`select jsonb_build_object('name', name, 'slug', slug) from gone`,
      },
      // The chatbots of a deleted organization go with it.
      sql`exists (select from gone) and exists (
        select from organizations where id = ${organization} and deleted_at is null)`,
    )
    yield* rowOr(chatbotNotFound)(sql`
      with gone as (
        delete from chatbots where id = ${id} and organization_id = ${organization} returning id, name, slug
      ), audited as (${audited})
      select id from gone`)
    yield* emptyDrafts(sql, sql`chatbot_id = ${id} and organization_id = ${organization}`)
  }, transaction(sql))

  return {
    insert: Effect.fnUntraced(
      function* (chatbot: NewChatbot) {
        const organization_id = yield* CurrentOrganization
        yield* (yield* quotas.room)({ chatbots: 1 })
        const { id, name, slug } = chatbot
        const audited = yield* auditing.entry(sql, {
          organization: organization_id,
          action: "chatbot.created",
          target: id,
          after: concealed({ name, slug }),
        })
        const row = decodeWhole(sql`
          with audited as (${audited})
          insert into chatbots ${sql.insert(encode({ ...chatbot, organization_id }))} returning ${wholeColumns}`)
        return yield* Effect.catchTag(row, "NotFound", Effect.die)
      },
      committing<SlugTaken>(sql, onUniqueViolation("chatbots_slug", slugTaken)),
    ),

    get: Effect.fnUntraced(function* (id: ChatbotId) {
      return yield* decodeChatbot(sql`
        select ${columns} from chatbots where id = ${id} and organization_id = ${yield* CurrentOrganization}`)
    }, withoutSqlErrors),

    /** Returns what the API shows of a chatbot. */
    shown: Effect.fnUntraced(function* (id: ChatbotId) {
      return yield* decodeShown(sql`
        select ${shownColumns} from chatbots where id = ${id} and organization_id = ${yield* CurrentOrganization}`)
    }, withoutSqlErrors),

    /** Finds a chatbot by its id or its slug. Where a slug looks like an id, the chatbot with that id wins. */
    named: Effect.fnUntraced(function* (name: string) {
      const organization = yield* CurrentOrganization
      return yield* decodeChatbot(sql`
        select ${columns} from chatbots
        where organization_id = ${organization} and (slug = ${name} ${isUuid(name) ? sql`or id = ${name}` : sql``})
        order by slug = ${name} limit 1`)
    }, withoutSqlErrors),

    /** Lists the chatbots, newest first. */
    list: Effect.fnUntraced(function* (range: Range, reach: Reach) {
      const organization = yield* CurrentOrganization
      const rows = yield* decodeNamed(sql`
        select id, slug, created_at, ${sql.literal(placeColumn())} from chatbots
        where organization_id = ${organization} ${within(sql, reach, "id")} ${afterPlace(sql, range.after, "<")}
        order by created_at desc, id desc limit ${readLimit(range)}`)
      return { ...toListed(rows, range, Function.identity), items: rows.slice(0, range.limit) }
    }, withoutSqlErrors),

    /** Returns the chatbots with these ids, in the same order, without those that do not exist. */
    getMany: Effect.fnUntraced(function* (ids: ReadonlyArray<ChatbotId>) {
      return yield* decodeMany(sql`
        select ${shownColumns} from unnest(${uuids(ids)}) with ordinality as wanted (wanted_id, number)
        join chatbots on id = wanted_id where organization_id = ${yield* CurrentOrganization} order by number`)
    }, withoutSqlErrors),

    slugsInUse: Effect.fnUntraced(function* (slugs: ReadonlyArray<string>) {
      const organization = yield* CurrentOrganization
      const rows = yield* decodeSlugs(sql`
        select slug from chatbots where organization_id = ${organization} and slug = any(${texts(slugs)})`)
      return rows.map((row) => row.slug)
    }, withoutSqlErrors),

    /**
     * Changes a chatbot under its row's lock, so that nothing else changes between what `change` reads and what it
     * returns. The blob of a replaced avatar becomes garbage.
     */
    modify: <E>(id: ChatbotId, change: (row: WholeChatbot) => Effect.Effect<ChatbotChange, E>) =>
      Effect.gen(function* () {
        const organization = yield* CurrentOrganization
        const row = yield* decodeWhole(sql`
          select ${wholeColumns} from chatbots where id = ${id} and organization_id = ${organization} for update`)
        const changes = yield* change(row)
        // Indexes hold the synonyms of the version of the knowledge.
        const isFoundOtherwise =
          changes.settings !== undefined &&
          JSON.stringify(changes.settings.synonyms) !== JSON.stringify(row.settings.synonyms)
        const changed = yield* decodeWhole(sql`
          update chatbots set ${sql.csv([
            ...Object.entries(encode(changes)).map(([column, value]) => sql`${sql(column)} = ${value}`),
            sql`version = version + 1`,
            ...(isFoundOtherwise ? [sql`knowledge_version = knowledge_version + 1`] : []),
            sql`updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')`,
          ])} where id = ${id} and organization_id = ${organization} returning ${wholeColumns}`)
        if (isFoundOtherwise || isTestedOtherwise(row, changed)) yield* queueTestsOf(sql, id)
        const audited = changeOf(configurationOf(row), configurationOf(changed))
        if (audited !== undefined) {
          yield* auditing.record(sql, { organization, action: "chatbot.updated", target: id, ...audited })
        }
        return changed
      }).pipe(committing<SlugTaken>(sql, onUniqueViolation("chatbots_slug", slugTaken))),

    /**
     * Deletes a chatbot with all that belongs to it, such as documents and conversations. Their blobs become garbage.
     */
    remove: Effect.fnUntraced(function* (id: ChatbotId) {
      const organization = yield* CurrentOrganization
      yield* deleteDocuments(sql, id)
      yield* deletePages(sql, id)
      yield* deleteSessions(sql, id)
      yield* removeRow(id, organization)
    }, lengthy),
  }
}) {}

const jsonColumns = new Set(["personality_config", "settings", "chat_widget_config", "voice_widget_config"])

/** Converts the objects among a row's values into parameters of type `jsonb`. */
const encode = (values: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([column, value]) => [column, jsonColumns.has(column) ? json(value) : value]),
  )

/** Whether searches, or the answers of the model that costs nothing, depend on a change. */
const isTestedOtherwise = (before: WholeChatbot, after: WholeChatbot): boolean =>
  before.name !== after.name ||
  before.settings.isToolEnabled !== after.settings.isToolEnabled ||
  (before.settings.model === extractiveModel) !== (after.settings.model === extractiveModel)

/** Returns the fields of a chatbot that the audit log compares. */
const configurationOf = ({
  created_at: _,
  has_questions: __,
  managers: ___,
  organization_id: ____,
  tool_count: _____,
  updated_at: ______,
  version: _______,
  ...configuration
}: WholeChatbot): Schema.JsonObject => configuration
