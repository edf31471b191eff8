import { describe, expect, test } from "bun:test"
import { Context, Effect, Exit, Scope } from "effect"
import { ExportTimes } from "../../../src/observability/Telemetry.ts"
import { until } from "../../lib/Client.ts"
import { calls, says } from "../../lib/FakeAnthropic.ts"
import { attributesOf, fakeCollector, type Manner, type Span } from "../../lib/FakeCollector.ts"
import { operatorKey } from "../../lib/ServerProcess.ts"
import { makeServer, startServer } from "../../lib/TestServer.ts"
import { sharedRun } from "../../lib/Scoped.ts"

const run = sharedRun()
const collector = await run(fakeCollector())
const { client, provider } = await startServer(
  {
    LOG_LEVEL: "info",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=a%20secret",
    OTEL_SERVICE_NAME: "parley-test",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  },
  Context.make(ExportTimes, { timeout: "10 seconds", interval: "30 millis", metricsInterval: "200 millis" }),
)

const question = "Wann kentert die Tide in Morlaix?"
const answer = "Um zwölf Uhr siebzehn."
const passage = "Der Kanarienvogel kentert in Morlaix um zwölf."
const bot = await client.newChatbot({ settings: { model: "claude-sonnet-5-5" } })
await client.learn(bot.id, { "tides.md": passage })

let number = 0
/** Sends a chat as part of a trace, and returns the id of the trace with the reply. */
const chat = async ({ flags = "01", query = "" } = {}) => {
  const trace = (++number).toString(16).padStart(32, "a")
  await provider.answers(calls("Morlaix"), says(answer))
  const reply = await client.post(`/api/external/chatbot/${bot.id}/chat${query}`, {
    json: { messages: [{ role: "user", content: question }] },
    headers: { traceparent: `00-${trace}-00f067aa0ba902b7-${flags}` },
  })
  expect(reply.status).toBe(200)
  return { trace, reply }
}

/** The spans of a trace, once it has its last one, which is that of the request or of the chat. */
const spansOf = (trace: string): Promise<ReadonlyArray<Span>> =>
  until(
    () => collector.spans().filter(({ traceId }) => traceId === trace),
    (spans) =>
      ["chat", `POST /api/external/chatbot/:chatbotId/chat`].every((name) => spans.some((one) => one.name === name)),
  )

/** The names of the spans from the outermost one to this one. */
const pathTo = (span: Span, spans: ReadonlyArray<Span>): ReadonlyArray<string> => {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return [...(parent === undefined ? [] : pathTo(parent, spans)), span.name]
}

const root = "POST /api/external/chatbot/:chatbotId/chat"

describe.each(["", "?stream=true"])("a traced chat%s", (query) => {
  test("is one trace, which continues that of the client, with a span at each border", async () => {
    const { reply, trace } = await chat({ query })
    const spans = await spansOf(trace)
    const paths = new Set(spans.map((span) => pathTo(span, spans).join(" > ")))
    for (const path of [
      root,
      `${root} > chat`,
      `${root} > chat > chat claude-sonnet-5-5`,
      `${root} > chat > execute_tool search`,
      `${root} > chat > execute_tool search > search`,
      `${root} > chat > execute_tool search > search > search rank`,
    ]) {
      expect(paths).toContain(path)
    }
    expect(Array.from(paths).some((path) => path === `${root} > chat > postgresql`)).toBe(true)
    const request = spans.find(({ name }) => name === root)
    expect(request).toMatchObject({ kind: 2, parentSpanId: "00f067aa0ba902b7" })
    expect(attributesOf(request ?? { attributes: [] })).toMatchObject({
      "http.request.method": "POST",
      "http.route": "/api/external/chatbot/:chatbotId/chat",
      "http.response.status_code": 200,
      "parley.chatbot_id": bot.id,
      "parley.conversation_id": reply.headers.get("x-session-id"),
      "parley.request_id": reply.headers.get("x-request-id"),
    })
    const models = spans.filter(({ name }) => name === "chat claude-sonnet-5-5")
    expect(models.length).toBe(2)
    expect(attributesOf(models[0] ?? { attributes: [] })).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "claude-sonnet-5-5",
      "gen_ai.usage.output_tokens": expect.any(Number),
    })
  })

  test("says in the log to which trace, organization, chatbot and conversation it belongs", async () => {
    const { reply, trace } = await chat({ query })
    const lines = await until(
      () => collector.logs().filter(({ traceId }) => traceId === trace),
      (logs) => logs.some(({ body }) => body.stringValue === "request"),
    )
    const line = lines.find(({ body }) => body.stringValue === "request")
    expect(attributesOf(line ?? { attributes: [] })).toMatchObject({
      path: `/api/external/chatbot/${bot.id}/chat`,
      organization_id: bot.organization_id,
      chatbot_id: bot.id,
      conversation_id: reply.headers.get("x-session-id"),
      request_id: reply.headers.get("x-request-id"),
    })
  })
})

test("a request that its client does not trace makes no spans", async () => {
  const { trace } = await chat({ flags: "00" })
  const later = await chat()
  await spansOf(later.trace)
  expect(collector.spans().filter(({ traceId }) => traceId === trace)).toEqual([])
})

test("the ingestion of a document is a trace of its own", async () => {
  const spans = await until(
    () => collector.spans(),
    (all) => all.some(({ name }) => name === "job ingestion"),
  )
  const job = spans.find(({ name }) => name === "job ingestion")
  const names = spans.filter(({ traceId }) => traceId === job?.traceId).map(({ name }) => name)
  for (const stage of ["fetch", "extract", "index", "publish"]) expect(names).toContain(`ingestion ${stage}`)
})

test("work that belongs to no request and no job makes no spans", async () => {
  const strays = () => {
    const spans = collector.spans()
    const ids = new Set(spans.map(({ spanId }) => spanId))
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined || !ids.has(parentSpanId))
    return roots.filter(({ name }) => !/^(?:[A-Z]+ \/|job )/.test(name)).map(({ name }) => name)
  }
  // A span may come before the one that it belongs to, which ends later.
  expect(await until(strays, ({ length }) => length === 0)).toEqual([])
})

test("metrics are exported too, and everything names the service", async () => {
  const names = await until(collector.metrics, (all) => all.includes("parley_queue_oldest_seconds"))
  expect(names).toContain("parley_http_request_duration_seconds")
  for (const resource of collector.resources()) {
    expect(attributesOf(resource)).toMatchObject({
      "service.name": "parley-test",
      "deployment.environment.name": "test",
      "service.version": expect.any(String),
    })
  }
  for (const headers of collector.headers()) expect(headers.get("x-collector-key")).toBe("a secret")
})

test("neither what users and models say nor a secret leaves the server with its telemetry", async () => {
  await provider.answers({ kind: "status", status: 500, type: "api_error", headers: {} })
  await client.post(`/api/external/chatbot/${bot.id}/chat`, {
    json: { messages: [{ role: "user", content: question }] },
  })
  await spansOf((await chat()).trace)
  const sent = collector.bodies().join("\n")
  for (const secret of ["kentert", "Kanarienvogel", "siebzehn", "tides.md", operatorKey, "a secret"]) {
    expect({ secret, isSent: sent.includes(secret) }).toEqual({ secret, isSent: false })
  }
})

test("no provider learns of the trace", async () => {
  await chat()
  for (const { headers } of provider.requests()) {
    expect(Object.keys(headers).filter((name) => /^(?:traceparent|tracestate|b3)$/.test(name))).toEqual([])
  }
})

describe.each<[string, Manner | "gone"]>([
  ["never answers", "never"],
  ["answers 503", 503],
  ["is not there", "gone"],
])("a collector that %s", (_, manner) => {
  test("costs telemetry and nothing else", async () => {
    const own = Scope.makeUnsafe()
    const faulty = await Effect.runPromise(Scope.provide(fakeCollector(manner === "gone" ? "well" : manner), own))
    const server = await Effect.runPromise(
      Scope.provide(
        makeServer(
          { OTEL_EXPORTER_OTLP_ENDPOINT: manner === "gone" ? "http://127.0.0.1:9" : faulty.url },
          Context.make(ExportTimes, { timeout: "300 millis", interval: "30 millis", metricsInterval: "30 seconds" }),
        ),
        own,
      ),
    )
    const dropped = async () =>
      Number(/^parley_telemetry_dropped_total (\d+)$/m.exec((await server.client.get("/metrics")).text)?.[1] ?? 0)
    const before = await dropped()
    const after = await until(
      async () => {
        expect((await server.client.get("/api/external/chatbots")).status).toBe(200)
        return await dropped()
      },
      (count) => count > before,
    )
    expect(after).toBeGreaterThan(before)
    expect(faulty.open()).toBeLessThanOrEqual(8)
    // The last exports end within the time that each of them has.
    await Effect.runPromise(Scope.close(own, Exit.void))
  })
})
