import { expect, test } from "bun:test"
import { withoutSecrets } from "../../../src/agent/tools/EchoedSecrets.ts"
import { least } from "../../lib/effort/Guard.ts"

/** Milliseconds of a processor: a fraction of a second is usual, and a quadratic search takes hours. */
const TIME_MAX = 20_000

test.each([
  ["backslashes", "\\".repeat(1_000_000)],
  ["escapes", String.raw`\u0061`.repeat(150_000)],
  ["halves of a secret", "abcdefgh".repeat(125_000)],
  ["secrets", "abcdefghijklmnop ".repeat(60_000)],
])("a long answer of %s is searched in linear time", async (_, text) => {
  const secrets = Object.fromEntries(
    Array.from({ length: 32 }, (_, index) => [`x-${index}`, `abcdefghijklmnop${index}`]),
  )
  const search = () => withoutSecrets(text, { ...secrets, last: "abcdefghijklmnop" })
  expect(await least(search, TIME_MAX)).toBeLessThan(TIME_MAX)
})
