import { describe, expect, test } from "bun:test"
import { Context, type Duration, Schema } from "effect"
import { CallBounds } from "../../src/models/calls/ProviderCalls.ts"
import { UsageCounts, UsageRow } from "../../src/domain/organizations/Usage.ts"
import { type Client, problem, read, until } from "../lib/Client.ts"
import { calls, fails, says } from "../lib/FakeAnthropic.ts"
import { estimated, protocols } from "../lib/Faults.ts"
import { startServer, type TestServer } from "../lib/TestServer.ts"

/*
 * The tokens that are counted for a request to a model's provider whose answer nobody waited for.
 */

/** A server that makes one call at once to each provider. */
const server = await startServer({ PROVIDER_CONCURRENCY: "1" })
const { client, provider } = server

/** A server that gives a model this time to answer, so many times; its chats may take as long as all of them. */
const impatient = (patience: Duration.Input, attemptsMax: number) =>
  startServer(
    {},
    Context.make(CallBounds, {
      replyTimeout: patience,
      firstByteTimeout: patience,
      retryDelay: "10 millis",
      attemptsMax,
    }),
  )
/** Of its many attempts one is in time, however busy the machine is. */
const persistent = await impatient("1 second", 20)
const resigned = await impatient("300 millis", 2)

const ways = (["anthropic", "openai"] as const).flatMap((protocol) =>
  [false, true].map((streamed) => ({ protocol, streamed })),
)

/** The tokens of a reply as the fake provider reports them. */
const REPORTED_TOKENS = 108
/** Characters of a long question, which are estimated as about twice the tokens of the budgets in these tests. */
const HUGE = 32_000

const Usage = Schema.Struct({ data: Schema.Array(UsageRow), total: UsageCounts })
const usageOf = async (own: Client) => read(Usage, await own.get("/api/external/usage?group_by=model"))
const counted = (own: Client) =>
  until(
    () => usageOf(own),
    ({ total }) => total.total_tokens > 0,
  )
const sent = ({ provider }: TestServer) => provider.requests().map(({ body }) => body)
const isSent = (count: number) =>
  until(
    () => provider.requests().length,
    (seen) => seen === count,
  )

/** Sends a chat, and returns the function that disconnects. */
const ask = (own: Client, chatbot: string, streamed: boolean, content = "Are you there?") => {
  const leaving = new AbortController()
  const asked = own
    .post(`/api/external/chatbot/${chatbot}/chat?stream=${streamed}`, {
      json: { sessionToken: "s", messages: [{ role: "user", content }] },
      signal: leaving.signal,
    })
    .catch(() => "left")
  return async () => {
    leaving.abort()
    expect(await asked).toBe("left")
  }
}

describe.each(ways)("a client that disconnects before the model's first byte (%o)", ({ protocol, streamed }) => {
  const model = protocols[protocol].model
  const other = protocols[protocol === "anthropic" ? "openai" : "anthropic"].model
  const chatting = async (settings: object = {}) => {
    const own = await client.newOrganization()
    return { own, id: (await own.newChatbot({ settings: { model, ...settings } })).id }
  }

  test("has the tokens of its request counted against the budget, and none of a reply", async () => {
    const { own, id } = await chatting()
    const { id: key, client: limited } = await own.newKey()
    const budget = { tokens_per_day: HUGE / 8 }
    expect((await own.patch(`/api/admin/api-keys/${key}`, { json: { budget } })).status).toBe(200)
    await provider.answers({ kind: "hang" })
    const leave = ask(limited, id, streamed, "very ".repeat(HUGE / 5))
    await isSent(1)
    await leave()
    const { data, total } = await counted(own)
    const [body = ""] = sent(server)
    expect(body.length).toBeGreaterThan(HUGE)
    expect(data).toMatchObject([{ model, replies: 0, input_tokens: estimated(body), output_tokens: 0 }])
    expect(total.total_tokens).toBe(estimated(body))
    expect(await own.messages(id, "s")).toHaveLength(1)
    problem(await limited.say(id, "And now?"), 429, "budget_spent")
  })

  test("leaves earlier steps stored, and counted as the provider reported them", async () => {
    const { own, id } = await chatting()
    await provider.answers(calls("a"), { kind: "hang" })
    const leave = ask(own, id, streamed)
    await isSent(2)
    await leave()
    const { total } = await counted(own)
    const [, partial] = await own.messages(id, "s")
    const tokens = protocol === "anthropic" ? REPORTED_TOKENS : (partial?.tokens_used ?? 0)
    expect(partial).toMatchObject({ content: "", model, tokens_used: tokens })
    expect(total).toMatchObject({ replies: 1, total_tokens: tokens + estimated(sent(server)[1] ?? "") })
  })

  test("has nothing counted for a call that was still waiting for its turn", async () => {
    const [first, second, third] = [await chatting(), await chatting(), await chatting({ model: other })]
    await provider.answers({ kind: "hang" })
    const leaveFirst = ask(first.own, first.id, streamed)
    await isSent(1)
    const leaveSecond = ask(second.own, second.id, streamed)
    await until(
      async () => (await second.own.get(`/api/external/chatbot/${second.id}/conversations/s`)).status,
      (status) => status === 200,
    )
    // Another provider is asked after the same steps. By then the call before it has got as far.
    const leaveThird = ask(third.own, third.id, streamed)
    await isSent(2)
    await leaveSecond()
    await leaveFirst()
    await leaveThird()
    await counted(first.own)
    expect(provider.requests()).toHaveLength(2)
    expect((await usageOf(second.own)).data).toEqual([])
  })

  test("has the request counted for the model that received it, and none that was refused", async () => {
    const { own, id } = await chatting({ fallbackModels: [other] })
    await provider.answers(fails(500, "api_error", { "x-should-retry": "false" }), { kind: "hang" })
    const leave = ask(own, id, streamed)
    await isSent(2)
    await leave()
    const { data } = await counted(own)
    expect(data).toMatchObject([{ model: other, replies: 0, total_tokens: estimated(sent(server)[1] ?? "") }])
  })
})

describe.each(ways)("a request that takes too long (%o)", ({ protocol, streamed }) => {
  const chatting = async ({ client }: TestServer) => {
    const own = await client.newOrganization()
    const { id } = await own.newChatbot({ settings: { model: protocols[protocol].model } })
    const say = () =>
      own.post(`/api/external/chatbot/${id}/chat?stream=${streamed}`, {
        json: { sessionToken: "s", messages: [{ role: "user", content: "Are you there?" }] },
      })
    return { own, id, say }
  }

  test("is counted in addition to the reply of the next attempt", async () => {
    const { own, id, say } = await chatting(persistent)
    await persistent.provider.answers({ kind: "hang" }, says("Hello."))
    expect((await say()).status).toBe(200)
    const [, reply] = await own.messages(id, "s")
    const late = sent(persistent).slice(0, -1)
    expect(late.length).toBeGreaterThan(0)
    expect((await usageOf(own)).total).toMatchObject({
      replies: 1,
      total_tokens: late.reduce((sum, body) => sum + estimated(body), reply?.tokens_used ?? 0),
    })
  })

  test("is counted with all its attempts when no reply comes in time", async () => {
    const { own, say } = await chatting(resigned)
    await resigned.provider.answers({ kind: "hang" })
    problem(await say(), 504, "provider_timeout")
    const bodies = sent(resigned)
    expect(bodies).toHaveLength(2)
    expect((await usageOf(own)).total).toMatchObject({
      replies: 0,
      total_tokens: bodies.reduce((sum, body) => sum + estimated(body), 0),
    })
  })
})
