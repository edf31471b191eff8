import { Context, Duration, type Effect, Layer, type Scope } from "effect"
import { Caller } from "../domain/Caller.ts"
import { TooManyAtOnce } from "../domain/Errors.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import { Places } from "../system/Places.ts"

/** The kinds of work of which an organization has a share. */
export type ShareKind = "uploads" | "searches" | "chats" | "streams" | "lists" | "events"

export interface SharesSettings {
  /** The most work of each kind that one organization has under way in this process. */
  readonly organization: Readonly<Record<ShareKind, number>>
  /** Longest time that work beyond a share waits for its turn. */
  readonly wait: Duration.Duration
  /** The most work of one kind and organization that waits. */
  readonly queue: number
}

/** `Retry-After` of a refusal: work of these kinds ends within seconds. */
const RETRY_AFTER_SECONDS = 1

/**
 * Limits how much work of one kind an organization has under way in this process. Work beyond the share waits for a
 * short time, first come first served, and is then refused.
 *
 * There is no limit for all organizations together, because by such a limit a few of them could keep out the others.
 */
export class Shares extends Context.Service<
  Shares,
  {
    /** Runs work that takes a place in the share of the caller's organization until it ends. */
    readonly within: (
      kind: ShareKind,
    ) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | TooManyAtOnce, R | Caller>
    /** Takes a place in the share of the caller's organization until the scope closes. */
    readonly hold: (kind: ShareKind) => Effect.Effect<void, TooManyAtOnce, Caller | Scope.Scope>
  }
>()("parley/admission/Shares") {
  static readonly layer = ({ organization: most, queue, wait }: SharesSettings) =>
    Layer.sync(Shares, () => {
      const millis = Duration.toMillis(wait)
      /** The places by kind and organization, while work is in them. */
      const occupied = new Map<string, Places>()

      const placesOf = (kind: ShareKind, organization: OrganizationId): Places => {
        const id = `${kind} ${organization}`
        const found = occupied.get(id)
        if (found !== undefined) return found
        const places = new Places(most[kind], queue, () => occupied.delete(id))
        occupied.set(id, places)
        return places
      }

      const waitFor = (kind: ShareKind) => ({ millis, refuse: () => refusalOf(kind, most[kind]) })

      return {
        within: (kind) => (work) =>
          Caller.use(({ organizationId }) => placesOf(kind, organizationId).within(waitFor(kind))(work)),
        hold: (kind) => Caller.use(({ organizationId }) => placesOf(kind, organizationId).hold(waitFor(kind))),
      }
    })
}

const refusalOf = (kind: ShareKind, most: number) =>
  new TooManyAtOnce({
    detail: `The organization has ${most} ${kind} under way, as many as its share of this server allows.`,
    retry_after_seconds: RETRY_AFTER_SECONDS,
  })
