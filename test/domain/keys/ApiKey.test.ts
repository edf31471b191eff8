import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { hashKey, isWellFormedKey, KEY_ENTROPY_BYTES, keyHint, makeKey } from "../../../src/domain/keys/ApiKey.ts"
import { anyString } from "../../lib/Arbitraries.ts"

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const prefix = "prl_"

const random = fc.uint8Array({ minLength: KEY_ENTROPY_BYTES, maxLength: KEY_ENTROPY_BYTES })
const key = random.map((bytes) => makeKey(Uint8Array.from(bytes, (byte) => Math.min(byte, 247))))

describe("an API key", () => {
  test("consists of prl_, 43 characters and a checksum of 6", () =>
    fc.assert(
      fc.property(key, (made) => {
        expect(made).toMatch(/^prl_[0-9A-Za-z]{49}$/)
        expect(isWellFormedKey(made)).toBe(true)
      }),
    ))

  test("is refused when one character is changed", () =>
    fc.assert(
      fc.property(key, fc.nat(48), fc.constantFrom(...base62), (made, index, letter) => {
        const at = prefix.length + index
        fc.pre(made[at] !== letter)
        expect(isWellFormedKey(made.slice(0, at) + letter + made.slice(at + 1))).toBe(false)
      }),
      { numRuns: 1_000 },
    ))

  test("is refused when two neighbouring characters are swapped", () =>
    fc.assert(
      fc.property(key, fc.nat(47), (made, index) => {
        const at = prefix.length + index
        const [a = "", b = ""] = [made[at], made[at + 1]]
        fc.pre(a !== b)
        expect(isWellFormedKey(made.slice(0, at) + b + a + made.slice(at + 2))).toBe(false)
      }),
    ))

  test("has all characters with equal probability, because some bytes are skipped", () => {
    // Every byte once, of which 248 are used: each character four times.
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    const starts = Array.from({ length: 248 - 43 }, (_, start) => start)
    const letters = starts.map((start) => makeKey(bytes.subarray(start)).at(prefix.length)).join("")
    expect(letters).toBe(base62.repeat(4).slice(0, starts.length))
    const withRejected = Uint8Array.from([248, 255, ...bytes])
    expect(makeKey(withRejected)).toBe(makeKey(bytes))
  })

  test("is never made from too few random bytes", () => {
    expect(() => makeKey(new Uint8Array(42))).toThrow(RangeError)
    expect(() => makeKey(new Uint8Array(KEY_ENTROPY_BYTES).fill(255))).toThrow(RangeError)
  })

  test("is shown with eight characters at the start and four at the end", () =>
    fc.assert(
      fc.property(key, (made) => {
        const { prefix: start, last_four } = keyHint(made)
        expect([start.length, last_four.length]).toEqual([8, 4])
        expect(made.startsWith(start) && made.endsWith(last_four)).toBe(true)
      }),
    ))

  test("is stored as its SHA-256 hash", () => {
    expect(Buffer.from(hashKey("abc")).toString("hex")).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    )
  })
})

describe("any other text", () => {
  test("can be a key only with 32 to 256 characters of visible ASCII, and never causes an exception", () =>
    fc.assert(
      fc.property(
        fc.oneof(anyString, fc.string({ unit: "grapheme-ascii", minLength: 20, maxLength: 300 })),
        (other) => {
          fc.pre(!other.startsWith(prefix))
          const isVisible = Array.from(other).every((character) => character > " " && character <= "~")
          expect(isWellFormedKey(other)).toBe(isVisible && other.length >= 32 && other.length <= 256)
        },
      ),
    ))

  test("with the form of a generated key needs the checksum", () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...base62), minLength: 0, maxLength: 100 }), (secret) => {
        // One in 62^6 texts of this length has a valid checksum by chance.
        expect(isWellFormedKey(prefix + secret)).toBe(false)
      }),
    ))
})
