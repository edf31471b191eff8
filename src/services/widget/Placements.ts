import { Effect, Schema } from "effect"
import { hashKey } from "../../domain/keys/ApiKey.ts"
import { noBudget } from "../../domain/organizations/Budget.ts"
import type { Caller } from "../../domain/Caller.ts"
import { Slug } from "../../domain/chatbot/Slug.ts"
import { Forbidden, NotFound, type Unavailable } from "../../domain/Errors.ts"
import { isUuid, ApiKeyId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { ANY_ORIGIN, isAllowedOrigin, isPublishableKey } from "../../domain/widget/PublishableKey.ts"
import { isOpen } from "../../domain/inbox/OpeningHours.ts"
import type { WidgetConfig } from "../../domain/widget/Widget.ts"
import { Service } from "../../domain/Service.ts"
import { ApiKeys } from "../../storage/keys/ApiKeys.ts"
import { type ChatbotRow, Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { PublicChatbots } from "../../storage/chatbots/PublicChatbots.ts"
import { VoiceServers } from "../../models/voice/VoiceServers.ts"
import { VisitorHandovers } from "../../storage/widget/VisitorHandovers.ts"
import { PUBLIC_URL } from "../../system/Variables.ts"
import { voiceOf } from "../chatbots/VoiceAgent.ts"
import { PublicUrl } from "../PublicUrl.ts"
import { recentLookups } from "../keys/RecentLookups.ts"
import { RateLimiter, REFUSED_COST } from "../../admission/RateLimiter.ts"

/** A chatbot that stands on pages. */
export interface Placement {
  readonly config: WidgetConfig
  /** The origins whose pages may show it, and send requests themselves; `*` for every one. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** Addresses of the pictures of people, who may answer. */
  readonly avatars: ReadonlyArray<string>
  /** Caller on whose behalf the visitors of the chatbot chat. */
  readonly caller: Caller["Service"]
}

const notPlaced = new NotFound({
  detail: "There is no such widget: the key is unknown or revoked, or the chatbot is not public.",
})

const foreignPage = new Forbidden({
  detail: `Pages of this origin may not use the widget: its key does not allow them. If the widget's own frame is refused, ${PUBLIC_URL} is not the address by which browsers reach the server.`,
})

/**
 * Fails unless the chatbot may stand on pages of this origin. Requests of the widget's own pages, and those of
 * programs, have none.
 */
export const ensureOrigin = (
  { allowedOrigins }: Placement,
  origin: string | undefined,
): Effect.Effect<void, Forbidden> =>
  origin === undefined || isAllowedOrigin(allowedOrigins, origin) ? Effect.void : Effect.fail(foreignPage)

const isSlug = Schema.is(Slug)

/**
 * Decides which chatbots may stand on pages, and under which name: a chatbot by one of its publishable keys, and one
 * with `is_public` by its id as well. What has changed holds within a second.
 *
 * A public chatbot that stands there by its id has no key of its own. Its id stands in the place of a key's id wherever
 * requests, tokens and chats are counted, within the limits that the settings have for keys.
 */
export class Placements extends Service<Placements>()("parley/services/widget/Placements", function* () {
  const keys = yield* ApiKeys
  const chatbots = yield* Chatbots
  const publicChatbots = yield* PublicChatbots
  const handovers = yield* VisitorHandovers
  const publicUrl = yield* PublicUrl
  const voices = yield* VoiceServers
  const { visitors } = yield* RateLimiter

  /** Finds which chatbot a name places, where, and on whose behalf its visitors chat. */
  const locate = Effect.fnUntraced(function* (name: string) {
    if (isPublishableKey(name)) {
      const live = yield* keys.findLive(hashKey(name), "publishable")
      if (live?.chatbot_id == null) return undefined
      const { allowed_origins, budgets, chatbot_id: chatbotId, expires_at: expiresAt, expires_in } = live
      const caller = { apiKeyId: live.id, organizationId: live.organization_id, expiresAt, budgets }
      return { caller, chatbotId, allowedOrigins: allowed_origins ?? [], expiresIn: expires_in }
    }
    const found = yield* publicChatbots.find(name)
    if (found === undefined) return undefined
    const { budget, id: chatbotId, organization_id: organizationId } = found
    const budgets = { organization: budget, key: noBudget }
    const caller = { apiKeyId: ApiKeyId.make(chatbotId), organizationId, expiresAt: null, budgets }
    return { caller, chatbotId, allowedOrigins: [ANY_ORIGIN], expiresIn: null }
  })

  const place = Effect.fnUntraced(function* (name: string) {
    const located = yield* locate(name)
    if (located === undefined) return undefined
    const { allowedOrigins, caller, chatbotId, expiresIn } = located
    const chatbot = yield* chatbots.get(chatbotId).pipe(
      Effect.provideService(CurrentOrganization, caller.organizationId),
      Effect.catchTag("NotFound", () => Effect.void),
    )
    if (chatbot === undefined || !(chatbot.is_public || isPublishableKey(name))) return undefined
    const { voice_widget_config: voice } = chatbot
    const placement: Placement = {
      config: {
        ...configOf(chatbot, isPublishableKey(name) ? name : chatbot.id, publicUrl),
        voice: voice && voiceOf(voice, voices),
      },
      allowedOrigins,
      avatars: yield* Effect.provideService(handovers.avatars, CurrentOrganization, caller.organizationId),
      caller: { ...caller, chatbots: [chatbotId], scopes: ["chat"] },
    }
    return { placement, expiresIn }
  })

  const lookups = yield* recentLookups(place, ({ expiresIn }) => expiresIn)

  const named = (name: string) =>
    Effect.flatMap(lookups.find(name), (found) => (found === undefined ? notPlaced : Effect.succeed(found.placement)))

  const find = (key: string): Effect.Effect<Placement, NotFound | Unavailable> => {
    if (isPublishableKey(key)) return named(key)
    return isUuid(key) ? named(key.toLowerCase()) : Effect.fail(notPlaced)
  }

  const counted = (found: Effect.Effect<Placement, NotFound | Unavailable>) =>
    Effect.andThen(
      visitors.take(1),
      Effect.tapErrorTag(found, "NotFound", () => visitors.charge(REFUSED_COST)),
    )

  return {
    /** Finds the chatbot that stands on pages by a publishable key, or by the id of a public chatbot. */
    find,

    /** Finds the chatbot like `find`, for a request without a visitor token; counts it for the client's address. */
    visit: (key: string) => counted(find(key)),

    /**
     * Finds a public chatbot by its id or its slug, for a request that counts for the client's address. Where
     * chatbots of several organizations have the same slug, it names that of the operator's organization, or else
     * nothing.
     */
    findPublic: (name: string) =>
      counted(isUuid(name) || isSlug(name) ? named(name.toLowerCase()) : Effect.fail(notPlaced)),
  }
}) {}

/** A colour of the configuration as `#rrggbb`. */
const opaque = (color: string): string =>
  color.length === 4 ? color.replaceAll(/[0-9a-f]/gi, "$&$&") : color.slice(0, "#rrggbb".length)

const handoverOf = (handover: ChatbotRow["settings"]["handover"]): WidgetConfig["handover"] => {
  if (handover === undefined) return null
  const { button = false, hours } = handover
  return { button, is_open: hours === undefined || isOpen(hours, new Date()) }
}

const configOf = (chatbot: ChatbotRow, key: string, publicUrl: string): Omit<WidgetConfig, "voice"> => {
  const { avatar_blob, chat_widget_config: look, settings } = chatbot
  const { snippet } = settings
  return {
    key,
    chatbot_id: chatbot.id,
    header: look.header || snippet.header || chatbot.name,
    name: look.name || snippet.name || chatbot.name,
    slogan: look.slogan || snippet.slogan,
    logo: look.logo || snippet.logo,
    avatar: avatar_blob === null ? "" : `${publicUrl}/${avatar_blob}`,
    primary_color: opaque(look.primaryColor || snippet.primaryColor),
    secondary_color: opaque(look.secondaryColor || snippet.secondaryColor),
    language: look.language || "auto",
    greeting: settings.greeting,
    disclosure: look.disclosure ?? "",
    suggestions: look.suggestions ?? [],
    launcher: { icon: "chat", size: "medium", side: "right", text: "", ...look.launcher },
    translations: look.translations ?? {},
    is_email_requested: settings.isRequestUserInfoEnabled,
    is_active: chatbot.active,
    handover: handoverOf(settings.handover),
    attachments: settings.attachments === true,
  }
}
