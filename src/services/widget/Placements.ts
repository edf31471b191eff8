import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import { hashKey } from "../../domain/ApiKey.ts"
import { noBudget } from "../../domain/Budget.ts"
import type { Caller } from "../../domain/Caller.ts"
import { Slug } from "../../domain/chatbot/Slug.ts"
import { Forbidden, NotFound, type Unavailable } from "../../domain/Errors.ts"
import { AnyUuid, ApiKeyId, type ChatbotId, type OrganizationId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { ANY_ORIGIN, isAllowedOrigin, isPublishableKey } from "../../domain/widget/PublishableKey.ts"
import type { WidgetConfig } from "../../domain/widget/Widget.ts"
import { ApiKeys } from "../../storage/keys/ApiKeys.ts"
import { type ChatbotRow, Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { PublicChatbots } from "../../storage/chatbots/PublicChatbots.ts"
import { PUBLIC_URL } from "../../system/Variables.ts"
import { PublicUrl } from "../PublicUrl.ts"
import { LOOKUP_CAPACITY, recentLookups } from "../RecentLookups.ts"
import { RateLimiter, REFUSED_COST } from "../../admission/RateLimiter.ts"
import { RecentMap } from "../../system/RecentMap.ts"

/** A chatbot that stands on pages. */
export interface Placement {
  readonly config: WidgetConfig
  /** The origins whose pages may show it, and send requests themselves; `*` for every one. */
  readonly allowedOrigins: ReadonlyArray<string>
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

/** Most lookups at once of names under which nothing was found before. */
const STRANGERS_AT_ONCE = 2

const isUuid = Schema.is(AnyUuid)
const isSlug = Schema.is(Slug)

/**
 * Decides which chatbots may stand on pages, and under which name: a chatbot by one of its publishable keys, and one
 * with `is_public` by its id as well. What has changed holds within a second.
 *
 * A public chatbot that stands there by its id has no key of its own. Its id stands in the place of a key's id wherever
 * requests, tokens and chats are counted, within the limits that the settings have for keys.
 */
export class Placements extends Context.Service<Placements>()("parley/services/widget/Placements", {
  make: Effect.gen(function* () {
    const keys = yield* ApiKeys
    const chatbots = yield* Chatbots
    const publicChatbots = yield* PublicChatbots
    const publicUrl = yield* PublicUrl
    const { visitors } = yield* RateLimiter
    const strangers = yield* Semaphore.make(STRANGERS_AT_ONCE)
    const known = new RecentMap<true>(LOOKUP_CAPACITY)

    const chatbotOf = (id: ChatbotId, organization: OrganizationId) =>
      chatbots.get(id).pipe(
        Effect.provideService(CurrentOrganization, organization),
        Effect.catchTag("NotFound", () => Effect.void),
      )

    const byKey = Effect.fnUntraced(function* (key: string) {
      const live = yield* keys.findLive(hashKey(key), "publishable")
      if (live?.chatbot_id == null) return undefined
      const chatbot = yield* chatbotOf(live.chatbot_id, live.organization_id)
      if (chatbot === undefined) return undefined
      return {
        placement: {
          config: configOf(chatbot, key, publicUrl),
          allowedOrigins: live.allowed_origins ?? [],
          caller: {
            apiKeyId: live.id,
            organizationId: live.organization_id,
            scopes: ["chat"],
            chatbotId: live.chatbot_id,
            expiresAt: live.expires_at,
            budgets: live.budgets,
          },
        } satisfies Placement,
        expiresIn: live.expires_in,
      }
    })

    const byName = Effect.fnUntraced(function* (name: string) {
      const found = yield* publicChatbots.find(name)
      const chatbot = found === undefined ? undefined : yield* chatbotOf(found.id, found.organization_id)
      if (found === undefined || chatbot?.is_public !== true) return undefined
      return {
        placement: {
          config: configOf(chatbot, chatbot.id, publicUrl),
          allowedOrigins: [ANY_ORIGIN],
          caller: {
            apiKeyId: ApiKeyId.make(chatbot.id),
            organizationId: chatbot.organization_id,
            scopes: ["chat"],
            chatbotId: chatbot.id,
            expiresAt: null,
            budgets: { organization: found.budget, key: noBudget },
          },
        } satisfies Placement,
        expiresIn: null,
      }
    })

    const lookUp = yield* recentLookups(
      (name) => {
        const find = isPublishableKey(name) ? byKey(name) : byName(name)
        return known.find(name) === true ? find : strangers.withPermit(find)
      },
      (found) => found?.expiresIn,
    )

    const named = Effect.fnUntraced(function* (name: string) {
      const found = yield* lookUp(name)
      if (found === undefined) {
        known.delete(name)
        return yield* notPlaced
      }
      known.get(name, () => true)
      return found.placement
    })

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
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** A colour of the configuration as `#rrggbb`. */
const opaque = (color: string): string =>
  color.length === 4 ? color.replaceAll(/[0-9a-f]/gi, "$&$&") : color.slice(0, "#rrggbb".length)

const configOf = (chatbot: ChatbotRow, key: string, publicUrl: string): WidgetConfig => {
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
    is_email_requested: settings.isRequestUserInfoEnabled,
    is_active: chatbot.active,
  }
}
