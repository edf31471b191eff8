import { describe, expect, test } from "bun:test"
import { Context, Duration } from "effect"
import { TopicsInterval } from "../../src/jobs/Topics.ts"
import { CrawlPace } from "../../src/sources/PoliteFetch.ts"
import { readApiDocument } from "../lib/safety/ApiDocument.ts"
import { makeContents, shownBy } from "../lib/safety/Contents.ts"
import { mcpOperations } from "../lib/safety/McpCalls.ts"
import { startServer } from "../lib/TestServer.ts"

const server = await startServer(
  {},
  Context.make(TopicsInterval, Duration.millis(100)).pipe(
    // The websites of its requests do not exist, and nobody needs to wait for them.
    Context.add(CrawlPace, { ...CrawlPace.defaultValue(), pauseMin: Duration.zero, retryPause: Duration.zero }),
  ),
)
const document = readApiDocument((await server.client.get("/openapi.json")).body)
const all = await makeContents(server, document)

/** What reads comes first, and what deletes last, the parts before the whole. */
const order = ({ method }: { readonly method: string }) => ["GET", "PATCH", "POST", "DELETE"].indexOf(method)
const operations = [...document.operations.filter(({ needsKey }) => needsKey), ...mcpOperations].toSorted(
  (one, other) => order(one) - order(other) || other.path.length - one.path.length,
)

test("the matrix reports a key that sees what it may not", async () => {
  const operation = operations.find(({ name }) => name === "GET /api/external/conversations")
  const lacking = new Map([["words", all.client] as const])
  const { failures } = await shownBy({ ...all, lacking }, operation ?? expect.unreachable())
  expect(failures).toEqual(["GET /api/external/conversations: 200 shows the words without conversations:read"])
})

/** The contents that operations have shown, by the names of the operations. */
const shown: Record<string, string> = {}

describe("no key without the scope for passages, words of visitors, or answers sees any by", () => {
  test.each(operations.map((operation) => [operation.name, operation] as const))("%s", async (name, operation) => {
    const found = await shownBy(all, operation)
    if (found.shown.length > 0) shown[name] = found.shown.join(", ")
    expect(found.failures).toEqual([])
  })
})

test("what keys with all scopes see, by operation", () => {
  expect(shown).toEqual({
    "GET /api/external/chatbot/{chatbotId}/conversations": "passage, words, answer",
    "GET /api/external/chatbot/{chatbotId}/conversations/{sessionId}": "words, answer",
    "GET /api/external/chatbot/{chatbotId}/conversations/{sessionId}/messages": "passage, words, answer",
    "GET /api/external/chatbot/{chatbotId}/conversations/{sessionId}/transcript": "passage, words, answer",
    "GET /api/external/chatbot/{chatbotId}/knowledge-base/documents/{documentId}/passages": "passage",
    "GET /api/external/chatbot/{chatbotId}/knowledge-base/export": "passage",
    "GET /api/external/chatbot/{chatbotId}/replies/{messageId}": "passage, words, answer",
    "GET /api/external/chatbot/{chatbotId}/sources/{sourceId}": "passage",
    "GET /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions": "passage",
    "GET /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/export": "passage",
    "GET /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/{questionId}": "passage",
    "GET /api/external/chatbot/{chatbotId}/synonyms/suggestions": "words",
    "GET /api/external/chatbot/{chatbotId}/test-runs/{runId}/results": "passage, words, answer",
    "GET /api/external/chatbot/{chatbotId}/tests": "passage, words",
    "GET /api/external/chatbot/{chatbotId}/tests/export": "passage, words",
    "GET /api/external/chatbot/{chatbotId}/tests/{testId}": "passage, words",
    "GET /api/external/chatbot/{chatbotId}/topics": "words",
    "GET /api/external/chatbot/{chatbotId}/topics/{topicId}/questions": "words",
    "GET /api/external/conversations": "passage, words, answer",
    "PATCH /api/external/chatbot/{chatbotId}/conversations/{sessionId}": "words, answer",
    "PATCH /api/external/chatbot/{chatbotId}/sources/{sourceId}": "passage",
    "PATCH /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/{questionId}": "passage",
    "PATCH /api/external/chatbot/{chatbotId}/tests/{testId}": "words",
    "PATCH /api/external/chatbot/{chatbotId}/topics/{topicId}": "words",
    "POST /api/external/chatbot/{chatbotId}/chat": "made",
    "POST /api/external/chatbot/{chatbotId}/chat/try": "passage",
    "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/draft": "made",
    "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/handover": "words",
    "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/messages": "words",
    "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/return": "words",
    "POST /api/external/chatbot/{chatbotId}/query-knowledge": "passage",
    "POST /api/external/chatbot/{chatbotId}/tests/from-reply": "words",
    "POST /mcp chat": "made",
    "POST /mcp search_knowledge": "passage",
    "POST /mcp/{chatbotId} chat": "made",
    "POST /mcp/{chatbotId} search_knowledge": "passage",
    "POST /v1/chat/completions": "made",
  })
})
