import type { VisitorProfile, VisitorSession } from "../../../domain/widget/Widget.ts"
import { Failure, failureFrom, failureOf } from "./Failure.ts"

/** A token is renewed this long before it expires. */
const RENEWED_BEFORE_MILLIS = 60_000

interface ClientOptions {
  /** The address below which the server's paths begin, with a slash at its end. */
  readonly root: string
  readonly key: string
  /** The secret of the visitor; `undefined` until there is one. */
  readonly secret: () => string | undefined
}

interface OpenSession extends VisitorSession {
  /** By the clock of `performance`. */
  readonly renewAt: number
}

/** Asks the server as a visitor: opens the session that requests need, and renews it silently. */
export class Client {
  readonly #options: ClientOptions
  #session: Promise<OpenSession> | undefined
  #identity: string | undefined

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /** Names the visitor by a token that the customer's own server has signed; fails where the server refuses it. */
  async identify(jwt: string): Promise<VisitorProfile> {
    const before = this.#identity
    this.#identity = jwt
    this.#session = undefined
    try {
      return await this.visitor()
    } catch (error) {
      this.#identity = before
      this.#session = undefined
      throw error
    }
  }

  /** Opens a new session before the next request, as when the visitor has another secret. */
  renew(): void {
    this.#session = undefined
  }

  reset(): void {
    this.#identity = undefined
    this.#session = undefined
  }

  /** The address below which the server's paths begin. */
  get root(): string {
    return this.#options.root
  }

  async visitor(): Promise<VisitorProfile> {
    return (await this.#currentSession()).visitor
  }

  /** Sends a request, and once more with a new session where the server does not know the token any more. */
  async send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const { token } = await this.#currentSession()
      const response = await this.#fetch(method, path, body, { authorization: `Bearer ${token}` }, signal)
      if (response.ok) return response
      if (response.status !== 401 || tries > 1) throw await failureOf(response)
      this.#session = undefined
    }
  }

  /** Sends a request and returns the body of the response. The server's declaration says that it is an `A`. */
  async json<A>(method: string, path: string, body?: unknown): Promise<A> {
    const response = await this.send(method, path, body)
    return (await response.json()) as A
  }

  /** Reads the configuration as it is now. */
  async config<A>(): Promise<A> {
    const response = await this.#fetch("GET", `config/${encodeURIComponent(this.#options.key)}`)
    return (await response.json()) as A
  }

  async #currentSession(): Promise<OpenSession> {
    const known = this.#session
    const session = await known?.catch(() => undefined)
    if (session !== undefined && session.renewAt > performance.now()) return session
    // Unless another request opens one already.
    if (this.#session === known || this.#session === undefined) this.#session = this.#open()
    return this.#session
  }

  async #open(): Promise<OpenSession> {
    const start = performance.now()
    const secret = this.#options.secret()
    const body = { key: this.#options.key, visitor_secret: secret, identity: this.#identity }
    const response = await this.#fetch("POST", "sessions", body)
    if (response.ok) {
      const session = (await response.json()) as VisitorSession
      // By the server's clock, since that of the visitor may be wrong.
      const opened = Date.parse(response.headers.get("date") ?? "") || Date.now()
      return { ...session, renewAt: start + Date.parse(session.expires_at) - opened - RENEWED_BEFORE_MILLIS }
    }
    const failure = await failureOf(response)
    // A chatbot that is not there looks like one that must not be embedded by this key.
    if (failure.kind === "missing") throw new Failure("gone")
    throw response.status === 401 ? new Failure("identity") : failure
  }

  async #fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
    signal: AbortSignal | null = null,
  ): Promise<Response> {
    const isForm = body instanceof FormData
    try {
      return await fetch(`${this.#options.root}api/widget/${path}`, {
        method,
        signal,
        credentials: "omit",
        headers: { ...headers, ...(body === undefined || isForm ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      })
    } catch (error) {
      throw failureFrom(error)
    }
  }
}
