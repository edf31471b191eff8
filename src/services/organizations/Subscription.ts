import { Effect, Latch } from "effect"
import { type Caller, isWithin, type Reach } from "../../domain/Caller.ts"
import type { Scope } from "../../domain/keys/ApiKey.ts"
import type { OrganizationEvent } from "../../domain/organizations/Events.ts"

/** The most events that wait for a slow client. It is then told to read everything anew. */
const PENDING_MAX = 500

/** The scope that an API key needs for events of each type; undefined for those that everybody gets. */
const scopeFor: Readonly<Record<OrganizationEvent["type"], Scope | undefined>> = {
  resync: undefined,
  document: "knowledge:read",
  document_deleted: "knowledge:read",
  knowledge: "knowledge:read",
  source: "knowledge:read",
  conversation: "conversations:read",
  chatbot: "chatbots:read",
  chatbot_deleted: "chatbots:read",
}

/** Whether an API key with these scopes gets any events. */
export const mayListen = (scopes: ReadonlyArray<Scope>): boolean =>
  Object.values(scopeFor).some((scope) => scope !== undefined && scopes.includes(scope))

/** The events of one client that are still to be sent. */
export class Subscription {
  readonly caller: Caller["Service"]
  private readonly reach: Reach
  private readonly latch = Latch.makeUnsafe(false)
  private pending: ReadonlyArray<OrganizationEvent> = []
  private isOver = false

  /** @param reach the chatbots whose events it gets */
  constructor(caller: Caller["Service"], reach: Reach) {
    this.caller = caller
    this.reach = reach
  }

  /** Adds those of the events that the client may get. */
  offer(events: ReadonlyArray<OrganizationEvent>): void {
    const wanted = events.filter((event) => this.wants(event))
    if (wanted.length === 0 || this.isOver) return
    this.pending =
      this.pending.length + wanted.length > PENDING_MAX ? [{ type: "resync" }] : [...this.pending, ...wanted]
    this.latch.openUnsafe()
  }

  /** Ends the subscription once what is pending is taken. */
  end(): void {
    this.isOver = true
    this.latch.openUnsafe()
  }

  /** Waits for events, and takes all that are pending; undefined at the end. */
  readonly take: Effect.Effect<ReadonlyArray<OrganizationEvent> | undefined> = Effect.suspend(() =>
    Effect.map(this.latch.await, () => {
      const taken = this.pending
      this.pending = []
      if (taken.length === 0) return undefined
      if (!this.isOver) this.latch.closeUnsafe()
      return taken
    }),
  )

  private wants(event: OrganizationEvent): boolean {
    const scope = scopeFor[event.type]
    if (scope !== undefined && !this.caller.scopes.includes(scope)) return false
    return event.type === "resync" || isWithin(this.reach, event.chatbot_id)
  }
}
