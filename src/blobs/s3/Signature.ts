import { createHash, createHmac } from "node:crypto"
import { Redacted } from "effect"

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
}

interface Unsigned {
  readonly method: string
  readonly host: string
  /** The path, encoded by `encodePath`. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Headers to send and to sign, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The SHA-256 of the body, in hexadecimal digits. */
  readonly payload: string
}

export interface Signed {
  /** The query with the encoding that was signed, without a question mark. */
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** Encodes a path as S3 signs it. */
export const encodePath = (path: string): string => path.split("/").map(encode).join("/")

export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
const hmac = (key: string | Uint8Array, text: string): Buffer => createHmac("sha256", key).update(text).digest()

/** Signs a request by version 4 of Amazon's signatures. All headers are signed. */
export const sign = (request: Unsigned, credentials: Credentials, region: string, now: Date): Signed => {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "")
  const day = time.slice(0, 8)
  const scope = `${day}/${region}/s3/aws4_request`
  const headers: Record<string, string> = {
    ...request.headers,
    "x-amz-content-sha256": request.payload,
    "x-amz-date": time,
  }
  const signed = Object.entries({ ...headers, host: request.host }).toSorted(byName)
  const names = signed.map(([name]) => name).join(";")
  const query = Object.entries(request.query)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(byName)
    .map(([name, value]) => `${name}=${value}`)
    .join("&")
  const canonical = [
    request.method,
    request.path,
    query,
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    "",
    names,
    request.payload,
  ].join("\n")
  const key = [day, region, "s3", "aws4_request"].reduce<string | Uint8Array>(
    hmac,
    `AWS4${Redacted.value(credentials.secretAccessKey)}`,
  )
  const signature = hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n")).toString("hex")
  const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return { query, headers: { ...headers, authorization } }
}

const byName = ([one]: readonly [string, string], [other]: readonly [string, string]): number =>
  one < other ? -1 : one > other ? 1 : 0
