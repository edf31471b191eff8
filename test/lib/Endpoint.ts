import { afterAll } from "bun:test"

/** What an endpoint was asked. */
export interface Asked {
  readonly method: string
  /** Path and query, as they came. */
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

/** An HTTP server of somebody else, which the tools of chatbots call. */
export interface Endpoint {
  readonly url: string
  /** Since it was last told how to answer. */
  readonly asked: ReadonlyArray<Asked>
  readonly answers: (answer: (asked: Asked) => Response | Promise<Response>) => void
}

/** One for the tests of the calling file. It answers `{"ok": true}` until it is told otherwise. */
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
