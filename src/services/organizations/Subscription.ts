import { type Caller, isWithin, type Reach } from "../../domain/Caller.ts"
import type { Scope } from "../../domain/keys/ApiKey.ts"
import type { OrganizationEvent } from "../../domain/organizations/Events.ts"
import { PendingEvents } from "../PendingEvents.ts"

/** The scope that an API key needs for events of each type; undefined for those that everybody gets. */
const scopeFor: Readonly<Record<OrganizationEvent["type"], Scope | undefined>> = {
  resync: undefined,
  document: "knowledge:read",
  document_deleted: "knowledge:read",
  knowledge: "knowledge:read",
  source: "knowledge:read",
  conversation: "conversations:read",
  presence: "conversations:read",
  chatbot: "chatbots:read",
  chatbot_deleted: "chatbots:read",
}

/** Whether an API key with these scopes gets any events. */
export const mayListen = (scopes: ReadonlyArray<Scope>): boolean =>
  Object.values(scopeFor).some((scope) => scope !== undefined && scopes.includes(scope))

/** The events of one client that are still to be sent. */
export class Subscription extends PendingEvents<OrganizationEvent> {
  readonly caller: Caller["Service"]
  private readonly reach: Reach

  /** @param reach the chatbots whose events it gets */
  constructor(caller: Caller["Service"], reach: Reach) {
    super()
    this.caller = caller
    this.reach = reach
  }

  /** The caller's key; or the session of a person and the version of that, with which the roles change. */
  get credential(): string {
    const { apiKeyId, session } = this.caller
    return session === undefined ? apiKeyId : `${session.id} ${session.version}`
  }

  /** Adds those of the events that the client may get. */
  override offer(events: ReadonlyArray<OrganizationEvent>): void {
    super.offer(events.filter((event) => this.wants(event)))
  }

  private wants(event: OrganizationEvent): boolean {
    const scope = scopeFor[event.type]
    if (scope !== undefined && !this.caller.scopes.includes(scope)) return false
    return event.type === "resync" || isWithin(this.reach, event.chatbot_id)
  }
}
