import { Redacted, type Schema } from "effect"
import { isJsonObject, parseJson } from "../text/Json.ts"

/*
 * What servers say of a failure, in one line without keys.
 */

/** The longest reason, in UTF-16 code units. */
const REASON_MAX_LENGTH = 300

/** Matches keys, which some servers repeat in part or of another account. Ours is removed already. */
const KEYS =
  /(?<=\bbearer\s+)\S+|\b(?:sk|pk|rk|gsk|xai|hf)[-_][\w*-]{6,}|\bAIza[\w-]{20,}|\b(?=[a-z]*\d)(?=\d*[a-z])\w{32,}\b/giu
/** Matches the user and password of an address. */
const PASSWORDS = /(?<=:\/\/)[^\s/@]+(?=@)/gu

/** What a server says without the key that it was sent, which some repeat. */
export const withoutKey = (said: string, apiKey: Redacted.Redacted | undefined): string => {
  const key = apiKey === undefined ? "" : Redacted.value(apiKey)
  // Some servers escape the slashes in JSON.
  const forms = key === "" ? [] : [key, key.replaceAll("/", "\\/")]
  return forms.reduce((text, form) => text.replaceAll(form, "[key]"), said)
}

/** The message in an error as JSON, in the forms of the usual servers; undefined where there is none. */
export const messageIn = (json: Schema.Json | undefined): string | undefined => {
  if (Array.isArray(json)) return messageIn(json[0])
  if (!isJsonObject(json)) return undefined
  const { detail, error, loc, msg, message = msg ?? detail } = json
  // FastAPI says beside its message where the fault is.
  if (typeof message === "string") return Array.isArray(loc) ? `${loc.join(".")}: ${message}` : message
  return typeof error === "string" ? error : (messageIn(message) ?? messageIn(error))
}

/** What a provider has said, in one line without keys. */
export const saidIn = (description: string): string => {
  const begin = description.search(/[[{]/u)
  const message = begin === -1 ? undefined : messageIn(parseJson(description.slice(begin)))
  const text = message === undefined ? description : description.slice(0, begin) + message
  const line = text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .replaceAll(KEYS, "[key]")
    .replaceAll(PASSWORDS, "[key]")
    .trim()
  return (line.length <= REASON_MAX_LENGTH ? line : `${line.slice(0, REASON_MAX_LENGTH - 1)}…`).toWellFormed()
}
