/** Kind of a failure, as far as a visitor can do something about it. */
export type FailureKind =
  | "offline"
  | "busy"
  /** The chatbot cannot answer today, or is switched off. */
  | "spent"
  /** The chatbot, or the permission to talk with it here, is gone. */
  | "gone"
  /** The page has to say anew who the visitor is: what its server has signed holds no longer. */
  | "identity"
  /** The thing is not there any more. */
  | "missing"
  /** The message is too long or malformed. */
  | "refused"
  | "failed"

export class Failure extends Error {
  readonly kind: FailureKind
  /** The code by which the server names the failure; empty where it is none of the server's. */
  readonly code: string

  constructor(kind: FailureKind, code = "") {
    super(kind)
    this.kind = kind
    this.code = code
  }
}

const unavailableCodes = new Set(["budget_spent", "chatbot_inactive", "quota_reached"])

export const kindOf = (code: string, status = 500): FailureKind => {
  if (unavailableCodes.has(code)) return "spent"
  if (status === 429 || code.startsWith("too_many") || code === "rate_limited") return "busy"
  if (status === 401 || status === 403) return "gone"
  if (status === 404) return "missing"
  if (status === 400 || status === 413 || status === 415 || status === 422) return "refused"
  return "failed"
}

export const failureOf = async (response: Response): Promise<Failure> => {
  const body: unknown = await response.json().catch(() => undefined)
  const problem = typeof body === "object" && body !== null ? body : {}
  const code = "code" in problem && typeof problem.code === "string" ? problem.code : ""
  return new Failure(kindOf(code, response.status), code)
}

/** Returns what was thrown as a failure. What `fetch` throws means that the server was not reached. */
export const failureFrom = (thrown: unknown): Failure =>
  thrown instanceof Failure ? thrown : new Failure(thrown instanceof TypeError ? "offline" : "failed")
