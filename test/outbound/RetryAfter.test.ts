import { expect, test } from "bun:test"
import { Duration } from "effect"
import { retryAfterOf } from "../../src/outbound/RetryAfter.ts"

const now = Date.parse("2026-01-01T00:00:00Z")

test.each<[string, Record<string, string>, number | undefined]>([
  ["no header", {}, undefined],
  ["seconds", { "retry-after": "3" }, 3_000],
  ["a fraction of a second", { "retry-after": "0.5" }, 500],
  ["a date", { "retry-after": "Thu, 01 Jan 2026 00:00:07 GMT" }, 7_000],
  ["a date that has passed", { "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
  ["milliseconds, which are more exact than seconds", { "retry-after-ms": "40", "retry-after": "1" }, 40],
  ["milliseconds that are not a number", { "retry-after-ms": "soon", "retry-after": "1" }, 1_000],
  ["a header that is neither a number nor a date", { "retry-after": "soon" }, undefined],
  ["a wait of more than a day", { "retry-after": "1e9" }, 86_400_000],
  ["an infinite wait", { "retry-after": "Infinity" }, 86_400_000],
])("the wait that a response asks for: %s", (_, headers, millis) => {
  const wait = retryAfterOf((name) => headers[name], now)
  expect(wait === undefined ? undefined : Duration.toMillis(wait)).toBe(millis)
})
