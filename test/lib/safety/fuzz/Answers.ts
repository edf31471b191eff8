import { areaOf } from "../../../../src/http/edge/Routes.ts"
import type { ApiDocument } from "../ApiDocument.ts"
import type { FuzzRequest } from "./Requests.ts"
import type { WireAnswer, WireOutcome } from "./Wire.ts"

/*
 * Whether an answer is one that the OpenAPI document declares.
 */

/** The most bytes of the answer to a request that is refused. */
const REFUSED_BYTES_MAX = 64 * 1024

/** The statuses with which the HTTP server refuses what it cannot read. Their bodies are empty. */
const unread = new Set([400, 413, 414, 431, 501, 505])

const mediaTypeOf = ({ headers }: WireAnswer) => (headers.get("content-type") ?? "").split(";", 1).join("").trim()

const fits = (declared: string, mediaType: string): boolean =>
  declared === mediaType || (declared.endsWith("/*") && mediaType.startsWith(declared.slice(0, -1)))

const isJson = (mediaType: string): boolean => /[/+]json$/.test(mediaType)

const parsed = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

/** Why an answer is not as it has to be; undefined if it is. */
export const faultOf = (document: ApiDocument, request: FuzzRequest, outcome: WireOutcome): string | undefined => {
  if (outcome === "hangs") return "no answer in time"
  if (outcome === "closed")
    return request.isMalformed || request.isCutOff ? undefined : "the connection was closed without an answer"
  const { body, status } = outcome
  if (status === 500) return `${status} ${Buffer.from(body).toString().slice(0, 300)}`
  if (status >= 400 && body.length > REFUSED_BYTES_MAX) return `${status} with ${body.length} bytes`
  if (request.isMalformed && body.length === 0 && (unread.has(status) || request.method === "HEAD" || status === 204))
    return undefined
  const text = () => `${status} ${mediaTypeOf(outcome)} ${Buffer.from(body).toString().slice(0, 300)}`
  if (outcome.headers.get("x-request-id") === undefined) return `no request id: ${text()}`
  if (request.operation === undefined) {
    // The server of MCP has its own form of refusals.
    if (areaOf(request.target).dialect === "mcp") return undefined
    const isRefused = status < 500 && isJson(mediaTypeOf(outcome))
    return status < 400 || isRefused ? undefined : `not declared: ${text()}`
  }
  const content = request.operation.responses.get(status)
  if (content === undefined) return `the status is not declared: ${text()}`
  if (request.method === "HEAD" || (content.size === 0 && body.length === 0)) return undefined
  const mediaType = mediaTypeOf(outcome)
  const declared = Array.from(content).find(([one]) => fits(one, mediaType))
  if (declared === undefined) return `the media type is not declared: ${text()}`
  if (!isJson(mediaType)) return undefined
  const value = parsed(body)
  if (value === undefined) return `not JSON: ${text()}`
  const issue = document.issueOf(declared[1], value)
  return issue === undefined ? undefined : `not as its schema says: ${issue} ${text()}`
}
