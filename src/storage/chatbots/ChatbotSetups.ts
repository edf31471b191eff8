import { createHash } from "node:crypto"
import type { ChatbotSetup } from "../../domain/chat/ReplyGround.ts"
import type { ChatbotRow } from "./Chatbots.ts"

/** The settings by which a chatbot answers, as the table `chatbot_setups` has them. */
export interface StoredSetup {
  /** Names them: the same settings have the same hash. */
  readonly hash: string
  readonly setup: ChatbotSetup
}

/** Number of setups that are remembered: making one takes as long as reading the chatbot (measured). */
const REMEMBERED_MAX = 1_000
/** 128 bits in base64. */
const HASH_LENGTH = 22

const remembered = new Map<string, StoredSetup>()

/** Returns the settings by which a chatbot answers. Its looks and its greeting are among them, but not in their hash. */
export const setupOf = (
  chatbot: Pick<ChatbotRow, "id" | "name" | "personality_config" | "settings" | "version">,
): StoredSetup => {
  const key = `${chatbot.id} ${chatbot.version}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  const { name, personality_config: personality, settings } = chatbot
  const { greeting: _greeting, snippet: _snippet, ...answering } = settings
  const hash = createHash("sha256")
    .update(JSON.stringify([name, personality, answering]))
    .digest("base64url")
    .slice(0, HASH_LENGTH)
  const made = { hash, setup: { name, personality, settings } }
  for (const oldest of remembered.keys()) {
    if (remembered.size < REMEMBERED_MAX) break
    remembered.delete(oldest)
  }
  remembered.set(key, made)
  return made
}
