import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createServer as createSecureServer } from "node:https"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { Duration, Effect, type Scope } from "effect"
import type { PageRequest } from "../../src/outbound/PageRequest.ts"
import { noPrivateNetworks, parsePrivateNetworks, type PrivateNetworks } from "../../src/outbound/PrivateNetworks.ts"
import { PageTimeout, type Resolve, SafeFetch } from "../../src/outbound/SafeFetch.ts"
import { quiet } from "../lib/Layers.ts"
import { answers, isTooSlow, sends, silent, toThisMachine, trapSite, type TrapSite } from "../lib/TrapSite.ts"

/** A certificate for another name, which nobody has signed. */
const certificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgeBh1ZmQsSRW81MSO
rG477TuJ7ov6xgMv93CJG5kKSBuhRANCAASlw2ZO9hcaJdzP5LZ8+SZMLfRBrfvo
yaW9sMGGIZHqDu2VHso/aD1wuExhigh7qf+0m3uhkhB8StWm5PjGZo7T
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBhzCCAS2gAwIBAgIUetq6rKuJV66JqCdHsiBjiMc1PlcwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNb3RoZXIuZXhhbXBsZTAgFw0yNjExMjYyMzA0MTJaGA8yMTI2
MTEwMjIzMDQxMlowGDEWMBQGA1UEAwwNb3RoZXIuZXhhbXBsZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABKXDZk72Fxol3M/ktnz5Jkwt9EGt++jJpb2wwYYhkeoO
7ZUeyj9oPXC4TGGKCHup/7Sbe6GSEHxK1abk+MZmjtOjUzBRMB0GA1UdDgQWBBRW
Kzlq5Q8z91/ECFZ0asQWwfTu5TAfBgNVHSMEGDAWgBRWKzlq5Q8z91/ECFZ0asQW
wfTu5TAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCICNQw+BNNp5h
oOH7XwT6aGGuXJIvw2Io8xngDmbJy18kAiEAoxm9c9b4BtOAmtD3hb/dKeihm7aZ
v53x8Vt2q0zgCSU=
-----END CERTIFICATE-----`,
}
const secure = createSecureServer(certificate, (_, response) => void response.end("secret"))
beforeAll(() => new Promise<void>((resolve) => void secure.listen(0, "127.0.0.1", resolve)))
afterAll(() => void secure.close())
const securePort = () => {
  const address = secure.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const run = (use: (site: TrapSite) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(trapSite, (site) => Effect.gen(() => use(site)))))

const requested = (
  url: string,
  more: Partial<PageRequest> = {},
  {
    allowed = parsePrivateNetworks("127.0.0.1") ?? noPrivateNetworks,
    resolve = toThisMachine,
  }: { allowed?: PrivateNetworks; resolve?: Resolve } = {},
) =>
  Effect.provide(
    SafeFetch.use(({ page }) => page({ url: new URL(url), headers: {}, bytesMax: 1_000_000, ...more })),
    SafeFetch.layer({ allowed, resolve, refusedAfter: Duration.zero }),
  ).pipe(
    Effect.provideService(PageTimeout, isTooSlow(new URL(url)) ? "50 millis" : "30 seconds"),
    Effect.provide(quiet),
  )

const reasonOf = (url: string, ...more: [Partial<PageRequest>?, Parameters<typeof requested>[2]?]) =>
  Effect.map(Effect.flip(requested(url, ...more)), ({ reason }) => reason)

describe("a request for a page", () => {
  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
  ])("unpacks %s, and says how much was received", (coding, pack) =>
    run(function* (site) {
      const packed = pack("The same words. ".repeat(1_000))
      site.pages.set("docs.example/", sends(packed, { "content-encoding": coding, etag: '"one"' }))
      const answer = yield* requested(site.at("docs.example", "/"))
      expect(answer).toMatchObject({ status: 200, received: packed.length, headers: { etag: '"one"' } })
      expect(answer.body.length).toBe(16_000)
    }),
  )

  test("follows no redirect, and leaves a body that is not wanted", () =>
    run(function* (site) {
      site.pages.set("docs.example/", answers(302, { location: "/next" }))
      site.pages.set("docs.example/film", sends("x".repeat(500_000), { "content-type": "video/mp4" }))
      expect(yield* requested(site.at("docs.example", "/"))).toMatchObject({
        status: 302,
        headers: { location: "/next" },
      })
      const film = yield* requested(site.at("docs.example", "/film"), {
        wantsBody: ({ headers }) => headers["content-type"] !== "video/mp4",
      })
      expect([film.body.length, site.requests.length]).toEqual([0, 2])
    }))

  test("takes no more than its limits, of the wire and of what it unpacks to", () =>
    run(function* (site) {
      site.pages.set("docs.example/bomb", sends(gzipSync(Buffer.alloc(50_000_000)), { "content-encoding": "gzip" }))
      site.pages.set("docs.example/long", (_, response) => void response.writeHead(200).end("x".repeat(2_000_000)))
      site.pages.set("docs.example/slow", silent)
      site.pages.set("docs.example/odd", sends("x", { "content-encoding": "compress" }))
      const reasons = Effect.forEach(["bomb", "long", "slow", "odd"], (path) =>
        reasonOf(site.at("docs.example", `/${path}`)),
      )
      expect(yield* reasons).toEqual(["too_large", "too_large", "timed_out", "bad_answer"])
      const cut = yield* requested(site.at("docs.example", "/long"), { cuts: true, bytesMax: 1_000 })
      expect(cut.body.length).toBe(1_000)
    }))

  test("says why there is no answer", () =>
    run(function* (site) {
      expect(yield* reasonOf(`https://docs.example:${securePort()}/`)).toBe("certificate")
      expect(yield* reasonOf("http://docs.example:1/")).toBe("unreachable")
      expect(yield* reasonOf(site.at("inside.example", "/"))).toBe("not_found")
      expect(yield* reasonOf("http://docs.example/", {}, { resolve: () => Effect.succeed([]) })).toBe("not_found")
      for (const host of ["127.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "localhost", "169.254.169.254"])
        expect(yield* reasonOf(`http://${host}:${site.port}/`, {}, { allowed: noPrivateNetworks })).toBe("private")
      expect(site.requests).toEqual([])
    }))

  test("goes to the address that was checked, whatever the name means by then", () =>
    run(function* (site) {
      let lookups = 0
      const resolve: Resolve = () =>
        Effect.sync(() => [{ address: lookups++ === 0 ? "127.0.0.1" : "10.0.0.1", family: 4 }])
      site.pages.set("docs.example/", sends("here"))
      expect((yield* requested(site.at("docs.example", "/"), {}, { resolve })).status).toBe(200)
      expect(lookups).toBe(1)
      expect(yield* reasonOf(site.at("docs.example", "/"), {}, { resolve })).toBe("not_found")
    }))
})
