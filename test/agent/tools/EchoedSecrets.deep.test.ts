import { expect, test } from "bun:test"
import { withoutSecrets } from "../../../src/agent/tools/EchoedSecrets.ts"
import { cost } from "../../lib/Growth.ts"

test.each([
  ["backslashes", "\\".repeat(1_000_000)],
  ["escapes", String.raw`\u0061`.repeat(150_000)],
  ["halves of a secret", "abcdefgh".repeat(125_000)],
  ["secrets", "abcdefghijklmnop ".repeat(60_000)],
])("a long answer of %s is searched in linear time", async (_, text) => {
  const secrets = Object.fromEntries(
    Array.from({ length: 32 }, (_, index) => [`x-${index}`, `abcdefghijklmnop${index}`]),
  )
  // It takes a fraction of a second; a quadratic search would take hours.
  expect(await cost(() => withoutSecrets(text, { ...secrets, last: "abcdefghijklmnop" }))).toBeLessThan(20_000)
})
