import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ChatWidgetConfig, PersonalityConfig, Settings, VoiceWidgetConfig } from "../domain/Chatbot.ts"
import { NotFound, SlugTaken, type Unavailable } from "../domain/Errors.ts"
import { ChatbotId, type OrganizationId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { onUniqueViolation, transaction, unlessItGivesWay, withoutSqlErrors } from "./SqlErrors.ts"
import { json } from "./SqlValues.ts"

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
  /** Rows in `chatbot_tools`. */
  readonly tool_count: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** What the API shows of a chatbot. */
export type ShownChatbot = Omit<ChatbotRow, "chat_widget_config" | "tool_count">

/** What a change may set. */
export type ChatbotChange = Partial<
  Pick<
    ChatbotRow,
    | "name"
    | "description"
    | "slug"
    | "is_public"
    | "personality_config"
    | "settings"
    | "chat_widget_config"
    | "voice_widget_config"
    | "avatar_blob"
  >
>

export type NewChatbot = Pick<
  ChatbotRow,
  "id" | "name" | "description" | "slug" | "is_public" | "personality_config" | "settings" | "chat_widget_config"
>

const isChatbotId = Schema.is(ChatbotId)

/** One value: an error holds no state, and its stack would say nothing. */
const chatbotNotFound = new NotFound({ detail: "There is no such chatbot." })
const slugTaken = () => new SlugTaken({ detail: "Another chatbot of the organization has this slug." })

/** The table `chatbots`, always within the current organization. */
export class Chatbots extends Context.Service<
  Chatbots,
  {
    readonly insert: (chatbot: NewChatbot) => Effect.Effect<ChatbotRow, SlugTaken | Unavailable, CurrentOrganization>
    readonly get: (id: ChatbotId) => Effect.Effect<ChatbotRow, NotFound | Unavailable, CurrentOrganization>
    /** By id or slug. A slug may look like an id; then the id is meant. */
    readonly named: (name: string) => Effect.Effect<ChatbotRow, NotFound | Unavailable, CurrentOrganization>
    /** Newest first, those older than `before`. */
    readonly list: (options: {
      readonly limit: number
      readonly before: ChatbotId | undefined
    }) => Effect.Effect<ReadonlyArray<ShownChatbot>, Unavailable, CurrentOrganization>
    /** Of the slugs that are this or begin with it and a hyphen, those in use. */
    readonly slugsLike: (slug: string) => Effect.Effect<ReadonlyArray<string>, Unavailable, CurrentOrganization>
    /**
     * Changes the row under its lock, so that nothing changes between what `change` sees and what it makes of it.
     * An avatar that it loses is garbage from then on.
     */
    readonly modify: <E>(
      id: ChatbotId,
      change: (row: ChatbotRow) => Effect.Effect<ChatbotChange, E>,
    ) => Effect.Effect<{ readonly row: ChatbotRow }, E | NotFound | SlugTaken | Unavailable, CurrentOrganization>
    /** Deletes it with all that hangs on it. The blobs of that are garbage from then on. */
    readonly remove: (id: ChatbotId) => Effect.Effect<void, NotFound | Unavailable, CurrentOrganization>
  }
>()("parley/storage/Chatbots") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const shown = `id, organization_id, name, description, slug, active, is_public, personality_config, settings,
         voice_widget_config, avatar_blob, version, created_at, updated_at`
      const shownColumns = sql.literal(shown)
      const columns = sql.literal(`${shown}, chat_widget_config, tool_count`)

      const insert = Effect.fnUntraced(
        function* (chatbot: NewChatbot) {
          const organization_id = yield* CurrentOrganization
          return yield* only(
            sql<ChatbotRow>`insert into chatbots ${sql.insert(encode({ ...chatbot, organization_id }))}
              returning ${columns}`,
          ).pipe(Effect.catchTag("NotFound", Effect.die))
        },
        onUniqueViolation("chatbots_slug", slugTaken),
        withoutSqlErrors,
      )

      const get = Effect.fnUntraced(function* (id: ChatbotId) {
        const organization = yield* CurrentOrganization
        return yield* only(
          sql<ChatbotRow>`select ${columns} from chatbots where id = ${id} and organization_id = ${organization}`,
        )
      }, withoutSqlErrors)

      const named = Effect.fnUntraced(function* (name: string) {
        const organization = yield* CurrentOrganization
        return yield* only(
          sql<ChatbotRow>`
            select ${columns} from chatbots
            where organization_id = ${organization} and (slug = ${name} ${isChatbotId(name) ? sql`or id = ${name}` : sql``})
            order by slug = ${name} limit 1`,
        )
      }, withoutSqlErrors)

      const list = Effect.fnUntraced(function* (options: {
        readonly limit: number
        readonly before: ChatbotId | undefined
      }) {
        const organization = yield* CurrentOrganization
        return yield* sql<ShownChatbot>`
          select ${shownColumns} from chatbots
          where organization_id = ${organization} ${options.before === undefined ? sql`` : sql`and id < ${options.before}`}
          order by id desc limit ${options.limit}`
      }, withoutSqlErrors)

      const slugsLike = Effect.fnUntraced(function* (slug: string) {
        const organization = yield* CurrentOrganization
        const rows = yield* sql<{ slug: string }>`
          select slug from chatbots where organization_id = ${organization} and (slug = ${slug} or slug like ${`${slug}-%`})`
        return rows.map((row) => row.slug)
      }, withoutSqlErrors)

      const modify = <E>(id: ChatbotId, change: (row: ChatbotRow) => Effect.Effect<ChatbotChange, E>) =>
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
          return { row: changed }
        }).pipe(transaction(sql), onUniqueViolation("chatbots_slug", slugTaken), withoutSqlErrors)

      const remove = Effect.fnUntraced(
        function* (id: ChatbotId) {
          const organization = yield* CurrentOrganization
          yield* only(sql`delete from chatbots where id = ${id} and organization_id = ${organization} returning id`)
        },
        unlessItGivesWay,
        withoutSqlErrors,
      )

      return { insert, get, named, list, slugsLike, modify, remove }
    }),
  )
}

const only = <A extends object, E, R>(rows: Effect.Effect<ReadonlyArray<A>, E, R>) =>
  Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(chatbotNotFound) : Effect.succeed(row)))

const jsonColumns = new Set(["personality_config", "settings", "chat_widget_config", "voice_widget_config"])

/** Objects become parameters of type jsonb. */
const encode = (values: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([column, value]) => [column, jsonColumns.has(column) ? json(value) : value]),
  )
