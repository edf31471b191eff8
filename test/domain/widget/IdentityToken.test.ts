import { createHmac } from "node:crypto"
import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Result } from "effect"
import { ChatbotId } from "../../../src/domain/Ids.ts"
import { IDENTITY_TOKEN_MAX_LENGTH, readIdentityToken } from "../../../src/domain/widget/IdentityToken.ts"
import { signIdentity } from "../../lib/Identity.ts"

const chatbot = ChatbotId.make("01a1f949-589d-74eb-b296-3f233cb51b4b")
const another = "01a1f949-589d-74eb-b296-3f233cb51b4c"
const secret = "pW0y3vJ8rT5sQ1xZkLm9nB7cD2fG4hK6aE8uY0iO3wM"
const now = 1_795_000_000
const HOUR = 3_600

const claims = (more: object = {}) => ({ aud: chatbot, sub: "user-7", exp: now + HOUR, ...more })
const readWith = (token: string, secrets: ReadonlyArray<string> = [secret]) =>
  readIdentityToken(token, { chatbot, secrets, now })
const reasonOf = (token: string, secrets?: ReadonlyArray<string>): string => {
  const read = readWith(token, secrets)
  return Result.isFailure(read) ? read.failure : `accepted ${JSON.stringify(read.success)}`
}
const encoded = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url")
const signedParts = (header: unknown, payload: unknown, by = secret) => {
  const signed = `${encoded(header)}.${encoded(payload)}`
  return `${signed}.${createHmac("sha256", by).update(signed).digest("base64url")}`
}

describe("an identity token", () => {
  test("says who the visitor is, for how long, and which secret has signed it", () => {
    const about = { sub: "user-7", email: "ada@example.com", name: "Ada Lovelace" }
    const held = { until: now + HOUR + 60, signer: 0 }
    expect(readWith(signIdentity(secret, claims(about)))).toEqual(Result.succeed({ ...about, ...held }))
    expect(readWith(signIdentity(secret, claims({ role: "more is ignored" })))).toEqual(
      Result.succeed({ sub: "user-7", ...held }),
    )
    const second = readWith(signIdentity(secret, claims()), ["another secret", secret])
    expect(Result.isSuccess(second) && second.success.signer).toBe(1)
  })

  test("may be signed with any of the chatbot's secrets, and with no other", () => {
    const token = signIdentity(secret, claims())
    expect(Result.isSuccess(readWith(token, ["another secret", secret]))).toBe(true)
    expect(reasonOf(token, ["another secret"])).toContain("signature")
    expect(reasonOf(token, [])).toContain("signature")
    expect(reasonOf(signIdentity("", claims()), [])).toContain("signature")
  })

  test.each([
    ["no algorithm, and no signature", `${encoded({ alg: "none" })}.${encoded(claims())}.`],
    ["no algorithm, signed all the same", signedParts({ alg: "none" }, claims())],
    ["an algorithm in other letters", signedParts({ alg: "hs256" }, claims())],
    ["HS512", signedParts({ alg: "HS512" }, claims())],
    ["RS256", signedParts({ alg: "RS256" }, claims())],
    ["a list of algorithms", signedParts({ alg: ["HS256"] }, claims())],
    ["an algorithm by prototype", signedParts('{"__proto__":{"alg":"HS256"}}', claims())],
    ["critical extensions", signedParts({ alg: "HS256", crit: ["exp"] }, claims())],
    ["an unencoded payload", signedParts({ alg: "HS256", b64: false }, claims())],
    ["a header that is no JSON", signedParts("HS256", claims())],
    ["a header that is null", signedParts("null", claims())],
  ])("is refused with %s in its header", (_, token) => {
    expect(reasonOf(token)).toContain("HS256")
  })

  test.each([
    ["", "HS256"],
    ["a.b", "HS256"],
    ["..", "HS256"],
    ["a.b.c.d", "not a JSON Web Token"],
    [`${signIdentity(secret, claims())}.`, "not a JSON Web Token"],
    [`${signIdentity(secret, claims())}=`, "not a JSON Web Token"],
    ["x".repeat(IDENTITY_TOKEN_MAX_LENGTH + 1), "longer"],
    [signIdentity(secret, claims({ more: "x".repeat(IDENTITY_TOKEN_MAX_LENGTH) })), "longer"],
  ])("is refused when it is no token: %p", (token, reason) => {
    expect(reasonOf(token)).toContain(reason)
  })

  test.each([
    ["of another chatbot", { aud: another }, "`aud`"],
    ["of several others", { aud: [another, "*"] }, "`aud`"],
    ["of nobody", { aud: [] }, "`aud`"],
    ["without an audience", { aud: undefined }, "aud"],
    ["without a subject", { sub: undefined }, "sub"],
    ["with an empty subject", { sub: "" }, "sub"],
    ["with a number as its subject", { sub: 7 }, "sub"],
    ["with a long subject", { sub: "x".repeat(256) }, "sub"],
    ["with a subject that cannot be stored", { sub: "a\u0000" }, "sub"],
    ["without an end", { exp: undefined }, "exp"],
    ["with an end that is a text", { exp: String(now + HOUR) }, "exp"],
    ["with an end that is null", { exp: null }, "exp"],
    ["that has expired", { exp: now - 60 }, "expired"],
    ["that ends too late", { exp: now + 24 * HOUR + 61 }, "24 hours"],
    ["that never ends", { exp: 1e308 }, "24 hours"],
    ["in milliseconds", { exp: (now + HOUR) * 1_000 }, "24 hours"],
    ["that does not hold yet", { nbf: now + 61 }, "nbf"],
    ["that is made in the future", { iat: now + 61 }, "iat"],
    ["with something else than an address", { email: "ada" }, "email"],
    ["with more than an address", { email: "Ada <ada@example.com>" }, "email"],
    ["with a list of addresses", { email: ["ada@example.com"] }, "email"],
    ["with a long name", { name: "x".repeat(201) }, "name"],
  ])("is refused with claims %s", (_, more, reason) => {
    expect(reasonOf(signIdentity(secret, claims(more)))).toContain(reason)
  })

  test.each([
    ["that ended a moment ago", { exp: now - 59 }],
    ["that end in 24 hours", { exp: now + 24 * HOUR }],
    ["that begin in a moment", { nbf: now + 60, iat: now + 60 }],
    ["for several audiences", { aud: [another, chatbot] }],
    ["for the id in upper case", { aud: chatbot.toUpperCase() }],
  ])("is accepted with claims %s, since clocks differ", (_, more) => {
    expect(Result.isSuccess(readWith(signIdentity(secret, claims(more))))).toBe(true)
  })

  test("is refused when any of its characters is changed, left out or added", () => {
    const token = signIdentity(secret, claims({ email: "ada@example.com" }))
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ "
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...letters), (at, letter) => {
        fc.pre(token[at] !== letter)
        for (const forged of [
          token.slice(0, at) + letter + token.slice(at + 1),
          token.slice(0, at) + token.slice(at + 1),
          token.slice(0, at) + letter + token.slice(at),
          token.slice(0, at),
        ]) {
          if (forged !== token) expect(Result.isFailure(readWith(forged))).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })

  test("is never accepted by chance, and no text makes the reader fail otherwise", () =>
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: "binary" }), fc.json(), (text, json) => {
        expect(Result.isFailure(readWith(text))).toBe(true)
        expect(Result.isFailure(readWith(`${encoded({ alg: "HS256" })}.${encoded(text)}.${encoded(json)}`))).toBe(true)
        expect(Result.isFailure(readWith(signedParts({ alg: "HS256" }, json)))).toBe(true)
      }),
    ))
})
