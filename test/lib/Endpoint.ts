import { afterAll } from "bun:test"

/** A request that an endpoint received. */
export interface Asked {
  readonly method: string
  /** The path with the query, unchanged. */
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

/** An external HTTP server that the tools of chatbots call. */
export interface Endpoint {
  readonly url: string
  /** The requests since the last call of `answers`. */
  readonly asked: ReadonlyArray<Asked>
  /** Sets how the endpoint answers requests. */
  readonly answers: (answer: (asked: Asked) => Response | Promise<Response>) => void
}

/** Starts an endpoint for the tests of the calling file. It answers `{"ok": true}` until `answers` is called. */
export const startEndpoint = (): Endpoint => {
  const asked: Array<Asked> = []
  let answer: (asked: Asked) => Response | Promise<Response> = () => Response.json({ ok: true })
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const one = {
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: await request.text(),
      }
      asked.push(one)
      return answer(one)
    },
  })
  afterAll(() => server.stop(true))
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    answers: (given) => {
      asked.length = 0
      answer = given
    },
  }
}
