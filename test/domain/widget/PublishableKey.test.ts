import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Result, Schema } from "effect"
import { isWellFormedKey, KEY_ENTROPY_BYTES, makeKey } from "../../../src/domain/keys/ApiKey.ts"
import {
  AllowedOrigins,
  frameAncestors,
  isPublishableKey,
  makePublishableKey,
} from "../../../src/domain/widget/PublishableKey.ts"

const random = fc
  .uint8Array({ minLength: KEY_ENTROPY_BYTES, maxLength: KEY_ENTROPY_BYTES })
  .map((bytes) => Uint8Array.from(bytes, (byte) => Math.min(byte, 247)))

describe("a publishable key", () => {
  test("consists of pub_, 22 characters and a checksum of 6, and is no API key", () =>
    fc.assert(
      fc.property(random, (bytes) => {
        const key = makePublishableKey(bytes)
        expect(key).toMatch(/^pub_[0-9A-Za-z]{28}$/)
        expect([isPublishableKey(key), isWellFormedKey(key)]).toEqual([true, false])
        expect(isPublishableKey(makeKey(bytes))).toBe(false)
      }),
    ))

  test("is recognized as mistyped when one character is changed", () =>
    fc.assert(
      fc.property(random, fc.nat(27), fc.constantFrom(..."0Az9"), (bytes, index, letter) => {
        const key = makePublishableKey(bytes)
        const at = "pub_".length + index
        fc.pre(key[at] !== letter)
        expect(isPublishableKey(key.slice(0, at) + letter + key.slice(at + 1))).toBe(false)
      }),
    ))
})

const decode = Schema.decodeUnknownResult(AllowedOrigins)
const accepts = (...origins: ReadonlyArray<string>) => Result.isSuccess(decode(origins))
const messageOf = (...origins: ReadonlyArray<unknown>): string => {
  const decoded = decode(origins)
  return Result.isFailure(decoded) ? decoded.failure.message : "accepted"
}

describe("the origins of a publishable key", () => {
  test.each([
    "https://example.com",
    "http://localhost",
    "http://localhost:3000",
    "https://example.com:8443",
    "http://192.168.1.7:8080",
    "https://*.example.com",
    "https://*.shop.example.com:8443",
    "https://xn--mnchen-3ya.de",
    "https://my_shop.example.com",
    "https://*.shop.co.uk",
    "https://*.shop.github.io",
    "https://*.shop.internal",
    "https://github.io",
    "*",
  ])("may be %s", (origin) => {
    expect(messageOf(origin)).toBe("accepted")
  })

  test.each([
    ["https://example.com/", "https://example.com"],
    ["https://example.com/shop", "https://example.com"],
    ["https://Example.COM", "https://example.com"],
    ["HTTPS://example.com", "https://example.com"],
    ["https://example.com:443", "https://example.com"],
    ["http://example.com:80", "http://example.com"],
    ["https://münchen.de", "https://xn--mnchen-3ya.de"],
    ["https://*.münchen.de", "https://*.xn--mnchen-3ya.de"],
    ["https://*.Example.com:443/", "https://*.example.com"],
    ["https://example.com?", "https://example.com"],
    ["https://user:password@example.com", "https://example.com"],
    ["https://ex%61mple.com", "https://example.com"],
    ["https://example.com:08443", "https://example.com:8443"],
    ["http://2130706433", "http://127.0.0.1"],
    [" https://example.com", "https://example.com"],
  ])("are refused as %s, and the message shows %s", (origin, canonical) => {
    expect(messageOf(origin)).toContain(`as browsers write it: ${canonical}`)
  })

  test.each([
    "",
    "example.com",
    "//example.com",
    "https://",
    "https://*",
    "https://*.",
    "https://*.com",
    "https://*.localhost",
    "https://*.co.uk",
    "https://*.github.io",
    "https://*.vercel.app",
    "https://*.xn--p1ai",
    "https://*.foo.ck",
    "https://*.*.example.com",
    "https://shop*.example.com",
    "https://*.127.0.0.1",
    "*.example.com",
    "**",
    "null",
    "'self'",
    "file:///etc/passwd",
    "javascript://example.com",
    "data:text/html,x",
    "https://[::1]:3000",
    "https://example.com.",
    "https://a;script-src",
    "https://a,b",
    "https://a'b",
    "https://example.com; script-src *",
    "https://example.com https://evil.example",
    "https://exa\nmple.com",
    `https://${"a".repeat(300)}.com`,
    7,
    null,
  ])("are refused as %p", (origin) => {
    expect(messageOf(origin)).not.toBe("accepted")
  })

  test("are 1 to 50, and an asterisk stands alone", () => {
    expect(messageOf()).toContain("Expected 1 to 50")
    const many = Array.from({ length: 51 }, (_, index) => `https://shop${index}.example.com`)
    expect(messageOf(...many)).toContain("Expected 1 to 50")
    expect(accepts(...many.slice(1))).toBe(true)
    expect(messageOf("*", "https://example.com")).toContain("alone")
  })

  test("are one source each of `frame-ancestors`, whatever text is accepted", () => {
    const part = fc.string({ maxLength: 12, unit: fc.constantFrom(..."abcXYZ019-_.*:/;,' \"[]@%ü\n\t") })
    fc.assert(
      fc.property(fc.constantFrom("https://", "http://", "https://*.", ""), part, (scheme, rest) => {
        const origin = scheme + rest
        fc.pre(origin !== "*" && accepts(origin))
        expect(frameAncestors([origin])).toBe(`'self' ${origin}`)
        expect(origin).toMatch(/^https?:\/\/(?:\*\.)?[a-z0-9._-]+(?::\d+)?$/)
        expect(new URL(origin.replace("*.", "")).origin).toBe(origin.replace("*.", ""))
      }),
      { numRuns: 1_500 },
    )
  })

  test("allow every page to embed the widget when an asterisk is said", () => {
    expect(frameAncestors(["*"])).toBe("*")
    expect(frameAncestors(["https://example.com", "https://*.example.com"])).toBe(
      "'self' https://example.com https://*.example.com",
    )
  })
})
