/** A session as it has to be named to end it. */
export interface McpSession {
  readonly id: string
  /** Where it was begun. */
  readonly path: string
}

/**
 * The sessions of MCP clients, by organization. Clients seldom end them, and the protocol's server keeps each for ever;
 * one that has to go can be begun again, as clients do when they are told 404.
 */
export class McpSessions {
  readonly #limit: number
  /** Those that were used last come last. */
  readonly #sessions = new Map<string, Map<string, McpSession>>()

  /** `limit`: sessions of one organization, at most. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Returns the session that has to end for it, if one has. */
  begin(organization: string, session: McpSession): McpSession | undefined {
    const own = this.#sessions.get(organization) ?? new Map<string, McpSession>()
    this.#sessions.set(organization, own.set(session.id, session))
    if (own.size <= this.#limit) return undefined
    const [oldest] = own.values()
    if (oldest !== undefined) own.delete(oldest.id)
    return oldest
  }

  /** It is still in use. */
  touch(organization: string, id: string): void {
    const own = this.#sessions.get(organization)
    const session = own?.get(id)
    if (own === undefined || session === undefined) return
    own.delete(id)
    own.set(id, session)
  }

  end(organization: string, id: string): void {
    this.#sessions.get(organization)?.delete(id)
  }
}
