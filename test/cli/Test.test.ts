import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Context, Duration } from "effect"
import { RunPause, testCommand } from "../../src/cli/Test.ts"
import { type TestResult, type TestRun, TestRunId } from "../../src/domain/evaluation/TestRun.ts"
import { Conflict, Unauthorized } from "../../src/domain/Errors.ts"
import { ChatbotId, DocumentId } from "../../src/domain/Ids.ts"
import { TestId } from "../../src/domain/evaluation/ChatbotTest.ts"
import { Timestamp } from "../../src/domain/schema/Timestamp.ts"
import { commandLine } from "../lib/CommandLine.ts"

const id = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
const at = Timestamp.make("2026-11-27T02:00:00.000+00:00")

const runOf = (more: Partial<TestRun> = {}, counts: Partial<TestRun["counts"]> = {}): TestRun => ({
  id: TestRunId.make(id),
  chatbot_id: ChatbotId.make(id),
  tier: "search",
  trigger: "manual",
  status: "finished",
  tags: [],
  counts: {
    total: 3,
    done: 3,
    untouched: 1,
    passed: 3,
    failed: 0,
    errors: 0,
    better: 0,
    worse: 0,
    different: 0,
    ...counts,
  },
  tokens_used: 0,
  server_version: "0.1.0",
  error: null,
  created_at: at,
  started_at: at,
  ended_at: at,
  ...more,
})

const answer = (text: string, passed: boolean) => ({ text, refused: false, passed, say: [], model: "local/extractive" })
const worse: TestResult = {
  test_id: TestId.make(id),
  run_id: TestRunId.make(id),
  question: "How long do\nrefunds \u001b[31mtake?",
  tags: [],
  outcome: "failed",
  change: "worse",
  found: [],
  find: [
    {
      expected: { document_id: DocumentId.make(id), title: "Refunds", contains: "five days" },
      passed: false,
      rank: null,
      similarity: null,
    },
  ],
  answers: [
    {
      ...answer("I do not know.", false),
      say: [
        { expected: { kind: "words", value: "five days" }, passed: false },
        { expected: { kind: "judge", value: "Is rude", not: true }, passed: false, reason: "It is." },
      ],
    },
  ],
  before: {
    run_id: TestRunId.make(id),
    outcome: "passed",
    found: [],
    find: [],
    answers: [answer("Refunds take five days.", true)],
  },
  created_at: at,
}

/** What the server answers with, one after the other, by path; the last answer stays. */
let answers: Record<string, Array<object>> = {}
let asked: Array<readonly [path: string, key: string | null, body: string]> = []
const metadata = { currentPage: 1, pageSize: 100, totalCount: 1, totalPages: 1 }
const problemOf = ({ declaration: { code, status, title } }: typeof Conflict | typeof Unauthorized) => ({
  type: `urn:parley:problem:${code}`,
  title,
  status,
  code,
  detail: "This is why.",
  request_id: id,
})

const server = Bun.serve({
  port: 0,
  fetch: async (request) => {
    const { pathname, search } = new URL(request.url)
    const path = `${request.method} ${pathname.split("/test-runs")[1]}${search}`
    asked.push([path, request.headers.get("x-api-key"), await request.text()])
    const [first = {}, ...others] = answers[path] ?? []
    if (others.length > 0) answers[path] = others
    const status = "status" in first ? Number(first.status) : path === "POST " ? 202 : 200
    const type = status < 300 ? "application/json" : "application/problem+json"
    return Response.json(first, { status, headers: { "content-type": type } })
  },
})
afterAll(() => server.stop(true))

const settings = { PARLEY_URL: server.url.href.replace(/\/$/, ""), PARLEY_API_KEY: "prl_secret" }
const parley = commandLine(testCommand, settings, Context.make(RunPause, Duration.millis(5)))

beforeEach(() => {
  asked = []
  answers = {
    "POST ": [{ run: runOf({ status: "queued" }) }],
    [`GET /${id}`]: [{ run: runOf({ status: "running" }) }, { run: runOf() }],
    [`GET /${id}/results?limit=100&only=worse`]: [{ data: [], metadata }],
    [`GET /${id}/results?limit=100&only=failed`]: [{ data: [], metadata }],
  }
})

/** Lets the run end with a test that has failed and is worse. */
const failing = () => {
  answers[`GET /${id}`] = [{ run: runOf({}, { passed: 2, failed: 1, worse: 1 }) }]
  answers[`GET /${id}/results?limit=100&only=worse`] = [{ data: [worse], metadata }]
  answers[`GET /${id}/results?limit=100&only=failed`] = [{ data: [worse], metadata }]
}

describe("`parley test`", () => {
  test("follows a run of the tests to its end, and ends with 0 where all have passed", async () => {
    const { code, out } = await parley(id, "--tag", "shop", "--tag", "money", "--tier", "model")
    expect(code).toBe(0)
    expect(out).toStartWith("3 tests (search): 3 passed, 0 failed")
    expect(asked[0]).toEqual(["POST ", "prl_secret", JSON.stringify({ tier: "model", tags: ["shop", "money"] })])
  })

  test("shows what has become worse, with both answers, and ends with 1", async () => {
    failing()
    const { code, out, why } = await parley(id)
    expect(code).toBe(1)
    expect(why).toContain("1 of 3 tests")
    expect(out).toContain(`failed, worse: How long do refunds \\u001b[31mtake?
  not found: Refunds | five days
  does not say (words): five days
  says (judge): Is rude (It is.)
  before: Refunds take five days.
  now:    I do not know.
`)
    expect(out.match(/How long/g)).toHaveLength(1)
  })

  test("can print JSON, and count only what is worse", async () => {
    answers[`GET /${id}`] = [{ run: runOf({}, { passed: 2, failed: 1 }) }]
    const { code, out } = await parley(id, "--json", "--fail-on", "worse")
    expect([code, JSON.parse(out).run.counts.failed]).toEqual([0, 1])
    failing()
    const other = await parley(id, "--json", "--fail-on", "worse")
    expect([other.code, JSON.parse(other.out).results[0].change]).toEqual([1, "worse"])
  })

  test("waits for a run that is under way", async () => {
    answers["POST "] = [problemOf(Conflict), { run: runOf({ status: "queued" }) }]
    answers["GET ?limit=1"] = [{ data: [runOf({ status: "running" })], is_outdated: null, metadata }]
    expect((await parley(id)).code).toBe(0)
    expect(asked.map(([path]) => path)).toContain("GET ?limit=1")
  })

  test.each<readonly [string, () => void]>([
    ["the key is wrong", () => (answers["POST "] = [problemOf(Unauthorized)])],
    [
      "there are no tests",
      () => {
        answers["POST "] = [problemOf(Conflict)]
        answers["GET ?limit=1"] = [{ data: [], is_outdated: null, metadata }]
      },
    ],
    ["the run was stopped", () => (answers[`GET /${id}`] = [{ run: runOf({ status: "stopped" }) }])],
    ["the model cannot be asked", () => (answers[`GET /${id}`] = [{ run: runOf({}, { errors: 1 }) }])],
  ])("ends with 2 where %s", async (_, arrange) => {
    arrange()
    const { code, why } = await parley(id)
    expect(code).toBe(2)
    expect(why).toMatch(/This is why|stopped|could not be run/)
    expect(why).not.toContain("prl_secret")
  })

  test("ends with 2 where there is no server", async () => {
    const { code, why } = await parley(id, "--url", "http://127.0.0.1:1")
    expect([code, why]).toEqual([
      2,
      "The server cannot be asked. See that PARLEY_URL or --url is its address, and that it runs.",
    ])
  })
})
