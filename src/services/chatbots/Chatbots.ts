import { Effect, Result, Schema, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Models } from "../../models/Models.ts"
import { VoiceServers } from "../../models/voice/VoiceServers.ts"
import {
  type Chatbot,
  type ChatbotCopyInput,
  chatbotDefaults,
  type ChatbotInput,
  type ChatbotPatch,
  PersonalityConfig,
  Settings,
} from "../../domain/chatbot/Chatbot.ts"
import { freeSlug, slugOf } from "../../domain/chatbot/Slug.ts"
import { ChatWidgetConfig, type ChatWidgetPatch, emptyChatWidget } from "../../domain/chatbot/ChatWidget.ts"
import { Caller, ensureServes, ensureServesNamed, refusal } from "../../domain/Caller.ts"
import {
  InvalidRequest,
  type NotFound,
  type PreconditionFailed,
  SlugTaken,
  type Unavailable,
} from "../../domain/Errors.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { type Change, merge } from "../../domain/schema/Merge.ts"
import type { Range } from "../../domain/Page.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { VoiceWidgetConfig, type VoiceWidgetPatch } from "../../domain/chatbot/VoiceWidget.ts"
import { avatarKey, avatarName } from "../../domain/BlobKey.ts"
import { Service } from "../../domain/Service.ts"
import * as Copies from "../../storage/chatbots/ChatbotCopies.ts"
import * as Storage from "../../storage/chatbots/Chatbots.ts"
import { Totals } from "../../storage/chatbots/Totals.ts"
import { Blobs } from "../../blobs/Blobs.ts"
import { BlobStore } from "../../blobs/BlobStore.ts"
import { cut } from "../../text/Cut.ts"
import { prepared } from "../Preparation.ts"
import { PublicUrl } from "../PublicUrl.ts"
import { ensureMatch, type IfMatch } from "../Versions.ts"
import { voiceOf } from "./VoiceAgent.ts"

export type Changed = InvalidRequest | NotFound | PreconditionFailed | Unavailable

/** Fails for a caller who does not reach every chatbot. */
const ensureMayCreate = Caller.use((caller) =>
  caller.chatbots === null
    ? Effect.void
    : refusal(caller, {
        key: "This API key is bound to one chatbot: no other can be created.",
        person: "Your roles are for some chatbots: no other can be created.",
      }),
)

const NAME_MAX_LENGTH = 200
const COPY_SUFFIX = " (copy)"

/** Manages chatbots and the configuration of their widgets. */
export class Chatbots extends Service<Chatbots>()("parley/services/chatbots/Chatbots", function* () {
  const storage = yield* Storage.Chatbots
  const models = yield* Models
  const copies = yield* Copies.ChatbotCopies
  const { ofChatbots } = yield* Totals
  const blobs = yield* Blobs
  const store = yield* BlobStore
  const random = yield* SecureRandom.SecureRandom
  const publicUrl = yield* PublicUrl
  const voices = yield* VoiceServers

  const present = ({ avatar_blob, suggestions, ...row }: Storage.ShownChatbot) =>
    models.keyHint(row.settings.model).pipe(
      Effect.provideService(CurrentOrganization, row.organization_id),
      Effect.map((llm_api_key): Chatbot => ({
        ...row,
        settings: avatar_blob === null ? row.settings : { ...row.settings, avatar: `${publicUrl}/${avatar_blob}` },
        created_at: timestamp(row.created_at),
        updated_at: timestamp(row.updated_at),
        llm_api_key,
        docs_metadata: null,
        enabled_plugins: null,
        migrated_data: false,
        suggestions,
        v1_chatbot_id: null,
        version_id: null,
      })),
    )

  const checkModels = ({
    fallbackModels,
    judgeModel,
    model,
  }: Pick<NonNullable<ChatbotPatch["settings"]>, "fallbackModels" | "judgeModel" | "model">) => {
    const named = (fallbackModels ?? []).map((name, index): readonly [string, string] => [
      name,
      `settings.fallbackModels.${index}`,
    ])
    if (judgeModel !== undefined && judgeModel !== null) named.push([judgeModel, "settings.judgeModel"])
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
      yield* Effect.provideService(checkModels(settings), CurrentOrganization, row.organization_id)
      const parts = yield* decodeParts(
        merge({ personality_config: row.personality_config, settings: row.settings }, { personality_config, settings }),
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

  /** Makes something under the slug that the client chose, or else under a free one that the name suggests. */
  const underSlug = Effect.fnUntraced(function* <A, E, R>(
    chosen: string | undefined,
    name: string,
    make: (slug: string) => Effect.Effect<A, E | SlugTaken, R>,
  ) {
    if (chosen !== undefined) return yield* make(chosen)
    const suggested = slugOf(name)
    return yield* Effect.catchIf(
      make(yield* freeSlug(suggested, storage.slugsInUse)),
      (error) => error instanceof SlugTaken,
      // Another request took the slug. Further numbers could collide again and again, so the next try is random.
      () => Effect.flatMap(random.uuidV4(), (id) => make(`${suggested}-${id.slice(0, 8)}`)),
    )
  })

  /** Stores an image once more, because every chatbot owns its avatar. Returns null where it is lost. */
  const copyAvatar = Effect.fnUntraced(function* (source: string) {
    const found = yield* Effect.result(store.get(source))
    if (Result.isFailure(found)) return found.failure._tag === "Unavailable" ? yield* found.failure : null
    const extension = source.slice(source.lastIndexOf(".") + 1)
    const key = avatarKey(avatarName(yield* random.uuidV4(), found.success.length, extension))
    yield* blobs.put(key, Stream.succeed(found.success))
    return key
  })

  return {
    /** Creates a chatbot; fails with `Forbidden` if the caller's key is bound to a chatbot. */
    create: Effect.fn("Chatbots.create")(function* (input: ChatbotInput) {
      yield* ensureMayCreate
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
      return yield* present(Storage.shownOf(yield* underSlug(input.slug, input.name, insertAs)))
    }),

    /** Copies a chatbot's configuration, without documents, conversations and API keys; fails like `create`. */
    duplicate: Effect.fn("Chatbots.duplicate")(function* (source: ChatbotId, difference: ChatbotCopyInput) {
      yield* ensureMayCreate
      const { avatar, name } = yield* prepared(
        Effect.gen(function* () {
          const original = yield* storage.get(source)
          return {
            name: difference.name ?? cut(original.name, NAME_MAX_LENGTH - COPY_SUFFIX.length) + COPY_SUFFIX,
            avatar: original.avatar_blob === null ? null : yield* copyAvatar(original.avatar_blob),
          }
        }),
      )
      const copyAs = (slug: string) => copies.copy(source, { name, slug, avatar })
      return yield* present(yield* storage.shown(yield* underSlug(difference.slug, name, copyAs)))
    }),

    get: (id: ChatbotId) => Effect.flatMap(storage.shown(id), present),

    /** Lists the names of the chatbots within the caller's reach, newest first. */
    list: (range: Range) => Caller.use(({ chatbots }) => storage.list(range, chatbots)),

    /** Counts for the chatbots within the caller's reach, as far as its scopes cover what is counted. */
    totals: Caller.use(({ chatbots, scopes }) =>
      Effect.map(ofChatbots(chatbots), (all) =>
        all.map(({ chatbot_id, conversations, documents, sources, tests }) => ({
          chatbot_id,
          tests,
          ...(scopes.includes("knowledge:read") && { documents, sources }),
          ...(scopes.includes("conversations:read") && { conversations }),
        })),
      ),
    ),

    /** Returns those of these chatbots that exist, in the order of the ids. */
    getMany: (ids: ReadonlyArray<ChatbotId>) => Effect.flatMap(storage.getMany(ids), Effect.forEach(present)),

    /** Finds a chatbot by id or slug; fails with `Forbidden` if the caller's key does not serve it. */
    named: (name: string) =>
      Effect.flatMap(ensureServesNamed(storage.named(name)), ({ id }) => Effect.flatMap(storage.shown(id), present)),

    update: Effect.fn("Chatbots.update")(function* (
      id: ChatbotId,
      change: Change<Chatbot, ChatbotPatch>,
      ifMatch: IfMatch,
    ) {
      yield* ensureServes(id)
      const row = yield* storage.modify(id, (row) =>
        Effect.andThen(ensureMatch(row, ifMatch), () =>
          present(Storage.shownOf(row)).pipe(Effect.flatMap(change), Effect.flatMap(changed(row))),
        ),
      )
      yield* blobs.collect
      return yield* present(Storage.shownOf(row))
    }),

    /** Makes the blob with this key the chatbot's avatar. The blob of the previous avatar is deleted. */
    setAvatar: Effect.fn("Chatbots.setAvatar")(function* (id: ChatbotId, key: string, ifMatch: IfMatch) {
      const row = yield* modify(id, ifMatch, () => Effect.succeed({ avatar_blob: key }))
      yield* blobs.collect
      return yield* present(Storage.shownOf(row))
    }),

    chatWidget: (id: ChatbotId) => Effect.map(storage.get(id), chatWidgetOf),

    /** The configuration is null until it is set for the first time. */
    voiceAgent: (id: ChatbotId) =>
      Effect.map(storage.get(id), (row) => ({
        ...voiceAgentOf(row),
        voice: voiceOf(row.voice_widget_config ?? {}, voices),
      })),

    updateChatWidget: Effect.fn("Chatbots.updateChatWidget")(function* (
      id: ChatbotId,
      change: Change<ChatWidgetConfig, ChatWidgetPatch>,
      ifMatch: IfMatch,
    ) {
      const row = yield* modify(id, ifMatch, (row) =>
        change(row.chat_widget_config).pipe(
          Effect.flatMap((patch) => mergedWidget(row, patch)),
          Effect.map((chat_widget_config) => ({ chat_widget_config })),
        ),
      )
      return chatWidgetOf(row)
    }),

    updateVoiceAgent: Effect.fn("Chatbots.updateVoiceAgent")(function* (
      id: ChatbotId,
      change: Change<VoiceWidgetConfig, VoiceWidgetPatch>,
      ifMatch: IfMatch,
    ) {
      const row = yield* modify(id, ifMatch, (row) =>
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
}) {}

/** Decodes a merged configuration. Merging two valid ones gives a valid one, so a failure is a defect. */
const decodeParts = (merged: object) =>
  Schema.decodeUnknownEffect(Schema.Struct({ personality_config: PersonalityConfig, settings: Settings }))(merged).pipe(
    Effect.orDie,
    Effect.map(
      ({
        personality_config,
        settings: { fallbackModels = [], grounding, isSystemMessageEnabled, judgeModel, synonyms = [], ...settings },
      }) => ({
        personality_config,
        // An empty list, and what is not enabled, are stored as absent.
        settings: {
          ...settings,
          ...(fallbackModels.length > 0 && { fallbackModels }),
          ...(grounding !== undefined && grounding !== "off" && { grounding }),
          ...(isSystemMessageEnabled === true && { isSystemMessageEnabled }),
          ...(judgeModel !== undefined && { judgeModel }),
          ...(synonyms.length > 0 && { synonyms }),
        },
      }),
    ),
  )

const mergedVoice = ({ voice_widget_config }: Storage.ChatbotRow, patch: VoiceWidgetPatch) =>
  Effect.orDie(Schema.decodeEffect(VoiceWidgetConfig)(merge(voice_widget_config ?? {}, patch)))

/** Merges a change; texts and groups that it leaves empty are stored as absent, apart from the fields that always are there. */
const mergedWidget = ({ chat_widget_config }: Storage.ChatbotRow, patch: ChatWidgetPatch) => {
  const { disclosure, launcher, suggestions, translations, ...look } = merge(chat_widget_config, patch)
  const set = filled({ disclosure, launcher, suggestions, translations })
  return Effect.orDie(Schema.decodeUnknownEffect(ChatWidgetConfig)({ ...look, ...Object(set) }))
}

/** A JSON value without empty texts, lists and objects; undefined where nothing is left. */
const filled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value
  if (typeof value !== "object" || value === null) return value === "" ? undefined : value
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const rest = filled(field)
    return rest === undefined ? [] : [[name, rest]]
  })
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

const chatWidgetOf = ({ chat_widget_config: config, version }: Storage.ChatbotRow) => ({ config, version })
const voiceAgentOf = ({ voice_widget_config: config, version }: Storage.ChatbotRow) => ({ config, version })
