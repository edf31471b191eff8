import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Models } from "../models/Models.ts"
import {
  type Chatbot,
  chatbotDefaults,
  type ChatbotInput,
  type ChatbotPatch,
  PersonalityConfig,
  Settings,
} from "../domain/chatbot/Chatbot.ts"
import { freeSlug, slugOf } from "../domain/chatbot/Slug.ts"
import { type ChatWidgetConfig, type ChatWidgetPatch, emptyChatWidget } from "../domain/chatbot/ChatWidget.ts"
import { Caller, ensureServes, ensureServesNamed } from "../domain/Caller.ts"
import { Forbidden, InvalidRequest, type NotFound, PreconditionFailed, type Unavailable } from "../domain/Errors.ts"
import { ChatbotId } from "../domain/Ids.ts"
import { type Change, merge } from "../domain/schema/Merge.ts"
import type { Range } from "../domain/Page.ts"
import { timestamp } from "../domain/schema/Timestamp.ts"
import { VoiceWidgetConfig, type VoiceWidgetPatch } from "../domain/chatbot/VoiceWidget.ts"
import * as Storage from "../storage/chatbots/Chatbots.ts"
import { Blobs } from "../blobs/Blobs.ts"
import { PublicUrl } from "./PublicUrl.ts"

export type Changed = InvalidRequest | NotFound | PreconditionFailed | Unavailable

/** The value of the `If-Match` header; undefined matches every version. */
export type IfMatch = string | undefined

/** The failure of making a chatbot by a key that serves only one. */
export const boundToOne = new Forbidden({
  detail: "This API key is bound to one chatbot, so it cannot create another.",
})

/** Manages chatbots and the configuration of their widgets. */
export class Chatbots extends Context.Service<Chatbots>()("parley/services/Chatbots", {
  make: Effect.gen(function* () {
    const storage = yield* Storage.Chatbots
    const models = yield* Models
    const blobs = yield* Blobs
    const random = yield* SecureRandom.SecureRandom
    const publicUrl = yield* PublicUrl

    const present = ({ avatar_blob, ...row }: Storage.ShownChatbot): Chatbot => ({
      ...row,
      settings: avatar_blob === null ? row.settings : { ...row.settings, avatar: `${publicUrl}/${avatar_blob}` },
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      llm_api_key: null,
      docs_metadata: null,
      enabled_plugins: null,
      managers: null,
      migrated_data: false,
      suggestions: null,
      v1_chatbot_id: null,
      version_id: null,
    })

    const checkModels = ({
      fallbackModels,
      model,
    }: Pick<NonNullable<ChatbotPatch["settings"]>, "fallbackModels" | "model">) => {
      const named = (fallbackModels ?? []).map((name, index) => [name, `settings.fallbackModels.${index}`] as const)
      return Effect.forEach(
        model === undefined ? named : [[model, "settings.model"] as const, ...named],
        ([name, path]) => Effect.mapError(models.check(name), (error) => InvalidRequest.at(path, error.detail)),
        { discard: true },
      )
    }

    /** Applies a patch to a row. */
    const changed = (row: Storage.ChatbotRow) =>
      Effect.fnUntraced(function* ({
        personality_config = {},
        settings = {},
        voice_widget_config,
        ...plain
      }: ChatbotPatch) {
        yield* checkModels(settings)
        const parts = yield* decodeParts(
          merge(
            { personality_config: row.personality_config, settings: row.settings },
            { personality_config, settings },
          ),
        )
        return {
          ...plain,
          ...parts,
          ...(settings.avatar === null && { avatar_blob: null }),
          ...(voice_widget_config !== undefined && {
            voice_widget_config: voice_widget_config && (yield* mergedVoice(row, voice_widget_config)),
          }),
        }
      })

    /** Changes a chatbot but for its slug, so that `SlugTaken` cannot happen. */
    const modify = (
      id: ChatbotId,
      ifMatch: IfMatch,
      change: (row: Storage.ChatbotRow) => Effect.Effect<Storage.ChatbotChange, InvalidRequest>,
    ) =>
      Effect.catchTag(
        storage.modify(id, (row) => Effect.andThen(ensureMatch(row, ifMatch), change(row))),
        "SlugTaken",
        Effect.die,
      )

    return {
      /** Creates a chatbot; fails with `Forbidden` if the caller's key is bound to a chatbot. */
      create: Effect.fn("Chatbots.create")(function* (input: ChatbotInput) {
        if ((yield* Caller).chatbotId !== null) return yield* boundToOne
        const chatbot = merge(chatbotDefaults(input.name, models.defaultModel), input)
        const parts = yield* decodeParts(chatbot)
        yield* checkModels(parts.settings)
        const insertAs = Effect.fnUntraced(function* (slug: string) {
          return yield* storage.insert({
            id: ChatbotId.make(yield* random.uuidV7()),
            name: input.name,
            description: input.description ?? "",
            slug,
            active: input.active ?? true,
            is_public: input.is_public ?? false,
            ...parts,
            chat_widget_config: emptyChatWidget,
          })
        })
        if (input.slug !== undefined) return present(yield* insertAs(input.slug))
        const suggested = slugOf(input.name)
        return present(
          yield* insertAs(yield* freeSlug(suggested, storage.slugsInUse)).pipe(
            // Another request took the slug. Further numbers could collide again and again, so the next try is random.
            Effect.catchTag("SlugTaken", () =>
              Effect.flatMap(random.uuidV4(), (id) => insertAs(`${suggested}-${id.slice(0, 8)}`)),
            ),
          ),
        )
      }),

      get: (id: ChatbotId) => Effect.map(storage.get(id), present),

      /** Lists the names of the chatbots that the caller's key serves, newest first. */
      list: Effect.fn("Chatbots.list")(function* (range: Range) {
        const { chatbotId } = yield* Caller
        if (chatbotId === null) return yield* storage.list(range)
        // The list has a single entry, so a page after a cursor is empty.
        const rows = range.after === undefined ? yield* storage.getMany([chatbotId]) : []
        const items = rows.map(({ id, slug, created_at }) => ({ id, slug, created_at, at: microseconds(created_at) }))
        return { items, next: undefined }
      }),

      /** Returns those of these chatbots that exist, in the order of the ids. */
      getMany: (ids: ReadonlyArray<ChatbotId>) => Effect.map(storage.getMany(ids), (rows) => rows.map(present)),

      /** Finds a chatbot by id or slug; fails with `Forbidden` if the caller's key does not serve it. */
      named: (name: string) => Effect.map(ensureServesNamed(storage.named(name)), present),

      update: Effect.fn("Chatbots.update")(function* (
        id: ChatbotId,
        change: Change<Chatbot, ChatbotPatch>,
        ifMatch: IfMatch,
      ) {
        yield* ensureServes(id)
        const { row } = yield* storage.modify(id, (row) =>
          Effect.andThen(ensureMatch(row, ifMatch), () => Effect.flatMap(change(present(row)), changed(row))),
        )
        yield* blobs.collect
        return present(row)
      }),

      /** Makes the blob with this key the chatbot's avatar. The blob of the previous avatar is deleted. */
      setAvatar: Effect.fn("Chatbots.setAvatar")(function* (id: ChatbotId, key: string, ifMatch: IfMatch) {
        const { row } = yield* modify(id, ifMatch, () => Effect.succeed({ avatar_blob: key }))
        yield* blobs.collect
        return present(row)
      }),

      chatWidget: (id: ChatbotId) => Effect.map(storage.get(id), chatWidgetOf),

      /** The configuration is null until it is set for the first time. */
      voiceAgent: (id: ChatbotId) => Effect.map(storage.get(id), voiceAgentOf),

      updateChatWidget: Effect.fn("Chatbots.updateChatWidget")(function* (
        id: ChatbotId,
        change: Change<ChatWidgetConfig, ChatWidgetPatch>,
        ifMatch: IfMatch,
      ) {
        const { row } = yield* modify(id, ifMatch, (row) =>
          Effect.map(change(row.chat_widget_config), (patch) => ({
            chat_widget_config: { ...row.chat_widget_config, ...patch },
          })),
        )
        return chatWidgetOf(row)
      }),

      updateVoiceAgent: Effect.fn("Chatbots.updateVoiceAgent")(function* (
        id: ChatbotId,
        change: Change<VoiceWidgetConfig, VoiceWidgetPatch>,
        ifMatch: IfMatch,
      ) {
        const { row } = yield* modify(id, ifMatch, (row) =>
          change(row.voice_widget_config ?? {}).pipe(
            Effect.flatMap((patch) => mergedVoice(row, patch)),
            Effect.map((voice_widget_config) => ({ voice_widget_config })),
          ),
        )
        return { ...voiceAgentOf(row), config: row.voice_widget_config ?? {} }
      }),

      remove: Effect.fn("Chatbots.remove")(function* (id: ChatbotId) {
        yield* storage.remove(id)
        yield* blobs.collect
      }),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** Decodes a merged configuration. Merging two valid ones gives a valid one, so a failure is a defect. */
const decodeParts = (merged: object) =>
  Schema.decodeUnknownEffect(Schema.Struct({ personality_config: PersonalityConfig, settings: Settings }))(merged).pipe(
    Effect.orDie,
    Effect.map(({ personality_config, settings: { fallbackModels = [], isSystemMessageEnabled, ...settings } }) => ({
      personality_config,
      // An empty list, and what is not enabled, are stored as absent.
      settings: {
        ...settings,
        ...(fallbackModels.length > 0 && { fallbackModels }),
        ...(isSystemMessageEnabled === true && { isSystemMessageEnabled }),
      },
    })),
  )

const microseconds = (time: Date) => String(time.getTime() * 1_000)

const mergedVoice = ({ voice_widget_config }: Storage.ChatbotRow, patch: VoiceWidgetPatch) =>
  Effect.orDie(Schema.decodeEffect(VoiceWidgetConfig)(merge(voice_widget_config ?? {}, patch)))

const chatWidgetOf = ({ chat_widget_config: config, version }: Storage.ChatbotRow) => ({ config, version })
const voiceAgentOf = ({ voice_widget_config: config, version }: Storage.ChatbotRow) => ({ config, version })

/** The strong ETag of a version of a chatbot. */
export const etagOf = ({ version }: { readonly version: bigint }): string => `"${version}"`

const ensureMatch = (row: { readonly version: bigint }, ifMatch: IfMatch) =>
  ifMatch === undefined || ifMatch.trim() === "*" || ifMatch.split(",").some((tag) => tag.trim() === etagOf(row))
    ? Effect.void
    : Effect.fail(new PreconditionFailed({ detail: "The chatbot has changed since the version that If-Match names." }))
