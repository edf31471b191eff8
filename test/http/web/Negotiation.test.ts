import { expect, test } from "bun:test"
import { encodingFor, isKnown } from "../../../src/http/web/Negotiation.ts"

test.each([
  [undefined, "identity"],
  ["", "identity"],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip, deflate", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["gzip;q=1.0, br;q=0.1", "br"],
  ["GZIP ; Q=0.5", "gzip"],
  ["*", "br"],
  ["br;q=0, *;q=0.3", "gzip"],
  ["identity;q=0, deflate", "identity"],
  ["br;q=nonsense", "identity"],
] as const)("a client that accepts %p gets %s", (header, encoding) => {
  expect(encodingFor(header)).toBe(encoding)
})

test.each([
  [undefined, false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ["*", true],
  ['"b"', false],
  ["a", false],
] as const)('a client that has %p is told that "a" has not changed: %p', (header, known) => {
  expect(isKnown(header, '"a"')).toBe(known)
})
