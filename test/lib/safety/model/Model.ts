import type { Client, Reply } from "../../Client.ts"

/*
 * What three organizations must see, as far as the commands of a test have made, changed and deleted things.
 */

/** A chatbot as the model knows it. Things are kept by their ids, and conversations by their tokens. */
export interface ChatbotModel {
  readonly id: string
  name: string
  readonly slug: string
  readonly documents: Set<string>
  readonly tools: Map<string, string>
  /** The number of messages, and the latest reply, of each conversation. */
  readonly sessions: Map<string, { readonly id: string; count: number; reply: string }>
}

/** An organization as the model knows it, with the client of its main key. */
export interface OrganizationModel {
  readonly id: string
  readonly client: Client
  /** A word that everything of the organization holds, and nothing of any other. */
  readonly canary: string
  readonly chatbots: Map<string, ChatbotModel>
  /** The ids of keys, and whether they are revoked. */
  readonly keys: Map<string, boolean>
  replies: number
}

/** The form of the words that mark organizations. */
const CANARY = /canary[0-9a-f]{12}/g
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

export const newCanary = (): string => `canary${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`

/**
 * To whom each id belongs that any organization was shown. Runs at the same time share it, so that they also find
 * what leaks from one to the other.
 */
export class Owners {
  readonly #byId = new Map<string, string>()

  /** Records all ids in an answer to an organization, and throws if one of them, or a word, is another's. */
  check({ canary }: Pick<OrganizationModel, "canary">, { headers, text }: Reply): void {
    const all = `${headers.get("x-session-id") ?? ""} ${headers.get("x-message-id") ?? ""} ${headers.get("link") ?? ""} ${text}`
    for (const [word] of all.matchAll(CANARY))
      if (word !== canary) throw new Error(`${word} in an answer to ${canary}: ${all}`)
    const requestId = headers.get("x-request-id")
    for (const [id] of all.matchAll(UUID)) {
      if (id === requestId) continue
      const owner = this.#byId.get(id)
      if (owner !== undefined && owner !== canary)
        throw new Error(`${id} of ${owner} in an answer to ${canary}: ${all}`)
      this.#byId.set(id, canary)
    }
  }
}

/** Throws unless an answer has this status. */
export const expectStatus = (reply: Reply, status: number, what: string): void => {
  if (reply.status !== status) throw new Error(`${what}: ${reply.status} and not ${status}: ${reply.text}`)
}

/** Throws unless two collections hold the same texts, in any order. */
export const expectSame = (found: Iterable<string>, expected: Iterable<string>, what: string): void => {
  const [one, other] = [found, expected].map((texts) => Array.from(texts).toSorted().join("\n"))
  if (one !== other) throw new Error(`${what}: found\n${one}\nand not\n${other}`)
}
