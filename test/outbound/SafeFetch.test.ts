import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createSocketServer } from "node:net"
import { gzipSync } from "node:zlib"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type Resolve, SafeFetch, type SafeRequest } from "../../src/outbound/SafeFetch.ts"
import { noPrivateNetworks, parsePrivateNetworks } from "../../src/outbound/PrivateNetworks.ts"

/** A server that answers with a handler of the test, and the requests that it received. */
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {}
const seen: Array<{ readonly line: string; readonly headers: IncomingMessage["headers"]; readonly body: string }> = []
const server: Server = createServer(async (request, response) => {
  let body = ""
  for await (const chunk of request) body += String(chunk)
  seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
  answer(request, response)
})
const portOf = (listening: { readonly address: () => unknown }): number => {
  const address = listening.address()
  return typeof address === "object" && address !== null && "port" in address ? Number(address.port) : 0
}
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  port = portOf(server)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
afterEach(() => {
  seen.length = 0
})

const local = parsePrivateNetworks("127.0.0.1") ?? noPrivateNetworks
/** Resolves every name to this machine. */
const here: Resolve = () => Effect.succeed([{ address: "127.0.0.1", family: 4 }])

const withFetch = <A, E>(
  use: (fetch: SafeFetch["Service"]) => Effect.Effect<A, E>,
  { allowed = local, resolve = here, responseLimit = 1_000 } = {},
) =>
  Effect.runPromise(
    Effect.provide(
      SafeFetch.use(use),
      SafeFetch.layer({ allowed, resolve, responseLimit, refusedAfter: Duration.zero }),
    ),
  )

const to = (url: string, more: Partial<SafeRequest> = {}): SafeRequest => ({
  method: "GET",
  url: new URL(url),
  headers: { accept: "text/plain" },
  secrets: { authorization: "Bearer secret" },
  body: undefined,
  ...more,
})
const at = (path: string, host = "tools.example") => `http://${host}:${port}${path}`
const fetched = (request: SafeRequest, options?: Parameters<typeof withFetch>[1]) =>
  withFetch(({ fetch }) => fetch(request), options)
const refused = (request: SafeRequest, options?: Parameters<typeof withFetch>[1]) =>
  withFetch(({ fetch }) => Effect.flip(fetch(request)), options)
const isPrivate = {
  _tag: "FetchFailed",
  detail: expect.stringMatching(
    /^The address is private, and may not be called\. To allow it, set TOOL_PRIVATE_NETWORKS=\S+, then start Parley again\.$/,
  ),
}
const isUnknown = { _tag: "FetchFailed", detail: "The host cannot be found, or may not be called." }
const textOf = ({ body }: { readonly body: Uint8Array }) => new TextDecoder().decode(body)
const redirect = (status: number, location: string) => (_: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(status, { location }).end()

describe("a request", () => {
  test("goes to the checked address, with the host's name", async () => {
    answer = (_, response) => void response.writeHead(201, { "content-type": "text/plain" }).end("made")
    const response = await fetched(to(at("/a?b=c"), { method: "POST", body: "{}" }))
    expect(response).toMatchObject({ status: 201, contentType: "text/plain", isCut: false })
    expect(textOf(response)).toBe("made")
    expect(seen).toMatchObject([
      {
        line: "POST /a?b=c",
        body: "{}",
        headers: { host: `tools.example:${port}`, authorization: "Bearer secret", "accept-encoding": "identity" },
      },
    ])
  })

  test("is not sent to a private address, in whatever form it is written", async () => {
    for (const host of [
      "127.0.0.1",
      "localhost",
      "2130706433",
      "0x7f.1",
      "127.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "tools.example.",
    ]) {
      const failure = await refused(to(at("/", host)), { allowed: noPrivateNetworks })
      expect([host, failure]).toMatchObject([host, host === "tools.example." ? isUnknown : isPrivate])
    }
    expect(seen).toEqual([])
  })

  test("is not sent to a host with a private address among others", async () => {
    const mixed: Resolve = () =>
      Effect.succeed([
        { address: "93.184.215.14", family: 4 },
        { address: "10.0.0.1", family: 4 },
      ])
    expect(await refused(to(at("/")), { resolve: mixed })).toMatchObject(isUnknown)
  })

  test("goes to the checked address even when the name resolves to another one by then", async () => {
    answer = (_, response) => void response.writeHead(200, { "content-type": "text/plain" }).end("ok")
    let asked = 0
    const rebinding: Resolve = () => {
      asked++
      return Effect.succeed([{ address: asked === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }])
    }
    expect(textOf(await fetched(to(at("/")), { resolve: rebinding }))).toBe("ok")
    expect(asked).toBe(1)
  })

  test("fails with words that reveal nothing about the network", async () => {
    const nobody = await refused(to("http://127.0.0.1:1/"))
    expect(nobody).toMatchObject({ _tag: "FetchFailed", detail: "The server cannot be reached." })
    const nowhere = await refused(to(at("/")), { resolve: () => Effect.succeed([]) })
    expect(nowhere).toMatchObject(isUnknown)
  })

  test("is refused for a private name in the words and after the time of an unknown name", async () => {
    const names: Resolve = (host) =>
      Effect.delay(
        Effect.succeed(host === "inside.example" ? [{ address: "10.0.0.1", family: 4 }] : []),
        Duration.millis(host === "inside.example" ? 1 : 300),
      )
    const refusalOf = (host: string) =>
      Effect.runPromise(
        Effect.gen(function* () {
          const asked = yield* Effect.forkChild(
            SafeFetch.use(({ fetch }) => Effect.timed(Effect.flip(fetch(to(at("/", host)))))),
          )
          yield* TestClock.adjust("1 minute")
          const [took, failure] = yield* Fiber.join(asked)
          return [Duration.toMillis(took), failure]
        }).pipe(
          Effect.provide([
            SafeFetch.layer({ allowed: noPrivateNetworks, resolve: names, responseLimit: 1_000 }),
            TestClock.layer(),
          ]),
          Effect.scoped,
        ),
      )
    const refusal = await refusalOf("inside.example")
    expect(refusal).toMatchObject([500, isUnknown])
    expect(await refusalOf("gone.example")).toEqual(refusal)
  })

  test("is closed when it is interrupted, before the response and within its body", async () => {
    for (const begins of [false, true]) {
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
      const { promise: left, resolve: leave } = Promise.withResolvers<void>()
      const raw = createSocketServer((socket) => {
        socket.on("data", () => {
          if (begins) socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nhalf")
          arrive()
        })
        socket.on("error", () => {})
        socket.on("close", leave)
      })
      await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve))
      const fiber = Effect.runFork(
        Effect.provide(
          SafeFetch.use(({ fetch }) => fetch(to(`http://127.0.0.1:${portOf(raw)}/`))),
          SafeFetch.layer({ allowed: local, responseLimit: 1_000 }),
        ),
      )
      await arrived
      await Bun.sleep(20)
      await Effect.runPromise(Fiber.interrupt(fiber))
      await left
      raw.close()
    }
  })
})

describe("an answer", () => {
  test("is read up to the limit, and not beyond", async () => {
    let written = 0
    answer = (_, response) => {
      response.writeHead(200, { "content-type": "text/plain" })
      const more = () => {
        written += 10_000
        if (!response.destroyed && written < 100_000_000) response.write("x".repeat(10_000), () => setTimeout(more, 0))
      }
      more()
    }
    const response = await fetched(to(at("/")))
    expect([response.body.length, response.isCut]).toEqual([1_000, true])
    expect(written).toBeLessThan(100_000_000)
  })

  test("with exactly the length of the limit is whole", async () => {
    answer = (_, response) => void response.writeHead(200, { "content-type": "text/plain" }).end("x".repeat(1_000))
    expect(await fetched(to(at("/")))).toMatchObject({ isCut: false })
  })

  test("that is compressed is refused without decompressing it", async () => {
    answer = (_, response) =>
      void response
        .writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" })
        .end(gzipSync(Buffer.alloc(10_000_000)))
    expect(await refused(to(at("/")))).toMatchObject({ _tag: "FetchFailed" })
  })

  test("that ends before its announced length fails", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": "100" })
      response.write("half")
      setTimeout(() => response.socket?.destroy(), 20)
    }
    expect(await refused(to(at("/")))).toMatchObject({ detail: "The server cannot be reached." })
  })
})

describe("a redirect", () => {
  test("on the same server is followed with the secret headers", async () => {
    answer = (request, response) =>
      request.url === "/a"
        ? redirect(302, "/b?c=d")(request, response)
        : void response.writeHead(200, { "content-type": "text/plain" }).end("there")
    expect(textOf(await fetched(to(at("/a"))))).toBe("there")
    expect(seen.map(({ headers, line }) => [line, headers.authorization])).toEqual([
      ["GET /a", "Bearer secret"],
      ["GET /b?c=d", "Bearer secret"],
    ])
  })

  test("to another server is followed without the secret headers", async () => {
    answer = (request, response) =>
      request.url === "/a"
        ? redirect(303, at("/b", "other.example"))(request, response)
        : void response.writeHead(200, { "content-type": "text/plain" }).end("there")
    const headers = { accept: "text/plain", "content-type": "application/json" }
    await fetched(to(at("/a"), { method: "POST", body: "{}", headers }))
    expect(seen.map(({ body, headers, line }) => [line, body, headers.authorization, headers["content-type"]])).toEqual(
      [
        ["POST /a", "{}", "Bearer secret", "application/json"],
        ["GET /b", "", undefined, undefined],
      ],
    )
  })

  test.each([
    [301, "PUT"],
    [302, "PATCH"],
    [307, "POST"],
    [308, "POST"],
  ] as const)("of status %d to another server does not carry the body of %s there", async (status, method) => {
    for (const elsewhere of [
      at("/b", "other.example"),
      `http://tools.example:1/b`,
      `https://tools.example:${port}/b`,
    ]) {
      answer = redirect(status, elsewhere)
      expect(await refused(to(at("/a"), { method, body: "{}" }))).toMatchObject({
        detail: "The server redirects a request with a body to another server.",
      })
    }
    expect(seen.map(({ line }) => line)).toEqual(Array.from({ length: 3 }, () => `${method} /a`))
  })

  test.each([
    [301, "POST", "GET /b", ""],
    [302, "PUT", "PUT /b", "{}"],
    [303, "PUT", "GET /b", ""],
    [308, "PATCH", "PATCH /b", "{}"],
  ] as const)(
    "of status %d to %s is followed with the method that browsers use",
    async (status, method, line, body) => {
      answer = (request, response) =>
        request.url === "/a"
          ? redirect(status, "/b")(request, response)
          : void response.writeHead(200, { "content-type": "text/plain" }).end("there")
      await fetched(to(at("/a"), { method, body: "{}" }))
      expect(seen[1]).toMatchObject({ line, body })
    },
  )

  test("to a private address is not followed", async () => {
    for (const inside of ["http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://10.0.0.1/"]) {
      answer = redirect(302, inside)
      expect([inside, await refused(to(at("/a")))]).toMatchObject([inside, isPrivate])
    }
    expect(seen).toHaveLength(3)
  })

  test("to a name with a private address is not followed", async () => {
    answer = redirect(302, "http://inside.example/")
    const resolve: Resolve = (host) =>
      Effect.succeed([{ address: host === "inside.example" ? "192.168.0.1" : "127.0.0.1", family: 4 }])
    expect(await refused(to(at("/a")), { resolve })).toMatchObject(isUnknown)
  })

  test.each(["file:///etc/passwd", "gopher://tools.example/", "http://user:password@tools.example/", "http://"])(
    "to %p is not followed",
    async (location) => {
      answer = redirect(302, location)
      expect(await refused(to(at("/a")))).toMatchObject({ _tag: "FetchFailed" })
      expect(seen).toHaveLength(1)
    },
  )

  test("is followed at most three times", async () => {
    answer = (request, response) => redirect(302, `/${Number(request.url?.slice(1)) + 1}`)(request, response)
    expect(await refused(to(at("/0")))).toMatchObject({ detail: "The server redirects too often." })
    expect(seen.map(({ line }) => line)).toEqual(["GET /0", "GET /1", "GET /2", "GET /3"])
  })
})

describe("a check", () => {
  test("fails for a private address, and looks no name up", async () => {
    let lookups = 0
    const check = (url: string, allowed = noPrivateNetworks) =>
      withFetch((safe) => Effect.match(safe.check(new URL(url)), { onFailure: () => false, onSuccess: () => true }), {
        allowed,
        resolve: () => Effect.sync(() => (lookups++, [])),
      })
    expect(await check("http://10.0.0.1/")).toBe(false)
    expect(await check("http://localhost/")).toBe(false)
    expect(await check("http://localhost/", local)).toBe(true)
    expect(await check("http://93.184.215.14/")).toBe(true)
    expect(await check("http://inside.example/")).toBe(true)
    expect(lookups).toBe(0)
  })
})

describe("a streamed answer", () => {
  const streamed = (url: string, init?: RequestInit, options?: Parameters<typeof withFetch>[1]) =>
    withFetch(({ streamed }) => Effect.promise(() => streamed(url, init)), options)

  test("is there with its head, and its body is read as it comes", async () => {
    let goOn = () => {}
    answer = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write("one")
      goOn = () => response.end("two")
    }
    const response = await streamed(at("/v1"), { method: "POST", body: "{}", headers: { authorization: "Bearer k" } })
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"])
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("one")
    goOn()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("two")
    expect((await reader?.read())?.done).toBe(true)
    expect(seen).toMatchObject([{ line: "POST /v1", body: "{}", headers: { authorization: "Bearer k" } }])
  })

  test("is no redirect that is followed, and its connection ends with the signal, or when the body is cancelled", async () => {
    answer = (_, response) => response.writeHead(302, { location: at("/elsewhere") }).end()
    expect((await streamed(at("/"))).status).toBe(302)
    expect(seen).toHaveLength(1)
    const closed: Array<Promise<void>> = []
    answer = (_, response) => {
      closed.push(new Promise((resolve) => response.on("close", resolve)))
      response.writeHead(200).write("one")
    }
    const first = await streamed(at("/"))
    await first.body?.cancel()
    await closed[0]
    const stop = new AbortController()
    const second = await streamed(at("/"), { signal: stop.signal })
    const reader = second.body?.getReader()
    await reader?.read()
    stop.abort()
    await closed[1]
    expect(await reader?.read().catch(() => "failed")).toBe("failed")
  })

  test("comes from no private address, and a connection that ends early fails it", async () => {
    for (const [host, reason] of [
      ["127.0.0.1", "private"],
      ["tools.example", "not_found"],
    ] as const) {
      const failure = await streamed(at("/", host), {}, { allowed: noPrivateNetworks }).catch((error) => error)
      expect(failure).toMatchObject({ _tag: "FetchFailed", reason })
    }
    expect(seen).toEqual([])
    answer = (_, response) => {
      response.writeHead(200, { "content-length": "10" })
      response.write("one")
      response.destroy()
    }
    const response = await streamed(at("/"))
    expect(await response.text().catch(() => "failed")).toBe("failed")
  })

  test.each(["099 Low", "600 High", "999 Odd", "200 OK\r\nx-odd: \u0001"])(
    "with the head %j, which no response may have, fails",
    async (head) => {
      const raw = createSocketServer((socket) => {
        socket.on("error", () => {})
        socket.once("data", () => socket.end(`HTTP/1.1 ${head}\r\ncontent-length: 2\r\n\r\nok`))
      })
      await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve))
      const failure = await streamed(`http://tools.example:${portOf(raw)}/`).catch((error) => error)
      raw.close()
      expect(failure).toMatchObject({ _tag: "FetchFailed", reason: "unreachable" })
    },
  )
})
