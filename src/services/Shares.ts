import { Context, Duration, Effect, Layer, type Scope } from "effect"
import { Caller } from "../domain/Caller.ts"
import { TooManyAtOnce } from "../domain/Errors.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import { Share } from "../system/Share.ts"

/** The kinds of work of which an organization has a share. */
export type ShareKind = "uploads" | "searches" | "chats" | "streams" | "lists" | "events"

export interface SharesSettings {
  /** The most work of each kind that one organization has under way in this process. */
  readonly organization: Readonly<Record<ShareKind, number>>
  /** The part of its organization's share that one API key may take, in (0, 1]. */
  readonly keyPart: number
  /** How long work beyond a share waits for its turn. */
  readonly wait: Duration.Duration
  /** The most work of one kind and organization that waits. */
  readonly queue: number
}

/** `Retry-After` of a refusal: work of these kinds ends within seconds. */
const RETRY_AFTER_SECONDS = 1

/**
 * Limits how much work of one kind an organization, and each of its API keys, has under way in this process. Work
 * beyond the share waits for a short time, first come first served, and is then refused.
 *
 * There is no limit for all organizations together, because by such a limit a few of them could keep out the others.
 */
export class Shares extends Context.Service<
  Shares,
  {
    /** Runs work that takes a place in the share of the caller's organization and key until it ends. */
    readonly within: (
      kind: ShareKind,
    ) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | TooManyAtOnce, R | Caller>
    /** Takes a place in the share of the caller's organization and key until the scope closes. */
    readonly hold: (kind: ShareKind) => Effect.Effect<void, TooManyAtOnce, Caller | Scope.Scope>
  }
>()("parley/services/Shares") {
  static readonly layer = (settings: SharesSettings) =>
    Layer.sync(Shares, () => {
      const shareOf = (kind: ShareKind) => {
        const organization = settings.organization[kind]
        const key = Math.max(1, Math.floor(organization * settings.keyPart))
        return organization === Number.POSITIVE_INFINITY
          ? undefined
          : new Share({ organization, key, queue: settings.queue })
      }
      const shares = {
        uploads: shareOf("uploads"),
        searches: shareOf("searches"),
        chats: shareOf("chats"),
        streams: shareOf("streams"),
        lists: shareOf("lists"),
        events: shareOf("events"),
      }

      const wait = (kind: ShareKind, share: Share, organization: OrganizationId) => ({
        millis: Duration.toMillis(settings.wait),
        refuse: () => refusal(kind, share.limitFor(organization)),
      })

      return {
        within: (kind) => (work) => {
          const share = shares[kind]
          if (share === undefined) return work
          return Caller.use(({ apiKeyId, organizationId }) =>
            share.within(organizationId, apiKeyId, wait(kind, share, organizationId))(work),
          )
        },
        hold: (kind) => {
          const share = shares[kind]
          if (share === undefined) return Effect.void
          return Caller.use(({ apiKeyId, organizationId }) =>
            share.hold(organizationId, apiKeyId, wait(kind, share, organizationId)),
          )
        },
      }
    })
}

const refusal = (kind: ShareKind, limit: { readonly whose: "organization" | "API key"; readonly most: number }) =>
  new TooManyAtOnce({
    detail: `The ${limit.whose} has ${limit.most} ${kind} under way, as many as its share of this server allows.`,
    retry_after_seconds: RETRY_AFTER_SECONDS,
  })
