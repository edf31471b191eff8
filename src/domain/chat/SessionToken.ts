import type { Caller } from "../Caller.ts"
import type { ApiKeyId } from "../Ids.ts"

/*
 * Session tokens: the names that clients choose for conversations. Anyone who knows the name of a conversation continues
 * it, and its history becomes part of a prompt. So a token that can be guessed names a conversation only for the API key
 * that opened it.
 */

/** The fewest characters of a session token that counts as unguessable. */
export const UNGUESSABLE_TOKEN_MIN_LENGTH = 16

/** Whether somebody else may guess a session token. Only its length is looked at. */
export const isGuessable = (token: string): boolean => token.length < UNGUESSABLE_TOKEN_MIN_LENGTH

/** A session as an API key names it. */
export interface SessionName {
  /** The id of the session, or the token that it was opened with. */
  readonly text: string
  readonly apiKeyId: ApiKeyId
  /**
   * Sessions that a guessable token names: those that the key opened (`own`), also those whose opener was not recorded
   * (`unclaimed`), or those of every key (`any`). The key's own comes first, then the one with the latest activity. An
   * id, and a token that is not guessable, names the same session for every key.
   */
  readonly scope: "any" | "own" | "unclaimed"
  /** Names the session only if it belongs to this visitor of the chat widget. `text` is then the id of the session. */
  readonly visitor?: string
}

/** Whether a key may read what others said: what a prompt contains, and the conversations of other keys. */
export const readsConversations = ({ scopes }: Caller["Service"]): boolean => scopes.includes("conversations:read")

/**
 * The name of a session that a chat continues. Not even a key that reads all conversations continues one that another
 * key opened under a guessable token: a visitor could have opened it on purpose, and would then share the conversation.
 */
export const sessionToContinue = (caller: Caller["Service"], text: string): SessionName => ({
  ...sessionToManage(caller, text),
  scope: readsConversations(caller) ? "unclaimed" : "own",
})

/** The name of a session of a visitor of the chat widget. Nobody but the visitor itself reaches a session by it. */
export const sessionOfVisitor = (caller: Caller["Service"], visitor: string, id: string): SessionName => ({
  ...sessionToManage(caller, id),
  visitor,
})

/** The name of a session in which a reply is rated. */
export const sessionToRate = (caller: Caller["Service"], text: string): SessionName => ({
  ...sessionToManage(caller, text),
  scope: readsConversations(caller) ? "any" : "own",
})

/** The name of a session that is read or deleted, by a key that may do so with all conversations of the chatbot. */
export const sessionToManage = ({ apiKeyId }: Caller["Service"], text: string): SessionName => ({
  text,
  apiKeyId,
  scope: "any",
})
