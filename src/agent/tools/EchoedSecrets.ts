import type { SafeRequest } from "../../outbound/SafeFetch.ts"

/** The length from which a header's value is treated as a secret. Shorter ones may be any word of an answer. */
const SECRET_MIN_LENGTH = 6
const REPLACEMENT = "[secret]"

/**
 * Replaces the values of secret headers in an answer, because a server that echoes its request must not reveal them to
 * a model: as they are, as a part of JSON, of a URL or of a form, and inside of anything in base64. The time is linear
 * in the length of the answer for each value.
 */
export const withoutSecrets = (text: string, secrets: SafeRequest["secrets"]): string => {
  const parts = Object.values(secrets).flatMap(partsOf)
  const forms = new Set(parts.filter((part) => part.length >= SECRET_MIN_LENGTH).flatMap(formsOf))
  // The longest first: a secret may be a part of another.
  const longestFirst = Array.from(forms).toSorted((a, b) => b.length - a.length)
  return longestFirst.reduce((clean, form) => clean.replaceAll(form, REPLACEMENT), text)
}

/** The whole value, such as `Bearer s3cr3t`, what follows its scheme, and the user and password of `Basic`. */
const partsOf = (value: string): ReadonlyArray<string> => {
  const whole = value.trim()
  const credentials = whole.slice(whole.indexOf(" ") + 1).trimStart()
  const last = whole.slice(whole.lastIndexOf(" ") + 1)
  if (!/^basic /i.test(whole)) return [whole, credentials, last]
  const pair = Buffer.from(credentials, "base64").toString("latin1")
  return [whole, credentials, pair, pair.slice(pair.indexOf(":") + 1)]
}

const formsOf = (secret: string): ReadonlyArray<string> => {
  const json = JSON.stringify(secret).slice(1, -1)
  const inUrl = [encodeURIComponent(secret), new URLSearchParams([["", secret]]).toString().slice(1)]
  const inLowerCase = inUrl.map((form) => form.replaceAll(/%../g, (escape) => escape.toLowerCase()))
  const base64 = [0, 1, 2].map((offset) => base64After(offset, secret))
  const slashes = base64.map((form) => form.replaceAll("/", String.raw`\/`))
  const base64Url = base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))
  return [
    secret,
    json,
    json.replaceAll("/", String.raw`\/`),
    ...inUrl,
    ...inLowerCase,
    ...base64,
    ...slashes,
    ...base64Url,
  ]
}

/** The characters of base64 that a secret alone determines where it follows so many bytes of others. */
const base64After = (offset: number, secret: string): string => {
  const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret, "latin1")]).toString("base64")
  return encoded.slice(Math.ceil((8 * offset) / 6), Math.floor((8 * (offset + secret.length)) / 6))
}
