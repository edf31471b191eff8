import { createHash } from "node:crypto"
import type { ChatbotRow } from "./Chatbots.ts"
import { RecentMap } from "../../system/RecentMap.ts"
import type { StoredSetup } from "../conversations/ReplyGrounds.ts"

/** Number of setups that are remembered: making one takes as long as reading the chatbot (measured). */
const REMEMBERED_MAX = 1_000
/** 128 bits in base64. */
const HASH_LENGTH = 22

const remembered = new RecentMap<StoredSetup>(REMEMBERED_MAX)

/** Returns the settings by which a chatbot answers. Its looks and its greeting are among them, but not in their hash. */
export const setupOf = ({
  id,
  name,
  personality_config: personality,
  settings,
  version,
}: Pick<ChatbotRow, "id" | "name" | "personality_config" | "settings" | "version">): StoredSetup =>
  remembered.get(`${id} ${version}`, () => {
    const { greeting: _greeting, snippet: _snippet, ...answering } = settings
    const content = JSON.stringify([name, personality, answering])
    const hash = createHash("sha256").update(content).digest("base64url").slice(0, HASH_LENGTH)
    return { hash, setup: { name, personality, settings } }
  })
