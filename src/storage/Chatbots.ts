import { Context, Effect, Function, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { chatbotNotFound, type PersonalityConfig, type Settings } from "../domain/chatbot/Chatbot.ts"
import type { ChatWidgetConfig } from "../domain/chatbot/ChatWidget.ts"
import { SlugTaken } from "../domain/Errors.ts"
import { AnyUuid, type ChatbotId, type OrganizationId } from "../domain/Ids.ts"
import type { Range } from "../domain/Page.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import type { VoiceWidgetConfig } from "../domain/chatbot/VoiceWidget.ts"
import { changeOf, concealed } from "../domain/audit/AuditChange.ts"
import { Auditing } from "./audit/Auditing.ts"
import { deleteMostDocuments, deleteMostSessions } from "./LargeDeletions.ts"
import { Quotas } from "./Quotas.ts"
import { emptyDrafts } from "./UnfinishedReplies.ts"
import { afterPlace, toListed, type PlacedRow, PLACE_COLUMN, readLimit } from "./sql/Listing.ts"
import { onUniqueViolation, transaction, withoutSqlErrors } from "./sql/SqlErrors.ts"
import { json, texts, uuids } from "./sql/SqlValues.ts"
import { withoutTimeLimit } from "./sql/TimeLimit.ts"

/** A row of `chatbots`. */
export interface ChatbotRow {
  readonly id: ChatbotId
  readonly organization_id: OrganizationId
  readonly name: string
  readonly description: string
  readonly slug: string
  readonly active: boolean
  readonly is_public: boolean
  readonly personality_config: PersonalityConfig
  readonly settings: Settings
  readonly chat_widget_config: ChatWidgetConfig
  readonly voice_widget_config: VoiceWidgetConfig | null
  readonly avatar_blob: string | null
  readonly version: bigint
  /** The number of the chatbot's rows in `chatbot_tools`. */
  readonly tool_count: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** The columns that the API shows of a chatbot. */
export type ShownChatbot = Omit<ChatbotRow, "chat_widget_config" | "tool_count">

/** The columns that a list of models shows of a chatbot, with its place in the list. */
export type NamedChatbot = Pick<ChatbotRow, "id" | "slug" | "created_at"> & PlacedRow

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

const isUuid = Schema.is(AnyUuid)

const slugTaken = () => new SlugTaken({ detail: "Another chatbot of the organization has this slug." })

/** The table `chatbots`, always within the current organization. */
export class Chatbots extends Context.Service<Chatbots>()("parley/storage/Chatbots", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const auditing = yield* Auditing
    const quotas = yield* Quotas

    const shown = `id, organization_id, name, description, slug, active, is_public, personality_config, settings,
         voice_widget_config, avatar_blob, version, created_at, updated_at`
    const shownColumns = sql.literal(shown)
    const columns = sql.literal(`${shown}, chat_widget_config, tool_count`)

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
      yield* only(
        sql`
          with gone as (
            delete from chatbots where id = ${id} and organization_id = ${organization} returning id, name, slug
          ), audited as (${audited})
          select id from gone`,
      )
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
          return yield* only(
            sql<ChatbotRow>`
              with audited as (${audited})
              insert into chatbots ${sql.insert(encode({ ...chatbot, organization_id }))} returning ${columns}`,
          ).pipe(Effect.catchTag("NotFound", Effect.die))
        },
        transaction(sql),
        onUniqueViolation("chatbots_slug", slugTaken),
        withoutSqlErrors,
      ),

      get: Effect.fnUntraced(function* (id: ChatbotId) {
        const organization = yield* CurrentOrganization
        return yield* only(
          sql<ChatbotRow>`select ${columns} from chatbots where id = ${id} and organization_id = ${organization}`,
        )
      }, withoutSqlErrors),

      /** Finds a chatbot by its id or its slug. Where a slug looks like an id, the chatbot with that id wins. */
      named: Effect.fnUntraced(function* (name: string) {
        const organization = yield* CurrentOrganization
        return yield* only(
          sql<ChatbotRow>`
            select ${columns} from chatbots
            where organization_id = ${organization} and (slug = ${name} ${isUuid(name) ? sql`or id = ${name}` : sql``})
            order by slug = ${name} limit 1`,
        )
      }, withoutSqlErrors),

      /** Lists the chatbots, newest first. */
      list: Effect.fnUntraced(function* (range: Range) {
        const organization = yield* CurrentOrganization
        const rows = yield* sql<NamedChatbot>`
          select id, slug, created_at, ${sql.literal(PLACE_COLUMN)} from chatbots
          where organization_id = ${organization} ${afterPlace(sql, range.after, "<")}
          order by created_at desc, id desc limit ${readLimit(range)}`
        return { ...toListed(rows, range, Function.identity), items: rows.slice(0, range.limit) }
      }, withoutSqlErrors),

      /** Returns the chatbots with these ids, in the same order, without those that do not exist. */
      getMany: Effect.fnUntraced(function* (ids: ReadonlyArray<ChatbotId>) {
        const organization = yield* CurrentOrganization
        return yield* sql<ShownChatbot>`
          select ${shownColumns} from unnest(${uuids(ids)}) with ordinality as wanted (wanted_id, number)
          join chatbots on id = wanted_id where organization_id = ${organization} order by number`
      }, withoutSqlErrors),

      /** Returns those of these slugs that are in use. */
      slugsInUse: Effect.fnUntraced(function* (slugs: ReadonlyArray<string>) {
        const organization = yield* CurrentOrganization
        const rows = yield* sql<{ slug: string }>`
          select slug from chatbots where organization_id = ${organization} and slug = any(${texts(slugs)})`
        return rows.map((row) => row.slug)
      }, withoutSqlErrors),

      /**
       * Changes a chatbot under its row's lock, so that nothing else changes between what `change` reads and what it
       * returns. The blob of a replaced avatar becomes garbage.
       */
      modify: <E>(id: ChatbotId, change: (row: ChatbotRow) => Effect.Effect<ChatbotChange, E>) =>
        Effect.gen(function* () {
          const organization = yield* CurrentOrganization
          const row = yield* only(
            sql<ChatbotRow>`
              select ${columns} from chatbots where id = ${id} and organization_id = ${organization} for update`,
          )
          const changes = yield* change(row)
          const changed = yield* only(
            sql<ChatbotRow>`
              update chatbots set ${sql.csv([
                ...Object.entries(encode(changes)).map(([column, value]) => sql`${sql(column)} = ${value}`),
                sql`version = version + 1`,
                sql`updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')`,
              ])} where id = ${id} and organization_id = ${organization} returning ${columns}`,
          )
          const audited = changeOf(configurationOf(row), configurationOf(changed))
          if (audited !== undefined) {
            yield* auditing.record(sql, { organization, action: "chatbot.updated", target: id, ...audited })
          }
          return { row: changed }
        }).pipe(transaction(sql), onUniqueViolation("chatbots_slug", slugTaken), withoutSqlErrors),

      /**
       * Deletes a chatbot with all that belongs to it, such as documents and conversations. Their blobs become garbage.
       */
      remove: Effect.fnUntraced(
        function* (id: ChatbotId) {
          const organization = yield* CurrentOrganization
          yield* deleteMostDocuments(sql)(id)
          yield* deleteMostSessions(sql)(id)
          yield* removeRow(id, organization)
        },
        withoutTimeLimit,
        withoutSqlErrors,
      ),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const only = <A extends object, E, R>(rows: Effect.Effect<ReadonlyArray<A>, E, R>) =>
  Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(chatbotNotFound) : Effect.succeed(row)))

const jsonColumns = new Set(["personality_config", "settings", "chat_widget_config", "voice_widget_config"])

/** Converts the objects among a row's values into parameters of type `jsonb`. */
const encode = (values: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([column, value]) => [column, jsonColumns.has(column) ? json(value) : value]),
  )

/** What the audit log compares of a chatbot. */
const configurationOf = ({
  created_at: _,
  organization_id: __,
  tool_count: ___,
  updated_at: ____,
  version: _____,
  ...configuration
}: ChatbotRow): Schema.JsonObject => configuration
