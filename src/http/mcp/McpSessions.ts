import { type Context, Effect, RcMap, type Scope } from "effect"
import { Headers, HttpEffect, HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { apiVersion } from "../../api/Api.ts"

/*
 * The sessions of MCP clients, as nobody has to keep them. Nothing of a session matters to what is served but the
 * version of its protocol, so the id says that, and any process serves it at any time. The protocol's server knows only
 * sessions that it began itself, and keeps them for ever: as long as a session's requests run, and no longer, one of
 * those stands for it. A process knows only its own of what a client has ended, and of the requests that it may cancel.
 */

export const header = "mcp-session-id"
const versionHeader = "mcp-protocol-version"

/** Sessions that are remembered as ended. One that is forgotten would be served again; it gives no rights. */
const ENDED_REMEMBERED = 10_000

/** The session that a request names. */
interface Session {
  readonly organization: string
  /** Which of the protocol's servers it goes to. */
  readonly path: string
  readonly id: string
}

/** `versions`: of the protocol, where it has sessions. What is asked of the protocol's server has the caller's context. */
export const make = Effect.fnUntraced(function* (versions: ReadonlyArray<string>) {
  const router = yield* HttpRouter.HttpRouter
  const wellFormed = new RegExp(`^(${versions.join("|")})\\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
  const ended = new Set<string>()
  const keyOf = (organization: string, id: string) => `${organization} ${id}`

  const ask = (path: string, init: RequestInit) =>
    Effect.contextWith((context: Context.Context<never>) => {
      const served = HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(context)
      return Effect.promise(() => served(router.asHttpEffect())(new Request(`http://localhost${path}`, init)))
    })

  const open = Effect.fnUntraced(function* ({ id, path }: Session) {
    const clientInfo = { name: "parley", version: apiVersion }
    const params = { protocolVersion: wellFormed.exec(id)?.[1], capabilities: {}, clientInfo }
    const { headers, status } = yield* ask(path, {
      method: "POST",
      headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
    })
    return headers.get(header) ?? (yield* Effect.die(new Error(`No session could be begun: ${status}`)))
  })

  const close = (path: string, inner: string) => ask(path, { method: "DELETE", headers: { [header]: inner } })

  const inners = yield* RcMap.make({
    lookup: (session: Session) => Effect.acquireRelease(open(session), (inner) => close(session.path, inner)),
  })

  return {
    /** The request as the protocol's server has to see it, while the scope is open. It answers 404 to what names none. */
    join: Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
      organization: string,
      path: string,
    ) {
      const id = request.headers[header]
      if (id === undefined || !wellFormed.test(id) || ended.has(keyOf(organization, id))) return request
      const inner = yield* RcMap.get(inners, { organization, path, id })
      return request.modify({ headers: Headers.set(request.headers, header, inner) })
    }),

    /** Answers a request that begins a session. Whoever leaves meanwhile leaves nothing behind. */
    begin: <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>, path: string) => {
      const named = HttpEffect.appendPreResponseHandler((_, response) => {
        const inner = response.headers[header]
        if (inner === undefined) return Effect.succeed(response)
        const id = `${response.headers[versionHeader]}.${inner}`
        return Effect.as(close(path, inner), HttpServerResponse.setHeader(response, header, id))
      })
      return Effect.uninterruptible(Effect.tap(answer, named))
    },

    /** The client has ended it. */
    end: (organization: string, id: string): void => {
      ended.add(keyOf(organization, id))
      const [oldest] = ended
      if (ended.size > ENDED_REMEMBERED && oldest !== undefined) ended.delete(oldest)
    },
  }
})
