import { expect, test } from "bun:test"
import { Redacted } from "effect"
import { keyHeaders } from "../../src/outbound/KeyHeaders.ts"

const names = (url: string, key?: string) =>
  Object.entries(keyHeaders(url, key === undefined ? undefined : Redacted.make(key))).map((header) => header.join(": "))

test.each([
  ["https://me.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21", true],
  ["https://me.cognitiveservices.azure.com/openai/v1", true],
  ["https://me.services.ai.azure.com/models", true],
  ["https://api.openai.com/v1", false],
  ["https://openai.azure.com.example.com/v1", false],
  ["https://example.com/.openai.azure.com", false],
])("of %s the key is sent as api-key, too: %p", (url, isAzure) => {
  expect(names(url, "k")).toEqual(["authorization: Bearer k", ...(isAzure ? ["api-key: k"] : [])])
  expect(names(url)).toEqual([])
})
