import type { Schema } from "effect"
import { difference } from "../schema/Merge.ts"

/** Stands in the place of a text that the audit log does not hold. */
export const CONCEALED = "[concealed]"
/** The most characters of the JSON of one side of a change. */
const CHANGE_MAX = 2_000

/**
 * The fields whose texts the audit log holds. It conceals every other text, because that may be a secret, such as the
 * path of a webhook, or contents of somebody, such as a prompt. Numbers and truth values are never concealed.
 */
const shownFields: ReadonlySet<string> = new Set([
  "allowed_origins",
  "api",
  "by",
  "chatbot_id",
  "client_id",
  "events",
  "expires_at",
  "fallbackModels",
  "issuer",
  "key_hint",
  "kind",
  "last_four",
  "method",
  "model",
  "name",
  "prefix",
  "reason",
  "revoked_at",
  "role",
  "roles_claim",
  "schedule",
  "scopes",
  "server",
  "slug",
  "state",
])
/** The texts that are limits and not contents. */
const shownTexts: ReadonlySet<string> = new Set(["unlimited"])

const conceal = (value: Schema.Json, isShown: boolean): Schema.Json => {
  if (typeof value === "string") return isShown || shownTexts.has(value) ? value : CONCEALED
  if (Array.isArray(value)) return value.map((item: Schema.Json) => conceal(item, isShown))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, conceal(field, shownFields.has(key))]))
}

/** A state, or the changed part of one, as the audit log holds it: without secrets and contents, and of bounded size. */
export const concealed = (state: Schema.JsonObject): Schema.JsonObject => {
  const shown = Object.fromEntries(
    Object.entries(state).map(([key, value]) => [key, conceal(value, shownFields.has(key))]),
  )
  if (JSON.stringify(shown).length <= CHANGE_MAX) return shown
  return Object.fromEntries(
    Object.keys(state)
      .map((key) => [key.slice(0, 50), CONCEALED])
      .slice(0, 25),
  )
}

/** Both sides of a change as the audit log holds them; undefined where nothing has changed. */
export const changeOf = (
  before: Schema.JsonObject,
  after: Schema.JsonObject,
): { readonly before: Schema.JsonObject; readonly after: Schema.JsonObject } | undefined => {
  const changed = difference(before, after)
  const replaced = difference(after, before)
  return Object.keys(changed).length === 0 && Object.keys(replaced).length === 0
    ? undefined
    : { before: concealed(replaced), after: concealed(changed) }
}
