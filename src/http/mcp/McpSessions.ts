import { type Context, Effect, RcMap, type Scope } from "effect"
import { Headers, HttpEffect, HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { apiVersion } from "../../api/Api.ts"

/*
 * The sessions of MCP clients, without storing them.
 *
 * All that the server needs to know of a session is the version of its protocol, so the session id contains the
 * version, and any process can serve any session at any time. The protocol's server in `effect/ai` knows only sessions
 * that it has begun itself, and never forgets them. So an inner session of it stands for a client's session, but only
 * while requests of that session run. Two things are known to one process only: which sessions clients have ended
 * there, and which running requests they may cancel.
 */

/** The header that carries the id of a session. */
export const header = "mcp-session-id"
const versionHeader = "mcp-protocol-version"

/** The most ended sessions that are remembered. To serve a forgotten one does no harm: a session gives no rights. */
const ENDED_REMEMBERED = 10_000

interface Session {
  readonly organization: string
  /** The path of the request, which decides which server of the protocol answers. */
  readonly path: string
  readonly id: string
}

/** Makes the sessions of these protocol versions. Requests to the protocol's server run in the caller's context. */
export const make = Effect.fnUntraced(function* (versions: ReadonlyArray<string>) {
  const router = yield* HttpRouter.HttpRouter
  const wellFormed = new RegExp(`^(${versions.join("|")})\\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
  const ended = new Set<string>()
  const keyOf = (organization: string, id: string) => `${organization} ${id}`

  const send = (path: string, init: RequestInit) =>
    Effect.contextWith((context: Context.Context<never>) => {
      const served = HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(context)
      return Effect.promise(() => served(router.asHttpEffect())(new Request(`http://localhost${path}`, init)))
    })

  const open = Effect.fnUntraced(function* ({ id, path }: Session) {
    const clientInfo = { name: "parley", version: apiVersion }
    const params = { protocolVersion: wellFormed.exec(id)?.[1], capabilities: {}, clientInfo }
    const { headers, status } = yield* send(path, {
      method: "POST",
      headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
    })
    return headers.get(header) ?? (yield* Effect.die(new Error(`No session could be begun: ${status}`)))
  })

  const close = (path: string, inner: string) => send(path, { method: "DELETE", headers: { [header]: inner } })

  const inners = yield* RcMap.make({
    lookup: (session: Session) => Effect.acquireRelease(open(session), (inner) => close(session.path, inner)),
  })

  return {
    /**
     * Replaces the session id of a request by that of an inner session, which lasts until the scope closes. A request
     * whose session is unknown or ended stays as it is, and the protocol's server answers it with 404.
     */
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

    /**
     * Answers a request that begins a session, and closes the inner session at once. It cannot be interrupted, so that
     * no inner session is left when the client disconnects.
     */
    begin: <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>, path: string) => {
      const replaceId = HttpEffect.appendPreResponseHandler((_, response) => {
        const inner = response.headers[header]
        if (inner === undefined) return Effect.succeed(response)
        const id = `${response.headers[versionHeader]}.${inner}`
        return Effect.as(close(path, inner), HttpServerResponse.setHeader(response, header, id))
      })
      return Effect.uninterruptible(Effect.tap(answer, replaceId))
    },

    /** Remembers that the client has ended a session. */
    end: (organization: string, id: string): void => {
      ended.add(keyOf(organization, id))
      const [oldest] = ended
      if (ended.size > ENDED_REMEMBERED && oldest !== undefined) ended.delete(oldest)
    },
  }
})
