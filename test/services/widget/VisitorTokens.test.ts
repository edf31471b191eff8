import { describe, expect, test } from "bun:test"
import { Duration, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { noBudget } from "../../../src/domain/organizations/Budget.ts"
import { ClientAddress } from "../../../src/domain/ClientAddress.ts"
import { NotFound, RateLimited, Unauthorized } from "../../../src/domain/Errors.ts"
import { ApiKeyId, ChatbotId, OrganizationId } from "../../../src/domain/Ids.ts"
import { noRateLimit, type RateLimit } from "../../../src/domain/organizations/RateLimit.ts"
import { IdentitySecretId } from "../../../src/domain/widget/IdentitySecret.ts"
import { RateLimiter } from "../../../src/admission/RateLimiter.ts"
import { ServerSecrets } from "../../../src/services/ServerSecrets.ts"
import { type Placement, Placements } from "../../../src/services/widget/Placements.ts"
import { IdentitySecrets } from "../../../src/services/widget/IdentitySecrets.ts"
import { VisitorConversations } from "../../../src/services/widget/VisitorConversations.ts"
import { VisitorTokens } from "../../../src/services/widget/VisitorTokens.ts"
import { RateCounts } from "../../../src/storage/RateCounts.ts"
import * as Storage from "../../../src/storage/ServerSecrets.ts"
import { databaseTraits } from "../../lib/Defaults.ts"
import { quiet } from "../../lib/Layers.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const organization = OrganizationId.make("01a1f948-e63d-74f8-9014-79ea4912cce5")
const chatbotOf = (digit: number) => ChatbotId.make(`01a1f949-589d-74eb-b296-3f233cb51b4${digit}`)

const embedded = (key: string, chatbot: ChatbotId): Placement => ({
  config: {
    key,
    chatbot_id: chatbot,
    header: "",
    name: "",
    slogan: "",
    logo: "",
    avatar: "",
    primary_color: "",
    secondary_color: "",
    language: "auto",
    greeting: "",
    disclosure: "",
    suggestions: [],
    launcher: { icon: "chat", size: "medium", side: "right", text: "" },
    translations: {},
    is_email_requested: false,
    is_active: true,
    handover: null,
    attachments: false,
    voice: null,
  },
  allowedOrigins: ["*"],
  avatars: [],
  caller: {
    apiKeyId: ApiKeyId.make("01a1f949-5b33-72c9-a523-091829dc59a0"),
    organizationId: organization,
    scopes: ["chat"],
    chatbots: [chatbot],
    expiresAt: null,
    budgets: { organization: noBudget, key: noBudget },
  },
})

interface Options {
  /** The visitors whose conversations went over to another one, and that one. */
  readonly handedOver?: Array<readonly [from: string, to: string]>
  /** How long each identity token is valid. */
  readonly identityLifetime?: Duration.Duration
  /** The identity secrets of the first chatbot, which a test may change. */
  readonly secrets?: Set<IdentitySecretId>
  /** What is embedded under which key, which a test may change. */
  readonly widgets?: Map<string, ChatbotId>
  readonly rates?: { readonly visitor?: RateLimit; readonly address?: RateLimit }
  /** The secret of the server in one digit. */
  readonly secret?: number
}

const both = () =>
  new Map([
    ["one", chatbotOf(1)],
    ["two", chatbotOf(2)],
  ])

const secretId = IdentitySecretId.make("01a2030f-e2b1-7c3d-8a4b-5c6d7e8f9a0b")

const layerOf = ({
  handedOver = [],
  identityLifetime = Duration.hours(24),
  rates = {},
  secret = 1,
  secrets = new Set([secretId]),
  widgets = both(),
}: Options) => {
  const find = (key: string) => {
    const chatbot = widgets.get(key)
    return chatbot === undefined ? new NotFound({ detail: "Gone." }) : Effect.succeed(embedded(key, chatbot))
  }
  const storage = Layer.mock(Storage.ServerSecrets)({
    get: () => Effect.succeed(Redacted.make(new Uint8Array(32).fill(secret))),
  })
  return VisitorTokens.layer(Duration.hours(1)).pipe(
    Layer.provideMerge([
      Layer.mock(Placements)({ find, visit: find }),
      Layer.mock(IdentitySecrets)({
        verify: (_, token) =>
          token === "forged"
            ? new Unauthorized({ detail: "The identity token is refused." })
            : Effect.succeed({
                identity: { sub: token, email: "ada@example.com", name: "Ada" },
                secretId,
                until: Duration.toMillis(identityLifetime),
              }),
        isLive: (chatbot, id) => Effect.sync(() => chatbot === chatbotOf(1) && id === secretId && secrets.has(id)),
      }),
      Layer.mock(VisitorConversations)({
        recognize: ({ id }, before) => Effect.sync(() => void (before === undefined || handedOver.push([before, id]))),
      }),
      RateLimiter.layer(
        { key: wide, organization: noRateLimit, address: noRateLimit },
        { visitor: noRateLimit, address: noRateLimit, ...rates },
      ).pipe(Layer.provide([Layer.mock(RateCounts)({}), databaseTraits({ isAlone: true })])),
      ServerSecrets.layer.pipe(Layer.provide(storage)),
    ]),
    Layer.provide([SecureRandom.layerWebCrypto, quiet]),
    Layer.provideMerge(TestClock.layer()),
  )
}
const wide: RateLimit = { quota: 1_000_000, seconds: 1 }

const run = <A, E>(
  effect: Effect.Effect<A, E, VisitorTokens | ServerSecrets | TestClock.TestClock>,
  options: Options = {},
): Promise<A> => Effect.runPromise(Effect.provide(effect, layerOf(options)))
const it = effectTests(run)

const open = (request: { key?: string; visitor_secret?: string; identity?: string } = {}) =>
  VisitorTokens.use((tokens) => tokens.open({ key: "one", ...request }))
const admit = (token: string, cost = 1) => VisitorTokens.use((tokens) => tokens.admit(token, cost))
const isRefused = (token: string) =>
  Effect.match(admit(token), { onSuccess: () => false, onFailure: (error) => error instanceof Unauthorized })
const secret = "yLwDnJm3TzqV0k5bXhRr9A"

describe("a visitor's token", () => {
  it("names the visitor and the chatbot, and the same visitor whenever it is opened by the same secret", function* () {
    const first = yield* open({ visitor_secret: secret })
    const { caller, visitor } = yield* admit(first.token)
    expect(visitor).toEqual({ id: visitor.id, chatbotId: chatbotOf(1), isVerified: false, token: first.token })
    expect(first.visitor).toEqual({ id: visitor.id, is_verified: false })
    expect(caller).toMatchObject({ organizationId: organization, scopes: ["chat"], chatbots: [chatbotOf(1)] })
    expect((yield* open({ visitor_secret: secret })).visitor.id).toBe(visitor.id)
    expect((yield* open({ visitor_secret: secret, key: "two" })).visitor.id).not.toBe(visitor.id)
    expect((yield* open()).visitor.id).not.toBe((yield* open()).visitor.id)
  })

  test("says what the customer's server has signed, and is another visitor than the browser's secret", () => {
    const handedOver: Array<readonly [string, string]> = []
    return run(
      Effect.gen(function* () {
        const anonymous = yield* open({ visitor_secret: secret })
        const { token } = yield* open({ visitor_secret: secret, identity: "user-7" })
        const { visitor } = yield* admit(token)
        expect(visitor).toMatchObject({ isVerified: true, email: "ada@example.com", name: "Ada" })
        expect(String(visitor.id)).not.toBe(anonymous.visitor.id)
        // Not even a browser whose secret is what another one's server has signed.
        expect((yield* open({ visitor_secret: "user-7" })).visitor.id).not.toBe(visitor.id)
        // What the browser's visitor had said goes over, and of nobody whose identity is refused.
        expect(handedOver).toEqual([[anonymous.visitor.id, visitor.id]])
        expect(yield* Effect.flip(open({ visitor_secret: secret, identity: "forged" }))).toBeInstanceOf(Unauthorized)
        expect(handedOver).toHaveLength(1)
      }),
      { handedOver },
    )
  })

  test("is good for an hour, and only as long as its key still embeds the chatbot", () => {
    const widgets = both()
    return run(
      Effect.gen(function* () {
        const { expires_at, token } = yield* open()
        expect(Date.parse(expires_at)).toBe(Duration.toMillis("1 hour"))
        widgets.set("one", chatbotOf(2))
        expect(yield* isRefused(token)).toBe(true)
        widgets.delete("one")
        expect(yield* isRefused(token)).toBe(true)
        expect(yield* Effect.flip(open())).toBeInstanceOf(NotFound)
        widgets.set("one", chatbotOf(1))
        yield* TestClock.adjust(Duration.millis(Duration.toMillis("1 hour") - 1))
        expect((yield* admit(token)).visitor.chatbotId).toBe(chatbotOf(1))
        yield* TestClock.adjust("1 milli")
        expect(yield* isRefused(token)).toBe(true)
      }),
      { widgets },
    )
  })

  test("of a verified visitor ends with the identity token, and never later than any other", () => {
    const whole = (identityLifetime: Duration.Duration) =>
      run(
        Effect.gen(function* () {
          const { expires_at, token } = yield* open({ identity: "user-7" })
          const end = Date.parse(expires_at)
          yield* TestClock.adjust(Duration.millis(end - 1))
          expect((yield* admit(token)).visitor.isVerified).toBe(true)
          yield* TestClock.adjust("1 milli")
          expect(yield* isRefused(token)).toBe(true)
          return end
        }),
        { identityLifetime },
      )
    return Promise.all([
      expect(whole(Duration.minutes(5))).resolves.toBe(Duration.toMillis("5 minutes")),
      expect(whole(Duration.hours(2))).resolves.toBe(Duration.toMillis("1 hour")),
    ])
  })

  test("of a verified visitor is refused once the identity secret is deleted, and no other is", () => {
    const secrets = new Set([secretId])
    return run(
      Effect.gen(function* () {
        const [verified, anonymous] = [yield* open({ identity: "user-7" }), yield* open()]
        yield* admit(verified.token)
        secrets.delete(secretId)
        expect(yield* isRefused(verified.token)).toBe(true)
        expect((yield* admit(anonymous.token)).visitor.isVerified).toBe(false)
      }),
      { secrets },
    )
  })

  it("is refused when any of its characters is changed, left out or added", function* () {
    const { token } = yield* open({ visitor_secret: secret, identity: "user-7" })
    const letters = "AZaz09-_.=+/ "
    const forgeries = fc.sample(fc.tuple(fc.nat(token.length - 1), fc.constantFrom(...letters)), 500)
    for (const [at, letter] of forgeries) {
      for (const forged of [
        token.slice(0, at) + letter + token.slice(at + 1),
        token.slice(0, at) + token.slice(at + 1),
        token.slice(0, at) + letter + token.slice(at),
        token.slice(0, at),
      ]) {
        if (forged !== token) expect([forged, yield* isRefused(forged)]).toEqual([forged, true])
      }
    }
  })

  it("is refused when somebody else has signed it, or the server for another purpose", function* () {
    const { token } = yield* open()
    const [version, payload] = token.split(".")
    const signed = `${version}.${payload}`
    const secrets = yield* ServerSecrets
    expect(yield* isRefused(`${signed}.${secrets.sign("visitor token", signed)}`)).toBe(false)
    expect(yield* isRefused(`${signed}.${secrets.sign("console session", signed)}`)).toBe(true)
    const elsewhere = yield* Effect.promise(() => run(open(), { secret: 2 }))
    expect(yield* isRefused(elsewhere.token)).toBe(true)
    for (const odd of ["", "..", "vst2..", `vst1.${payload}`, "x".repeat(1_000_000), "vst2.e30.".repeat(900)]) {
      expect(yield* isRefused(odd)).toBe(true)
    }
    for (const content of [
      "{}",
      "null",
      "[]",
      "no JSON",
      JSON.stringify({ k: "one", c: "x", v: "y", i: 1, e: 9e15 }),
    ]) {
      const other = `vst2.${Buffer.from(content).toString("base64url")}`
      expect(yield* isRefused(`${other}.${secrets.sign("visitor token", other)}`)).toBe(true)
    }
  })
})

describe("the rate limits of the chat widget", () => {
  const from = (address: string) => Effect.provideService(ClientAddress, address)
  const wait = (error: unknown) => (error instanceof RateLimited ? error.retry_after_seconds : undefined)

  test("hold for each visitor, and a message costs more than a look", () =>
    run(
      Effect.gen(function* () {
        const { token } = yield* open({ visitor_secret: secret })
        yield* admit(token, 2)
        yield* admit(token, 1)
        expect(wait(yield* Effect.flip(admit(token)))).toBeGreaterThan(0)
        yield* admit((yield* open()).token)
        yield* TestClock.adjust("11 seconds")
        yield* admit(token)
      }),
      { rates: { visitor: { quota: 4, seconds: 10 } } },
    ))

  test("hold for each address, however many visitors it makes up, and forged tokens cost it more", () =>
    run(
      Effect.gen(function* () {
        const { token } = yield* open()
        yield* Effect.forEach(Array.from({ length: 20 }), () => admit(token)).pipe(from("203.0.113.1"))
        expect(wait(yield* Effect.flip(from("203.0.113.1")(admit(token))))).toBeGreaterThan(0)
        yield* from("203.0.113.2")(admit(token))
        yield* from("2001:db8::1")(Effect.all([isRefused("forged"), isRefused("forged")]))
        // One /64 counts as one client.
        expect(wait(yield* Effect.flip(from("2001:db8::2")(admit(token))))).toBeGreaterThan(0)
        yield* from("2001:db8:0:1::1")(admit(token))
      }),
      { rates: { address: { quota: 20, seconds: 60 } } },
    ))
})
