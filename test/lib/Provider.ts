import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { Effect, Exit, Scope } from "effect"
import { type FakeProvider, fakeProvider } from "./FakeProvider.ts"
import type { Answer, Recorded } from "./Wire.ts"

/**
 * A model provider whose address stays the same for the life of a server, with a new fake provider behind it for every
 * test. It forwards bytes, dropped sockets and clients that hang up.
 */
export interface Provider {
  readonly url: string
  /** Gives these answers in order from now on, repeats the last one, and forgets the requests so far. */
  readonly answers: (...answers: ReadonlyArray<Answer>) => Promise<void>
  /** The requests since the last call of `answers`. */
  readonly requests: () => ReadonlyArray<Recorded>
  /** How many times a client hung up on an answer that had not ended. */
  readonly hungUp: () => number
  /** Makes requests wait until the returned function is called. */
  readonly hold: () => () => void
  /** How many requests have arrived, including those that wait. */
  readonly arrived: () => number
}

export const provider: Effect.Effect<Provider, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(open),
  ({ close }) => Effect.promise(close),
)

async function open() {
  let scope = Scope.makeUnsafe()
  let fake: FakeProvider = await Effect.runPromise(Scope.provide(fakeProvider(), scope))
  let gate: Promise<void> = Promise.resolve()
  let arrived = 0

  const server = createServer(async (incoming, outgoing) => {
    arrived++
    await gate
    passOn(fake.url, incoming, outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()

  return {
    url: `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`,
    answers: async (...answers: ReadonlyArray<Answer>) => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      scope = Scope.makeUnsafe()
      fake = await Effect.runPromise(Scope.provide(fakeProvider(...answers), scope))
      arrived = 0
    },
    requests: () => fake.requests,
    hungUp: () => fake.hungUp(),
    arrived: () => arrived,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    },
  }
}

const passOn = (target: string, incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const { method, headers, url } = incoming
  const upstream = request(new URL(url ?? "/", target), { method: method ?? "POST", headers, agent: false })
  upstream.on("response", (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers)
    outgoing.flushHeaders()
    response.on("error", () => outgoing.socket?.destroy())
    response.pipe(outgoing)
  })
  upstream.on("error", () => outgoing.socket?.destroy())
  outgoing.on("close", () => upstream.destroy())
  incoming.pipe(upstream)
}
